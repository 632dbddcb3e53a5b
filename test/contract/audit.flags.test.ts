/** How audits end that no two runners decide, and what becomes of runners and keys that were flagged. */

import { retryRefused } from "@agon/api/retryRefused.ts"
import type { AuditWork } from "@agon/api/runner/protocol.ts"
import { SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { RunnerKeys } from "@agon/server/runner/key/RunnerKeys.ts"
import { AttendedFor } from "@agon/server/runner/work/Attendance.ts"
import { ReplayAudits } from "@agon/server/runner/work/ReplayAudits.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Metric } from "effect"
import { untilSuccess } from "../support/eventually.ts"
import { played } from "../support/playedMatch.ts"
import { about, isAudit, type Keyed, keyed, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import { setAside } from "../support/setAside.ts"

const rows = <Row extends object>(text: string, ...values: ReadonlyArray<string>) =>
  Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe<Row>(text, values))

/** One season for all tests, with its fleet. */
class Stage extends Context.Service<Stage, { readonly fleet: Keyed; readonly here: { readonly game: string; readonly slug: string } }>()(
  "test/Stage"
) {}
const stage = Layer.effect(
  Stage,
  Effect.gen(function* () {
    const fleet = yield* keyed("flags")
    return { fleet, here: yield* seasonOf("flags", fleet) }
  })
)
const service = stage.pipe(
  Layer.provideMerge(Service.layer({ replay_check: 0, audit: 1, log_level: "Error" })),
  Layer.provide([Layer.succeed(SettledAfter, 0), Layer.succeed(AttendedFor, 0)])
)

/** Another key of the season's own. */
const keyedOf = Effect.fnUntraced(function* (fleet: Keyed, here: { readonly game: string; readonly slug: string }) {
  const { runner } = yield* Service.Service
  const { key } = yield* retryRefused(fleet.admin.seasonFleet.createSeasonKey({ params: here, payload: { name: "own" } }))
  const client = yield* runner(key)
  const open = (accepts: ReadonlyArray<"match" | "admission" | "audit">) =>
    Effect.map(client.runner.openSession({ payload: { ...about, accepts } }), ({ runner }) => runner)
  return { ...fleet, client, open }
})

/** A runner that plays the match again, to the state that it is given. */
const playedAgain = Effect.fnUntraced(function* ({ admin }: Pick<Keyed, "admin">, digit: string) {
  const { client, open } = yield* keyed("auditor", admin)
  const auditor = yield* open(["audit"])
  const { leases } = yield* client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 20 } })
  const [work] = leases.filter(isAudit)
  const state_sha256 = digit === "" ? played(work!).replay.state_sha256 : digit.repeat(64)
  yield* client.runner.result({ params: { lease: work!.lease }, payload: { kind: "audit", state_sha256 } })
  return auditor
})
const halfAnHourLater = Effect.fnUntraced(function* (match: string) {
  yield* rows("UPDATE match_audit SET created_at = created_at - interval '31 minutes' WHERE match_id = $1::uuid", match)
  yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
})
const anHourLater = Effect.fnUntraced(function* (match: string) {
  yield* rows("UPDATE match_audit SET created_at = created_at - interval '61 minutes' WHERE match_id = $1::uuid", match)
  yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
})
const outcomeOf = (match: string) =>
  Effect.map(
    rows<{ state: string; verdict: string; status: string }>(
      "SELECT a.state, a.verdict, m.status FROM match_audit a JOIN match m ON m.id = a.match_id WHERE m.id = $1::uuid",
      match
    ),
    ([row]) => row
  )
const flagged = (...runners: ReadonlyArray<string>) =>
  Effect.forEach(runners, (runner) =>
    Effect.map(
      rows<{ flagged: boolean }>("SELECT flagged_at IS NOT NULL AS flagged FROM runner WHERE id = $1::uuid", runner),
      ([row]) => row!.flagged
    )
  )
const flag = (runner: string) =>
  rows("UPDATE runner SET flagged_at = now(), stopped = true, state = 'draining' WHERE id = $1::uuid", runner)
const drains = ({ client }: Keyed, runner: string) =>
  Effect.map(client.runner.lease({ payload: { runner, max: 1, wait_s: 0 } }), ({ drain, leases }) => [drain, leases.length])

layer(service, { excludeTestServices: true })("an audit that no two runners decide", (it) => {
  it.effect("of three different states leaves no match, and the report is what two deny", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const { match, player } = yield* setAside(yield* keyed("player", fleet.admin))
      const [one, two] = [yield* playedAgain(fleet, "1"), yield* playedAgain(fleet, "2")]
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "no_two_agree", status: "failed" })
      assert.deepStrictEqual(yield* flagged(player, one, two), [true, false, false])
    })
  )

  it.effect("is given up after an hour without a second runner: the match stands", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const { match, player } = yield* setAside(fleet)
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.strictEqual((yield* outcomeOf(match))!.state, "waiting")
      yield* anHourLater(match)
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "nobody_came", status: "rated" })
      assert.deepStrictEqual(yield* flagged(player), [false])
      const told = yield* rows<{ why: string }>(
        "SELECT detail->>'why' AS why FROM audit WHERE action = 'match.unaudited' AND subject = $1",
        match
      )
      assert.match(told[0]!.why, /^No runner of another key/)
      const { state } = (yield* Metric.snapshot).find(({ id }) => id === "agon_audits_given_up_total") as {
        readonly state: { readonly count: number }
      }
      assert.isAtLeast(state.count, 1)
      const auditor = yield* fleet.open(["audit"])
      const { leases } = yield* fleet.client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 0 } })
      assert.deepStrictEqual(leases, [])
    })
  )

  it.effect("is played again by the service's own runner after an hour, whoever played it, and by no other of that key before", () =>
    Effect.gen(function* () {
      const { runner: clientOf } = yield* Service.Service
      yield* RunnerKeys.use((keys) => keys.own("own", "agon_rk_own"))
      const client = yield* clientOf("agon_rk_own")
      const open = (accepts: typeof about.accepts) =>
        Effect.map(client.runner.openSession({ payload: { ...about, accepts } }), ({ runner }) => runner)
      const { match, player } = yield* setAside({ client, open } as Pick<Keyed, "client" | "open"> as Keyed)
      const auditor = yield* open(["audit"] as never)
      const lease = Effect.map(client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 0 } }), ({ leases }) =>
        leases.find(isAudit)
      )
      assert.isUndefined(yield* lease)
      yield* anHourLater(match)
      assert.strictEqual((yield* outcomeOf(match))!.state, "waiting")
      const work = yield* lease
      assert.strictEqual(work!.match_id, match)
      const state_sha256 = played(work!).replay.state_sha256
      yield* client.runner.result({ params: { lease: work!.lease }, payload: { kind: "audit", state_sha256 } })
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "agreed", status: "rated" })
      assert.deepStrictEqual(yield* flagged(player, auditor), [false, false])
      yield* rows("UPDATE runner SET state = 'gone', stopped = true WHERE id IN ($1::uuid, $2::uuid)", player, auditor)
    })
  )

  it.effect("is given up after an hour without a third: one of two is wrong, so the match goes and both are flagged", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const { match, player } = yield* setAside(yield* keyed("doubted", fleet.admin))
      const doubter = yield* playedAgain(fleet, "3")
      assert.strictEqual((yield* outcomeOf(match))!.status, "rated")
      yield* anHourLater(match)
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "undecided", status: "failed" })
      assert.deepStrictEqual(yield* flagged(player, doubter), [true, true])
      yield* anHourLater(match)
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "undecided", status: "failed" })
    })
  )

  it.effect("is given up without blame where an administrator has voided the match meanwhile", () =>
    Effect.gen(function* () {
      const { fleet, here } = yield* Stage
      const { match, player } = yield* setAside(yield* keyed("voided", fleet.admin))
      const doubter = yield* playedAgain(fleet, "4")
      yield* retryRefused(fleet.admin.matchAdmin.voidMatch({ params: { ...here, id: match }, payload: { reason: "The board was wrong." } }))
      yield* anHourLater(match)
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "voided", status: "failed" })
      assert.deepStrictEqual(yield* flagged(player, doubter), [false, false])
    })
  )

  it.effect("is given up without blame where the season has closed meanwhile, since no third runner could come", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const { match, player } = yield* setAside(yield* keyed("closed", fleet.admin))
      const doubter = yield* playedAgain(fleet, "5")
      const close = (at: string) =>
        rows(`UPDATE season SET closed_at = ${at} WHERE id = (SELECT season_id FROM match WHERE id = $1::uuid)`, match)
      yield* close("now()")
      yield* anHourLater(match)
      yield* close("NULL")
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "season_closed", status: "rated" })
      assert.deepStrictEqual(yield* flagged(player, doubter), [false, false])
    })
  )

  it.effect("that cannot be given up keeps no other from its turn", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const [stuck, other] = [yield* setAside(fleet), yield* setAside(fleet)]
      const both = `match_id IN ('${stuck.match}', '${other.match}')`
      yield* rows(`CREATE FUNCTION refuses() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'not now'; END $$`)
      yield* rows(`CREATE TRIGGER refuses BEFORE UPDATE ON match_audit FOR EACH ROW
        WHEN (OLD.match_id = '${stuck.match}' AND NEW.state = 'done') EXECUTE FUNCTION refuses()`)
      yield* rows(`UPDATE match_audit SET lease_n = 8, created_at = CASE WHEN match_id = '${stuck.match}' THEN created_at - interval '1 minute'
        ELSE created_at END WHERE ${both}`)
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.strictEqual((yield* outcomeOf(stuck.match))!.state, "waiting")
      assert.deepStrictEqual(yield* outcomeOf(other.match), { state: "done", verdict: "nobody_came", status: "rated" })
      yield* rows("DROP FUNCTION refuses CASCADE")
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.strictEqual((yield* outcomeOf(stuck.match))!.verdict, "nobody_came")
    })
  )

  it.effect("is no matter of a season's keys where a runner of the platform could be flagged for it", () =>
    Effect.gen(function* () {
      const { fleet, here } = yield* Stage
      const own = yield* keyedOf(fleet, here)
      const auditor = yield* own.open(["audit"])
      const lease = Effect.map(own.client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 0 } }), ({ leases }) =>
        leases.find(isAudit)
      )
      const played = yield* setAside(yield* keyed("platform", fleet.admin))
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.isUndefined(yield* lease) // it would deny what the platform has played
      yield* playedAgain(fleet, "")
      assert.deepStrictEqual(yield* outcomeOf(played.match), { state: "done", verdict: "agreed", status: "rated" })

      const another = yield* keyedOf(fleet, here)
      const { match } = yield* setAside(another)
      yield* playedAgain(fleet, "6")
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.isUndefined(yield* lease) // it would confirm what another of the season's keys has played, against the platform's doubt
      yield* playedAgain(fleet, "6")
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "report_wrong", status: "failed" })

      const third = yield* setAside(yield* keyedOf(fleet, here))
      yield* halfAnHourLater(third.match)
      assert.strictEqual((yield* lease)!.match_id, third.match) // among themselves they look at each other's matches
    })
  )

  it.effect("of a model that a season's own key has admitted flags no runner of the platform, though its match goes", () =>
    Effect.gen(function* () {
      const { fleet, here } = yield* Stage
      const before = yield* rows<{ id: string; admit_key: string }>("SELECT id, admit_key FROM version")
      const { match, player } = yield* setAside(yield* keyed("honest", fleet.admin))
      yield* retryRefused(fleet.admin.seasonFleet.createSeasonKey({ params: here, payload: { name: "admits" } }))
      yield* rows(
        `UPDATE version SET admit_key = (SELECT id FROM runner_key WHERE name = 'admits')
        WHERE id = (SELECT version_id FROM seat WHERE match_id = $1::uuid AND seat = 1)`,
        match
      )
      const [one, two] = [yield* playedAgain(fleet, "8"), yield* playedAgain(fleet, "9")]
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "no_two_agree", status: "failed" })
      assert.deepStrictEqual(yield* flagged(player, one, two), [false, false, false])

      yield* rows("UPDATE version SET admit_key = (SELECT id FROM runner_key WHERE name = 'admits')")
      const other = yield* setAside(yield* keyed("again", fleet.admin))
      const doubter = yield* playedAgain(fleet, "8")
      yield* playedAgain(fleet, "")
      assert.strictEqual((yield* outcomeOf(other.match))!.verdict, "doubter_wrong")
      const own = yield* setAside(yield* keyedOf(fleet, here))
      for (const _ of [1, 2]) yield* playedAgain(fleet, "8")
      assert.deepStrictEqual(yield* flagged(doubter, own.player), [false, true], "its own runners are")
      for (const { admit_key, id } of before) yield* rows("UPDATE version SET admit_key = $2::uuid WHERE id = $1::uuid", id, admit_key)
    })
  )

  it.effect("is the platform's for half an hour where both fleets play, or two keys of one person would confirm each other's lies", () =>
    Effect.gen(function* () {
      const { fleet, here } = yield* Stage
      const [liar, accomplice] = [yield* keyedOf(fleet, here), yield* keyedOf(fleet, here)]
      const auditor = yield* accomplice.open(["audit"])
      const confirm = accomplice.client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 0 } })
      const { match, player } = yield* setAside(liar)
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.deepStrictEqual((yield* confirm).leases, []) // and would say what the liar has said
      for (const digit of ["7", "7"]) yield* playedAgain(fleet, digit)
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "report_wrong", status: "failed" })
      assert.deepStrictEqual(yield* flagged(player), [true])
    })
  )

  it.effect("goes to another key first where a runner gives it back, and to the same one after a minute", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const { match } = yield* setAside(yield* keyed("reporter", fleet.admin))
      const { client, open } = yield* keyed("drops", fleet.admin)
      const auditor = yield* open(["audit"])
      const lease = Effect.map(client.runner.lease({ payload: { runner: auditor, max: 1, wait_s: 0 } }), ({ leases }) =>
        leases.find(isAudit)
      )
      const drop = Effect.fnUntraced(function* (work: AuditWork) {
        yield* client.runner.release({ params: { lease: work.lease }, payload: {} })
        yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      })
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      yield* drop((yield* lease)!)
      assert.isUndefined(yield* lease) // eight times within a second, and nobody would have looked at the match
      yield* rows("UPDATE match_audit SET until = until - interval '100 seconds' WHERE match_id = $1::uuid", match)
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      yield* drop((yield* lease)!)
      yield* playedAgain(fleet, "")
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "agreed", status: "rated" })
    })
  )

  it.effect("is given up when eight runners have lost it", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const { match } = yield* setAside(fleet)
      yield* rows("UPDATE match_audit SET lease_n = 8 WHERE match_id = $1::uuid", match)
      yield* Effect.flatMap(ReplayAudits, ({ look }) => look)
      assert.deepStrictEqual(yield* outcomeOf(match), { state: "done", verdict: "nobody_came", status: "rated" })
    })
  )
})

layer(service, { excludeTestServices: true })("runners that were flagged", (it) => {
  it.effect("read as draining, and get nothing more however long they stay away", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const mine = yield* keyed("lone", fleet.admin)
      const { match, player } = yield* setAside(mine)
      yield* playedAgain(fleet, "4")
      yield* playedAgain(fleet, "4")
      assert.strictEqual((yield* outcomeOf(match))!.verdict, "report_wrong")
      const shown = Effect.map(fleet.admin.fleet.keys({ query: {} as never }), ({ keys }) =>
        keys.find(({ id }) => id === mine.key)!.runners.map(({ id, state }) => [id, state])
      )
      assert.deepStrictEqual(yield* shown, [[player, "draining"]])
      yield* rows("UPDATE runner SET state = 'gone' WHERE id = $1::uuid", player)
      assert.deepStrictEqual(yield* drains(mine, player), [true, 0])
      assert.deepStrictEqual(yield* shown, [])
      const another = yield* mine.open(["match"])
      assert.deepStrictEqual(yield* drains(mine, another), [false, 1])
    })
  )

  it.effect("cost their key its other runners with the third in a day; tomorrow, or with a new key, there is work again", () =>
    Effect.gen(function* () {
      const { fleet } = yield* Stage
      const mine = yield* keyed("thrice", fleet.admin)
      const [one, two, other] = [yield* mine.open(["match"]), yield* mine.open(["match"]), yield* mine.open(["match"])]
      yield* Effect.forEach([one, two], flag)
      const { player } = yield* setAside(mine)
      yield* playedAgain(fleet, "5")
      yield* playedAgain(fleet, "5")
      assert.deepStrictEqual(yield* flagged(one, two, player, other), [true, true, true, false])
      assert.deepStrictEqual(yield* drains(mine, other), [true, 0])
      const late = yield* mine.open(["match"])
      assert.deepStrictEqual(yield* drains(mine, late), [true, 0])
      yield* untilSuccess(
        Effect.flatMap(rows<{ state: string }>("SELECT state FROM runner WHERE id = $1::uuid", late), ([row]) =>
          row!.state === "gone" ? Effect.void : Effect.fail(new Error("it was not swept"))
        )
      )
      assert.deepStrictEqual(yield* drains(mine, late), [true, 0])

      yield* fleet.admin.fleet.revokeKey({ params: { key: mine.key } })
      assert.propertyVal(yield* Effect.flip(mine.open(["match"])), "code", "unauthenticated")
      const anew = yield* keyed("anew", fleet.admin)
      const runner = yield* anew.open(["match"])
      assert.deepStrictEqual(yield* drains(anew, runner), [false, 1])
      yield* rows("UPDATE runner SET flagged_at = flagged_at - interval '1 day' WHERE key_id = $1::uuid", mine.key)
      yield* rows("UPDATE runner_key SET revoked_at = NULL WHERE id = $1::uuid", mine.key)
      const tomorrow = yield* mine.open(["match"])
      assert.strictEqual((yield* drains(mine, tomorrow))[0], false)
    })
  )
})
