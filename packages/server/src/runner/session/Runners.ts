/**
 * Runner sessions: opened under a key, marked as seen with every call, drained, closed by their
 * runner, and gone after a silence. A runner calls the nodes in turn, so silence is measured by the clock
 * that they share.
 */

import type { KeyOfRunner, Unauthenticated } from "@agon/api/Authorization.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { seldomFailed } from "@agon/api/program/seldom.ts"
import { INLINE_REPLAY_BYTES, type OpenSession, type RunnerSession, TooManyRunners } from "@agon/api/runner/protocol.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { LEASE_MS } from "@agon/domain/season/Lease.ts"
import { Context, Effect, Layer, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { keyEnded } from "../../account/level/endingLevels.ts"
import { newId } from "../../database/newId.ts"
import { SharedClock } from "../../database/SharedClock.ts"
import { storableText } from "../../database/storable.ts"
import { gathered } from "../../http/gathered.ts"
import { FLAGS_MAX } from "../../match/voidingQueries.ts"
import { KnownRuntimes } from "./KnownRuntimes.ts"
import type { Held } from "./leaseQueries.ts"
import { makeOpenings } from "./openings.ts"
import { makeQueries, type OpenRunner, SESSIONS_MAX } from "./sessionQueries.ts"

/** A runner sends a heartbeat at a third of the lease. */
const HEARTBEAT_S = LEASE_MS / 3_000
/** A runner silent for longer than this, six heartbeats, is not counted. */
export const SEEN_WITHIN_MS = 60_000
/** `last_seen_at` is exact to this and the time until the next mark, so that most calls need no write. */
const SEEN_EVERY_MS = 5_000
/** Runners that were heard of are marked together, so many in one statement. */
const MARK_EVERY = "1 second"
const MARKED_MAX = 1_000
/** After this silence a runner counts as gone; it returns with its next call. */
const GONE_AFTER_MS = 90_000
const SWEEP_EVERY = "10 seconds"
/**
 * The rule of match/MatchVoiding.ts, which also says how an administrator lifts it; OwnRunner.ts does
 * for the service's own runner.
 */
const UNTRUSTED =
  "a runner gets no work: three runners of its key were flagged within a day (runner.flag in the audit log); it takes another key, or a day"

/** Who calls the runner protocol: a runner, and the key that its session was opened under. */
export interface Caller {
  readonly key: KeyOfRunner
  readonly runner: OpenRunner
  /** Whether this node knew of all work that the runner has: no other node has given it any since it came here before. */
  readonly stays: boolean
}

/** A result names no runner; its key is enough. */
export const callerOfKey = (key: KeyOfRunner): Caller => ({
  key,
  stays: false,
  runner: { id: "", key_id: key.id, slots: 0, state: "draining", accepts: [], engines: [], runtime_version: "" }
})

export class Runners extends Context.Service<
  Runners,
  {
    readonly open: (key: KeyOfRunner, session: OpenSession) => Effect.Effect<RunnerSession, TooManyRunners | Unauthenticated>
    /** The runner has ended, and gets nothing more. Unknown, or of another key: not found. */
    readonly close: (key: KeyOfRunner, id: string) => Effect.Effect<void, NotFound>
    /** The runner; its call is recorded. Unknown, or of another key: not found. */
    readonly heard: (key: KeyOfRunner, id: string) => Effect.Effect<OpenRunner, NotFound>
    /** The same, with all leases that the rows say it holds. */
    readonly heardHolding: (
      key: KeyOfRunner,
      id: string
    ) => Effect.Effect<{ readonly runner: OpenRunner; readonly leases: ReadonlyArray<Held> }, NotFound>
    /** Whether the runner has called this node within 90 s. */
    readonly here: (id: string) => boolean
  }
>()("agon/Runners") {
  static readonly layer: Layer.Layer<Runners, never, SqlClient.SqlClient> = Layer.effect(
    Runners,
    Effect.suspend(() => makeRunners)
  ).pipe(Layer.provide(SharedClock.layer))
}

const OWN_FLAGGED = "the runner beside the service was flagged three times within a day and goes on all the same; look at its machine"
const UNKNOWN_RUNTIME = "a runner gets no work: its runtime is not that of this build, and AGON_RUNTIMES does not allow it"

const tooMany = new TooManyRunners({
  detail: `The key has ${SESSIONS_MAX} runners that have been heard of within 90 seconds, as many as it may; open a session once one is gone.`
})

const noRunner = new NotFound({ detail: "There is no runner of this id under this key; open a session." })

/**
 * The runners that were heard of since the last mark. A node that is killed forgets a
 * second's; their next call marks them.
 */
const makeMarks = Effect.gen(function* () {
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const unmarked = new Set<string>()
  const mark = Effect.gen(function* () {
    const ids = [...unmarked]
    unmarked.clear()
    const now = new Date(yield* shared.now_ms)
    for (let i = 0; i < ids.length; i += MARKED_MAX) yield* queries.seen({ ids: ids.slice(i, i + MARKED_MAX), now })
  }).pipe(Effect.catchCause(seldomFailed("runners were not marked as seen")))
  yield* mark.pipe(Effect.repeat(Schedule.spaced(MARK_EVERY)), Effect.forkScoped)
  yield* Effect.addFinalizer(() => mark)
  return unmarked
})

/** Each in one statement with those that are asked for meanwhile. */
const makeLookups = Effect.gen(function* () {
  const queries = yield* makeQueries
  const session = yield* gathered((ids) =>
    Effect.map(Effect.orDie(queries.sessions(ids)), (rows) => new Map(rows.map((row) => [row.id, row])))
  )
  const sessionHolding = yield* gathered((ids) =>
    Effect.map(Effect.orDie(queries.sessionsHolding(ids)), (rows) => new Map(rows.map((row) => [row.id, row])))
  )
  return { session, sessionHolding }
})

const makeRunners = Effect.gen(function* () {
  const known = yield* KnownRuntimes
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const openSession = yield* makeOpenings
  const seenAt = new Map<string, number>()
  const { session, sessionHolding } = yield* makeLookups
  const unmarked = yield* makeMarks

  /** Records the call of a runner that was found, and that is this key's. */
  const noted = Effect.fnUntraced(function* <Found extends OpenRunner>(key: KeyOfRunner, found: Found | undefined) {
    if (found?.key_id !== key.id) return yield* noRunner
    const { id } = found
    const now = yield* shared.now_ms
    if ((seenAt.get(id) ?? 0) + SEEN_EVERY_MS > now) return found
    seenAt.set(id, now)
    if (found.state !== "gone") unmarked.add(id)
    else
      for (const about of yield* Effect.orDie(queries.returns({ id, now: new Date(now) })))
        yield* Effect.logInfo("a runner returned", { runner: id, ...about })
    return found
  })

  const sweep = Effect.gen(function* () {
    const now = yield* shared.now_ms
    for (const { silent, ...runner } of yield* queries.sweep(new Date(now - GONE_AFTER_MS)))
      yield* Effect.logInfo(silent ? "a runner vanished" : "a runner was drained and is done", runner)
    for (const [id, at] of seenAt) if (at < now - GONE_AFTER_MS) seenAt.delete(id)
  })
  yield* sweep.pipe(
    Effect.catchCause(seldomFailed("runners were not swept")),
    Effect.repeat(Schedule.spaced(SWEEP_EVERY)),
    Effect.forkScoped
  )

  return Runners.of({
    open: Effect.fn("Runners.open")(function* (key, { accepts, engines, isolation = null, name, runtime_version, slots }) {
      const id = yield* newId
      const said = { name: storableText(name), runtime_version: storableText(runtime_version), engines }
      const told = { ...said, accepts, slots, isolation: isolation === null ? null : storableText(isolation) }
      const opened = yield* openSession(key.id, { id, ...told })
      if (!opened?.in_force) return yield* keyEnded
      if (opened.state === null) return yield* tooMany
      const about = { runner: id, name, key: key.id }
      yield* Effect.logInfo("a runner joined", { ...about, slots, runtime_version, isolation })
      if (opened.state === "draining") yield* Effect.logWarning(UNTRUSTED, about)
      else if (opened.flagged >= FLAGS_MAX) yield* Effect.logWarning(OWN_FLAGGED, { ...about, flags: opened.flagged })
      if (!known.has(runtime_version)) yield* Effect.logWarning(UNKNOWN_RUNTIME, { ...about, runtime_version })
      return { runner: id, heartbeat_s: HEARTBEAT_S, lease_s: LEASE_MS / 1_000, inline_replay_bytes: INLINE_REPLAY_BYTES }
    }),

    close: Effect.fn("Runners.close")(function* (key, id) {
      const [closed] = isUuid(id) ? yield* Effect.orDie(queries.closeSession({ id, key_id: key.id })) : []
      if (closed === undefined) return yield* noRunner
      yield* Effect.logInfo("a runner stopped", { runner: id, key: key.id })
    }),

    heard: Effect.fnUntraced(function* (key, id) {
      return yield* noted(key, isUuid(id) ? yield* session(id.toLowerCase()) : undefined)
    }),
    heardHolding: Effect.fnUntraced(function* (key, id) {
      const { leases, ...runner } = yield* noted(key, isUuid(id) ? yield* sessionHolding(id.toLowerCase()) : undefined)
      return { runner, leases }
    }),
    here: (id) => seenAt.has(id)
  })
})
