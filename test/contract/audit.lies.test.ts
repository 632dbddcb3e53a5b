/**
 * Every way in which a runner can report a match that was not so, over HTTP: found out, voided,
 * flagged, as if it had never been.
 */

import { retryRefused } from "@agon/api/retryRefused.ts"
import type { MatchWork } from "@agon/api/runner/protocol.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { played, toldOf } from "../support/playedMatch.ts"
import { isMatch, keyed, type Lie, playMatches, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

type Forged = ReturnType<typeof played>
/** A match of its own, told as it went; only it is not the one that was asked for. */
const other = (work: MatchWork, forged: Forged): Lie => ({
  replay: () => forged.replay,
  told: (told) => ({ ...told, ...toldOf(work, forged) })
})
const inReplay = (change: (replay: Replay) => object) => (): Lie => ({ replay: (replay) => ({ ...replay, ...change(replay) }) })
const inReport = (told: NonNullable<Lie["told"]>) => (): Lie => ({ told })
const board = (work: MatchWork) => work.board as Readonly<Record<string, unknown>>

const lies: Readonly<Record<string, { readonly lie: (work: MatchWork, before: MatchWork) => Lie; readonly found: RegExp }>> = {
  "one move": {
    lie: inReplay(({ moves }) => ({
      moves: moves.map((row, turn) => (turn === 2 ? row.map((move) => (move === null ? null : (move + 1) % 4)) : row))
    })),
    found: /^The replay: /
  },
  "one strike": {
    lie: inReplay(({ moves }) => ({
      moves: moves.map((row, turn) => (turn === 1 ? [null, row[1]!] : row)),
      strikes: [{ turn: 1, seat: 0, code: "timeout" }]
    })),
    found: /^The (replay: |strikes of the match)/
  },
  "one strike, in the report alone": {
    lie: inReport((told) => ({ ...told, seats: told.seats.map((seat, i) => (i === 0 ? { ...seat, strikes: 1 } : seat)) })),
    found: /^The strikes of the match: \[1,0\] by the report/
  },
  "the scores": {
    lie: inReport((told) => ({ ...told, seats: told.seats.map((seat) => ({ ...seat, score: seat.score + 1 })) })),
    found: /^The scores of the match/
  },
  "who won": {
    lie: inReport((told) => ({ ...told, seats: told.seats.map((seat, i) => ({ ...seat, score: 10_000 - i, rank: i + 1 })) })),
    found: /^The scores of the match/
  },
  "the reason": { lie: inReport((told) => ({ ...told, reason: "forfeit" })), found: /^The reason of the match/ },
  "the last state": { lie: inReport((told) => ({ ...told, state_sha256: "0".repeat(64) })), found: /^The last state of the match/ },
  "the last state, in the replay": { lie: inReplay(() => ({ state_sha256: "0".repeat(64) })), found: /^The replay: state_sha256 / },
  "the runtime": { lie: inReport((told) => ({ ...told, runtime_version: "mine" })), found: /^The runtime of the match/ },
  "the board": {
    lie: (work) => other(work, played({ ...work, board: { ...board(work), min_food: 3 } as never })),
    found: /^The board of the match/
  },
  "the seed": { lie: (work) => other(work, played({ ...work, seed: (work.seed ^ 1) >>> 0 })), found: /^The seed of the match/ },
  "the rules": {
    lie: (work) => other(work, played({ ...work, rules: { ...work.rules, max_turns: 3 } })),
    found: /^The rules of the match/
  },
  "the models": { lie: (work) => other(work, played({ ...work, seats: work.seats.toReversed() })), found: /^The weights of the match/ },
  "another match": { lie: (work, before) => other(work, played(before)), found: /^The (seed|weights) of the match/ },
  "another engine": { lie: inReplay(() => ({ engine_digest: "1".repeat(64) })), found: /^The replay: engine_digest / },
  "no replay at all": { lie: () => ({ replay: () => "{" }), found: /^The replay is not JSON/ }
}

const service = Service.layer({ replay_check: 1, audit: 0, runtimes: ["test", "mine"] }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0)))

layer(service, { excludeTestServices: true })("a runner that lies", (it) => {
  it.effect("is found out whatever it lies about, its match is voided, and the ladder is as if it had never been", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("honest")
      const here = yield* seasonOf("lies", fleet)
      const honest = yield* fleet.open(["match"])
      const check = yield* ReplayCheck
      const sql = yield* PgClient.PgClient
      const ladders = Effect.forEach(["nano", "open"], (ladder) =>
        retryRefused(fleet.admin.leaderboard.leaderboard({ params: { game: here.game }, query: { season: here.slug, ladder } as never }))
      )
      const [first] = yield* playMatches(fleet.client, honest, 2)
      for (const [about, { found, lie }] of Object.entries(lies)) {
        const before = yield* ladders
        const { client, key, open } = yield* keyed(about, fleet.admin)
        const runner = yield* retryRefused(open(["match"])) // a key's first request costs its address a token, as the ladders do
        const { leases } = yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
        const [work] = leases.filter(isMatch)
        yield* report(client, work!, lie(work!, first!))
        yield* check.look
        const row = yield* untilSuccess(
          Effect.flatMap(
            sql.unsafe<{ status: string; fault_reason: string; fault_detail: string }>(
              "SELECT status, fault_reason, fault_detail FROM match WHERE id = $1::uuid",
              [work!.match_id]
            ),
            ([row]) => (row?.status === "failed" ? Effect.succeed(row) : Effect.fail(new Error(`nobody noticed the lie about ${about}`)))
          )
        )
        assert.strictEqual(row.fault_reason, "replay_mismatch")
        assert.match(row.fault_detail, found, about)
        yield* untilSuccess(
          Effect.flatMap(sql.unsafe("SELECT match_id FROM voiding"), (rows) =>
            rows.length === 0 ? Effect.void : Effect.fail(new Error("ratings without it are not there yet"))
          )
        )
        assert.deepStrictEqual(yield* ladders, before, about)
        const { audit } = yield* retryRefused(fleet.admin.notice.seasonAudit({ params: here, query: { limit: 2 } as never }))
        const facts = { detail: row.fault_detail }
        assert.deepStrictEqual(
          audit.map(({ action, actor, detail, subject }) => ({ action, actor, detail, subject })),
          [
            { action: "match.void", actor: null, detail: { ...facts, runners: [runner] }, subject: work!.match_id },
            { action: "runner.flag", actor: null, detail: { ...facts, key, match: work!.match_id, name: "rack" }, subject: runner }
          ]
        )
        const { runners } = yield* retryRefused(fleet.admin.fleet.runners({ query: {} as never }))
        // It is listed as draining until it is swept, having nothing to finish; whatever it
        // asks, it is told so for good.
        assert.include([undefined, "draining"], runners.find(({ id }) => id === runner)?.state, about)
        assert.isTrue((yield* client.runner.heartbeat({ payload: { runner, leases: [] } })).drain, about)
      }
      assert.strictEqual((yield* playMatches(fleet.client, honest, 1)).length, 1)
    })
  )
})
