/** Counts beside seasons, as the service has them within minutes: rows that were copied in have none. */
import { makeQueries } from "@agon/server/match/list/tallyQueries.ts"
import { Effect, Option } from "effect"

const NUMBERS = 50_000

/** Without the pauses of TallySweep.ts. */
export const tallied = Effect.gen(function* () {
  const queries = yield* makeQueries
  for (const { season_id } of yield* queries.due({ matches: 1 }))
    for (let left = 1; left > 0; )
      left = Option.match(yield* queries.advance({ season_id, numbers: NUMBERS }), { onNone: () => 0, onSome: (found) => found.left })
})
