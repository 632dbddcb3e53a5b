/** The statements of the feed, which is made of posts and stories. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"

const nullable = Schema.NullOr(Schema.String)
const common = { title: nullable, body: Schema.String, published_at: Instant }
const Row = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("post"), ...common, slug: Schema.String, title: Schema.String, author: Schema.String }),
  Schema.Struct({
    ...{ kind: Schema.Literal("story"), body: Schema.String, published_at: Instant, updated_at: Instant },
    ...{ model: Schema.String, name: Schema.String, owner: Schema.String, game: Schema.String }
  })
])

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * A page of the feed: from the front of post_published and story_featured as far as the page goes, and its
   * rows' contents by primary keys.
   */
  items: SqlSchema.findAll({
    Request: Schema.Struct({ now: Schema.Date, limit: Schema.Int, offset: Schema.Int }),
    Result: Row,
    execute: ({ limit, now, offset }) => sql`
      SELECT f.kind, f.published_at, p.slug, p.title, coalesce(p.body, s.public_body) AS body, a.username AS author,
        s.public_updated_at AS updated_at, m.id AS model, m.name, o.username AS owner, m.game
      FROM (
        SELECT * FROM (
          (SELECT 'post' AS kind, id, published_at FROM post WHERE published_at <= ${now}
            ORDER BY published_at DESC, id DESC LIMIT ${limit + offset})
          UNION ALL
          (SELECT 'story', model_id, featured_at FROM story WHERE featured_at IS NOT NULL
            ORDER BY featured_at DESC, model_id DESC LIMIT ${limit + offset})) either
        ORDER BY published_at DESC, id DESC LIMIT ${limit} OFFSET ${offset}) f
      LEFT JOIN post p ON f.kind = 'post' AND p.id = f.id LEFT JOIN account a ON a.id = p.author_id
      LEFT JOIN story s ON f.kind = 'story' AND s.model_id = f.id LEFT JOIN model m ON m.id = s.model_id
      LEFT JOIN account o ON o.id = m.owner_id
      ORDER BY f.published_at DESC, f.id DESC`
  }),

  /** When the next post is published by itself: the first in the future by post_published. */
  nextPost: SqlSchema.findOne({
    Request: Schema.Date,
    Result: Schema.Struct({ changes_at: Schema.NullOr(Instant) }),
    execute: (now) => sql`SELECT min(published_at) AS changes_at FROM post WHERE published_at > ${now}`
  })
}))
