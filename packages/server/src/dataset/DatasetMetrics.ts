/**
 * Gauges of the datasets: how far the files are behind the days that are finished, and how old the newest
 * file is. They are read from the database, so that a maker that fails or stands still shows. Every node
 * tells the same figures: do not add them up.
 */
import { type Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { keepFigures } from "../database/keepFigures.ts"
import { readGauges } from "../metric/gauge.ts"
import { type Due, makeQueries } from "./queries.ts"
import { nextUnit, SETTLED_MS } from "./unit.ts"

const READ_EVERY: Duration.Input = "1 minute"

/** The newest file of each season by dataset_file_pkey. Seasons are few. */
const makeNewest = Effect.map(SqlClient.SqlClient, (sql) =>
  SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ made_at: Schema.NullOr(Schema.Date) }),
    execute: () => sql`
      SELECT max(f.made_at) AS made_at FROM season s CROSS JOIN LATERAL (
        SELECT d.made_at FROM dataset_file d WHERE d.season_id = s.id ORDER BY d.day DESC, d.part DESC LIMIT 1) f`
  })
)

/** Since when the part that has waited longest could have been made; undefined where none waits. */
const behindSince = (seasons: ReadonlyArray<Due>, now_ms: number): number | undefined => {
  const since = seasons.flatMap((season) => {
    const unit = nextUnit(season, now_ms)
    return unit === undefined ? [] : [unit.until.getTime() + SETTLED_MS]
  })
  return since.length === 0 ? undefined : Math.min(...since)
}

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.suspend(() => layerEvery(READ_EVERY))

export const layerEvery = (every: Duration.Input): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { due } = yield* makeQueries
      const newest = yield* makeNewest
      const read = Effect.fnUntraced(function* (now_ms: number) {
        const since = behindSince(yield* due({ only: null }), now_ms)
        const { made_at } = yield* newest(undefined)
        return {
          behind_s: since === undefined ? 0 : (now_ms - since) / 1_000,
          newest_s: made_at === null ? Number.NaN : (now_ms - made_at.getTime()) / 1_000
        }
      })
      const figures = yield* keepFigures(every, read)
      yield* readGauges([
        {
          name: "agon_datasets_behind_seconds",
          description: "How long the files of a finished day could have been made and were not; 0 where none are missing",
          read: () => figures()?.behind_s ?? Number.NaN
        },
        {
          name: "agon_dataset_newest_age_seconds",
          description: "Time since the newest file of a dataset was made",
          read: () => figures()?.newest_s ?? Number.NaN
        }
      ])
    })
  )
