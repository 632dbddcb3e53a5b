/** Counts of versions' rivals (RivalCache.ts), one count for all pages that show some of it. */
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { type Asked, RivalCache, type RivalStore } from "./RivalCache.ts"
import type { Counted, Tallies, Tally } from "./rivalCounts.ts"
import { type MetRow, makeQueries } from "./rivalQueries.ts"

export class RivalTallies extends Context.Service<
  RivalTallies,
  {
    /**
     * The matches of versions that count, by version and by the other's model; against
     * `rivals` alone where they are given.
     */
    readonly of: (versions: ReadonlyArray<string>, rivals?: ReadonlySet<string>) => Effect.Effect<ReadonlyMap<string, Tallies>>
  }
>()("agon/RivalTallies") {
  static readonly layer: Layer.Layer<RivalTallies, never, SqlClient.SqlClient> = Layer.effect(
    RivalTallies,
    Effect.map(makeQueries, (queries) => {
      const kept = new RivalCache(storeOf(queries))
      const count = (asked: ReadonlyArray<Asked>) => Effect.map(queries.met(asked), countedOf)
      return { of: (versions, rivals) => Effect.orDie(kept.read(versions, count, rivals)) }
    })
  )
}

type Queries = Effect.Success<typeof makeQueries>

/** The rows of a statement in the form that is kept. */
export const countedOf = (rows: ReadonlyArray<MetRow>): ReadonlyMap<string, Counted> =>
  new Map(
    [...Map.groupBy(rows, ({ version }) => version)].map(([version, of]) => {
      const { last, seats, voided } = of[0]!
      const rivals = of.flatMap(({ draws, last_played_at, losses, model_id, newest, played, wins }) =>
        model_id === null
          ? []
          : [
              {
                model_id,
                newest: newest!,
                played: played!,
                wins: wins!,
                draws: draws!,
                losses: losses!,
                last_ms: last_played_at!.getTime()
              }
            ]
      )
      return [version, { seats, last, voided, rivals }]
    })
  )

/** One row for each version. Counts that cannot be stored are counted again by the next reader. */
export const storeOf = (queries: Queries): RivalStore => ({
  load: (versions) =>
    Effect.map(
      Effect.orDie(queries.talliesOf(versions)),
      (rows) =>
        new Map(
          rows.map(({ counted_to, tallies, version, voided }) => {
            const entries = Object.entries(tallies).map(([rival, [played, wins, draws, losses, last_ms]]): [string, Tally] => [
              rival,
              { played, wins, draws, losses, last_ms }
            ])
            return [version, { from: counted_to, voided, tallies: new Map(entries) }]
          })
        )
    ),
  save: (version, { from, tallies, voided }) => {
    const entries = [...tallies].map(([rival, { draws, last_ms, losses, played, wins }]) => [rival, [played, wins, draws, losses, last_ms]])
    return queries.storeTallies({ version, counted_to: from, voided, tallies: Object.fromEntries(entries) }).pipe(
      Effect.catch((error) => Effect.logWarning("what was counted of rivals is not stored", error)),
      Effect.asVoid
    )
  }
})
