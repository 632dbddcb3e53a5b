/** Every statement on picks. */
import { Pick } from "@agon/api/writing/picks.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { counts, publicOnly } from "../database/visibility.ts"

const PickRow = Schema.Struct({ ...Pick.fields, picked_at: Instant })
const Total = Schema.Struct({ total: Schema.Int })
const page = { limit: Schema.Int, offset: Schema.Int }
const columns = "p.id, p.match_id AS match, p.note, p.picked_at"

const makeReads = (sql: SqlClient.SqlClient) => {
  /** A match voided since no longer counts, and cannot be read: match_pkey. */
  const shown = sql`EXISTS (SELECT 1 FROM match m WHERE m.id = p.match_id AND ${sql.literal(counts())})`
  const newest = (where: Statement.Fragment, { limit, offset }: { readonly limit: number; readonly offset: number }) => sql`
    SELECT ${sql.literal(columns)} FROM pick p WHERE ${where} ORDER BY p.picked_at DESC, p.id DESC LIMIT ${limit} OFFSET ${offset}`

  return {
    /** A game's, by pick_game. */
    ofGame: SqlSchema.findAll({
      Request: Schema.Struct({ game: Schema.String, ...page }),
      Result: PickRow,
      execute: ({ game, ...cut }) => newest(sql`p.game = ${game} AND ${shown}`, cut)
    }),

    /** Counts the same. */
    countOfGame: SqlSchema.findOne({
      Request: Schema.String,
      Result: Total,
      execute: (game) => sql`SELECT count(*)::int AS total FROM pick p WHERE p.game = ${game} AND ${shown}`
    }),

    /** All of them, by pick_newest: an administrator may want to remove the pick of a voided match. */
    all: SqlSchema.findAll({ Request: Schema.Struct(page), Result: PickRow, execute: (cut) => newest(sql`true`, cut) }),

    /** Counts the same: as many as administrators have picked. */
    count: SqlSchema.findOne({ Request: Schema.Void, Result: Total, execute: () => sql`SELECT count(*)::int AS total FROM pick` })
  }
}

const makeWrites = (sql: SqlClient.SqlClient) => ({
  /** One match that counts, by match_pkey, with its season. */
  match: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ season_id: Schema.String, game: Schema.String, is_public: Schema.Boolean }),
    execute: (id) => sql`
      SELECT s.id AS season_id, s.game, ${sql.literal(publicOnly())} AS is_public FROM match m JOIN season s ON s.id = m.season_id
      WHERE m.id = ${id} AND ${sql.literal(counts())}`
  }),

  /** Inserts one row, or none where pick_match has the match. */
  add: SqlSchema.findOneOption({
    Request: Schema.Struct({
      ...{ id: Schema.String, match: Schema.String, game: Schema.String, season_id: Schema.String },
      ...{ note: Schema.NullOr(Schema.String), now: Schema.Date }
    }),
    Result: PickRow,
    execute: ({ game, id, match, note, now, season_id }) => sql`
      INSERT INTO pick AS p (id, match_id, game, season_id, note, picked_at)
      VALUES (${id}, ${match}, ${game}, ${season_id}, ${note}, ${now}) ON CONFLICT (match_id) DO NOTHING RETURNING ${sql.literal(columns)}`
  }),

  /** One row by pick_pkey, with its match's game and season. */
  byId: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: Schema.Struct({ game: Schema.String, season_id: Schema.String }),
    execute: (id) => sql`SELECT game, season_id FROM pick WHERE id = ${id}`
  }),

  /** Deletes one row by pick_pkey. */
  remove: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: PickRow,
    execute: (id) => sql`DELETE FROM pick p WHERE p.id = ${id} RETURNING ${sql.literal(columns)}`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeReads(sql), ...makeWrites(sql) }))
