/**
 * Counts a season's matches beside it, by what lists are filtered by (migration 0042), so that the first total of a filter does not go
 * through the season: it is the sum of some counts and of the matches since (seasonCounts.ts).
 *
 *   every minute, each season with `NEW_MATCHES_MIN` matches more than are counted
 *     ─▶ the matches of the next `NUMBERS` numbers of rating, in a transaction of its own, until all are counted
 *
 * A match that is voided after it was counted is taken out by its own transaction. A season of ten million matches that were never
 * counted takes some minutes.
 */
import { Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { paced, sweep } from "../../database/sweeping.ts"
import { makeQueries } from "./tallyQueries.ts"

/** Matches of a season after which it is counted on. */
export const NEW_MATCHES_MIN = 1_000
/** Matches of one transaction: 0.1 to 0.2 s. It writes as many counts for a thousand, so more of them cost less each. */
const NUMBERS = 50_000

export class TallySweep extends Context.Service<
  TallySweep,
  {
    /** Counts what is left to count; answers how many transactions that took. Fails where the database is away or slow. */
    readonly look: Effect.Effect<number, { readonly _tag: string }>
  }
>()("agon/TallySweep") {
  static readonly layer: Layer.Layer<TallySweep, never, SqlClient.SqlClient> = Layer.effect(
    TallySweep,
    Effect.gen(function* () {
      const look = yield* makeLook
      yield* sweep(look, "matches were not counted")
      return TallySweep.of({ look })
    })
  )
}

const makeLook = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const queries = yield* makeQueries

  /** How many numbers are left; none where another node counts, or the season is gone. */
  const next = Effect.fnUntraced(function* (season_id: string) {
    if (!(yield* queries.begin(season_id))) return 0
    return Option.match(yield* queries.advance({ season_id, numbers: NUMBERS }), { onNone: () => 0, onSome: ({ left }) => left })
  }, sql.withTransaction)

  return Effect.gen(function* () {
    let transactions = 0
    for (const { season_id } of yield* queries.due({ matches: NEW_MATCHES_MIN }))
      for (let left = NEW_MATCHES_MIN; left >= NEW_MATCHES_MIN; transactions++) left = yield* paced(next(season_id))
    return transactions
  }).pipe(Effect.withSpan("TallySweep.look"))
})
