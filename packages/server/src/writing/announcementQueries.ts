/** Every statement on announcements. There are few: administrators alone write them. */
import { Announcement } from "@agon/api/writing/Announcement.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { dateOf, Instant } from "../database/rows.ts"

const Row = Schema.Struct({ ...Announcement.fields, starts_at: Schema.NullOr(Instant), ends_at: Schema.NullOr(Instant) })
const Total = Schema.Struct({ total: Schema.Int })
const columns = "id, title, body, link, starts_at, ends_at"
const Page = Schema.Struct({ limit: Schema.Int, offset: Schema.Int })

const makeReads = (sql: SqlClient.SqlClient) => {
  const shown = (now: Date) => sql`shown_from <= ${now} AND (ends_at IS NULL OR ends_at > ${now})`
  return {
    /** A page of those shown at a moment, by announcement_shown. */
    shown: SqlSchema.findAll({
      Request: Schema.Struct({ ...Page.fields, now: Schema.Date }),
      Result: Row,
      execute: ({ limit, now, offset }) => sql`
        SELECT ${sql.literal(columns)} FROM announcement WHERE ${shown(now)} ORDER BY shown_from DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
    }),

    /** Counts the same, and answers when the next one ends or begins: each by its index, the first in the future. */
    outlook: SqlSchema.findOne({
      Request: Schema.Date,
      Result: Schema.Struct({ ...Total.fields, changes_at: Schema.NullOr(Instant) }),
      execute: (now) => sql`
        SELECT (SELECT count(*)::int FROM announcement WHERE ${shown(now)}) AS total,
          least((SELECT min(shown_from) FROM announcement WHERE shown_from > ${now}),
            (SELECT min(ends_at) FROM announcement WHERE ends_at > ${now})) AS changes_at`
    }),

    /** A page of all by announcement_shown. */
    all: SqlSchema.findAll({
      Request: Page,
      Result: Row,
      execute: ({ limit, offset }) => sql`
        SELECT ${sql.literal(columns)} FROM announcement ORDER BY shown_from DESC, id DESC LIMIT ${limit} OFFSET ${offset}`
    }),

    count: SqlSchema.findOne({
      Request: Schema.Void,
      Result: Total,
      execute: () => sql`SELECT count(*)::int AS total FROM announcement`
    }),

    /** One row by announcement_pkey. */
    byId: SqlSchema.findOneOption({
      Request: Schema.String,
      Result: Row,
      execute: (id) => sql`SELECT ${sql.literal(columns)} FROM announcement WHERE id = ${id}`
    })
  }
}

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeReads(sql),

  /** The same row, locked to the end of the transaction. */
  hold: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Row,
    execute: (id) => sql`SELECT ${sql.literal(columns)} FROM announcement WHERE id = ${id} FOR UPDATE`
  }),

  /** Inserts one row. */
  add: ({ body, ends_at, id, link, starts_at, title }: Announcement, now: Date) => sql`
    INSERT INTO announcement (id, title, body, link, starts_at, ends_at, created_at)
    VALUES (${id}, ${title}, ${body}, ${link}, ${dateOf(starts_at)}, ${dateOf(ends_at)}, ${now})`,

  /** Locks one row by announcement_pkey. */
  edit: ({ body, ends_at, id, link, starts_at, title }: Announcement) => sql`
    UPDATE announcement SET title = ${title}, body = ${body}, link = ${link}, starts_at = ${dateOf(starts_at)}, ends_at = ${dateOf(ends_at)}
    WHERE id = ${id}`,

  /** Deletes one row by announcement_pkey. */
  remove: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Row,
    execute: (id) => sql`DELETE FROM announcement WHERE id = ${id} RETURNING ${sql.literal(columns)}`
  })
}))
