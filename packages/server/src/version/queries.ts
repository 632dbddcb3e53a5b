/** Every statement that reads versions. The machine writes every column but the note. */

import { ListedState } from "@agon/api/version/admin.ts"
import { Version } from "@agon/api/version/Version.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { modelsNamed } from "../database/beginning.ts"
import { Instant } from "../database/rows.ts"
import { seesVersion } from "../database/visibility.ts"
import { rank } from "../rating/standing.ts"

const Rated = Schema.Struct({
  mu: Schema.Number,
  sigma: Schema.Number,
  matches: Schema.Int,
  round_matches: Schema.Int,
  rank: Schema.NullOr(Schema.Int)
})

/** A version in full, with its ratings in the machine's form. */
export const VersionRow = Schema.Struct({
  ...Version.fields,
  reject_detail: Schema.NullOr(Schema.String),
  disqualified: Schema.Boolean,
  owner_removed: Schema.Boolean,
  season_id: Schema.String,
  ratings: Schema.Record(Schema.String, Rated),
  provisional_matches: Schema.Int,
  created_at: Instant,
  last_played_at: Schema.NullOr(Instant)
})
export type VersionRow = typeof VersionRow.Type

/** Baselines play no trial, and a candidate rejected before its trial has none. */
const trial = `CASE WHEN v.owner_id IS NOT NULL
    AND (v.phase = 'trial' OR v.trial_played + v.trial_void > 0 OR v.status IN ('entered', 'superseded', 'disqualified'))
  THEN jsonb_build_object('matches', (s.rules->'trial'->>'matches')::int, 'played', v.trial_played, 'failed', v.trial_failed,
    'match_ids', (SELECT coalesce(jsonb_agg(t.id ORDER BY t.n), '[]') FROM (
      SELECT l.id, l.n FROM live l WHERE l.season_id = v.season_id AND l.candidate = v.id
      UNION ALL SELECT m.id, m.n FROM match m WHERE m.candidate = v.id) t)) END`

/**
 * Besides the version's own row: model, owner and season by primary keys; ratings by rating_version; trial matches by
 * live_pkey and match_candidate; the last match by seat_version.
 */
const columns = `v.id AS version_id, v.model_id, m.name AS model, a.username AS owner, s.game, s.slug AS season, v.season_id,
  v.number AS version, v.status, v.phase, v.admit_attempt, v.successor, v.reject_reason, v.reject_detail, v.disqualified, v.owner_removed,
  v.note, v.owner_id IS NULL AS baseline, v.weights_hash, v.manifest_hash, v.class, (c.value->>'max_bytes')::float8 AS class_max_bytes,
  (c.value->>'memory_flat_bytes')::float8 AS class_memory_flat_bytes, (c.value->>'memory_cell_bytes')::float8 AS class_memory_cell_bytes,
  v.weights_bytes::float8 + v.manifest_bytes AS size_bytes, v.memory_bytes, v.param_count::float8 AS param_count, v.infer_us,
  v.runtime_version, (s.rules->>'provisional_matches')::int AS provisional_matches, v.created_at, ${trial} AS trial,
  (SELECT coalesce(jsonb_object_agg(r.ladder, jsonb_build_object('mu', r.mu, 'sigma', r.sigma, 'matches', r.matches,
      'round_matches', r.round_matches, 'rank', ${rank})), '{}') FROM standing r WHERE r.version_id = v.id) AS ratings,
  (SELECT x.ended_at FROM seat x WHERE x.version_id = v.id AND x.rank > 0 ORDER BY x.ended_at DESC LIMIT 1) AS last_played_at`

const joins = `JOIN model m ON m.id = v.model_id JOIN season s ON s.id = v.season_id LEFT JOIN account a ON a.id = v.owner_id
  LEFT JOIN LATERAL jsonb_array_elements(s.weight_classes) c ON c.value->>'class' = v.class`

/** The condition of each state by which a season's administrators filter versions. */
const conditionOf: Readonly<Record<ListedState, string>> = {
  testing: "status = 'testing'",
  entered: "status = 'entered'",
  suspended: "status = 'entered' AND phase = 'suspended'",
  disqualified: "status = 'disqualified'"
}

const seenBy = { viewer: Schema.NullOr(Schema.String) }

const makeLists = (sql: SqlClient.SqlClient) => ({
  /** An owner's versions by version_owner, newest first; the page is cut before any other table is read. */
  candidates: SqlSchema.findAll({
    Request: Schema.Struct({ owner_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: VersionRow,
    execute: ({ limit, offset, owner_id }) => sql`
      SELECT ${sql.literal(columns)} FROM (SELECT * FROM version WHERE owner_id = ${owner_id} AND status = 'testing'
        ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) v ${sql.literal(joins)}
      ORDER BY v.created_at DESC, v.id DESC`
  }),

  /** Counts the same index. */
  candidateCount: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: (owner_id) => sql`SELECT count(*)::int AS total FROM version WHERE owner_id = ${owner_id} AND status = 'testing'`
  }),

  /**
   * A season's versions by version_ord, newest first, as far as the page goes, or all of the season where
   * fewer stand so. The page is cut before any other table is read.
   */
  ofSeason: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, state: ListedState, limit: Schema.Int, offset: Schema.Int }),
    Result: VersionRow,
    execute: ({ limit, offset, season_id, state }) => sql`
      SELECT ${sql.literal(columns)} FROM (SELECT * FROM version WHERE season_id = ${season_id} AND ${sql.literal(conditionOf[state])}
        ORDER BY ord DESC LIMIT ${limit} OFFSET ${offset}) v ${sql.literal(joins)}
      ORDER BY v.ord DESC`
  }),

  /**
   * Those of them whose model's name or owner's username begins with `start`: of each of these models its
   * versions of the season by version_model (hence OFFSET 0).
   */
  ofSeasonNamed: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, state: ListedState, start: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: VersionRow,
    execute: ({ limit, offset, season_id, start, state }) => sql`
      WITH ${modelsNamed(sql, season_id, start)}
      SELECT ${sql.literal(columns)} FROM (SELECT w.* FROM named CROSS JOIN LATERAL (SELECT * FROM version
          WHERE model_id = named.id AND season_id = ${season_id} AND ${sql.literal(conditionOf[state])} OFFSET 0) w
        ORDER BY w.ord DESC LIMIT ${limit} OFFSET ${offset}) v ${sql.literal(joins)}
      ORDER BY v.ord DESC`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeLists(sql),

  /** One row by version_pkey. */
  publicById: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, ...seenBy }),
    Result: VersionRow,
    execute: ({ id, viewer }) => sql`
      SELECT ${sql.literal(columns)} FROM version v ${sql.literal(joins)}
      WHERE v.id = ${id} AND ${seesVersion(sql, viewer)}`
  }),

  /** One row by version_pkey, in any state; the caller has checked the owner. */
  byId: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: VersionRow,
    execute: (id) => sql`SELECT ${sql.literal(columns)} FROM version v ${sql.literal(joins)} WHERE v.id = ${id}`
  }),

  /** Versions of a model by version_model, newest first. */
  publicOfModel: SqlSchema.findAll({
    Request: Schema.Struct({ model_id: Schema.String, ...seenBy }),
    Result: VersionRow,
    execute: ({ model_id, viewer }) => sql`
      SELECT ${sql.literal(columns)} FROM version v ${sql.literal(joins)}
      WHERE v.model_id = ${model_id} AND ${seesVersion(sql, viewer)} ORDER BY v.number DESC`
  }),

  /** One row by version_pkey, and its season's rule on notes. */
  noteRule: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ note_max_length: Schema.Int }),
    execute: (id) => sql`
      SELECT (s.rules->>'note_max_length')::int AS note_max_length
      FROM version v JOIN season s ON s.id = v.season_id WHERE v.id = ${id}`
  }),

  /** Locks one row by version_pkey; the machine's own writes do not touch this column. */
  setNote: (id: string, note: string | null) => sql`UPDATE version SET note = ${note}::text WHERE id = ${id}`,

  /** One row by version_pkey. */
  ownedBy: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, account_id: Schema.String }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ account_id, id }) => sql`SELECT id FROM version WHERE id = ${id} AND owner_id = ${account_id}`
  })
}))
