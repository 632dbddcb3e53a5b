/** Every statement on games. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Inserts the rows that are missing, by game_pkey; other tables refer to them. */
  register: (slugs: ReadonlyArray<string>) => sql`
    INSERT INTO game (slug) SELECT unnest(string_to_array(${slugs.join()}, ',')) ON CONFLICT DO NOTHING`
}))
