/** A key that opens sessions until the service has forgotten its earlier runners: their results and denials still count against it. */

import { SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { AttendedFor } from "@agon/server/runner/work/Attendance.ts"
import { ReplayAudits } from "@agon/server/runner/work/ReplayAudits.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { played } from "../support/playedMatch.ts"
import { isAudit, type Keyed, keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import { setAside } from "../support/setAside.ts"

const service = Service.layer({ replay_check: 0, audit: 1, log_level: "Error" }).pipe(
  Layer.provide([Layer.succeed(SettledAfter, 0), Layer.succeed(AttendedFor, 0)])
)

const rows = <Row extends object>(text: string, ...values: ReadonlyArray<string>) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(text, values))

/** Closes the runner, and has so many later ones of its key come and go that it is forgotten. */
const forgotten = Effect.fnUntraced(function* ({ client, key, open }: Keyed, runner: string) {
  yield* client.runner.closeSession({ params: { runner } })
  yield* rows(
    `INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, stopped, created_at, last_seen_at)
     SELECT gen_random_uuid(), $1::uuid, 'one of many', 'test', '[]', '{}', 1, 'gone', true, now(), now() FROM generate_series(1, 1000)`,
    key
  )
  const next = yield* open(["audit"])
  assert.deepStrictEqual(yield* rows("SELECT 1 FROM runner WHERE id = $1::uuid", runner), [])
  return next
})

const look = Effect.flatMap(ReplayAudits, ({ look }) => look)
const leased = Effect.fnUntraced(function* ({ client }: Keyed, runner: string) {
  yield* look
  return (yield* client.runner.lease({ payload: { runner, max: 1, wait_s: 0 } })).leases.find(isAudit)
})
/** Plays the match again, to the state that it is given, or to the one that it ends in. */
const answered = Effect.fnUntraced(function* (auditor: Keyed, digit: string) {
  const runner = yield* auditor.open(["audit"])
  const work = yield* untilSuccess(Effect.filterOrFail(leased(auditor, runner), (work) => work !== undefined))
  const state_sha256 = digit === "" ? played(work).replay.state_sha256 : digit.repeat(64)
  yield* auditor.client.runner.result({ params: { lease: work.lease }, payload: { kind: "audit", state_sha256 } })
  return runner
})
const outcomeOf = (match: string) =>
  Effect.map(
    rows<{ verdict: string | null; status: string }>(
      "SELECT a.verdict, m.status FROM match_audit a JOIN match m ON m.id = a.match_id WHERE m.id = $1::uuid",
      match
    ),
    ([row]) => row
  )
const flagsOf = (key: string) =>
  rows("SELECT id AS runner, state, stopped FROM runner WHERE key_id = $1::uuid AND flagged_at IS NOT NULL ORDER BY flagged_at", key)
const loggedFlags = (match: string) =>
  rows<{ runner: string; key: string }>(
    "SELECT subject AS runner, detail->>'key' AS key FROM audit WHERE action = 'runner.flag' AND detail->>'match' = $1 ORDER BY at",
    match
  )

layer(service, { excludeTestServices: true })("a key whose runner is forgotten", (it) => {
  it.effect("gives no second opinion on the match that it has denied, and is flagged for the denial", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("floods")
      yield* seasonOf("floods", fleet)
      const { match, player } = yield* setAside(fleet)
      const rival = yield* keyed("rival", fleet.admin)
      const doubter = yield* answered(rival, "1")
      yield* rows("UPDATE match_audit SET until = until - interval '10 minutes' WHERE match_id = $1::uuid", match)
      const next = yield* forgotten(rival, doubter)
      assert.isUndefined(yield* leased(rival, next), "it confirms its own denial, and an honest match is voided")
      yield* answered(yield* keyed("third", fleet.admin), "")
      assert.deepStrictEqual(yield* outcomeOf(match), { verdict: "doubter_wrong", status: "rated" })
      assert.deepStrictEqual(yield* flagsOf(rival.key), [{ runner: doubter, state: "gone", stopped: true }])
      assert.deepStrictEqual(yield* flagsOf(fleet.key), [])
      assert.deepStrictEqual(yield* loggedFlags(match), [{ runner: doubter, key: rival.key }])
      assert.notStrictEqual(doubter, player)
    })
  )

  it.effect("is not trusted after three lies, though none of those who told them is known any more", () =>
    Effect.gen(function* () {
      const fleet = yield* keyed("liars")
      yield* seasonOf("liars", fleet)
      const liar = yield* keyed("liar", fleet.admin)
      const players: Array<string> = []
      for (const digit of ["1", "2", "3"]) {
        const { match, player } = yield* setAside(liar)
        players.push(player)
        yield* forgotten(liar, player)
        for (const name of ["one", "two"]) yield* answered(yield* keyed(name, fleet.admin), digit)
        assert.deepStrictEqual(yield* outcomeOf(match), { verdict: "report_wrong", status: "failed" })
        assert.deepStrictEqual(yield* loggedFlags(match), [{ runner: player, key: liar.key }])
      }
      assert.deepStrictEqual(
        yield* flagsOf(liar.key),
        players.map((runner) => ({ runner, state: "gone", stopped: true }))
      )
      const late = yield* liar.open(["match"])
      const { drain, leases } = yield* liar.client.runner.lease({ payload: { runner: late, max: 1, wait_s: 0 } })
      assert.deepStrictEqual([drain, leases], [true, []])
    })
  )
})
