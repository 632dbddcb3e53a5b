/** Every statement of submitting: about models and rosters, and the versions whose files are awaited. */

import { RejectReason } from "@agon/api/version/RejectReason.ts"
import { Status } from "@agon/api/version/Version.ts"
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { entry } from "../database/visibility.ts"

const Asked = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  retired: Schema.Boolean
})

const SubmittedRow = Schema.Struct({ status: Status })

/** The files of a version that was entered elsewhere. */
const Entered = Schema.Struct({
  weights_hash: Schema.String,
  manifest_hash: Schema.String,
  weights_bytes: Schema.Int,
  manifest_bytes: Schema.Int
})
export type Entered = typeof Entered.Type

const ClosedFacts = Schema.Struct({
  models: Schema.Int,
  versions: Schema.Int,
  has_this: Schema.Boolean,
  same: Schema.NullOr(Schema.Struct({ submitted: Schema.String, number: Schema.Int })),
  last_submitted_at: Schema.NullOr(Schema.Date)
})

/** Whether an account may enter a season, and why not. */
const Eligibility = Schema.Struct({
  /** On its roster, where it has one. */
  is_listed: Schema.Boolean,
  /** By an identity at one of its providers, where it names any. */
  is_known: Schema.Boolean,
  /** The providers that it names, by their slugs. */
  providers: Schema.Array(Schema.String)
})
export type Eligibility = typeof Eligibility.Type

const Awaited = Schema.Struct({
  id: Schema.String,
  season_id: Schema.String,
  weights_hash: Schema.String,
  manifest_hash: Schema.String,
  upload_until: Schema.Date,
  owner_id: Schema.NullOr(Schema.String),
  quota_bytes: Schema.Number,
  weights_max_bytes: Schema.Int
})
export type Awaited = typeof Awaited.Type

const BaselineRow = Schema.Struct({
  id: Schema.String,
  name: Schema.String,
  status: Status,
  class: Schema.NullOr(Ladder),
  reject_reason: Schema.NullOr(RejectReason),
  weights_hash: Schema.String,
  manifest_hash: Schema.String,
  weights_bytes: Schema.NullOr(Schema.Int),
  manifest_bytes: Schema.NullOr(Schema.Int)
})

const baselineColumns =
  "v.id, m.name, v.status, v.class, v.reject_reason, v.weights_hash, v.manifest_hash, v.weights_bytes, v.manifest_bytes"
const newestOfBaselines = `model m CROSS JOIN LATERAL (
  SELECT * FROM version v WHERE v.model_id = m.id AND v.season_id = m.baseline_season ORDER BY v.number DESC LIMIT 1) v`

const makeFacts = (sql: SqlClient.SqlClient) => ({
  /** One row by version_pkey. */
  status: SqlSchema.findOne({
    Request: Schema.String,
    Result: SubmittedRow,
    execute: (id) => sql`SELECT status FROM version WHERE id = ${id}`
  }),

  /** The version of a model that is in contention in a season, or the last that was, by version_model. */
  entered: SqlSchema.findOneOption({
    Request: Schema.Struct({ model_id: Schema.String, season_id: Schema.String }),
    Result: Entered,
    execute: ({ model_id, season_id }) => sql`
      SELECT weights_hash, manifest_hash, weights_bytes, manifest_bytes FROM version
      WHERE model_id = ${model_id} AND season_id = ${season_id} AND status IN ('entered', 'superseded')
      ORDER BY status = 'entered' DESC, number DESC LIMIT 1`
  }),

  /**
   * The holdings of an account in a closed season, which has no machine to ask: the account's versions by version_owner, and the model's
   * by version_model.
   */
  closedFacts: SqlSchema.findOne({
    Request: Schema.Struct({
      season_id: Schema.String,
      owner_id: Schema.String,
      model_id: Schema.NullOr(Schema.String),
      weights_hash: Schema.NullOr(Schema.String),
      manifest_hash: Schema.NullOr(Schema.String)
    }),
    Result: ClosedFacts,
    execute: ({ manifest_hash, model_id, owner_id, season_id, weights_hash }) => sql`
      SELECT count(DISTINCT v.model_id) FILTER (WHERE v.status <> 'rejected')::int AS models,
        count(*) FILTER (WHERE v.status <> 'rejected' AND v.model_id = ${model_id}::uuid)::int AS versions,
        coalesce(bool_or(v.model_id = ${model_id}::uuid AND v.status <> 'rejected'), ${model_id}::uuid IS NULL) AS has_this,
        max(v.created_at) FILTER (WHERE coalesce(v.reject_reason, '') NOT IN ('admission_unavailable', 'upload_expired')) AS last_submitted_at,
        (SELECT jsonb_build_object('submitted', o.id, 'number', o.number) FROM version o
          WHERE o.model_id = ${model_id}::uuid AND o.season_id = ${season_id} AND o.weights_hash = ${weights_hash}
            AND o.manifest_hash = ${manifest_hash} AND o.status = 'entered') AS same
      FROM version v WHERE v.owner_id = ${owner_id} AND v.season_id = ${season_id}`
  })
})

const makeSubmissions = (sql: SqlClient.SqlClient) => ({
  /**
   * Owners who have announced these weights in a season and whose announcement does not keep this account out. It gives way to whoever has
   * sent them to the service before, to whatever season, where its own account has not. Among those who have, and among those who have
   * not, it is taken beside the other once an announcement of them in this season has come to nothing, with or without a false file.
   * By version_weights.
   */
  standingBack: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, owner_id: Schema.String, weights_hash: Schema.String }),
    Result: Schema.Struct({ id: Schema.String, gives_way: Schema.Boolean }),
    execute: ({ owner_id, season_id, weights_hash }) => sql`
      WITH claim AS (SELECT owner_id, bool_or(season_id = ${season_id} AND phase = 'upload') AS announced,
          bool_or(weights_bytes IS NOT NULL) AS sent,
          bool_or(season_id = ${season_id} AND status = 'rejected' AND weights_bytes IS NULL) AS lapsed
        FROM version WHERE weights_hash = ${weights_hash} AND owner_id IS NOT NULL GROUP BY owner_id),
      own AS (SELECT coalesce(bool_or(sent), false) AS sent FROM claim WHERE owner_id = ${owner_id})
      SELECT c.owner_id AS id, c.sent < own.sent AS gives_way FROM claim c, own
      WHERE c.announced AND (c.sent < own.sent OR c.sent = own.sent AND EXISTS (SELECT 1 FROM claim WHERE lapsed))`
  }),

  /** One row by the primary key, of this owner and game only. */
  model: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, owner_id: Schema.String, game: Schema.String }),
    Result: Asked,
    execute: ({ game, id, owner_id }) => sql`
      SELECT id, name, retired FROM model WHERE id = ${id} AND owner_id = ${owner_id} AND game = ${game}`
  }),

  /**
   * Whether the account may enter: where it is on the roster, or there is none, and has an identity at one of the
   * season's providers, or the season names none. By the primary key, identity_account and participant_login.
   */
  eligibility: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, account_id: Schema.String }),
    Result: Eligibility,
    execute: ({ account_id, season_id }) => sql`
      SELECT s.providers, ${sql.literal(entry)} = 'open' OR EXISTS (
          SELECT 1 FROM identity i JOIN participant p ON p.season_id = s.id AND p.provider = i.provider AND lower(p.login) = lower(i.login)
          WHERE i.account_id = ${account_id}) AS is_listed,
        cardinality(s.providers) = 0 OR EXISTS (
          SELECT 1 FROM identity i WHERE i.account_id = ${account_id} AND i.provider = ANY (s.providers)) AS is_known
      FROM season s WHERE s.id = ${season_id}`
  }),

  /** Takes the next number of a model: locks one row by the primary key. The number of a submission refused later stays unused. */
  nextNumber: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ number: Schema.Int, retired: Schema.Boolean }),
    execute: (model_id) => sql`
      UPDATE model SET last_number = last_number + 1 WHERE id = ${model_id} RETURNING last_number AS number, retired`
  }),

  /** Versions whose files are awaited, by version_upload: in its order, after the given `until` (the window's end) and id. */
  awaited: SqlSchema.findAll({
    Request: Schema.Struct({ now: Schema.Date, until: Schema.Date, id: Schema.String, limit: Schema.Int }),
    Result: Awaited,
    execute: ({ id, limit, now, until }) => sql`
      SELECT v.id, v.season_id, v.weights_hash, v.manifest_hash, v.upload_until, v.owner_id,
        (s.rules->>'max_stored_bytes_per_owner')::float8 AS quota_bytes,
        (SELECT max((c->>'max_bytes')::int) FROM jsonb_array_elements(s.weight_classes) c) AS weights_max_bytes
      FROM version v JOIN season s ON s.id = v.season_id
      WHERE v.phase = 'upload' AND v.upload_until > ${now} AND (v.upload_until, v.id) > (${until}, ${id})
      ORDER BY v.upload_until, v.id LIMIT ${limit}`
  })
})

const makeBaselines = (sql: SqlClient.SqlClient) => ({
  /** The newest version of each baseline of a season, by model_baseline and version_model. */
  baselines: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: Schema.Struct({ ...BaselineRow.fields, total: Schema.Int }),
    execute: ({ limit, offset, season_id }) => sql`
      SELECT ${sql.literal(baselineColumns)}, (count(*) OVER ())::int AS total FROM ${sql.literal(newestOfBaselines)}
      WHERE m.baseline_season = ${season_id} ORDER BY m.created_at, m.id LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Those that have a version, by the same. */
  baselineCount: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: (season_id) => sql`
      SELECT count(*)::int AS total FROM ${sql.literal(newestOfBaselines)} WHERE m.baseline_season = ${season_id}`
  }),

  /** The names of all, by the same. */
  baselineNames: SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ name: Schema.String }),
    execute: (season_id) => sql`
      SELECT m.name FROM ${sql.literal(newestOfBaselines)} WHERE m.baseline_season = ${season_id} ORDER BY m.created_at, m.id`
  }),

  /** The newest version of one, by the same. */
  baseline: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, name: Schema.String }),
    Result: BaselineRow,
    execute: ({ name, season_id }) => sql`
      SELECT ${sql.literal(baselineColumns)} FROM ${sql.literal(newestOfBaselines)}
      WHERE m.baseline_season = ${season_id} AND m.name = ${name}`
  }),

  /** One row by the primary key. */
  largestClass: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ weights_max_bytes: Schema.Int }),
    execute: (season_id) => sql`
      SELECT max((c->>'max_bytes')::int) AS weights_max_bytes FROM season s, jsonb_array_elements(s.weight_classes) c WHERE s.id = ${season_id}`
  }),

  /** Inserts the model for a baseline, or finds the one of that name, by model_baseline. */
  baselineModel: SqlSchema.findOne({
    Request: Schema.Struct({
      id: Schema.String,
      game: Schema.String,
      season_id: Schema.String,
      name: Schema.String,
      now: Schema.Date
    }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ game, id, name, now, season_id }) => sql`
      INSERT INTO model (id, game, baseline_season, name, created_at) VALUES (${id}, ${game}, ${season_id}, ${name}, ${now})
      ON CONFLICT (baseline_season, name) DO UPDATE SET name = excluded.name RETURNING id`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeSubmissions(sql),
  ...makeFacts(sql),
  ...makeBaselines(sql)
}))
