/**
 * Things named in a path are looked up before the body is read (docs/contract.md#order-of-checks): a request
 * about a thing that is not there is 404, whatever its body. Leases are the exception: a runner's calls are
 * looked up with what they report, in one statement.
 */
import { Api } from "@agon/api/Api.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { operationsOf } from "../support/Operations.ts"

const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const NAMED: Readonly<Record<string, string>> = {
  game: "snakes",
  slug: "absent",
  map_id: "absent",
  baseline: "absent",
  n: "77",
  username: "absent"
}
const ABSENT = "01900000-0000-7000-8000-000000000000"

/** Operations that read a body and whose path names more than a game and a season. */
const operations = operationsOf(OpenApi.fromApi(Api)).filter(
  ({ body, path }) =>
    body !== undefined && /\{\w+\}/.test(path.replace("/games/{game}", "").replace("/seasons/{slug}", "")) && !path.includes("{lease}")
)

const bodies: Readonly<Record<string, Parameters<typeof A.ask>[1]>> = {
  none: {},
  "no JSON": { body: "{", headers: { "content-type": "application/json" } },
  "another type": { body: "x=1", headers: { "content-type": "application/x-www-form-urlencoded" } },
  "another shape": { json: [] },
  "more than 1 MiB": { json: "x".repeat(1_100_000) }
}

layer(web, A.options)("a thing that is not there", (it) => {
  it.effect("is 404 before the body that says what to do with it is read", () =>
    Effect.gen(function* () {
      assert.isAtLeast(operations.length, 14)
      const { url } = yield* A.scheduled("ordered")
      for (const { method, path } of operations) {
        const at = path
          .replace("/v1/games/{game}/seasons/{slug}", url(""))
          .replace(/\{(\w+)\}/g, (_, name: string) => NAMED[name] ?? ABSENT)
        for (const [what, sent] of Object.entries(bodies)) {
          const answer = yield* A.ask(at, { method, as: "root", ...sent })
          assert.deepStrictEqual(A.refusal(answer), [404, "not_found"], `${method} ${path} with ${what}`)
        }
      }
    })
  )
})
