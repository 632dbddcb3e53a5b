/**
 * Text that no column keeps, in every place where a runner or its replay can bring it: told and flagged like
 * any other, and nothing stands still.
 */

import type { MatchWork } from "@agon/api/runner/protocol.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { about, hashOf, isMatch, keyed, playMatches, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const NUL = "\0"
const HALF = "\ud83d"
const LONG = "x".repeat(30_000)

const first = <A>(list: ReadonlyArray<A>, change: (one: A) => unknown) => [change(list[0]!), ...list.slice(1)]

/** Every member of a replay that is text, or may have a name of the runner's choice. */
const forgeries: Readonly<Record<string, (text: string, replay: Replay) => object>> = {
  "a member": (text, replay) => ({ ...replay, [text]: 1 }),
  "the format": (text, replay) => ({ ...replay, format: text }),
  "the game": (text, replay) => ({ ...replay, game: text }),
  "the engine": (text, replay) => ({ ...replay, engine_digest: text }),
  "the runtime": (text, replay) => ({ ...replay, runtime_version: text }),
  "the reason": (text, replay) => ({ ...replay, reason: text }),
  "a member of the rules": (text, replay) => ({ ...replay, rules: { ...replay.rules, [text]: 1 } }),
  "a member of the board": (text, replay) => ({ ...replay, board: { ...(replay.board as object), [text]: text } }),
  "the board's name": (text, replay) => ({ ...replay, board: { ...(replay.board as object), map_id: text } }),
  "the weights": (text, replay) => ({ ...replay, seats: first(replay.seats, (seat) => ({ ...seat, weights_sha256: text })) }),
  "a member of a seat": (text, replay) => ({ ...replay, seats: first(replay.seats, (seat) => ({ ...seat, [text]: 1 })) }),
  "a strike": (text, replay) => ({ ...replay, strikes: [{ turn: 0, seat: 0, code: text }] }),
  "an event": (text, replay) => ({ ...replay, events: [{ turn: 0, type: text, [text]: text }] }),
  "the last state": (text, replay) => ({ ...replay, state_sha256: text })
}

const service = Service.layer({ replay_check: 1 }).pipe(Layer.provide(Layer.succeed(SettledAfter, 0)))

layer(service, { excludeTestServices: true, timeout: "180 seconds" })("text that cannot be stored", (it) => {
  it.effect(
    "in a replay is a false report like any other, whatever part of it: voided, flagged, and the matches after it are looked at",
    () =>
      Effect.gen(function* () {
        const fleet = yield* keyed("honest")
        yield* seasonOf("texts", fleet)
        const honest = yield* fleet.open(["match"])
        const sql = yield* PgClient.PgClient
        const texts = { NUL, HALF, LONG }
        const told: Array<{ readonly about: string; readonly match: string; readonly runner: string }> = []
        for (const [about, forge] of Object.entries(forgeries)) {
          for (const [name, text] of Object.entries(texts)) {
            if (name === "LONG" && about !== "a member") continue
            const liar = yield* keyed("liar", fleet.admin)
            const runner = yield* liar.open(["match"])
            const { leases } = yield* liar.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
            const work = leases.find(isMatch)!
            yield* report(liar.client, work, { replay: (replay) => JSON.stringify(forge(text, replay)) })
            told.push({ about: `${about}: ${name}`, match: work.match_id, runner })
          }
        }
        const [after] = yield* playMatches(fleet.client, honest, 1)
        yield* ReplayCheck.use(({ look }) => look)
        for (const { about, match, runner } of told) {
          const [row] = yield* sql.unsafe<{ status: string; flagged: boolean; length: number }>(
            `SELECT m.status, r.flagged_at IS NOT NULL AS flagged, length(m.fault_detail) AS length FROM match m, runner r
           WHERE m.id = $1::uuid AND r.id = $2::uuid`,
            [match, runner]
          )
          assert.deepInclude(row, { status: "failed", flagged: true }, about)
          assert.isAtMost(row!.length, 20_000, about)
        }
        const [sound] = yield* sql.unsafe<{ status: string }>("SELECT status FROM match WHERE id = $1::uuid", [after!.match_id])
        assert.strictEqual(sound!.status, "rated")
        const unchecked = yield* sql.unsafe("SELECT 1 FROM audit WHERE action = 'match.unchecked'")
        assert.lengthOf(unchecked, 0)
      })
  )

  it.effect("in what a runner says is refused where it comes in, in every text of the protocol, and changes nothing", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("speaker")
      yield* seasonOf("said", fleet)
      const { origin } = yield* Service.Service
      const runner = yield* fleet.open(["match"])
      const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
      const work = leases.find(isMatch)!
      const headers = { authorization: `Bearer ${fleet.secret}`, "content-type": "application/json" }
      const post = (path: string, body: object) =>
        Effect.promise(() =>
          fetch(`${origin}/v1/runner${path}`, { method: "POST", headers, body: JSON.stringify(body) }).then(({ status }) => status)
        )
      for (const text of [NUL, HALF]) {
        for (const said of saying(text, work)) {
          for (const result of said.result === undefined ? [] : [said.result]) {
            assert.strictEqual(yield* post(`/leases/${work.lease}/result`, result), 400, JSON.stringify(result))
            const results = [{ lease: work.lease, ...result }]
            assert.strictEqual(yield* post("/leases", { runner, max: 0, wait_s: 0, results }), 400, JSON.stringify(result))
          }
          if (said.session !== undefined) assert.strictEqual(yield* post("/sessions", said.session), 400, JSON.stringify(said.session))
        }
      }
      yield* report(fleet.client, work) // the lease is as it was
    })
  )
})

const hash = hashOf(new TextEncoder().encode(canonicalJson({})))
/** The bodies of the protocol, each with the text in one place. */
const saying = (text: string, { seats }: MatchWork): ReadonlyArray<{ readonly session?: object; readonly result?: object }> => {
  const played = {
    ...{ kind: "match", runtime_version: "test", reason: "last_standing", turns: 3, played_ms: 1, state_sha256: "0".repeat(64) },
    ...{ seats: seats.map(({ seat }) => ({ seat, score: 2 - seat, rank: 1 + seat, strikes: 0 })), replay: { hash, bytes: 2 } }
  }
  const [engine] = about.engines
  return [
    { session: { ...about, name: text } },
    { session: { ...about, runtime_version: text } },
    { session: { ...about, isolation: text } },
    { session: { ...about, [text]: 1 } },
    { session: { ...about, engines: [{ ...engine, engine_digest: text }] } },
    { result: { ...played, runtime_version: text } },
    { result: { ...played, reason: text } },
    { result: { ...played, [text]: text } },
    { result: { ...played, replay: { hash: text, bytes: 2 } } },
    { result: { kind: "match", fault_reason: "engine_fault", detail: text } }
  ]
}
