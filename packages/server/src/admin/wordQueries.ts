/** Every statement of administrators on the word list. */
import { Word } from "@agon/api/admin/Word.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant } from "../database/rows.ts"

const WordRow = Schema.Struct({ ...Word.fields, added_at: Instant })
const columns = "coalesce(spelled, word) AS word, added_at"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** A page in the order of word_pkey. */
  words: SqlSchema.findAll({
    Request: Schema.Struct({ limit: Schema.Int, offset: Schema.Int }),
    Result: WordRow,
    execute: ({ limit, offset }) => sql`SELECT ${sql.literal(columns)} FROM word w ORDER BY w.word LIMIT ${limit} OFFSET ${offset}`
  }),

  /** Counts the list. */
  count: SqlSchema.findOne({
    Request: Schema.Void,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: () => sql`SELECT count(*)::int AS total FROM word`
  }),

  /** Inserts one row, or none where word_pkey has it: a second insert waits for the first to commit. */
  add: SqlSchema.findOneOption({
    Request: Schema.Struct({ word: Schema.String, spelled: Schema.String, now: Schema.Date }),
    Result: WordRow,
    execute: ({ now, spelled, word }) => sql`
      INSERT INTO word (word, spelled, added_at) VALUES (${word}, ${spelled}, ${now}) ON CONFLICT DO NOTHING RETURNING ${sql.literal(columns)}`
  }),

  /** One row by word_pkey. */
  word: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: WordRow,
    execute: (word) => sql`SELECT ${sql.literal(columns)} FROM word WHERE word = ${word}`
  }),

  /** Deletes one row by word_pkey. */
  remove: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: WordRow,
    execute: (word) => sql`DELETE FROM word WHERE word = ${word} RETURNING ${sql.literal(columns)}`
  })
}))
