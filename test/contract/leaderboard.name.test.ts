/** A ladder searched by the beginning of a name: who is found, where they stand, and how many rows that reads. */

import { LeaderboardHandlers } from "@agon/server/leaderboard/http.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { call, noLookups, layer as webLayer } from "../support/Web.ts"

const services = Leaderboards.layer.pipe(Layer.provideMerge(Seasons.layer), Layer.provideMerge(Fixture.layer))
const web = webLayer({ handlers: LeaderboardHandlers.pipe(Layer.provide(services)), served: ["leaderboard"] }).pipe(
  Layer.provide(noLookups)
)

const ladder = (query: string) => call(`/v1/games/snakes/leaderboard?season=spring&${query}`)
const found = (name: string, more = "") =>
  Effect.map(ladder(`name=${encodeURIComponent(name)}${more}`), ({ json, status }) => {
    assert.strictEqual(status, 200, name)
    return { ...json, models: json.entries.map(({ model, rank }: any) => [rank, model]) }
  })

layer(web)("a ladder searched by a name", (it) => {
  it.effect("answers each entry as the whole ladder does, with its place there, whatever the case", () =>
    Effect.gen(function* () {
      for (const which of ["open", "nano", "micro"]) {
        const whole = (yield* ladder(`ladder=${which}`)).json
        for (const entry of whole.entries) {
          const { entries, total, ...rest } = (yield* ladder(`ladder=${which}&name=%20${entry.model.toUpperCase()}%20`)).json
          assert.deepStrictEqual(entries, [entry])
          const { entries: _, total: __, ...others } = whole
          assert.deepStrictEqual([total, rest], [1, others])
        }
      }
    })
  )

  it.effect("finds the models of an owner by the beginning of the username, best first", () =>
    Effect.gen(function* () {
      const whole = (yield* ladder("")).json.entries
      const adas = whole.filter(({ owner }: any) => owner === "ada").map(({ model, rank }: any) => [rank, model])
      assert.isNotEmpty(adas)
      assert.deepStrictEqual((yield* found("ad")).models, adas)
    })
  )

  it.effect("finds nobody who is out of play, on another ladder, in another season, or whose name goes on otherwise", () =>
    Effect.gen(function* () {
      for (const [name, more] of [
        ["greedy", ""],
        ["lpha", ""],
        ["alpha2", ""],
        ["%", ""],
        ["_lpha", ""],
        ["a\u0000", ""],
        ["\u{1f40d}".repeat(100), ""],
        ["gamma", "&ladder=nano"]
      ] as const) {
        const { models, next_cursor, total } = yield* found(name, more)
        assert.deepStrictEqual([models, total, next_cursor], [[], 0, null], name)
      }
    })
  )

  it.effect("is the whole ladder where the name is blank", () =>
    Effect.gen(function* () {
      const whole = (yield* ladder("")).json
      for (const name of ["", "%20", "%09%20"]) assert.deepStrictEqual((yield* ladder(`name=${name}`)).json, whole)
    })
  )

  it.effect("refuses a name of more than a hundred characters, and one that is there twice", () =>
    Effect.gen(function* () {
      for (const query of [`name=${"x".repeat(101)}`, "name=a&name=b"]) {
        const { json, status } = yield* ladder(query)
        assert.strictEqual(`${status} ${json.code}`, "400 invalid_request", query)
      }
    })
  )

  it.effect("has pages", () =>
    Effect.gen(function* () {
      const { models, total } = yield* found("a")
      assert.isAtLeast(total, 1)
      const first = yield* found("a", "&limit=1")
      assert.deepStrictEqual([first.models, first.total, first.next_cursor], [models.slice(0, 1), total, total > 1 ? "1" : null])
      const past = yield* found("a", "&cursor=2147483647")
      assert.deepStrictEqual([past.models, past.total, past.next_cursor], [[], total, null])
    })
  )

  it.effect("follows who is renamed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.deepStrictEqual((yield* found("zeta")).models, [])
      yield* sql`UPDATE model SET name = 'Zeta' WHERE id = ${Fixture.modelIds.beta}`
      assert.deepStrictEqual((yield* found("ZE")).models, [[1, "Zeta"]])
    })
  )

  it.effect("knows the places of a round whose ratings are not all written yet", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE season SET head = head || '{"round": 7}' WHERE slug = 'spring'`
      const whole = (yield* ladder("limit=199")).json.entries
      assert.deepStrictEqual(new Set(whole.map(({ rating }: any) => rating)), new Set([1_500]), "they begin anew")
      for (const entry of whole) {
        const { entries } = (yield* ladder(`name=${entry.model}&limit=199`)).json
        assert.deepStrictEqual(entries, [entry])
      }
    })
  )

  it.effect("finds a name however its letters are composed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE model SET name = 'Zoë' WHERE id = ${Fixture.modelIds.gamma}`
      for (const form of ["NFC", "NFD"])
        assert.deepStrictEqual(
          (yield* found("ZOË".normalize(form))).entries.map(({ model }: any) => model),
          ["Zoë"],
          form
        )
    })
  )
})
