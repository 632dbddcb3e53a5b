/** Every statement on threads, comments and reports, except those of moderators. */

import { Comment, CommentReport } from "@agon/api/comment/Comment.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { accountNamed } from "../account/queries.ts"
import { lockNamed } from "../database/lockNamed.ts"
import { Instant } from "../database/rows.ts"
import { seesMatch, seesModel, seesSeasonOfThread, seesThread } from "../database/visibility.ts"

/** A match or a model that a viewer may see, and its thread where it has one. */
const SubjectRow = Schema.Struct({
  season_id: Schema.NullOr(Schema.String),
  thread_id: Schema.NullOr(Schema.String),
  locked: Schema.Boolean,
  comments: Schema.Int
})
export type SubjectRow = typeof SubjectRow.Type

/** The subject of a thread, in its own columns. */
export const ofThread = { match_id: Schema.NullOr(Schema.String), model_id: Schema.NullOr(Schema.String) }

const CommentRow = Schema.Struct({ ...Comment.fields, created_at: Instant })
const Placed = Schema.Struct({
  ...{ id: Schema.String, parent_id: Schema.NullOr(Schema.String), body: Schema.String, created_at: Instant },
  ...ofThread
})
const ReportRow = Schema.Struct({ ...CommentReport.fields, created_at: Instant })
/** A comment of the caller as it reads once deleted, and its state before. */
const OwnRow = Schema.Struct({
  ...CommentRow.fields,
  thread_id: Schema.String,
  season_id: Schema.NullOr(Schema.String),
  state: Schema.Literals(["pending", "published"]),
  ...ofThread
})

const nullable = Schema.NullOr(Schema.String)
const head = "t.id AS thread_id, coalesce(t.locked, false) AS locked, coalesce(t.comments, 0) AS comments"

const makeThreads = (sql: SqlClient.SqlClient) => ({
  /** One match that counts by match_pkey, its thread by thread_match. */
  ofMatch: SqlSchema.findOneOption({
    Request: Schema.Struct({ match_id: Schema.String, viewer: nullable }),
    Result: SubjectRow,
    execute: ({ match_id, viewer }) => sql`
      SELECT m.season_id, ${sql.literal(head)}
      FROM match m JOIN season s ON s.id = m.season_id LEFT JOIN thread t ON t.match_id = m.id
      WHERE m.id = ${match_id} AND ${seesMatch(sql, viewer)}`
  }),

  /** One model by model_pkey, its thread by thread_model. A baseline is visible to everyone who may see its season. */
  ofModel: SqlSchema.findOneOption({
    Request: Schema.Struct({ model_id: Schema.String, viewer: nullable }),
    Result: SubjectRow,
    execute: ({ model_id, viewer }) => sql`
      SELECT m.baseline_season AS season_id, ${sql.literal(head)}
      FROM model m LEFT JOIN season s ON s.id = m.baseline_season LEFT JOIN thread t ON t.model_id = m.id
      WHERE m.id = ${model_id} AND ${seesModel(sql, viewer)}`
  }),

  /** A page by comment_thread, names by account_pkey. */
  comments: SqlSchema.findAll({
    Request: Schema.Struct({ thread_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: CommentRow,
    execute: ({ limit, offset, thread_id }) => sql`
      SELECT c.id, c.parent_id, a.username AS author, CASE WHEN c.state = 'published' THEN c.body END AS body, c.created_at,
        c.state <> 'published' AS deleted
      FROM (SELECT * FROM comment WHERE thread_id = ${thread_id} AND published_at IS NOT NULL
        ORDER BY created_at, id LIMIT ${limit} OFFSET ${offset}) c JOIN account a ON a.id = c.account_id ORDER BY c.created_at, c.id`
  }),

  /** One comment by comment_pkey that can be answered in this thread: it has been public. */
  answerable: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, thread_id: Schema.String }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ id, thread_id }) => sql`
      SELECT id FROM comment WHERE id = ${id} AND thread_id = ${thread_id} AND published_at IS NOT NULL`
  })
})

interface NewThread {
  readonly id: string
  readonly match_id: string | null
  readonly model_id: string | null
  readonly season_id: string | null
  readonly now: Date
}

/** The pending comments of an account whose subject it may still see, as the text after FROM. */
const waitingOf = (sql: SqlClient.SqlClient, account_id: string) =>
  sql`comment c JOIN thread t ON t.id = c.thread_id WHERE c.account_id = ${account_id} AND c.state = 'pending' AND ${seesThread(sql, account_id)}`

const makePosting = (sql: SqlClient.SqlClient) => ({
  /** To the end of the transaction: an account's comments are counted one after another. */
  lockAuthor: (account_id: string) => lockNamed(sql, `comments ${account_id}`),

  /**
   * Inserts one row, or none where thread_match or thread_model has it: a second insert
   * waits for the first to commit.
   */
  openThread: ({ id, match_id, model_id, now, season_id }: NewThread) => sql`
    INSERT INTO thread (id, match_id, model_id, season_id, ended_at, created_at)
    VALUES (${id}, ${match_id}, ${model_id}, ${season_id}, (SELECT ended_at FROM match WHERE id = ${match_id}), ${now}) ON CONFLICT DO NOTHING`,

  /**
   * One row by thread_match or thread_model, locked to the end of the transaction: locking a thread and
   * adding to it are serialised.
   */
  holdThread: SqlSchema.findOne({
    Request: Schema.Struct(ofThread),
    Result: Schema.Struct({ id: Schema.String, locked: Schema.Boolean }),
    execute: ({ match_id, model_id }) => sql`
      SELECT id, locked FROM thread WHERE ${match_id === null ? sql`model_id = ${model_id}` : sql`match_id = ${match_id}`}
      FOR NO KEY UPDATE`
  }),

  /**
   * Inserts one row: published where comment_approved has one of the account, else pending; none where comment_waiting
   * already has `cap` of the account in its list. Under the lock of the account.
   */
  add: SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...{ id: Schema.String, thread_id: Schema.String, parent_id: nullable, account_id: Schema.String },
      ...{ body: Schema.String, now: Schema.Date, cap: Schema.Int }
    }),
    Result: Schema.Struct({ state: Schema.Literals(["pending", "published"]) }),
    execute: ({ account_id, body, cap, id, now, parent_id, thread_id }) => sql`
      WITH known AS (SELECT EXISTS (SELECT 1 FROM comment WHERE account_id = ${account_id} AND approved_at IS NOT NULL) AS approved)
      INSERT INTO comment (id, thread_id, parent_id, account_id, body, state, created_at, published_at)
      SELECT ${id}::uuid, ${thread_id}::uuid, ${parent_id}::uuid, ${account_id}::uuid, ${body}, CASE WHEN approved THEN 'published' ELSE 'pending' END,
        ${now}::timestamptz, CASE WHEN approved THEN ${now}::timestamptz END
      FROM known
      WHERE approved OR (SELECT count(*) FROM ${waitingOf(sql, account_id)}) < ${cap}
      RETURNING state`
  })
})

/** Updates that authors and moderators share. */
export const makeCounts = (sql: SqlClient.SqlClient) => ({
  /** Locks one row by thread_pkey: changes its count of readable comments. */
  count: (thread_id: string, more: number) => sql`UPDATE thread SET comments = comments + ${more} WHERE id = ${thread_id}`
})

const placed = "c.id, c.parent_id, c.body, c.created_at, t.match_id, t.model_id"

const makeAuthors = (sql: SqlClient.SqlClient) => ({
  /** A page of an account's pending comments by comment_waiting; there are few. */
  pending: SqlSchema.findAll({
    Request: Schema.Struct({ account_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: Schema.Struct({ ...Placed.fields, total: Schema.Int }),
    execute: ({ account_id, limit, offset }) => sql`
      SELECT ${sql.literal(placed)}, (count(*) OVER ())::int AS total
      FROM ${waitingOf(sql, account_id)} ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the same, for a page past the end. */
  pendingCount: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: (account_id) => sql`
      SELECT count(*)::int AS total FROM ${waitingOf(sql, account_id)}`
  }),

  author: accountNamed(sql),

  /** A page of an account's public comments by comment_author. */
  published: SqlSchema.findAll({
    Request: Schema.Struct({ account_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: Placed,
    execute: ({ account_id, limit, offset }) => sql`
      SELECT ${sql.literal(placed)} FROM comment c JOIN thread t ON t.id = c.thread_id
      WHERE c.account_id = ${account_id} AND c.state = 'published' AND ${seesThread(sql, null)}
      ORDER BY c.created_at DESC, c.id DESC LIMIT ${limit} OFFSET ${offset}`
  })
})

/**
 * A comment of the account that is not deleted or removed, in a season that the account may still see: the text after SELECT.
 * A match that was voided since hides its thread, and does not keep the author's words.
 */
const ownComment = (sql: SqlClient.SqlClient, { account_id, id }: { readonly account_id: string; readonly id: string }) => sql`
  c.id, c.parent_id, a.username AS author, NULL AS body, c.created_at, true AS deleted, c.state, t.id AS thread_id, t.match_id, t.model_id,
    t.season_id
  FROM comment c JOIN thread t ON t.id = c.thread_id JOIN account a ON a.id = c.account_id
  WHERE c.id = ${id} AND c.account_id = ${account_id} AND c.state IN ('pending', 'published') AND ${seesSeasonOfThread(sql, account_id)}`
const named = { Request: Schema.Struct({ id: Schema.String, account_id: Schema.String }), Result: OwnRow }

const makeDeletes = (sql: SqlClient.SqlClient) => ({
  /** One comment of the account by comment_pkey; none where it was deleted or removed. */
  own: SqlSchema.findOneOption({ ...named, execute: (one) => sql`SELECT ${ownComment(sql, one)}` }),

  /** The same, locked to the end of the transaction. */
  hold: SqlSchema.findOneOption({ ...named, execute: (one) => sql`SELECT ${ownComment(sql, one)} FOR UPDATE OF c` }),

  /** Deletes one row by comment_pkey that only its author and moderators have seen. */
  erase: (id: string) => sql`DELETE FROM comment WHERE id = ${id}`,

  /** Empties one row by comment_pkey. */
  empty: (id: string) => sql`UPDATE comment SET state = 'deleted', body = NULL WHERE id = ${id}`
})

const makeReports = (sql: SqlClient.SqlClient) => ({
  /** One comment by comment_pkey that an account may read. */
  readable: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, viewer: nullable }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ id, viewer }) => sql`
      SELECT c.id FROM comment c JOIN thread t ON t.id = c.thread_id
      WHERE c.id = ${id} AND c.state = 'published' AND ${seesThread(sql, viewer)}`
  }),

  /** The author of the comment that a comment answers, by comment_pkey; none where both authors are the same. */
  answered: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ account_id: Schema.String }),
    execute: (id) => sql`
      SELECT p.account_id FROM comment c JOIN comment p ON p.id = c.parent_id WHERE c.id = ${id} AND p.account_id <> c.account_id`
  }),

  /** Inserts one row and counts it on the comment, or does neither where report_pkey already has one of the account. */
  report: ({
    account_id,
    comment_id,
    id,
    now,
    reason
  }: {
    readonly id: string
    readonly comment_id: string
    readonly account_id: string
    readonly reason: string
    readonly now: Date
  }) => sql`
    WITH added AS (INSERT INTO report (id, comment_id, account_id, reason, created_at)
      VALUES (${id}, ${comment_id}, ${account_id}, ${reason}, ${now}) ON CONFLICT DO NOTHING RETURNING comment_id)
    UPDATE comment c SET reports = reports + 1 FROM added WHERE c.id = added.comment_id`,

  /** One row by report_pkey. */
  reportOf: SqlSchema.findOne({
    Request: Schema.Struct({ comment_id: Schema.String, account_id: Schema.String }),
    Result: ReportRow,
    execute: ({ account_id, comment_id }) => sql`
      SELECT id, comment_id, reason, created_at FROM report WHERE comment_id = ${comment_id} AND account_id = ${account_id}`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeThreads(sql),
  ...makePosting(sql),
  ...makeCounts(sql),
  ...makeAuthors(sql),
  ...makeDeletes(sql),
  ...makeReports(sql)
}))
