/**
 * The last match of the finals closes the season and freezes its podium, after which nothing is voided any more: so a
 * false result of the finals never counts, not for a moment.
 */

import { retryRefused } from "@agon/api/retryRefused.ts"
import type { MatchWork } from "@agon/api/runner/protocol.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually } from "../support/eventually.ts"
import { played, toldOf } from "../support/playedMatch.ts"
import { hashOf, isMatch, keyed, liar, report, seasonOf, swapped } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const falseInline = (work: MatchWork) => {
  const truth = played(work)
  const text = canonicalJson({ ...truth.replay, state_sha256: "0".repeat(64) })
  const replay = { hash: hashOf(Buffer.from(text)), bytes: Buffer.byteLength(text), inline: text }
  const told = { ...toldOf(work, truth), state_sha256: "0".repeat(64) }
  return { lease: work.lease, kind: "match", runtime_version: "test", played_ms: 1, ...told, replay } as const
}

const service = Service.layer({ replay_check: 1, audit: 0, runtimes: ["test"] }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0)))

layer(service, { excludeTestServices: true })("a lie in the finals", (it) => {
  it.effect("fails its match at once, flags its runner, and does not end the season: another match is played instead", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("honest")
      const here = yield* seasonOf("cup", fleet)
      const { admin, client, open } = fleet
      const check = yield* ReplayCheck
      const finals = { kind: "finals", games: 1, starts_at: new Date(Date.now() + 1_000).toISOString() } as const
      yield* retryRefused(admin.round.planRound({ params: here, payload: finals }))
      const season = retryRefused(admin.season.season({ params: here }))
      yield* eventually(
        "the finals' start",
        Effect.map(season, ({ round }) => round !== null)
      )

      const uploads = yield* liar("uploads", fleet)
      yield* report(uploads.client, uploads.work, { told: swapped })
      const inline = yield* liar("inline", fleet)
      const payload = { runner: inline.runner, max: 0, wait_s: 0, results: [falseInline(inline.work)] }
      const { results } = yield* inline.client.runner.lease({ payload })
      assert.deepStrictEqual(results, [{ lease: inline.work.lease, accepted: true, reason: null }])
      for (const { client, runner } of [uploads, inline]) {
        assert.isTrue((yield* client.runner.heartbeat({ payload: { runner, leases: [] } })).drain)
      }
      assert.strictEqual((yield* season).state, "live")
      const runner = yield* open(["match"])
      const plays = Effect.gen(function* () {
        const { leases } = yield* client.runner.lease({ payload: { runner, max: 4, wait_s: 0 } })
        yield* Effect.forEach(leases.filter(isMatch), (work) => report(client, work))
        return (yield* season).state === "closed"
      })
      yield* eventually("the season's end", plays)
      const ids = [uploads, inline].map(({ work }) => work.match_id)
      const sql = yield* PgClient.PgClient
      const ended = yield* sql.unsafe<{ readonly id: string }>(
        "SELECT id, fault_reason, rated_n, (SELECT max(rank) FROM seat WHERE match_id = match.id) AS rank FROM match WHERE status = 'failed'"
      )
      assert.sameDeepMembers(
        [...ended],
        ids.map((id) => ({ id, fault_reason: "replay_mismatch", rated_n: null, rank: 0 }))
      )
      yield* check.look
      const { audit } = yield* retryRefused(admin.notice.seasonAudit({ params: here, query: { limit: 50 } as never }))
      assert.sameDeepMembers(
        audit.filter(({ actor }) => actor === null).map(({ action, subject }) => [action, subject]),
        [...ids.map((id) => ["match.void", id]), ...[uploads, inline].map(({ runner }) => ["runner.flag", runner])]
      )
    })
  )
})
