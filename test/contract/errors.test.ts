/** The page that the type of every problem links to. */

import { errorCatalogue } from "@agon/api/Errors.ts"
import { errorMeanings } from "@agon/api/errorMeanings.ts"
import * as Problems from "@agon/api/Problem.ts"
import { errorsPage } from "@agon/server/http/page/errorsPage.ts"
import { assert, describe, it } from "@effect/vitest"

describe("the catalogue of errors", () => {
  const catalogue = errorCatalogue()

  it("says of every code when it is given, and of no other", () => {
    assert.deepStrictEqual(
      catalogue.filter(({ when }) => when === "").map(({ code }) => code),
      [],
      "these have no sentence in errorMeanings.ts"
    )
    assert.deepStrictEqual(Object.keys(errorMeanings).sort(), catalogue.map(({ code }) => code).sort())
  })

  it("holds what any operation may answer, with its status, title and members", () => {
    const of = (code: string) => catalogue.find((entry) => entry.code === code)!
    assert.deepStrictEqual(of("cooldown").members, ["retry_at"])
    assert.deepStrictEqual(of("cooldown").routes, ["POST /v1/submissions/reenter", "POST /v1/submissions"])
    assert.strictEqual(of("rate_limited").status, 429)
    assert.isAbove(of("internal").routes.length, 80)
    for (const Refused of [Problems.MethodNotAllowed, Problems.RequestTimeout, Problems.HeadersTooLarge]) {
      const refused = new Refused({ detail: "x" }) as any
      assert.deepStrictEqual([of(refused.code).status, of(refused.code).title], [refused.status, refused.title])
    }
  })

  it("is a page with a place for every code, which is where the problem's type leads", () => {
    const page = errorsPage()
    for (const { code } of catalogue) assert.include(page, `<section id="${code}">`)
    assert.strictEqual((new Problems.NotFound({ detail: "x" }) as any).type, "/errors#not_found")
    assert.notInclude(page, "undefined")
  })
})
