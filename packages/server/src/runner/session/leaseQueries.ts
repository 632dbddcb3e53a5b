/** The statements on the leases of open work, where this node does not know them. */

import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

export const Held = Schema.Struct({
  lease: Schema.String,
  runner: Schema.String,
  key: Schema.String,
  season: Schema.String,
  seats: Schema.NullOr(Schema.Int),
  max_turns: Schema.Int,
  strike_limit: Schema.Int,
  is_finals: Schema.Boolean
})
export type Held = typeof Held.Type

/** How many leases a runner holds now: `live` and `review` are small tables of open work; audits by match_audit_open. */
export const leasesOf = `(SELECT count(*) FROM live l WHERE l.runner_id = r.id AND l.until IS NOT NULL)::int
  + (SELECT count(*) FROM review w WHERE w.runner_id = r.id AND w.until IS NOT NULL)::int
  + (SELECT count(*) FROM match_audit a WHERE a.runner_id = r.id AND a.state = 'leased')::int`

/**
 * Work by its last lease, unless that lease was given back: of the small tables of open work, and of match_audit. It is found by this
 * condition on `o` and the rows `asked`; the rest of `Held` is looked up for those found alone. Audits stand under the name of their queue.
 */
export const openLeases = (found: string) => `
  SELECT o.work || '.' || o.n AS lease, o.runner, o.key, coalesce(o.season::text, 'audits') AS season, o.seats,
    CASE WHEN o.seats IS NULL THEN 0 ELSE (s.rules->'match'->>'max_turns')::int END AS max_turns,
    CASE WHEN o.seats IS NULL THEN 0 ELSE (s.rules->'match'->>'strike_limit')::int END AS strike_limit,
    EXISTS (SELECT 1 FROM round r WHERE r.season_id = o.season AND r.n = o.round AND r.kind = 'finals') AS is_finals
  FROM asked JOIN (
    SELECT l.id AS work, l.lease_n AS n, l.runner_id AS runner, l.key_id AS key, l.season_id AS season, cardinality(l.versions) AS seats,
      CASE WHEN l.ladder IS NOT NULL THEN l.round END AS round FROM live l WHERE NOT l.released
    UNION ALL SELECT w.version_id, w.lease_n, w.runner_id, w.key_id, w.season_id, NULL, NULL FROM review w WHERE NOT w.released
    UNION ALL SELECT a.id, a.lease_n, a.runner_id, a.key_id, NULL, NULL, NULL FROM match_audit a WHERE a.state = 'leased'
  ) o ON ${found} LEFT JOIN season s ON s.id = o.season`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * Open leases of these runners: one scan of small tables and of match_audit_open, where
   * this node does not know them.
   */
  heldBy: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (runners) => sql`
      WITH asked AS (SELECT unnest(string_to_array(${runners.join()}, ',')::uuid[]) AS id)
      ${sql.literal(openLeases("o.runner = asked.id"))}`
  }),

  /**
   * These open leases: one scan of the small `live`, the others by the primary keys of review and match_audit, where
   * this node does not know their runner.
   */
  held: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (leases) => sql`
      WITH asked AS (SELECT split_part(lease, '.', 1)::uuid AS id, split_part(lease, '.', 2)::int AS n
        FROM unnest(string_to_array(${leases.join()}, ',')) AS lease)
      ${sql.literal(openLeases("o.work = asked.id AND o.n = asked.n AND o.runner IS NOT NULL"))}`
  }),

  /**
   * The seasons of matches, versions and audits that this process does not remember: each by
   * primary keys, and the small `live`.
   */
  seasonsOf: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Schema.Struct({ id: Schema.String, season: Schema.String }),
    execute: (ids) => sql`
      SELECT asked.id, found.season FROM unnest(string_to_array(${ids.join()}, ',')::uuid[]) AS asked (id)
      CROSS JOIN LATERAL (
        SELECT season_id::text AS season FROM match WHERE id = asked.id
        UNION ALL SELECT season_id::text FROM version WHERE id = asked.id
        UNION ALL SELECT season_id::text FROM live WHERE id = asked.id
        UNION ALL SELECT 'audits' FROM match_audit WHERE id = asked.id LIMIT 1) found`
  })
}))
