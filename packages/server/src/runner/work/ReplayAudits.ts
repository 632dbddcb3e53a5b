/**
 * Matches that another runner plays again: the same seats, board, seed and timeouts must end in the same last
 * state, or one of the two runners is wrong.
 *
 * set aside (ReplayCheck) ─▶ waiting ─▶ leased ─▶ the same state ─▶ done
 *                              ▲          └─▶ another state: a second opinion, of a third runner, is asked for
 *                              └─────────────┘    ├─ it confirms the report: the second runner is flagged
 *                                                 ├─ it confirms the second runner: the match is voided, its runner flagged
 *                                                 ├─ a third state: also voided, its runner flagged, since two contradict the
 *                                                 │  report; the two, who contradict each other, are not flagged
 *                                                 └─ none comes within the hour, nor then the service's own runner: voided,
 *                                                    both are flagged
 * a key of the season's own has admitted one of the models ─▶ no runner of the platform is flagged: the model may play by chance
 * voided meanwhile, by whatever else, or its season closed ─▶ no further runner gets it; the result of one that has it is judged
 * no runner comes within the hour ─▶ the service's own runner plays it again, whoever played it ─▶ there is none: the audit log
 *                                 and /metrics say so, and the match stands
 *
 * "Another runner" means a runner of another key: one key may open many sessions. A match that a runner
 * of the platform has played, or doubted, is looked at by the platform's runners alone. A match that a season's own key
 * has played is theirs first, where they play there too.
 *
 * The queue is separate from the seasons': an audit changes nothing that is played. Its leases are named
 * `<audit id>.<n>` and count against a runner's slots like any other; they are renewed no longer than a
 * match's (domain/season/Lease.ts). They end by the clock that nodes share: any node takes back what has run
 * out. Verdicts are applied before they are recorded, so one that a crash interrupts is applied again. After an
 * outage an audit is given up ten minutes later at the earliest, since nobody could come meanwhile (Attendance.ts).
 */

import type { KeyOfRunner } from "@agon/api/Authorization.ts"
import type { Unavailable } from "@agon/api/Problem.ts"
import { CappedMap } from "@agon/api/program/CappedMap.ts"
import { seldomFailed } from "@agon/api/program/seldom.ts"
import type { LeasedAcceptance } from "@agon/api/runner/protocol.ts"
import { LEASE_MS, leaseName, matchLeaseMax_ms, parseLease } from "@agon/domain/season/Lease.ts"
import { Context, Effect, Layer, Option, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { moving } from "../../actor/asked.ts"
import { SharedClock } from "../../database/SharedClock.ts"
import type { MatchVoiding } from "../../match/MatchVoiding.ts"
import { Parking } from "../../parking/Parking.ts"
import type { Caller } from "../session/Runners.ts"
import { Attendance, AttendedFor } from "./Attendance.ts"
import { makeJudge } from "./auditJudge.ts"
import { type LeasePayload, LeasePayloads } from "./LeasePayloads.ts"
import { makeQueries, type ReplayAuditRow } from "./replayAuditQueries.ts"

/** Stands in the place of a season id for holdings and results of audits. */
export const AUDITS = "audits"

const LOOK_EVERY = "2 seconds"
/**
 * How long a second runner is waited for. A service whose runtime has no runner of a second key audits by
 * its own runner, or not at all.
 */
const WAIT_MS = 3_600_000
/** How long runners of the platform have for what a season's own key has played, where both fleets play. */
const PLATFORM_WAIT_MS = 1_800_000
/** How long the service's own runner then has for it. */
const OWN_WAIT_MS = 3_600_000
/** A runner silent for this long is not waited for. */
const OWN_SEEN_MS = 90_000
const LEASES_MAX = 8
/** How many kinds of runners are remembered as given nothing between two looks; others ask in vain. */
const KINDS_MAX = 4_096

type Receipt = LeasedAcceptance["reason"]

export class ReplayAudits extends Context.Service<
  ReplayAudits,
  {
    /** At most `max` for this runner; free of cost while none waits. */
    readonly lease: (
      caller: Caller,
      max: number
    ) => Effect.Effect<ReadonlyArray<{ readonly lease: string; readonly payload: LeasePayload }>>
    /** Null means accepted. */
    readonly result: (key: KeyOfRunner, lease: string, state_sha256: string) => Effect.Effect<Receipt, Unavailable>
    /** The end of each lease that the key still holds. */
    readonly heartbeat: (key: KeyOfRunner, leases: ReadonlyArray<string>) => Effect.Effect<ReadonlyMap<string, number>>
    /** False where no such lease has existed, or it is a live one of another key. */
    readonly release: (key: KeyOfRunner, lease: string) => Effect.Effect<boolean>
    readonly keepOnly: (runner: string, leases: ReadonlyArray<string>) => Effect.Effect<void>
    readonly look: Effect.Effect<void>
  }
>()("agon/ReplayAudits") {
  static readonly layer: Layer.Layer<ReplayAudits, never, SqlClient.SqlClient | MatchVoiding | Parking | LeasePayloads> = Layer.effect(
    ReplayAudits,
    Effect.suspend(() => makeReplayAudits)
  ).pipe(Layer.provide(SharedClock.layer))
}

const makeReplayAudits = Effect.gen(function* () {
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const payloads = yield* LeasePayloads
  const judge = yield* makeJudge
  const { given, look, waiting } = yield* makeLook(judge)
  yield* look.pipe(Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)

  return ReplayAudits.of({
    look,
    lease: Effect.fnUntraced(function* ({ key, runner }, max) {
      if (waiting.size === 0 || max <= 0 || !runner.accepts.includes("audit") || runner.state === "draining") return []
      if (key.season_id !== null && !waiting.has(key.season_id)) return []
      const [kind, nothing] = [kindOf({ key, runner }), given.nothing]
      if (nothing.has(kind)) return []
      const now = yield* shared.now_ms
      const until = now + LEASE_MS
      const times = {
        now: new Date(now),
        until: new Date(until),
        since: new Date(now - WAIT_MS),
        platform_since: new Date(now - PLATFORM_WAIT_MS)
      }
      const asked = { runner: runner.id, key: key.id, season_id: key.season_id, ...times, limit: max }
      const taken = yield* Effect.orDie(queries.take(asked))
      if (taken.length === 0) nothing.set(kind, true)
      return yield* Effect.forEach(taken, (audit) => {
        const lease = leaseName(audit.id, audit.lease_n)
        return Effect.map(payloads.audit(audit, lease, until), (payload) => ({ lease, payload }))
      })
    }),
    result: Effect.fn("ReplayAudits.result")(function* (key, lease, state_sha256) {
      const name = parseLease(lease)
      const found = name === undefined ? Option.none() : yield* Effect.orDie(queries.find(name.id))
      if (Option.isNone(found) || name!.n > found.value.lease_n) return "unknown"
      if (name!.n < found.value.lease_n) return "lost"
      if (found.value.key_id !== key.id) return "unknown"
      if (found.value.state === "done") return null
      if (found.value.runner_id === null) return found.value.doubter_id === null ? "released" : null
      yield* judge.hear(found.value, found.value.runner_id, state_sha256).pipe(
        Effect.tapError((error) => Effect.logWarning("an audit was not judged", { lease }, error)),
        Effect.catch(() => Effect.fail(moving))
      )
      return null
    }),
    heartbeat: Effect.fnUntraced(function* (key, leases) {
      const names = leases.flatMap((lease) => parseLease(lease) ?? [])
      if (names.length === 0) return new Map<string, number>()
      const now = yield* shared.now_ms
      const renewed = new Map<string, number>()
      for (const { id, lease_n, leased_at, rules, seats } of yield* queries.held({ ids: names.map(({ id }) => id), key: key.id })) {
        const began = leased_at?.getTime() ?? now
        const until = Math.min(now + LEASE_MS, began + matchLeaseMax_ms(rules, seats))
        if (until <= now) continue
        const rows = yield* queries.extend({ id, lease_n, key: key.id, leased_at: new Date(began), until: new Date(until) })
        if (rows.length > 0) renewed.set(leaseName(id, lease_n), until)
      }
      return renewed
    }, Effect.orDie),
    release: Effect.fnUntraced(function* (key, lease) {
      const name = parseLease(lease)
      const found = name === undefined ? Option.none() : yield* queries.find(name.id)
      if (Option.isNone(found) || name!.n > found.value.lease_n) return false
      if (name!.n === found.value.lease_n && found.value.key_id !== key.id) return false
      yield* queries.giveBack({ id: name!.id, lease_n: name!.n, key: key.id })
      return true
    }, Effect.orDie),
    keepOnly: (runner, leases) => Effect.asVoid(Effect.orDie(queries.keepOnly(runner, leases)))
  })
})

/** Runners of one key, runtime and engines may play the same matches again. */
const kindOf = ({ key, runner: { engines, runtime_version } }: Pick<Caller, "key" | "runner">): string =>
  `${key.id} ${runtime_version} ${engines.map(({ engine_digest, game }) => `${game}:${engine_digest}`).join()}`

/**
 * Takes back lost leases, gives up audits that have waited too long, and wakes runners for new ones. Which
 * kinds of runners were given nothing since the last look is remembered: while audits wait for another key,
 * each lease request would ask in vain.
 */
const makeLook = Effect.fnUntraced(function* (judge: Effect.Success<typeof makeJudge>) {
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const parking = yield* Parking
  const notGivenUp = seldomFailed("an audit was not given up")
  const attendance = new Attendance()
  const attended_for_ms = yield* AttendedFor
  /** One whose season is away is given up at a later look, and keeps no other from its turn. */
  const giveUp = (audit: ReplayAuditRow) => Effect.catchCause(judge.giveUp(audit), notGivenUp)
  const waiting = new Map<string, string>()
  const given = { nothing: new CappedMap<string, true>(KINDS_MAX) }
  const look = Effect.gen(function* () {
    const now = yield* shared.now_ms
    yield* queries.lapse(new Date(now))
    const times = { since: now - WAIT_MS, own_since: now - WAIT_MS - OWN_WAIT_MS, seen_after: now - OWN_SEEN_MS }
    const since = { since: new Date(times.since), own_since: new Date(times.own_since), seen_after: new Date(times.seen_after) }
    if (attendance.begun(now) >= attended_for_ms)
      yield* Effect.forEach(yield* queries.overdue({ ...since, leases: LEASES_MAX }), giveUp, { discard: true })
    const rows = yield* queries.waiting(undefined)
    const fresh = rows.filter(({ season_id, sum }) => waiting.get(season_id) !== sum)
    waiting.clear()
    given.nothing = new CappedMap(KINDS_MAX) // a request on its way notes its answer in the one before
    for (const { season_id, sum } of rows) waiting.set(season_id, sum)
    for (const { season_id } of fresh) parking.wake(season_id)
    attendance.ended(yield* shared.now_ms)
  }).pipe(Effect.catchCause(seldomFailed("audits were not looked at")))
  return { given, look, waiting }
})
