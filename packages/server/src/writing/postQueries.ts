/** Every statement on posts. There are few: administrators alone write them. */
import { Post, PublishedPost } from "@agon/api/writing/Post.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { dateOf, Instant } from "../database/rows.ts"

const Row = Schema.Struct({ ...Post.fields, published_at: Schema.NullOr(Instant) })
const PublishedRow = Schema.Struct({ ...PublishedPost.fields, published_at: Instant })

/** The columns of a post `p` by its author `a`. */
const columns = "p.slug, p.title, p.body, a.username AS author, p.published_at"

const makeReads = (sql: SqlClient.SqlClient) => ({
  /** One row by post_slug. */
  published: SqlSchema.findOneOption({
    Request: Schema.Struct({ slug: Schema.String, now: Schema.Date }),
    Result: PublishedRow,
    execute: ({ now, slug }) => sql`
      SELECT ${sql.literal(columns)} FROM post p JOIN account a ON a.id = p.author_id WHERE p.slug = ${slug} AND p.published_at <= ${now}`
  }),

  /** A page of all by post_created. */
  all: SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }),
    Result: Row,
    execute: ({ limit, offset }) => sql`
      SELECT ${sql.literal(columns)} FROM (SELECT * FROM post ORDER BY created_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) p
      JOIN account a ON a.id = p.author_id ORDER BY p.created_at DESC, p.id DESC`
  }),

  count: SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: () => sql`SELECT count(*)::int AS total FROM post`
  }),

  /** One row by post_slug. */
  bySlug: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Row,
    execute: (slug) => sql`SELECT ${sql.literal(columns)} FROM post p JOIN account a ON a.id = p.author_id WHERE p.slug = ${slug}`
  })
})

/** The writable fields of a post. */
type Written = Pick<Post, "slug" | "title" | "body" | "published_at">

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeReads(sql),

  /** The same row, locked to the end of the transaction. */
  hold: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Row,
    execute: (slug) => sql`
      SELECT ${sql.literal(columns)} FROM post p JOIN account a ON a.id = p.author_id WHERE p.slug = ${slug} FOR UPDATE OF p`
  }),

  /** Inserts one row, unique by post_slug. */
  add: (id: string, author_id: string, { body, published_at, slug, title }: Written, now: Date) => sql`
    INSERT INTO post (id, slug, title, body, author_id, published_at, created_at)
    VALUES (${id}, ${slug}, ${title}, ${body}, ${author_id}, ${dateOf(published_at)}, ${now})`,

  /** Locks one row by post_slug, which stays unique. */
  edit: (was: string, { body, published_at, slug, title }: Written) => sql`
    UPDATE post SET slug = ${slug}, title = ${title}, body = ${body}, published_at = ${dateOf(published_at)} WHERE slug = ${was}`,

  /** Deletes one row by post_slug. */
  remove: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Row,
    execute: (slug) => sql`
      WITH p AS (DELETE FROM post WHERE slug = ${slug} RETURNING *)
      SELECT ${sql.literal(columns)} FROM p JOIN account a ON a.id = p.author_id`
  })
}))
