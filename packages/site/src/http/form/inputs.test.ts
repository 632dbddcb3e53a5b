import { globSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { html } from "../../html/Html.ts"
import { button } from "./buttons.ts"
import { form } from "./Form.ts"
import { inputs, posting } from "./inputs.ts"
import { keptForm } from "./keptForm.ts"

const write = form({ name: "write", fields: ["body"], send: () => Effect.succeed({ to: "/" }) })
const SOURCES = fileURLToPath(new URL("../..", import.meta.url))

const textsIn = (markup: unknown) =>
  [...String(markup).matchAll(/<input type="hidden" name="once" value="([0-9a-f-]{36})">/g)].map(([, text]) => text!)

describe("a form that is posted", () => {
  it("has a random text of its own, whichever part of the site has made it", () => {
    const pairs = [["body", "text"]] as const
    const forms = [
      inputs(write, undefined).whole(html``, "Write"),
      button(write, { body: "text" }, "Write", "it"),
      keptForm({ "sec-fetch-site": "same-origin" }, { form: write, pairs }),
      posting(write, html``)
    ]
    const texts = forms.flatMap(textsIn)
    assert.lengthOf(texts, forms.length)
    assert.strictEqual(new Set(texts).size, forms.length)
  })

  it("keeps its text where it is shown again, since it may have been taken", () => {
    const once = "0e0e0e0e-0000-4000-8000-000000000001"
    const pairs = [
      ["once", once],
      ["body", "text"]
    ] as const
    assert.deepStrictEqual(textsIn(keptForm({ "sec-fetch-site": "same-origin" }, { form: write, pairs })), [once])
  })

  it("is written in one place of the site's sources", () => {
    const files = globSync("**/*.ts", { cwd: SOURCES }).filter((file) => !file.endsWith(".test.ts"))
    assert.isAbove(files.length, 100)
    const posted = files.filter((file) => /method\s*=\s*\\?["']?post/i.test(readFileSync(`${SOURCES}${file}`, "utf8")))
    assert.deepStrictEqual(posted, ["http/form/inputs.ts"])
  })
})
