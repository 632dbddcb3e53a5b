/** Statements on the runners that a voided match condemns. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

/** A key is not trusted for a day once so many of its runners were flagged within one (MatchVoiding.ts). */
export const FLAGS_MAX = 3

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row by the primary key. */
  placeOf: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ game: Schema.String, season_id: Schema.String }),
    execute: (season_id) => sql`SELECT game, id AS season_id FROM season WHERE id = ${season_id}`
  }),

  /**
   * One row by the primary key, locked to the end of the transaction: the flags of a key's runners are counted one after another, and its
   * sessions too (runner/session/sessionQueries.ts). The first lock, since the others are of runners, of several in any order.
   */
  holdKey: ({ key, runner }: { readonly runner: string; readonly key: string | null }) => sql`
    SELECT id FROM runner_key WHERE id = coalesce(${key}::uuid, (SELECT key_id FROM runner WHERE id = ${runner})) FOR NO KEY UPDATE`,

  /**
   * Locks one row by the primary key. A runner whose row was deleted meanwhile (`forget` in runner/session/sessionQueries.ts) has one again,
   * as long as its key is there: flags are counted by them.
   */
  recall: ({ key, now, runner }: { readonly runner: string; readonly key: string; readonly now: Date }) => sql`
    INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, stopped, created_at, last_seen_at)
    SELECT ${runner}::uuid, id, '(forgotten)', '', '[]', '{}', 1, 'gone', true, ${now}::timestamptz, ${now}::timestamptz FROM runner_key WHERE id = ${key}
    ON CONFLICT (id) DO UPDATE SET stopped = true`,

  /** Locks one row by the primary key. `fresh`: it was not flagged before. */
  flag: SqlSchema.findAll({
    Request: Schema.Struct({ runner: Schema.String, now: Schema.Date }),
    Result: Schema.Struct({ key_id: Schema.String, name: Schema.String, fresh: Schema.Boolean }),
    execute: ({ now, runner }) => sql`
      WITH b AS (SELECT id, flagged_at FROM runner WHERE id = ${runner} FOR NO KEY UPDATE)
      UPDATE runner r SET flagged_at = coalesce(b.flagged_at, ${now}), stopped = true,
        state = CASE r.state WHEN 'active' THEN 'draining' ELSE r.state END
      FROM b WHERE r.id = b.id RETURNING r.key_id, r.name, b.flagged_at IS NULL AS fresh`
  }),

  /**
   * Locks the runners of a key, by runner_of_key, where FLAGS_MAX of them were flagged within a day. Not
   * those of the service's own key, which has no creator.
   */
  stopKey: ({ key, now }: { readonly key: string; readonly now: Date }) => sql`
    UPDATE runner SET stopped = true, state = CASE state WHEN 'active' THEN 'draining' ELSE state END
    WHERE key_id = ${key} AND NOT stopped AND (SELECT created_by IS NOT NULL FROM runner_key WHERE id = ${key})
      AND (SELECT count(*) FROM runner r WHERE r.key_id = ${key} AND r.flagged_at > ${now}::timestamptz - interval '1 day') >= ${sql.literal(String(FLAGS_MAX))}`,

  /** One row by the primary key. */
  isFailed: SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ id: Schema.String }),
    execute: (match) => sql`SELECT id FROM match WHERE id = ${match} AND status = 'failed'`
  }),

  /** Some rows by their primary keys, of a match that is open or has ended: whether the key is the platform's, and a key of a season's own has admitted a version in the match. */
  excused: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, match: Schema.String, runner: Schema.String, key: Schema.NullOr(Schema.String) }),
    Result: Schema.Struct({ excused: Schema.Boolean }),
    execute: ({ key, match, runner, season_id }) => sql`
      SELECT EXISTS (SELECT 1 FROM runner_key p WHERE p.id = coalesce(${key}::uuid, (SELECT key_id FROM runner WHERE id = ${runner}::uuid)) AND p.season_id IS NULL)
        AND EXISTS (SELECT 1 FROM version v JOIN runner_key k ON k.id = v.admit_key WHERE k.season_id IS NOT NULL AND v.id IN (
          SELECT version_id FROM seat WHERE match_id = ${match}::uuid UNION ALL SELECT unnest(versions) FROM live WHERE season_id = ${season_id}::uuid AND id = ${match}::uuid)) AS excused`
  })
}))
