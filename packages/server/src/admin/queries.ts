/** Every statement of the platform's status. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { publicOnly } from "../database/visibility.ts"

const Counts = Schema.Struct({
  admitters: Schema.Int,
  runners: Schema.Int,
  queued: Schema.Int,
  playing: Schema.Int,
  seasons_live: Schema.Int
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * Runners of the last minute by runner_seen; the whole table of open work, which is small; open
   * seasons by season_open. The work and the runners of private seasons are not counted, since a figure
   * that moves would reveal them.
   */
  counts: SqlSchema.findOne({
    Request: Schema.Struct({ now: Schema.Date, seen_after: Schema.Date }),
    Result: Counts,
    execute: ({ now, seen_after }) => sql`
      SELECT r.admitters, r.runners, l.queued + w.queued AS queued, l.playing, s.seasons_live
      FROM (SELECT count(*) FILTER (WHERE r.state = 'active' AND 'admission' = ANY (r.accepts))::int AS admitters, count(*)::int AS runners
          FROM runner r JOIN runner_key k ON k.id = r.key_id LEFT JOIN season s ON s.id = k.season_id
          WHERE (k.season_id IS NULL OR ${sql.literal(publicOnly())}) AND r.last_seen_at >= ${seen_after} AND r.state <> 'gone' AND k.revoked_at IS NULL) r,
        (SELECT count(*) FILTER (WHERE until IS NULL)::int AS queued, count(*) FILTER (WHERE until IS NOT NULL)::int AS playing
          FROM live JOIN season s ON s.id = live.season_id WHERE ${sql.literal(publicOnly())}) l,
        (SELECT count(*) FILTER (WHERE until IS NULL)::int AS queued
          FROM review JOIN season s ON s.id = review.season_id WHERE ${sql.literal(publicOnly())}) w,
        (SELECT count(*)::int AS seasons_live FROM season
          WHERE closed_at IS NULL AND ${sql.literal(publicOnly("season"))} AND submissions_open_at <= ${now}) s`
  })
}))
