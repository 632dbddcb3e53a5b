/** Every statement that reads boards. Only the season's state machine writes them. */

import { BoardDetail } from "@agon/api/board/api.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { Instant, iso } from "../database/rows.ts"
import { counts } from "../database/visibility.ts"
import { untallied } from "../match/list/tallyQueries.ts"

const { board: _, matches: __, periods: ___, ...fields } = BoardDetail.fields
/** `file` is null where it was not requested. */
export const BoardRow = Schema.Struct({ ...fields, added_at: Instant, file: Schema.NullOr(Schema.Json) })
export type BoardRow = typeof BoardRow.Type

const columns = "b.map_id, b.players, b.rows, b.cols, b.enabled, b.added_at"

/** Pairs each switch on with the first switch off after it. */
const periods = `
  (SELECT coalesce(jsonb_agg(jsonb_build_object('from', ${iso("p.at")}, 'to', ${iso("p.ended")}) ORDER BY p.n), '[]')
    FROM (SELECT w.n, w.at, w.enabled, lead(w.at) OVER (ORDER BY w.n) AS ended
      FROM board_switch w WHERE w.season_id = b.season_id AND w.map_id = b.map_id) p
    WHERE p.enabled) AS periods`

const BoardWithPeriods = Schema.Struct({ ...BoardRow.fields, periods: BoardDetail.fields.periods })

/** One row without a board where nothing was rated since. */
const CountedRow = Schema.Struct({
  rated: Schema.Int,
  voided: Schema.Int,
  map_id: Schema.NullOr(Schema.String),
  matches: Schema.NullOr(Schema.Int)
})
export type CountedRow = typeof CountedRow.Type

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** All boards of a season by board_pkey, a few dozen, in the order they were added. */
  boards: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, enabled_only: Schema.Boolean, files: Schema.Boolean }),
    Result: BoardRow,
    execute: ({ enabled_only, files, season_id }) => sql`
      SELECT ${sql.literal(columns)}, CASE WHEN ${files} THEN b.file END AS file FROM board b
      WHERE b.season_id = ${season_id} AND (b.enabled OR NOT ${enabled_only}) ORDER BY b.ord`
  }),

  /** One row by board_pkey, its switches by board_switch_pkey. */
  board: SqlSchema.findOneOption({
    Request: Schema.Struct({ season_id: Schema.String, map_id: Schema.String }),
    Result: BoardWithPeriods,
    execute: ({ map_id, season_id }) => sql`
      SELECT ${sql.literal(columns)}, b.file, ${sql.literal(periods)} FROM board b
      WHERE b.season_id = ${season_id} AND b.map_id = ${map_id}`
  }),

  /**
   * The season's totals of rated and voided matches, and by board the matches rated after number `after`, by
   * match_rated; after 0 all of them by match_newest, which has the board, so that no match is looked up.
   * Null: all of them, by match_tally_key those that were counted beside the season.
   */
  counted: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, after: Schema.NullOr(Schema.Int) }),
    Result: CountedRow,
    execute: ({ after, season_id }) => {
      const from = after ?? sql`coalesce((SELECT y.counted_to FROM season_tally y WHERE y.season_id = ${season_id}), 0)`
      const later = sql`SELECT m.map_id, count(*)::int AS matches FROM match m
        WHERE m.season_id = ${season_id} AND ${after === 0 ? sql.literal(counts()) : sql`m.rated_n > ${from}`} GROUP BY m.map_id`
      const tallied = sql`SELECT t.map_id, sum(t.matches)::int AS matches FROM (${later} UNION ALL
          SELECT y.map_id, y.matches FROM match_tally y WHERE y.season_id = ${season_id} AND y.map_id IS NOT NULL) t GROUP BY t.map_id`
      return sql`
      SELECT (s.head->>'rated')::int AS rated, coalesce(s.head->>'voided', '0')::int AS voided, c.map_id, c.matches
      FROM season s LEFT JOIN LATERAL (${after === null ? tallied : later}) c ON true WHERE s.id = ${season_id}`
    }
  }),

  untallied: untallied(sql)
}))
