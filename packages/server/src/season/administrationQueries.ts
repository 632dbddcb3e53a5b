/** The statements of a season's administration outside the machine. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { publicOnly } from "../database/visibility.ts"

const SeasonState = Schema.Struct({
  is_public: Schema.Boolean,
  entry: Schema.String,
  featured: Schema.Boolean,
  scheduled: Schema.Boolean
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * One row by the primary key, locked against the actor's commits until the transaction ends, so that the
   * values read still hold when the row is changed. The transaction is two statements long.
   */
  lock: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, now: Schema.Date }),
    Result: SeasonState,
    execute: ({ now, season_id }) => sql`
      SELECT ${sql.literal(publicOnly("season"))} AS is_public, entry, featured,
        closed_at IS NULL AND close_requested_at IS NULL AND submissions_open_at > ${now} AS scheduled
      FROM season WHERE id = ${season_id} FOR NO KEY UPDATE`
  }),

  /** Locks one row by the primary key. */
  narrow: (season_id: string) => sql`UPDATE season SET entry = 'restricted' WHERE id = ${season_id}`,

  /**
   * Locks the game's row: of two that feature a season of it at once, the second waits; otherwise
   * season_featured would refuse it.
   */
  lockGame: (game: string) => sql`SELECT slug FROM game WHERE slug = ${game} FOR NO KEY UPDATE`,

  /** Locks the currently featured season by season_featured. */
  unfeature: (game: string) => sql`UPDATE season SET featured = false WHERE game = ${game} AND featured`,

  /** Locks one row by the primary key. */
  feature: (season_id: string) => sql`UPDATE season SET featured = true WHERE id = ${season_id}`
}))
