/** Where processes keep lists that took long to find (KeptLists.ts), so that the next process and other nodes go on from there. */
import { Context, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import type { Kept, ListStore } from "./KeptLists.ts"
import { makeQueries, STORED_MAX } from "./listQueries.ts"

/** A list is stored that took so long to find; finding a stored one takes some 5 ms. */
export class StoredFrom extends Context.Reference<number>("agon/StoredFrom", { defaultValue: () => 50 }) {}

/** Changes with whatever names and rows mean. */
const FORMAT = "1"

export const makeListStore = Effect.gen(function* () {
  const queries = yield* makeQueries
  const sql = yield* SqlClient.SqlClient
  const store: ListStore = {
    slow_ms: yield* StoredFrom,

    load: (name) =>
      Effect.map(
        Effect.orDie(queries.keptOf(`${FORMAT} ${name}`)),
        (seasons) =>
          new Map(
            seasons.map(({ kept_to, rows, season_id, ...list }): [string, Kept] => [
              season_id,
              { ...list, from: kept_to, rows: rows.map(([id, figure, ended_us]) => ({ id, figure, ended_us })) }
            ])
          )
      ),

    save: (name, seasons) =>
      Effect.gen(function* () {
        const sorted = [...seasons].sort(([a], [b]) => (a < b ? -1 : 1)) // two nodes that store one list lock its rows in one order
        const rows = Array.from(sorted, ([season_id, { from, rows, ...list }]) => ({
          ...{ ...list, season_id, kept_to: from },
          rows: rows.map(({ ended_us, figure, id }) => [id, figure, ended_us] as const)
        }))
        yield* queries.storeKept({ name: `${FORMAT} ${name}`, now: yield* DateTime.nowAsDate, seasons: rows })
        yield* queries.forgetKept(STORED_MAX)
      }).pipe(
        sql.withTransaction, // within the caller's, whose count holds though this is refused
        Effect.catch((error) => Effect.logWarning("what is kept of a list is not stored", error))
      )
  }
  return store
})
