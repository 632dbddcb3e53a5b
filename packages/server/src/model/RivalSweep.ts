/**
 * Counts the rivals of versions (RivalCache.ts) beside reads and beside the commits of seasons, so that the
 * first read of a version with a hundred thousand matches finds nearly all of them counted:
 *
 *   every minute, each season with `NEW_MATCHES_MIN` more matches than when it was last looked at, or with another match voided
 *     ─▶ its versions with `SEATS_MAX` seats that are not in the stored counts ─▶ these seats, a transaction of its own for as many at a time
 *
 * A first read is left with fewer than `SEATS_MAX + NEW_MATCHES_MIN` seats of a version and what the last
 * minutes brought. The stored counts are the place to go on from, for this process and for any other.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BEGINNING, NIL } from "../database/rows.ts"
import { paced, sweep } from "../database/sweeping.ts"
import { SEATS_MAX } from "./RivalCache.ts"
import { countedOf, storeOf } from "./RivalTallies.ts"
import { advanced, isStuck } from "./rivalCounts.ts"
import { makeQueries } from "./rivalQueries.ts"

/** Matches of a season after which its versions are looked at again. */
export const NEW_MATCHES_MIN = 1_000
const VERSIONS_MAX = 100

export class RivalSweep extends Context.Service<
  RivalSweep,
  {
    /**
     * Counts what is left to count; answers how many transactions that took. Fails where
     * the database is away or slow.
     */
    readonly look: Effect.Effect<number, { readonly _tag: string }>
  }
>()("agon/RivalSweep") {
  static readonly layer: Layer.Layer<RivalSweep, never, SqlClient.SqlClient> = Layer.effect(
    RivalSweep,
    Effect.gen(function* () {
      const look = yield* makeLook
      yield* sweep(look, "rivals were not counted")
      return RivalSweep.of({ look })
    })
  )
}

interface Looked {
  readonly numbered: number
  readonly voided: number
}

const makeLook = Effect.gen(function* () {
  const queries = yield* makeQueries
  const catchUp = yield* makeCatchUp
  const looked = new Map<string, Looked>()

  const isDue = (before: Looked | undefined, now: Looked) =>
    before === undefined || before.voided !== now.voided || now.numbered - before.numbered >= NEW_MATCHES_MIN

  /** How many transactions it took, or undefined where another node counts. */
  const season = Effect.fnUntraced(function* (season_id: string) {
    let transactions = 0
    for (let after = NIL; ; ) {
      const found = yield* queries.behind({ season_id, after, seats: SEATS_MAX, limit: VERSIONS_MAX })
      for (const { version } of found) {
        const taken = yield* catchUp(version)
        if (taken === undefined) return undefined
        transactions += taken
      }
      if (found.length < VERSIONS_MAX) return transactions
      after = found.at(-1)!.version
    }
  })

  return Effect.gen(function* () {
    let transactions = 0
    for (const { season_id, ...counters } of yield* queries.counters({ matches: SEATS_MAX })) {
      if (!isDue(looked.get(season_id), counters)) continue
      const taken = yield* season(season_id)
      if (taken === undefined) break
      looked.set(season_id, counters)
      transactions += taken
    }
    return transactions
  }).pipe(Effect.withSpan("RivalSweep.look"))
})

const makeCatchUp = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const queries = yield* makeQueries
  const store = storeOf(queries)

  /** The next seats of a version, so many at most; answers how many to ask for next, none where these were the last. */
  const next = Effect.fnUntraced(function* (version: string, seats: number) {
    if (!(yield* queries.begin())) return undefined
    const stored = (yield* store.load([version])).get(version)
    const count = (from: Date) => Effect.map(queries.met([{ version, from, seats }]), (rows) => countedOf(rows).get(version)!)
    const before = stored ?? { from: BEGINNING, tallies: new Map() }
    const counted = yield* count(before.from)
    const isVoided = stored !== undefined && stored.voided !== counted.voided
    const after = isVoided ? advanced({ from: BEGINNING, tallies: new Map() }, yield* count(BEGINNING)) : advanced(before, counted)
    yield* store.save(version, after)
    if (isVoided) return SEATS_MAX
    if (counted.seats < seats) return 0
    return isStuck(before, after, counted) ? seats * 2 : SEATS_MAX // so many in one instant
  }, sql.withTransaction)

  return Effect.fnUntraced(function* (version: string) {
    let transactions = 0
    for (let seats: number | undefined = SEATS_MAX; seats !== 0; transactions++) {
      seats = yield* paced(next(version, seats))
      if (seats === undefined) return undefined
    }
    return transactions
  })
})
