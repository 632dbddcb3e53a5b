/** Every statement on models. The season's administration makes those of baselines. */

import { Model } from "@agon/api/model/api.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { lockNamed } from "../database/lockNamed.ts"
import { Instant } from "../database/rows.ts"
import { published, sees, seesModel } from "../database/visibility.ts"
import { rank } from "../rating/standing.ts"

const ModelRow = Schema.Struct({ ...Model.fields, created_at: Instant })
const columns = "m.id, m.game, m.name, a.username AS owner, m.retired, m.created_at"

const inSeason = { id: Schema.String, season_id: Schema.String, ladder: Schema.String }

const makeRecords = (sql: SqlClient.SqlClient) => ({
  /**
   * The version of a model in contention, or its latest that was, by version_model; its rank by
   * rating_pkey and rating_rank.
   */
  standing: SqlSchema.findOneOption({
    Request: Schema.Struct(inSeason),
    Result: Schema.Struct({ class: Schema.NullOr(Schema.String), rank: Schema.NullOr(Schema.Int) }),
    execute: ({ id, ladder, season_id }) => sql`
      SELECT v.class, (SELECT (${sql.literal(rank)})::int FROM standing r
        WHERE r.season_id = v.season_id AND r.ladder = ${ladder} AND r.version_id = v.id) AS rank
      FROM version v WHERE v.model_id = ${id} AND v.season_id = ${season_id} AND ${sql.literal(published())}
      ORDER BY v.status = 'entered' DESC, v.number DESC LIMIT 1`
  }),

  /**
   * The rank of a model's version in the last series_point before a moment, by its primary
   * key; versions by version_model.
   */
  rankAt: SqlSchema.findOne({
    Request: Schema.Struct({ ...inSeason, at: Schema.Date }),
    Result: Schema.Struct({ rank: Schema.NullOr(Schema.Int) }),
    execute: ({ at, id, ladder, season_id }) => sql`
      SELECT min(array_position(s.versions, v.id)) AS rank
      FROM (SELECT versions FROM series_point WHERE season_id = ${season_id} AND ladder = ${ladder} AND at <= ${at} ORDER BY at DESC LIMIT 1) s
      JOIN version v ON v.model_id = ${id} AND v.season_id = ${season_id}`
  })
})

const makeMet = (sql: SqlClient.SqlClient) => ({
  /** A model's versions in seasons that the viewer may see, by version_model and season_pkey; a few in each season. */
  versionsSeen: SqlSchema.findAll({
    Request: Schema.Struct({ id: Schema.String, viewer: Schema.NullOr(Schema.String) }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ id, viewer }) => sql`
      SELECT v.id FROM version v JOIN season s ON s.id = v.season_id WHERE v.model_id = ${id} AND ${sees(sql, viewer)}`
  }),

  /** Names of models, by primary keys. */
  names: SqlSchema.findAll({
    Request: Schema.Struct({ models: Schema.Array(Schema.String) }),
    Result: Schema.Struct({ id: Schema.String, model: Schema.String, owner: Schema.NullOr(Schema.String) }),
    execute: ({ models }) => sql`
      SELECT o.id, o.name AS model, a.username AS owner FROM unnest(string_to_array(${models.join()}, ',')::uuid[]) asked(id)
      JOIN model o ON o.id = asked.id LEFT JOIN account a ON a.id = o.owner_id`
  })
})

const ofOwner = { owner_id: Schema.String, game: Schema.NullOr(Schema.String) }

const makeEdits = (sql: SqlClient.SqlClient) => ({
  /** Changes one row, unique by model_name; null columns keep their value. */
  edit: SqlSchema.findOne({
    Request: Schema.Struct({ id: Schema.String, name: Schema.NullOr(Schema.String), retired: Schema.NullOr(Schema.Boolean) }),
    Result: ModelRow,
    execute: ({ id, name, retired }) => sql`
      WITH m AS (UPDATE model SET name = coalesce(${name}::text, name), retired = coalesce(${retired}::boolean, retired)
        WHERE id = ${id} RETURNING *)
      SELECT ${sql.literal(columns)} FROM m JOIN account a ON a.id = m.owner_id`
  }),

  /** Seasons that show the model's name, by version_model. */
  seasonsOf: SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ season_id: Schema.String }),
    execute: (id) => sql`SELECT DISTINCT season_id FROM version WHERE model_id = ${id}`
  })
})

const makeModels = (sql: SqlClient.SqlClient) => ({
  /** One row by model_pkey. A baseline is visible to everyone who may see its season. */
  byId: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, viewer: Schema.NullOr(Schema.String) }),
    Result: ModelRow,
    execute: ({ id, viewer }) => sql`
      SELECT ${sql.literal(columns)} FROM model m LEFT JOIN account a ON a.id = m.owner_id LEFT JOIN season s ON s.id = m.baseline_season
      WHERE m.id = ${id} AND ${seesModel(sql, viewer)}`
  }),

  /** An owner's models by model_name, a few. */
  ofOwner: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofOwner, limit: Schema.Int, offset: Schema.Int }),
    Result: ModelRow,
    execute: ({ game, limit, offset, owner_id }) => sql`
      SELECT ${sql.literal(columns)} FROM model m JOIN account a ON a.id = m.owner_id
      WHERE m.owner_id = ${owner_id} AND (${game}::text IS NULL OR m.game = ${game})
      ORDER BY m.created_at DESC, m.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same index. */
  countOfOwner: SqlSchema.findOne({
    Request: Schema.Struct(ofOwner),
    Result: Schema.Struct({ total: Schema.Int }),
    execute: ({ game, owner_id }) => sql`
      SELECT count(*)::int AS total FROM model m WHERE m.owner_id = ${owner_id} AND (${game}::text IS NULL OR m.game = ${game})`
  }),

  /** One row by model_pkey. */
  ownedBy: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, account_id: Schema.String }),
    Result: Schema.Struct({ id: Schema.String, game: Schema.String }),
    execute: ({ account_id, id }) => sql`SELECT id, game FROM model WHERE id = ${id} AND owner_id = ${account_id}`
  }),

  /** To the end of the transaction: otherwise two models made at once could exceed the cap. */
  lockCreation: (owner_id: string, game: string) => lockNamed(sql, `model ${owner_id} ${game}`),

  /**
   * Inserts one row, unique by model_name, or none where the owner already has `cap` models of the
   * game, counted by the same index.
   */
  create: SqlSchema.findOneOption({
    Request: Schema.Struct({
      id: Schema.String,
      game: Schema.String,
      owner_id: Schema.String,
      name: Schema.String,
      cap: Schema.Int,
      now: Schema.Date
    }),
    Result: ModelRow,
    execute: ({ cap, game, id, name, now, owner_id }) => sql`
      WITH m AS (
        INSERT INTO model (id, game, owner_id, name, created_at)
        SELECT ${id}::uuid, ${game}, ${owner_id}::uuid, ${name}, ${now}::timestamptz
        WHERE (SELECT count(*) FROM model WHERE owner_id = ${owner_id} AND game = ${game}) < ${cap} RETURNING *)
      SELECT ${sql.literal(columns)} FROM m JOIN account a ON a.id = m.owner_id`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeModels(sql),
  ...makeEdits(sql),
  ...makeRecords(sql),
  ...makeMet(sql)
}))
