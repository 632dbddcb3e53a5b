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

/** Work by its last lease, unless that lease was given back; audits under the name of their queue. */
export const openLease = `o.work || '.' || o.n AS lease, o.runner, o.key, o.season, o.seats, o.max_turns, o.strike_limit, o.is_finals FROM (
  SELECT l.id AS work, l.lease_n AS n, l.runner_id AS runner, l.key_id AS key, l.season_id::text AS season, cardinality(l.versions) AS seats,
    (s.rules->'match'->>'max_turns')::int AS max_turns, (s.rules->'match'->>'strike_limit')::int AS strike_limit,
    l.ladder IS NOT NULL AND EXISTS (SELECT 1 FROM round r WHERE r.season_id = l.season_id AND r.n = l.round AND r.kind = 'finals') AS is_finals
  FROM live l JOIN season s ON s.id = l.season_id WHERE NOT l.released
  UNION ALL SELECT w.version_id, w.lease_n, w.runner_id, w.key_id, w.season_id::text, NULL, 0, 0, false FROM review w WHERE NOT w.released
  UNION ALL SELECT a.id, a.lease_n, a.runner_id, a.key_id, 'audits', NULL, 0, 0, false FROM match_audit a WHERE a.state = 'leased') o`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * Open leases of these runners: one scan of small tables and of match_audit_open, where
   * this node does not know them.
   */
  heldBy: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (runners) => sql`
      SELECT held.* FROM unnest(string_to_array(${runners.join()}, ',')::uuid[]) AS asked (id)
      JOIN (SELECT ${sql.literal(openLease)}) held ON held.runner = asked.id`
  }),

  /**
   * These open leases, each by the primary keys of the small tables of open work and of match_audit, where
   * this node does not know its runner.
   */
  held: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: Held,
    execute: (leases) => sql`
      SELECT held.* FROM unnest(string_to_array(${leases.join()}, ',')) AS asked (lease)
      CROSS JOIN LATERAL (SELECT split_part(asked.lease, '.', 1)::uuid AS id, split_part(asked.lease, '.', 2)::int AS n) named
      CROSS JOIN LATERAL (SELECT ${sql.literal(openLease)} WHERE o.work = named.id AND o.n = named.n AND o.runner IS NOT NULL) held`
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
