import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect } from "effect"
import { form } from "./Form.ts"
import { keptForm, putOffPage } from "./keptForm.ts"

const write = form({ name: "write", fields: ["body"], send: () => Effect.succeed({ to: "/" }) })
const OWN = { "sec-fetch-site": "same-origin" }
const kept = (headers: Readonly<Record<string, string>>, body: string) =>
  keptForm(headers, {
    form: write,
    pairs: [
      ["form", "write"],
      ["body", body],
      ["other", "x"]
    ]
  })

describe("a form that could not be taken", () => {
  it("is kept with the fields that it has, as they were typed", () => {
    const text = String(kept(OWN, `two\nlines of "<b>"`))
    assert.include(text, `<input type="hidden" name="form" value="write">`)
    assert.include(text, `<input type="hidden" name="body" value="two\nlines of &quot;&lt;b&gt;&quot;">`)
    assert.notInclude(text, "other")
  })
  it("is not kept where another origin may have sent it, or where no person has typed so much", () => {
    assert.isUndefined(kept({}, "a"))
    assert.isUndefined(kept({ "sec-fetch-site": "none" }, "a"))
    assert.isUndefined(kept({ "sec-fetch-site": "cross-site" }, "a"))
    assert.isUndefined(kept(OWN, "a".repeat(64 * 1024)))
    assert.isDefined(kept(OWN, "a".repeat(63 * 1024)))
  })
  it("stands on the page of a failure that waiting mends, and of no other", () => {
    const form = kept(OWN, "kept text")!
    for (const error of [{ status: 429 }, { status: 503 }, new Cause.TimeoutError()]) {
      const page = putOffPage(error, form)!
      assert.include(String(page.main), "kept text")
      assert.strictEqual(page.headers?.["retry-after"], "2")
    }
    assert.strictEqual(putOffPage({ status: 429 }, form)?.status, 429)
    assert.strictEqual(putOffPage(new Cause.TimeoutError(), form)?.status, 503)
    for (const error of [{ status: 404 }, { status: 403 }, new Error("ours")]) assert.isUndefined(putOffPage(error, form))
  })
})
