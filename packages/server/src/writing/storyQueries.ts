/** Every statement on models' stories. */
import { OwnStory, Story, SubmittedStory } from "@agon/api/writing/Story.ts"
import type { Story as Texts } from "@agon/domain/writing/Story.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"

const OwnRow = Schema.Struct({ ...OwnStory.fields, updated_at: Schema.NullOr(Instant) })
const StoryRow = Schema.Struct({ ...Story.fields, updated_at: Instant })
const SubmittedRow = Schema.Struct({ ...SubmittedStory.fields, updated_at: Instant })

/** Both texts, and their owner. */
const HeldRow = Schema.Struct({
  ...{ model: Schema.String, name: Schema.String, game: Schema.String, owner: Schema.String, owner_id: Schema.String },
  ...{ body: Schema.String, state: OwnStory.fields.state, updated_at: Instant, public_body: Schema.NullOr(Schema.String) },
  ...{ public_updated_at: Schema.NullOr(Instant), featured_at: Schema.NullOr(Instant) }
})
export type HeldRow = typeof HeldRow.Type

/**
 * The columns of a model `m` of the account `a`, and of its story `s`. Only owned models have stories, so none is of
 * a private season's baseline.
 */
const about = "m.id AS model, m.name, a.username AS owner, m.game, s.featured_at IS NOT NULL AS featured"
const joins = "JOIN model m ON m.id = s.model_id JOIN account a ON a.id = m.owner_id"
const publicText = "s.public_body AS body, 'approved' AS state, s.public_updated_at AS updated_at"

const Page = Schema.Struct({ limit: Schema.Int, offset: Schema.Int })

const makeReads = (sql: SqlClient.SqlClient) => ({
  /** One row by story_pkey. */
  published: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: StoryRow,
    execute: (model_id) => sql`
      SELECT ${sql.literal(about)}, ${sql.literal(publicText)} FROM story s ${sql.literal(joins)}
      WHERE s.model_id = ${model_id} AND s.public_body IS NOT NULL`
  }),

  /** One model by model_pkey that has an owner, and its latest text where it has one. */
  latest: SqlSchema.findOne({
    Request: Schema.String,
    Result: OwnRow,
    execute: (model_id) => sql`
      SELECT ${sql.literal(about)}, coalesce(s.body, '') AS body, coalesce(s.state, 'draft') AS state, s.updated_at
      FROM model m JOIN account a ON a.id = m.owner_id LEFT JOIN story s ON s.model_id = m.id WHERE m.id = ${model_id}`
  }),

  /** A page by story_pending, oldest first. */
  pending: SqlSchema.findAll({
    Request: Page,
    Result: SubmittedRow,
    execute: ({ limit, offset }) => sql`
      SELECT ${sql.literal(about)}, s.body, s.state, s.updated_at
      FROM (SELECT * FROM story WHERE state = 'pending' ORDER BY updated_at, model_id LIMIT ${limit} OFFSET ${offset}) s ${sql.literal(joins)}
      ORDER BY s.updated_at, s.model_id`
  }),

  /** A page by story_public, newest first. */
  approved: SqlSchema.findAll({
    Request: Page,
    Result: SubmittedRow,
    execute: ({ limit, offset }) => sql`
      SELECT ${sql.literal(about)}, ${sql.literal(publicText)}
      FROM (SELECT * FROM story WHERE public_body IS NOT NULL ORDER BY public_updated_at DESC, model_id DESC
        LIMIT ${limit} OFFSET ${offset}) s ${sql.literal(joins)}
      ORDER BY s.public_updated_at DESC, s.model_id DESC`
  }),

  /** One row by story_pkey, where there is a submitted text. */
  submitted: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ model_id: Schema.String }),
    execute: (model_id) => sql`SELECT model_id FROM story WHERE model_id = ${model_id} AND (state <> 'draft' OR public_body IS NOT NULL)`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeReads(sql),

  /**
   * Inserts or changes one row by story_pkey. The same text in the same or a later state stays as it
   * is; any other write gets a new time.
   */
  write: (model_id: string, body: string, state: "draft" | "pending", now: Date) => sql`
    INSERT INTO story AS s (model_id, body, state, updated_at) VALUES (${model_id}, ${body}, ${state}, ${now})
    ON CONFLICT (model_id) DO UPDATE SET body = excluded.body, state = excluded.state,
      updated_at = greatest(excluded.updated_at, s.updated_at + interval '1 millisecond', s.public_updated_at + interval '1 millisecond')
    WHERE NOT (s.body = excluded.body AND s.state IN (excluded.state, 'approved'))`,

  /** One row by story_pkey, locked to the end of the transaction. */
  hold: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: HeldRow,
    execute: (model_id) => sql`
      SELECT m.id AS model, m.name, m.game, a.username AS owner, a.id AS owner_id, s.body, s.state, s.updated_at, s.public_body,
        s.public_updated_at, s.featured_at
      FROM story s ${sql.literal(joins)} WHERE s.model_id = ${model_id} FOR NO KEY UPDATE OF s`
  }),

  /** Changes one row by story_pkey. Only the owner changes the latest text. */
  decide: (model_id: string, { featured_at, public_body, public_updated_at, state }: Texts) => sql`
    UPDATE story SET state = ${state}, public_body = ${public_body}, public_updated_at = ${public_updated_at}, featured_at = ${featured_at}
    WHERE model_id = ${model_id}`
}))
