/** Picked matches over the whole service (docs/contract.md#picks). */

import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { call } from "../support/Web.ts"
import { withoutLog } from "../support/withoutLog.ts"

const { matchIds: x, uuid } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const games = "/v1/games/snakes/picks"
const all = "/v1/admin/picks"
const pick = (match: string, note?: string | null, as = "root") => A.post(all, note === undefined ? { match } : { match, note }, as)
const unpick = (id: string, as = "root") => A.remove(`${all}/${id}`, undefined, as)
const shown = (path = games) => Effect.map(A.ask(path), ({ json }) => json)
const log = A.rows<any>`SELECT action, game, season_id, subject, detail FROM audit ORDER BY at, id`

layer(web, A.options)("a pick", (it) => {
  it.effect("is shown with its note to everybody, newest first, until it is taken back", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* shown(), { picks: [], total: 0, next_cursor: null })
      const first = yield* pick(x.nano, "What an ending.")
      assert.strictEqual(first.status, 201)
      const { id, picked_at, ...rest } = first.json
      assert.deepStrictEqual(rest, { match: x.nano, note: "What an ending." })
      assert.match(picked_at, /^\d{4}-.*\.\d{3}Z$/)
      assert.deepStrictEqual(yield* shown(), { picks: [first.json], total: 1, next_cursor: null })
      const second = yield* pick(x.winter)
      assert.isNull(second.json.note)
      const third = yield* pick(x.open, null)
      assert.deepStrictEqual((yield* shown()).picks, [third.json, second.json, first.json])
      assert.deepStrictEqual(yield* shown(`${games}?limit=2`), { picks: [third.json, second.json], total: 3, next_cursor: "2" })
      assert.deepStrictEqual(yield* shown(`${games}?limit=2&cursor=2`), { picks: [first.json], total: 3, next_cursor: null })
      assert.deepStrictEqual((yield* A.read(all)).json, { picks: [third.json, second.json, first.json], total: 3, next_cursor: null })
      assert.deepStrictEqual((yield* A.read(`${all}?limit=1`)).json.next_cursor, "1")
      assert.deepStrictEqual(yield* shown("/v1/games/othello/picks"), { picks: [], total: 0, next_cursor: null }, "each game has its own")
      const removed = yield* unpick(id)
      assert.deepStrictEqual([removed.status, removed.json], [200, first.json])
      assert.deepStrictEqual((yield* shown()).picks, [third.json, second.json])
      assert.deepStrictEqual(A.refusal(yield* unpick(id)), [404, "not_found"])
      const again = yield* pick(x.nano)
      assert.strictEqual(again.status, 201)
      assert.notStrictEqual(again.json.id, id)
    })
  )

  it.effect("is one for each match: a second is refused, also at the same time, and says nothing in the log", () =>
    Effect.gen(function* () {
      yield* A.rows`DELETE FROM pick`
      const before = (yield* log).length
      const answers = yield* Effect.all(
        Array.from({ length: 5 }, () => pick(x.nano)),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409])
      assert.deepStrictEqual(A.refusal(yield* pick(x.nano, "Another note.")), [409, "pick_exists"])
      const made = answers.find(({ status }) => status === 201)!.json
      const rows = (yield* log).slice(before)
      const { spring } = Fixture.seasonIds
      const row = { action: "pick.add", game: "snakes", season_id: spring, subject: made.id, detail: { match: x.nano, note: null } }
      assert.deepStrictEqual(rows, [row])
      const removals = yield* Effect.all([unpick(made.id), unpick(made.id)], { concurrency: "unbounded" })
      assert.deepStrictEqual(removals.map(({ status }) => status).sort(), [200, 404])
      assert.deepStrictEqual((yield* log).slice(before), [row, { ...row, action: "pick.remove" }])
    })
  )

  it.effect("is of a match that counts, in a public season, and nothing else", () =>
    Effect.gen(function* () {
      const before = yield* log
      assert.deepStrictEqual(A.refusal(yield* pick(x.secret)), [409, "season_private"])
      for (const match of [
        x.passedTrial,
        x.openTrial,
        x.liveTrial,
        x.cancelled,
        x.failed,
        x.uncounted,
        x.queued,
        x.playing,
        uuid("match", 999)
      ]) {
        assert.deepStrictEqual(A.refusal(yield* pick(match)), [404, "not_found"], match)
      }
      for (const body of [
        {},
        { match: "x" },
        { match: 1 },
        { match: x.open, note: "" },
        { match: x.open, note: "x".repeat(501) },
        [],
        null
      ]) {
        assert.deepStrictEqual(A.refusal(yield* A.post(all, body)), [400, "invalid_request"], JSON.stringify(body))
      }
      for (const id of ["x", uuid("match", 999)]) assert.deepStrictEqual(A.refusal(yield* unpick(id)), [404, "not_found"])
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/games/chess/picks")), [404, "unknown_game"])
      assert.deepStrictEqual(A.refusal(yield* A.ask(`${games}?cursor=x`)), [400, "invalid_cursor"])
      assert.deepStrictEqual(yield* log, before)
    })
  )

  it.effect("is made and taken back by administrators of the platform alone", () =>
    Effect.gen(function* () {
      const { id } = (yield* pick(x.open)).json
      const before = yield* log
      assert.deepStrictEqual(A.refusal(yield* pick(x.nano, null, "ada")), [403, "admin_only"])
      assert.deepStrictEqual(A.refusal(yield* unpick(id, "ada")), [403, "admin_only"])
      assert.deepStrictEqual(A.refusal(yield* A.read(all, "ada")), [403, "admin_only"])
      assert.deepStrictEqual(yield* log, before)
      yield* unpick(id)
    })
  )

  it.effect("is neither made nor taken back where its row in the log cannot be written", () =>
    Effect.gen(function* () {
      const row = Effect.map(A.rows`SELECT * FROM pick`, (rows) => JSON.stringify(rows))
      const none = yield* row
      assert.strictEqual((yield* withoutLog(call(all, { method: "POST", as: "root", json: { match: x.open } }))).status, 500)
      assert.strictEqual(yield* row, none)
      const { id } = (yield* pick(x.open)).json
      const one = yield* row
      assert.strictEqual((yield* withoutLog(call(`${all}/${id}`, { method: "DELETE", as: "root" }))).status, 500)
      assert.strictEqual(yield* row, one)
      yield* unpick(id)
    })
  )

  it.effect("is kept for everybody, and let go with what is written and by nothing that is not", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const isKept = () => cache.getUnsafe(games) !== undefined
      yield* shown()
      assert.isTrue(isKept())
      const { id } = (yield* pick(x.open)).json
      assert.isFalse(isKept())
      const [picked] = (yield* shown()).picks
      assert.strictEqual(picked.id, id)
      yield* pick(x.secret)
      yield* pick(x.open)
      assert.isTrue(isKept())
      yield* unpick(id)
      assert.isFalse(isKept())
    })
  )

  it.effect("of a match that counts no more is shown to administrators alone", () =>
    Effect.gen(function* () {
      const { json } = yield* pick(x.winter)
      yield* A.rows`UPDATE match SET status = 'failed', rated_n = NULL, fault_reason = 'replay_mismatch' WHERE id = ${x.winter}`
      yield* Effect.flatMap(ResponseCache, ({ purgeAll }) => purgeAll)
      assert.deepStrictEqual(yield* shown(), { picks: [], total: 0, next_cursor: null })
      assert.deepStrictEqual((yield* A.read(all)).json, { picks: [json], total: 1, next_cursor: null })
      assert.deepStrictEqual((yield* unpick(json.id)).json, json)
    })
  )
})
