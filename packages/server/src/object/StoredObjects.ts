/**
 * The garbage collector of the object store: removes objects that no version and no dataset needs. Each
 * incoming key and each content address of a version has a row, written before bytes can lie there:
 *
 *   submission ─▶ expect(incoming/<version>/…)           checked when no upload to it can be under way any more: removed, unless its
 *                                                        season was away until then and still waits for the files: checked a day later
 *   both files ─▶ taking(weights/…, manifests/…) ─▶ verify into them ─▶ the season is told
 *                                                        checked a day later, and again while a candidate refers to it, or a version
 *                                                        that was disqualified, as long as its season is open:
 *                                                          an admitted version refers to it   kept for good, never checked again
 *                                                          only rejected versions do, or none   removed at the next check,
 *                                                            a day later: a match of its trial may be under audit
 *   a file of a dataset ─▶ taking(datasets/…) ─▶ put ─▶ its row
 *                                                        checked as above: kept for good where the row is there
 *   a season is removed (removal/remove.ts) ─▶ rows for what its matches, versions and datasets referred to
 *                                                        checked a day later: removed, or kept where others refer to it
 *   replays are removed for their age (match/retention) ─▶ rows for them: as those of a season
 *
 * The references are the rows of versions, datasets and matches, so no reference counter can be wrong. A
 * rejection is final, and a version that is entered again elsewhere was admitted here, so a reference never
 * comes back without a new upload. Such an upload waits: the collector holds the row's lock while it removes
 * an object, and `taking` needs that lock before anything is put there. Several nodes may collect at once:
 * they skip each other's rows. A store that keeps the collector waiting ends its turn after FAILED_MAX objects; the next turn goes on with
 * those behind them.
 */
import { seldom } from "@agon/api/program/seldom.ts"
import { type Cause, Clock, Context, Duration, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { isIncoming } from "./keys.ts"
import { ObjectStore } from "./ObjectStore.ts"
import { type Due, FIRST, makeQueries } from "./queries.ts"

/** The longest that an upload may take that began before its URL expired. */
const UPLOAD_MAX_MS = 15 * 60_000
/** Longer than a review and a trial take in most seasons; a candidate that takes longer is checked again. */
export const RECHECK_MS = 86_400_000
const COLLECT_EVERY = Duration.minutes(1)
/** Objects in one check: a store removes this many in a few seconds. */
const OBJECTS_MAX = 500
/**
 * The pause after a check that removed all its objects, since more are due: a removed season leaves
 * one for each of its matches.
 */
const COLLECT_AGAIN = Duration.seconds(5)
/** Postgres ends a transaction that has been idle for 30 s. */
const REMOVE_TIMEOUT = Duration.seconds(25)
/** Objects in a row that a store fails to remove before it is left alone until the next turn. */
const FAILED_MAX = 3

export class StoredObjects extends Context.Service<
  StoredObjects,
  {
    /** Uploads to these keys may come until `until`, in milliseconds of the clock. */
    readonly expect: (keys: ReadonlyArray<string>, until: number) => Effect.Effect<void>
    /** Verified bytes are about to be put under these keys. Waits while the collector removes one of them. */
    readonly taking: (keys: ReadonlyArray<string>) => Effect.Effect<void>
    /** Checks the objects that are due; answers how many were removed. */
    readonly collect: Effect.Effect<number>
  }
>()("agon/object/StoredObjects") {
  /** Collects only when it is asked to. */
  static readonly layerIdle: Layer.Layer<StoredObjects, never, SqlClient.SqlClient | ObjectStore> = Layer.effect(
    StoredObjects,
    Effect.suspend(() => makeStoredObjects)
  )

  static readonly layer = Layer.effectDiscard(
    Effect.flatMap(StoredObjects, ({ collect }) =>
      collect.pipe(
        Effect.catchCause((cause) => Effect.as(Effect.logWarning("objects that nobody needs were not removed", cause), 0)),
        Effect.flatMap((removed) => Effect.sleep(removed < OBJECTS_MAX ? COLLECT_EVERY : COLLECT_AGAIN)),
        Effect.forever,
        Effect.forkScoped
      )
    )
  ).pipe(Layer.provideMerge(StoredObjects.layerIdle))
}

/** Whether an object was removed, need not be or must not be, or why it could not be. */
type Outcome = "removed" | "left" | Cause.Cause<unknown>

const makeStoredObjects = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* ObjectStore
  const queries = yield* makeQueries
  const unremoved = seldom("an object was not removed")
  const ended = seldom("objects were not removed: the store fails one after the other, the rest has its turn later")

  /** In a transaction of its own: the lock is held until the object is gone and its row with it. */
  const settle = Effect.fnUntraced(function* (key: string, now: number) {
    const left = (check: Effect.Effect<unknown, SqlError.SqlError>) => Effect.as(check, "left" as const)
    const [locked] = yield* queries.lock({ key, now: new Date(now) })
    if (locked === undefined) return "left" // another node holds it, or a new upload has taken it
    if (locked.kept) return yield* left(queries.check({ key, at: null }))
    const later = new Date(now + RECHECK_MS)
    if (locked.in_admission) return yield* left(queries.check({ key, at: later }))
    if (!locked.unused && !isIncoming(key)) return yield* left(queries.check({ key, at: later, unused: true }))
    yield* Effect.timeout(objects.remove(key), REMOVE_TIMEOUT)
    yield* queries.forget(key)
    return "removed"
  }, sql.withTransaction)

  const settled = (key: string, now: number): Effect.Effect<Outcome> => Effect.catchCause(settle(key, now), Effect.succeed)

  /** Answers how many were removed, and where the next turn begins. */
  const turn = Effect.fnUntraced(function* (due: ReadonlyArray<Due>, now: number) {
    let removed = 0
    const behind = (at: number) => (at === due.length - 1 && due.length < OBJECTS_MAX ? FIRST : due[at]!)
    let failed: Array<{ readonly key: string; readonly cause: Cause.Cause<unknown> }> = []
    const tell = Effect.suspend(() => Effect.forEach(failed, ({ cause, key }) => unremoved({ reason: "", fields: { key }, cause })))
    for (const [at, { key }] of due.entries()) {
      const outcome = yield* settled(key, now)
      if (outcome === "left") continue
      if (outcome === "removed") {
        removed += 1
        yield* tell
        failed = []
        continue
      }
      failed.push({ key, cause: outcome })
      if (failed.length < FAILED_MAX) continue
      yield* ended({ reason: "", fields: { key, due: due.length - at - 1 }, cause: outcome })
      return { removed, after: behind(at) }
    }
    yield* tell
    return { removed, after: due.length === 0 ? FIRST : behind(due.length - 1) }
  })

  let after = FIRST
  return StoredObjects.of({
    expect: (keys, until) => Effect.orDie(queries.note({ keys, at: new Date(until + UPLOAD_MAX_MS) })),
    taking: (keys) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => Effect.orDie(queries.note({ keys, at: new Date(now + RECHECK_MS) }))),
    collect: Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const due = yield* queries.due({ now: new Date(now), after, limit: OBJECTS_MAX })
      const { after: next, removed } = yield* turn(due, now)
      after = next
      return removed
    }).pipe(Effect.orDie, Effect.withSpan("StoredObjects.collect"))
  })
})
