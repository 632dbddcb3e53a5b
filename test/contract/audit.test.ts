import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schedule, type Scope } from "effect"
import { SettledAfter } from "@agon/server/match/ReplayCheck.ts"
import { isMatch, keyed, playMatches, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const inService = (
  title: string,
  shares: { readonly replay_check: number; readonly audit: number },
  test: () => Effect.Effect<void, unknown, Service.Service | PgClient.PgClient | Scope.Scope>
) =>
  layer(Service.layer(shares).pipe(Layer.provide(Layer.succeed(SettledAfter, 0))), {
    excludeTestServices: true,
    timeout: "120 seconds"
  })("matches looked at again", (it) => it.effect(title, test))

/** Until it holds, for a while. */
const eventually = <A, E, R>(check: Effect.Effect<A, E, R>) =>
  Effect.retry(check, Schedule.upTo(Schedule.spaced("100 millis"), { times: 300 }))
const holds = (what: string, condition: boolean) => (condition ? Effect.void : Effect.fail(new Error(`never: ${what}`)))

interface MatchRow {
  readonly id: string
  readonly status: string
  readonly fault_reason: string | null
  readonly fault_detail: string | null
}
const matchOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<MatchRow>("SELECT id, status, fault_reason, fault_detail FROM match WHERE id = $1::uuid", [id])
  return row!
})
const flaggedOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<{ flagged: boolean }>("SELECT flagged_at IS NOT NULL AS flagged FROM runner WHERE id = $1::uuid", [id])
  return row!.flagged
})
const looked = Effect.fnUntraced(function* (id: string) {
  const sql = yield* PgClient.PgClient
  const [row] = yield* sql.unsafe<{ done: boolean }>(
    `SELECT EXISTS (SELECT 1 FROM match_check c JOIN match m ON m.season_id = c.season_id
       WHERE m.id = $1::uuid AND (c.ended_at, c.match_id) >= (m.ended_at, m.id)) AS done`,
    [id]
  )
  return yield* holds("the match was looked at", row!.done)
})

inService("a match whose replay does not bear the report out is voided, its runner gets no more", { replay_check: 1, audit: 0 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("check")
    const { admin, client, open } = fleet
    const here = yield* seasonOf("check", fleet)
    const honest = yield* open(["match"])
    const liar = yield* open(["match"])
    const before = yield* playMatches(client, honest, 3)
    const { leases } = yield* client.runner.lease({ payload: { runner: liar, max: 1, wait_s: 10 } })
    const [lied] = leases.filter(isMatch)
    yield* report(client, lied!, { turns: 1 })
    yield* eventually(Effect.flatMap(matchOf(lied!.match_id), ({ status }) => holds("the match is voided", status === "failed")))
    const after = yield* playMatches(client, honest, 2)
    yield* eventually(looked(after[1]!.match_id))

    const row = yield* matchOf(lied!.match_id)
    assert.deepInclude(row, { status: "failed", fault_reason: "replay_mismatch" })
    assert.match(row.fault_detail!, /^The turns of the match: 1 by the report/)
    for (const { match_id } of [...before, ...after]) assert.strictEqual((yield* matchOf(match_id)).status, "rated")
    assert.deepStrictEqual([yield* flaggedOf(liar), yield* flaggedOf(honest)], [true, false])
    const answer = yield* client.runner.lease({ payload: { runner: liar, max: 4, wait_s: 0 } })
    assert.deepStrictEqual([answer.drain, answer.leases], [true, []])

    const [season] = (yield* admin.season.seasons({ params: { game: here.game } })).filter(({ slug }) => slug === here.slug)
    assert.strictEqual(season!.matches_played, 5)
    const { total } = yield* admin.match.matches({ query: { game: here.game, season: here.slug } as never })
    assert.strictEqual(total, 5)
    const { maps } = yield* admin.board.boards({ params: here, query: {} as never })
    assert.strictEqual(maps[0]!.matches, 5)
    const again = yield* client.runner.result({
      params: { lease: lied!.lease },
      payload: { kind: "match", fault_reason: "engine_fault", detail: "" }
    })
    assert.deepStrictEqual(again, { accepted: true }) // the first answer
  })
)

inService("none of the replays is looked at where the share is none", { replay_check: 0, audit: 0 }, () =>
  Effect.gen(function* () {
    const fleet = yield* keyed("unchecked")
    yield* seasonOf("unchecked", fleet)
    const liar = yield* fleet.open(["match"])
    const { leases } = yield* fleet.client.runner.lease({ payload: { runner: liar, max: 1, wait_s: 10 } })
    const [lied] = leases.filter(isMatch)
    yield* report(fleet.client, lied!, { turns: 1 })
    yield* Effect.sleep("1500 millis")
    assert.strictEqual((yield* matchOf(lied!.match_id)).status, "rated")
  })
)
