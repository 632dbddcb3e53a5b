/** The statements on the replays with which matches ended. */

import { Effect } from "effect"
import { SqlClient } from "effect/sql"

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * The object that the replay is with which a match ended, by its primary key, and whether the match is still open, by the primary key of
   * the small `live`. A replay that is a row needs no object, though one of the same content may have been taken over.
   */
  endedWith: (id: string) => sql<{ readonly object_hash: string | null; readonly live: boolean }>`
    SELECT CASE WHEN NOT m.replay_inline THEN m.replay_hash END AS object_hash, EXISTS (SELECT 1 FROM live l WHERE l.id = w.id) AS live
    FROM (SELECT ${id}::uuid AS id) w LEFT JOIN match m ON m.id = w.id`,

  /** Whether a match ended with this replay and is without its text, by its primary key. */
  endedWithout: ({ hash, id }: { readonly id: string; readonly hash: string }) => sql`
    SELECT 1 FROM match WHERE id = ${id} AND replay_hash = ${hash} AND NOT replay_inline`
}))
