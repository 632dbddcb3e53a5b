/** Every statement on models. Those of baselines are made by the season's administration. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Model } from "@agon/api/model/api.ts"
import { Instant } from "../database/rows.ts"
import { sees } from "../season/queries.ts"

const ModelRow = Schema.Struct({ ...Model.fields, created_at: Instant })
const columns = "m.id, m.game, m.name, a.username AS owner, m.retired, m.created_at"

const ofOwner = { owner_id: Schema.String, game: Schema.NullOr(Schema.String) }

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** One row by model_pkey. A baseline's is seen by whoever may see its season. */
  byId: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, viewer: Schema.NullOr(Schema.String) }),
    Result: ModelRow,
    execute: ({ id, viewer }) => sql`
      SELECT ${sql.literal(columns)} FROM model m LEFT JOIN account a ON a.id = m.owner_id LEFT JOIN season s ON s.id = m.baseline_season
      WHERE m.id = ${id} AND (m.baseline_season IS NULL OR ${sees(sql, viewer)})`
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

  /** An advisory lock to the end of the transaction: of two models made at once one may be over the cap. */
  lockCreation: (owner_id: string, game: string) => sql`SELECT pg_advisory_xact_lock(hashtextextended(${`model ${owner_id} ${game}`}, 0))`,

  /** Inserts one row, unique by model_name, or none where the owner holds `cap` models of the game, counted by the same index. */
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
}))
