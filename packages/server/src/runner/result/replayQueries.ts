/** The statements on the replays with which matches ended. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** How a match ended, by its primary key, and whether it is still open, by the primary key of the small `live`. */
  endedWith: (id: string) => sql<{ readonly replay_hash: string | null; readonly live: boolean }>`
    SELECT m.replay_hash, EXISTS (SELECT 1 FROM live l WHERE l.id = w.id) AS live
    FROM (SELECT ${id}::uuid AS id) w LEFT JOIN match m ON m.id = w.id`,

  /** Whether a match ended with this replay and is without its text, by its primary key. */
  endedWithout: ({ hash, id }: { readonly id: string; readonly hash: string }) => sql`
    SELECT 1 FROM match WHERE id = ${id} AND replay_hash = ${hash} AND NOT replay_inline`
}))
