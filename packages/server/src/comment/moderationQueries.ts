/** Every statement of moderators, who see the comments of all seasons. */
import { ModeratedComment } from "@agon/api/comment/moderation.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { makeCounts, ofThread } from "./queries.ts"

const { subject: _, ...fields } = ModeratedComment.fields
/** `approved` and `published`: whether it has ever been so. */
const ModeratedRow = Schema.Struct({
  ...{ ...fields, created_at: Instant, approved: Schema.Boolean, game: Schema.NullOr(Schema.String) },
  ...{ published: Schema.Boolean, account_id: Schema.String },
  ...{ season_id: Schema.NullOr(Schema.String), ...ofThread }
})
export type ModeratedRow = typeof ModeratedRow.Type

const ThreadRow = Schema.Struct({
  ...{ id: Schema.String, locked: Schema.Boolean, comments: Schema.Int },
  ...{ season_id: Schema.NullOr(Schema.String), game: Schema.NullOr(Schema.String), ...ofThread }
})

/** The columns of a comment `c`; reasons by report_pkey. */
const columns = `c.id, c.thread_id, c.parent_id, a.username AS author, c.body, c.state, c.reports, c.created_at,
  c.approved_at IS NOT NULL AS approved, c.published_at IS NOT NULL AS published, c.account_id, t.match_id, t.model_id, t.season_id, s.game,
  (SELECT coalesce(jsonb_agg(r.reason), '[]') FROM (SELECT reason FROM report WHERE comment_id = c.id ORDER BY created_at DESC, id DESC LIMIT 10) r)
    AS reasons`
const joins = `JOIN thread t ON t.id = c.thread_id JOIN account a ON a.id = c.account_id LEFT JOIN season s ON s.id = t.season_id`
const page = { Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }), Result: ModeratedRow }
/** Comments that their authors have not deleted. */
const undeleted = "c.state <> 'deleted'"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeCounts(sql),

  /** A page by comment_pending. */
  pending: SqlSchema.findAll({
    ...page,
    execute: ({ limit, offset }) => sql`
      SELECT ${sql.literal(columns)} FROM comment c ${sql.literal(joins)} WHERE c.state = 'pending'
      ORDER BY c.created_at, c.id LIMIT ${limit} OFFSET ${offset}`
  }),

  /** A page by comment_reported. */
  reported: SqlSchema.findAll({
    ...page,
    execute: ({ limit, offset }) => sql`
      SELECT ${sql.literal(columns)} FROM comment c ${sql.literal(joins)} WHERE c.state = 'published' AND c.reports > 0
      ORDER BY c.created_at, c.id LIMIT ${limit} OFFSET ${offset}`
  }),

  /** One row by comment_pkey. */
  byId: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: ModeratedRow,
    execute: (id) => sql`
      SELECT ${sql.literal(columns)} FROM comment c ${sql.literal(joins)} WHERE c.id = ${id} AND ${sql.literal(undeleted)}`
  }),

  /** The same, locked to the end of the transaction. */
  hold: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: ModeratedRow,
    execute: (id) => sql`
      SELECT ${sql.literal(columns)} FROM comment c ${sql.literal(joins)} WHERE c.id = ${id} AND ${sql.literal(undeleted)} FOR NO KEY UPDATE OF c`
  }),

  /** Locks one row by comment_pkey; a comment published before keeps its time. */
  approve: (id: string, now: Date) => sql`
    UPDATE comment SET state = 'published', reports = 0, published_at = coalesce(published_at, ${now}), approved_at = coalesce(approved_at, ${now})
    WHERE id = ${id}`,

  /** Locks one row by comment_pkey. */
  remove: (id: string) => sql`UPDATE comment SET state = 'removed' WHERE id = ${id}`,

  /** One row by thread_pkey, locked to the end of the transaction; none where the thread does not exist. */
  thread: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: ThreadRow,
    execute: (id) => sql`
      SELECT t.id, t.locked, t.comments, t.match_id, t.model_id, t.season_id, s.game
      FROM thread t LEFT JOIN season s ON s.id = t.season_id WHERE t.id = ${id} FOR NO KEY UPDATE OF t`
  }),

  /** A page by thread_newest. */
  threads: SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }),
    Result: ThreadRow,
    execute: ({ limit, offset }) => sql`
      SELECT t.id, t.locked, t.comments, t.match_id, t.model_id, t.season_id, s.game
      FROM (SELECT * FROM thread ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) t
      LEFT JOIN season s ON s.id = t.season_id ORDER BY t.created_at DESC, t.id DESC`
  }),

  /** Locks one row by thread_pkey. */
  lock: (thread_id: string, locked: boolean) => sql`UPDATE thread SET locked = ${locked} WHERE id = ${thread_id}`
}))
