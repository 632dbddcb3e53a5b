/**
 * Gauges of the whole platform that only the database knows: runners by state, audits that are open,
 * objects that are kept. Read every 15 seconds where metrics are on. Every node tells the same
 * figures: do not add them up.
 */
import { type Duration, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { keepFigures } from "../../database/keepFigures.ts"
import { SharedClock } from "../../database/SharedClock.ts"
import { type ReadGauge, readGauges } from "../../metric/gauge.ts"
import { SEEN_WITHIN_MS } from "../session/Runners.ts"

const READ_EVERY: Duration.Input = "15 seconds"

const Figures = Schema.Struct({
  active: Schema.Int,
  draining: Schema.Int,
  slots: Schema.Int,
  audits: Schema.Int,
  database_bytes: Schema.Number,
  model_bytes: Schema.Number
})
type Figures = typeof Figures.Type

/** Runners of the last minute by runner_seen, open audits by match_audit_open, and one pass over the versions. */
const makeQuery = Effect.map(SqlClient.SqlClient, (sql) =>
  SqlSchema.findOne({
    Request: Schema.Struct({ seen_after: Schema.Date }),
    Result: Figures,
    execute: ({ seen_after }) => sql`
      SELECT r.*, a.audits, pg_database_size(current_database())::float8 AS database_bytes, v.model_bytes
      FROM (SELECT count(*) FILTER (WHERE state = 'active')::int AS active, count(*) FILTER (WHERE state = 'draining')::int AS draining,
          coalesce(sum(slots), 0)::int AS slots
          FROM runner WHERE last_seen_at >= ${seen_after} AND state <> 'gone') r,
        (SELECT count(*)::int AS audits FROM match_audit WHERE state <> 'done') a,
        (SELECT coalesce(sum(weights_bytes::float8 + manifest_bytes), 0) AS model_bytes FROM version WHERE status <> 'rejected') v`
  })
)

const gauges = (figures: () => Figures | undefined): ReadonlyArray<ReadGauge> => {
  const runners = (state: "active" | "draining") => ({
    name: "agon_runners",
    description: "Runners seen in the last minute, by state",
    attributes: { state },
    read: () => figures()?.[state] ?? Number.NaN
  })
  const one = (name: string, description: string, figure: keyof Figures) => ({
    name,
    description,
    read: () => figures()?.[figure] ?? Number.NaN
  })
  return [
    runners("active"),
    runners("draining"),
    one("agon_runner_slots", "Matches that the runners seen in the last minute can play at once", "slots"),
    one("agon_audits_open", "Matches that wait to be played again, or are being", "audits"),
    one("agon_database_bytes", "Size of the database on its disk", "database_bytes"),
    one("agon_models_bytes", "Bytes of all models that are kept; a file that several versions share counts for each", "model_bytes")
  ]
}

export const layer: Layer.Layer<never, never, SqlClient.SqlClient> = Layer.suspend(() => layerEvery(READ_EVERY))

export const layerEvery = (every: Duration.Input): Layer.Layer<never, never, SqlClient.SqlClient> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const query = yield* makeQuery
      const shared = yield* SharedClock
      const figures = Effect.flatMap(shared.now_ms, (now_ms) => query({ seen_after: new Date(now_ms - SEEN_WITHIN_MS) }))
      yield* readGauges(gauges(yield* keepFigures(every, () => figures)))
    })
  ).pipe(Layer.provide(SharedClock.layer))
