/** Statements of the replay check: the matches of a season still to be checked. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

const Checkable = Schema.Struct({
  id: Schema.String,
  ended_at: Schema.Date,
  runner_id: Schema.NullOr(Schema.String),
  key_id: Schema.NullOr(Schema.String),
  replay_hash: Schema.String,
  replay_bytes: Schema.Int,
  replay_by_match: Schema.Boolean,
  replay_inline: Schema.Boolean,
  game: Schema.String,
  engine_digest: Schema.String,
  runtime_version: Schema.NullOr(Schema.String),
  reason: Schema.NullOr(Schema.String),
  turns: Schema.NullOr(Schema.Int),
  state_sha256: Schema.NullOr(Schema.String),
  seed: Schema.Number,
  board: Schema.Unknown,
  rules: Schema.Struct({ max_turns: Schema.Int, strike_limit: Schema.Int }),
  seats: Schema.Array(
    Schema.Struct({
      weights_hash: Schema.String,
      manifest_hash: Schema.String,
      rank: Schema.Int,
      score: Schema.Int,
      strikes: Schema.Int
    })
  )
})
export type Checkable = typeof Checkable.Type

/** Where a match stands in the order of the check. */
export type Place = Pick<Checkable, "ended_at" | "id">

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * The next matches in the order of their end, by match_replayed from the season's progress on; the rest by primary keys.
   * `after`: a later match that was already checked, while one before it could not be.
   */
  next: SqlSchema.findAll({
    Request: Schema.Struct({
      season_id: Schema.String,
      until: Schema.Date,
      limit: Schema.Int,
      after: Schema.NullOr(Schema.Struct({ ended_at: Schema.Date, id: Schema.String }))
    }),
    Result: Checkable,
    execute: ({ after, limit, season_id, until }) => sql`
      SELECT m.id, m.ended_at, m.runner_id, m.key_id, m.replay_hash, m.replay_bytes, m.replay_by_match, m.replay_inline,
        s.game, m.engine_digest, m.runtime_version, m.reason, m.turns, m.state_sha256,
        m.seed::float8 AS seed, b.file AS board, s.rules->'match' AS rules,
        (SELECT jsonb_agg(jsonb_build_object('weights_hash', v.weights_hash, 'manifest_hash', v.manifest_hash, 'rank', y.rank,
            'score', y.score, 'strikes', y.strikes) ORDER BY y.seat)
          FROM seat y JOIN version v ON v.id = y.version_id WHERE y.match_id = m.id) AS seats
      FROM (SELECT * FROM match x WHERE x.season_id = ${season_id} AND x.replay_hash IS NOT NULL AND x.ended_at <= ${until}
          AND (x.ended_at, x.id) > (SELECT coalesce(max(c.ended_at), '-infinity'), coalesce((array_agg(c.match_id))[1], '00000000-0000-0000-0000-000000000000')
            FROM match_check c WHERE c.season_id = ${season_id})
          AND (${after?.ended_at ?? null}::timestamptz IS NULL OR (x.ended_at, x.id) > (${after?.ended_at ?? null}::timestamptz, ${after?.id ?? null}::uuid))
        ORDER BY x.ended_at, x.id LIMIT ${limit}) m
      JOIN season s ON s.id = m.season_id JOIN board b ON b.season_id = m.season_id AND b.map_id = m.map_id
      ORDER BY m.ended_at, m.id`
  }),

  /** One row by the primary key. */
  checked: ({ ended_at, id }: Place, season_id: string) => sql`
    INSERT INTO match_check (season_id, ended_at, match_id) VALUES (${season_id}, ${ended_at}, ${id})
    ON CONFLICT (season_id) DO UPDATE SET ended_at = excluded.ended_at, match_id = excluded.match_id`,

  /** Seasons that closed before their check was complete: few, and each once. By their rows. */
  left: SqlSchema.findAll({
    Request: Schema.Date,
    Result: Schema.Struct({ id: Schema.String }),
    execute: (closed_before) => sql`
      SELECT s.id FROM season s LEFT JOIN match_check c ON c.season_id = s.id
      WHERE s.closed_at < ${closed_before} AND NOT coalesce(c.complete, false) ORDER BY s.closed_at LIMIT 8`
  }),

  /** The clock was ahead and was set back: a match that ends now would lie before the season's progress. By the few rows of all seasons. */
  putBack: ({ ahead_of, until }: { readonly ahead_of: Date; readonly until: Date }) => sql`
    UPDATE match_check SET ended_at = ${until}, match_id = '00000000-0000-0000-0000-000000000000'
    WHERE ended_at > ${ahead_of} AND NOT complete`,

  /** Closing seasons that wait for the check of their results, with the number of those. Few, by season_open. */
  closing: SqlSchema.findAll({
    Request: Schema.Void,
    Result: Schema.Struct({ id: Schema.String, played: Schema.Number }),
    execute: () => sql`
      SELECT id, (head->>'played')::float8 AS played FROM season
      WHERE closed_at IS NULL AND close_requested_at IS NOT NULL AND (head->>'checked')::float8 < (head->>'played')::float8`
  }),

  /** One row by the primary key; a season without a replay gets a place before every match. */
  complete: (season_id: string) => sql`
    INSERT INTO match_check (season_id, ended_at, match_id, complete)
    VALUES (${season_id}, '-infinity', '00000000-0000-0000-0000-000000000000', true)
    ON CONFLICT (season_id) DO UPDATE SET complete = true`,

  /** One row by match_audit_match, which makes a repeated pass harmless. */
  toAudit: (row: { readonly id: string; readonly match_id: string; readonly season_id: string; readonly created_at: Date }) => sql`
    INSERT INTO match_audit (id, match_id, season_id, state, created_at)
    VALUES (${row.id}, ${row.match_id}, ${row.season_id}, 'waiting', ${row.created_at}) ON CONFLICT (match_id) DO NOTHING`
}))
