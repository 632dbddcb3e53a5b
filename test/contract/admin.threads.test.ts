/**
 * Every thread there is, for moderators (docs/contract.md#comments). Their decisions on
 * one are in threads.test.ts.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import { published } from "../support/Commenting.ts"
import * as Fixture from "../support/Fixture.ts"

const { matchIds: x, modelIds: m } = Fixture
const read = (query = "") => A.read(`/v1/admin/threads${query}`)

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("threads", (it) => {
  it.effect("are listed newest first, of private seasons too, each with its lock and the number of its comments", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual((yield* read()).json, { threads: [], next_cursor: null })
      for (const about of [{ match: x.nano }, { model: m.alpha }, { match: x.secret }]) yield* published("ada", about)
      yield* published("ada", { match: x.nano })
      const all = (yield* read()).json
      const [newest] = all.threads
      yield* A.patch(`/v1/admin/threads/${newest.id}`, { locked: true })
      const { next_cursor, threads } = (yield* read()).json
      assert.deepStrictEqual(
        threads.map(({ id: _, ...thread }: any) => thread),
        [
          { subject: { kind: "match", id: x.secret }, locked: true, comments: 1 },
          { subject: { kind: "model", id: m.alpha }, locked: false, comments: 1 },
          { subject: { kind: "match", id: x.nano }, locked: false, comments: 2 }
        ]
      )
      assert.isNull(next_cursor)
      const { thread } = (yield* A.ask(`/v1/threads?match=${x.nano}`)).json
      assert.deepStrictEqual(threads[2], thread)
      const pages = [yield* read("?limit=2"), yield* read("?limit=2&cursor=2"), yield* read("?limit=2&cursor=9")]
      assert.deepStrictEqual(
        pages.flatMap(({ json }) => json.threads),
        threads
      )
      assert.deepStrictEqual(
        pages.map(({ json }) => json.next_cursor),
        ["2", null, null]
      )
      assert.deepStrictEqual(A.refusal(yield* read("?limit=x")), [400, "invalid_request"])
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/admin/threads", "ada")), [403, "admin_only"])
    })
  )
})
