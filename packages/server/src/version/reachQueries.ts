/** The statement on the slots of the runners that a season can count on. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const Use = Schema.Literals(["own", "platform", "both"])

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** The season by season_slug, and the runners of the last minute by runner_seen; none where the season is closed. */
  reach: SqlSchema.findOneOption({
    Request: Schema.Struct({ game: Schema.String, slug: Schema.String, seen_after: Schema.Date, runtimes: Schema.Array(Schema.String) }),
    Result: Schema.Struct({
      id: Schema.String,
      admissions: Use,
      matches: Use,
      own_admitters: Schema.Int,
      platform_admitters: Schema.Int,
      own_players: Schema.Int,
      platform_players: Schema.Int
    }),
    execute: ({ game, runtimes, seen_after, slug }) => sql`
      SELECT s.id, s.fleet->>'admissions' AS admissions, s.fleet->>'matches' AS matches,
        coalesce(sum(r.slots) FILTER (WHERE 'admission' = ANY (r.accepts) AND k.season_id = s.id), 0)::int AS own_admitters,
        coalesce(sum(r.slots) FILTER (WHERE 'admission' = ANY (r.accepts) AND k.season_id IS NULL), 0)::int AS platform_admitters,
        coalesce(sum(r.slots) FILTER (WHERE 'match' = ANY (r.accepts) AND k.season_id = s.id), 0)::int AS own_players,
        coalesce(sum(r.slots) FILTER (WHERE 'match' = ANY (r.accepts) AND k.season_id IS NULL), 0)::int AS platform_players
      FROM season s
      LEFT JOIN (runner r JOIN runner_key k ON k.id = r.key_id AND k.revoked_at IS NULL)
        ON r.state = 'active' AND r.last_seen_at >= ${seen_after}
        AND r.runtime_version IN (SELECT jsonb_array_elements_text(${JSON.stringify(runtimes)}::jsonb))
        AND r.engines @> jsonb_build_array(jsonb_build_object('game', s.game, 'engine_digest', s.engine_digest))
        AND (k.season_id = s.id OR k.season_id IS NULL)
      WHERE s.game = ${game} AND s.slug = ${slug} AND s.closed_at IS NULL GROUP BY s.id`
  })
}))
