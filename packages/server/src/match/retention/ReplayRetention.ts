/**
 * Removes the replays of matches that ended more than so many days ago (docs/operating.md#how-long-replays-are-kept). The match stays
 * with all that it was rated by, and says when its replay was removed.
 *
 *   every minute, each season at rest: a batch of its matches after the last one looked at, in the order of their end
 *     ─▶ those that nobody needs or looks at: one statement removes rows, gives objects to the collector and marks the matches
 *     ─▶ the caches forget these matches ─▶ a pause ─▶ the next season, until none has a full batch, or the look is over
 *
 * A look begins with the season after the last one looked at, so each is reached however many there are. A season that fails is passed over
 * for the rest of the look; a second failure ends the look, since then the database may be busy.
 *
 * A replay that is in no daily file yet is waited for, unless the disk has no room to make one: it would never have any again, since what
 * fills it is what waits.
 *
 * Progress is in memory alone: a match whose replay was removed is in the index no more, so a node that begins again passes those that are
 * kept, and so does each node once a day, since a reason to keep one may be gone. Whatever ends a node between two statements leaves no
 * batch half done. Of several nodes one removes at a time. None does while a node of an earlier release is connected: its collector would
 * keep the objects for good.
 */
import { Clock, Context, Duration, Effect, Layer, Metric } from "effect"
import { SqlClient } from "effect/sql"
import { allHave } from "../../database/beside.ts"
import { beginSweep, paced, sweep } from "../../database/sweeping.ts"
import { ResponseCache } from "../../http/cache/ResponseCache.ts"
import { matchTag } from "../../http/cache/tags.ts"
import { fromZero } from "../../metric/fromZero.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { DATASET_FREE_SHARE_MIN } from "../../object/Room.ts"
import { type Batch, makeQueries, type Place, type Readers } from "./retentionQueries.ts"

/** The migration of `match.replay_removed_at`. */
const NEEDED = 48
const LOCK = "old replays"

export interface Bounds {
  /** Of a batch, which takes some 50 ms and a pause of four times that. */
  readonly matches: number
  /** Of a look. */
  readonly batches: number
  /** After which matches are looked at again whose replays were kept. */
  readonly again_ms: number
}
export const Limits = Context.Reference<Bounds>("agon/match/RetentionLimits", {
  defaultValue: () => ({ matches: 500, batches: 200, again_ms: Duration.toMillis("1 day") })
})

const removedCount = fromZero(
  Metric.counter("agon_replays_removed_total", {
    description: "Replays that this node removed because they were older than they are kept",
    incremental: true
  })
)

export interface Options extends Readers {
  /** 0 keeps all. */
  readonly days: number
}

/** Of a look. */
interface Total {
  removed: number
  bytes: number
  failed: number
}

interface Pass {
  readonly begun_ms: number
  readonly at: Place | undefined
}

export class ReplayRetention extends Context.Service<
  ReplayRetention,
  {
    /** Removes what is due, up to the limit of a look; answers how many replays that were. */
    readonly look: Effect.Effect<number, { readonly _tag: string }>
  }
>()("agon/ReplayRetention") {
  static readonly layer = (options: Options): Layer.Layer<ReplayRetention, never, SqlClient.SqlClient | ObjectStore | ResponseCache> =>
    Layer.effect(
      ReplayRetention,
      Effect.gen(function* () {
        const look = options.days === 0 ? Effect.succeed(0) : yield* makeLook(options)
        if (options.days > 0) yield* sweep(look, "old replays were not removed")
        return ReplayRetention.of({ look })
      })
    )
}

const makeLook = Effect.fnUntraced(function* (options: Options) {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* ObjectStore
  const { batches, matches: limit } = yield* Limits
  const next = yield* makeNext(options)

  let last = ""
  const round = Effect.fnUntraced(function* (seasons: ReadonlyArray<string>, readers: Readers, total: Total) {
    const full: Array<string> = []
    for (const id of seasons) {
      last = id
      const { bytes, found, removed } = yield* Effect.catchCause(next(id, readers), (cause) =>
        total.failed++ > 0
          ? Effect.failCause(cause)
          : Effect.as(Effect.logWarning("old replays of a season were not removed", { season: id }, cause), NOTHING)
      )
      total.removed += removed.length
      total.bytes += bytes
      if (found === limit) full.push(id)
    }
    return full
  })

  return Effect.gen(function* () {
    if (!(yield* Effect.provideService(allHave(NEEDED), SqlClient.SqlClient, sql))) return 0
    const { seasons } = yield* makeQueries
    const datasets = options.datasets && (yield* objects.freeShare) >= DATASET_FREE_SHARE_MIN
    const total: Total = { removed: 0, bytes: 0, failed: 0 }
    const ids = (yield* seasons()).map(({ id }) => id)
    let full = [...ids.filter((id) => id > last), ...ids.filter((id) => id <= last)]
    for (let left = batches; full.length > 0 && left > 0; ) {
      const looked = full.slice(0, left)
      left -= looked.length
      full = yield* round(looked, { checks: options.checks, datasets }, total)
    }
    if (total.removed > 0) yield* Effect.logInfo("old replays were removed", { removed: total.removed, bytes: total.bytes })
    return total.removed
  }).pipe(Effect.provideService(SqlClient.SqlClient, sql), Effect.withSpan("ReplayRetention.look"))
})

const NOTHING: Batch = { found: 0, ended_at: null, id: null, removed: [], bytes: 0 }

/** The next batch of a season. */
const makeNext = Effect.fnUntraced(function* ({ days }: Options) {
  const { again_ms, matches: limit } = yield* Limits
  const sql = yield* SqlClient.SqlClient
  const cache = yield* ResponseCache
  const { remove } = yield* makeQueries
  const passes = new Map<string, Pass>()

  const passOf = (season_id: string, now: number): Pass => {
    const pass = passes.get(season_id)
    return pass === undefined || now - pass.begun_ms >= again_ms ? { begun_ms: now, at: undefined } : pass
  }
  const batch = Effect.fnUntraced(function* (season_id: string, readers: Readers, after: Place | undefined, now: number) {
    if (!(yield* beginSweep(sql, LOCK))) return NOTHING
    return yield* remove(readers, { season_id, now: new Date(now), days, after, limit })
  }, sql.withTransaction)

  return Effect.fnUntraced(function* (season_id: string, readers: Readers) {
    const now = yield* Clock.currentTimeMillis
    const { at, begun_ms } = passOf(season_id, now)
    const done = yield* paced(batch(season_id, readers, at, now))
    const { ended_at, id, removed } = done
    passes.set(season_id, { begun_ms, at: ended_at === null ? at : { ended_at, id: id! } })
    if (removed.length === 0) return done
    yield* Metric.update(removedCount, removed.length)
    yield* cache.purge(...removed.map(matchTag))
    return done
  })
})
