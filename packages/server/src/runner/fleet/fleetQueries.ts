/** The statement on the runners that may review a season's candidates, and on whose runners those are. */
import { Fill, Fleet } from "@agon/api/season/creation.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const ReachRow = Schema.Struct({
  queued: Schema.Int,
  fleet: Fleet,
  fill: Fill,
  own: Schema.Int,
  platform: Schema.Int
})
export type ReachRow = typeof ReachRow.Type

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** The season by its primary key, its reviews by review_pkey, and the runners of the last minute by runner_seen. */
  reach: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, seen_after: Schema.Date, runtimes: Schema.Array(Schema.String) }),
    Result: ReachRow,
    execute: ({ runtimes, season_id, seen_after }) => sql`
      SELECT s.fleet, s.fill,
        (SELECT count(*)::int FROM review w WHERE w.season_id = s.id AND w.until IS NULL) AS queued,
        count(r.id) FILTER (WHERE k.season_id = s.id)::int AS own, count(r.id) FILTER (WHERE k.season_id IS NULL)::int AS platform
      FROM season s
      LEFT JOIN (runner r JOIN runner_key k ON k.id = r.key_id AND k.revoked_at IS NULL)
        ON r.state = 'active' AND r.last_seen_at >= ${seen_after} AND 'admission' = ANY (r.accepts)
        AND r.runtime_version IN (SELECT jsonb_array_elements_text(${JSON.stringify(runtimes)}::jsonb))
        AND r.engines @> jsonb_build_array(jsonb_build_object('game', s.game, 'engine_digest', s.engine_digest))
        AND (k.season_id = s.id OR k.season_id IS NULL)
      WHERE s.id = ${season_id} GROUP BY s.id`
  })
}))
