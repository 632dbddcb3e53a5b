/** The statements that count a season's matches beside it (TallySweep.ts). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { beginSweep } from "../../database/sweeping.ts"
import { PLACES_MAX } from "./seasonCounts.ts"

/** The numbers of rating given in the season `s`: to matches that count, and to those voided since. */
const numbered = "coalesce(s.head->>'rated', '0')::int + coalesce(s.head->>'voided', '0')::int"
const Seasons = Schema.Struct({ season_id: Schema.String })

/** How many numbers of rating are not counted beside the season, by season_pkey and season_tally_pkey; none of a season that is gone. */
export const untallied = (sql: SqlClient.SqlClient) => (season_id: string) =>
  sql<{ left: number }>`SELECT ${sql.literal(numbered)} - coalesce(y.counted_to, 0) AS left
    FROM season s LEFT JOIN season_tally y ON y.season_id = s.id WHERE s.id = ${season_id}`.pipe(Effect.map(([row]) => row?.left ?? 0))

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Seasons with so many numbers that are not counted. By the rows of seasons, which are few, and season_tally_pkey. */
  due: SqlSchema.findAll({
    Request: Schema.Struct({ matches: Schema.Int }),
    Result: Seasons,
    execute: ({ matches }) => sql`
      SELECT s.id AS season_id FROM season s LEFT JOIN season_tally y ON y.season_id = s.id
      WHERE ${sql.literal(numbered)} - coalesce(y.counted_to, 0) >= ${matches} ORDER BY s.id`
  }),

  /** For the rest of the transaction, as the trigger of a void locks it. A later statement sees the voids that this one has waited for. */
  begin: (season_id: string) => beginSweep(sql, `tally ${season_id}`),

  /** Counts the matches of the next so many numbers, by match_rated; cells by match_tally_key. */
  advance: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, numbers: Schema.Int }),
    Result: Schema.Struct({ left: Schema.Int }),
    execute: ({ numbers, season_id }) => sql`
      WITH place AS MATERIALIZED (SELECT s.id, coalesce(y.counted_to, 0) AS after, ${sql.literal(numbered)} AS numbered
          FROM season s LEFT JOIN season_tally y ON y.season_id = s.id WHERE s.id = ${season_id}),
        next AS MATERIALIZED (SELECT m.ladder, m.map_id, m.classes, m.best_place, m.ended_at FROM match m WHERE m.season_id = ${season_id}
          AND m.rated_n > (SELECT after FROM place) AND m.rated_n <= (SELECT least(after + ${numbers}::int, numbered) FROM place)),
        place_after AS (INSERT INTO season_tally AS y (season_id, counted_to) SELECT id, least(after + ${numbers}::int, numbered) FROM place
          ON CONFLICT (season_id) DO UPDATE SET counted_to = excluded.counted_to RETURNING y.counted_to),
        counted AS (INSERT INTO match_tally AS t (season_id, ladder, map_id, classes, best_place, matches, first, last)
          SELECT ${season_id}::uuid, n.ladder, n.map_id, n.classes, NULL::int, count(*), min(n.ended_at), max(n.ended_at)
            FROM next n GROUP BY n.ladder, n.map_id, n.classes
          UNION ALL SELECT ${season_id}::uuid, n.ladder, NULL, NULL, n.best_place, count(*), min(n.ended_at), max(n.ended_at)
            FROM next n WHERE n.best_place <= ${PLACES_MAX} GROUP BY n.ladder, n.best_place
          ON CONFLICT ON CONSTRAINT match_tally_key DO UPDATE SET matches = t.matches + excluded.matches,
            first = least(t.first, excluded.first), last = greatest(t.last, excluded.last))
      SELECT p.numbered - a.counted_to AS left FROM place p, place_after a`
  })
}))
