/** The statements that find a model's latest, best and worst results in a season. */
import { ModelResult } from "@agon/api/model/api.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { counts } from "../database/visibility.ts"
import { edge, ratedMarks } from "../match/list/seasonCounts.ts"

const { outcome: _, rating_change: __, ...resultFields } = ModelResult.fields
/**
 * `alone` where no other seat shares its rank; `best` and `worst` by the rating change, `nth` by
 * time, among those asked for.
 */
const ResultRow = Schema.Struct({
  ...resultFields,
  played_at: Instant,
  alone: Schema.Boolean,
  change: Schema.Number,
  nth: Schema.Int,
  best: Schema.Boolean,
  worst: Schema.Boolean
})
export type ResultRow = typeof ResultRow.Type

/** The orders in which results are kept; the highest figure is first. */
export const ORDERS = { newest: "NULL::float8", best: "change", worst: "-change" } as const
export type Order = keyof typeof ORDERS

/** Rows that are kept in each order: as many as a record shows, and some that may be taken away. */
export const RESULT_ROWS = 12

const inSeason = { id: Schema.String, season_id: Schema.String, ladder: Schema.String }
type InSeason = Readonly<Record<keyof typeof inSeason, string>>

type OrderedRow = readonly [id: string, figure: number | null, ended_us: number]
export type CameResults = Readonly<Record<Order, ReadonlyArray<OrderedRow>>> & { readonly marks: string; readonly edge: Date | null }

const change = (sql: SqlClient.SqlClient, ladder: string): Statement.Fragment =>
  sql`CASE WHEN m.ladder = ${ladder} THEN x.made_change WHEN ${ladder} = 'open' THEN x.open_change END`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * The first results from an instant on, in each order: the seats of the model's versions (version_model) by
   * seat_version, and their ladders by match_pkey. The marks move with a void, and again once ratings have
   * been made without the match or with other starts. The season's newest match by match_newest.
   */
  came: ({ id, ladder, season_id }: InSeason, since: Readonly<Record<Order, Date>>) => {
    const from = new Date(Math.min(...Object.values(since).map((each) => each.getTime())))
    const rows = (order: Order) => sql`(SELECT coalesce(json_agg(json_build_array(t.match_id, t.figure, t.ended_us)), '[]') FROM (
      SELECT match_id, ${sql.literal(ORDERS[order])} AS figure, (extract(epoch FROM ended_at) * 1000000)::bigint AS ended_us FROM moved
      WHERE ended_at >= ${since[order]} ORDER BY figure DESC NULLS LAST, ended_at DESC, match_id DESC
      LIMIT ${sql.literal(String(RESULT_ROWS))}) t)`
    return Effect.map(
      sql<CameResults>`
      WITH moved AS MATERIALIZED (SELECT n.* FROM version v CROSS JOIN LATERAL (
          SELECT x.match_id, x.ended_at, ${change(sql, ladder)} AS change FROM seat x JOIN match m ON m.id = x.match_id
          WHERE x.version_id = v.id AND x.ended_at >= ${from} AND x.made_mu IS NOT NULL OFFSET 0) n
        WHERE v.model_id = ${id} AND v.season_id = ${season_id} AND n.change IS NOT NULL)
      SELECT ${sql.literal(`${ratedMarks} AS marks, ${edge} AS edge`)}, ${rows("newest")} AS newest, ${rows("best")} AS best, ${rows("worst")} AS worst
      FROM season s WHERE s.id = ${season_id}`,
      (found) => found[0]!
    )
  },

  /** About how many seats a model has in a season, by version_model and rating_version. */
  seats: ({ id, season_id }: InSeason) =>
    Effect.map(
      sql<{ seats: number }>`SELECT coalesce(sum(r.matches), 0)::int AS seats FROM version v
        JOIN rating r ON r.version_id = v.id AND r.season_id = v.season_id AND r.ladder = 'open'
        WHERE v.model_id = ${id} AND v.season_id = ${season_id}`,
      (found) => found[0]!.seats
    ),

  /**
   * The model's results in a few matches, by seat_pkey, match_pkey and version_pkey: the five newest that
   * moved its rating on the ladder, and the two that moved it most.
   */
  results: SqlSchema.findAll({
    Request: Schema.Struct({ ...inSeason, matches: Schema.Array(Schema.String) }),
    Result: ResultRow,
    execute: ({ id, ladder, matches, season_id }) => sql`
      WITH moved AS (SELECT x.match_id, x.rank, x.ended_at, x.seat, ${change(sql, ladder)} AS change
          FROM unnest(string_to_array(${matches.join()}, ',')::uuid[]) k(id) JOIN match m ON m.id = k.id JOIN seat x ON x.match_id = m.id
          WHERE x.model_id = ${id} AND m.season_id = ${season_id} AND ${sql.literal(counts())}),
        listed AS (SELECT *, row_number() OVER (ORDER BY ended_at DESC, match_id DESC) AS nth,
            row_number() OVER (ORDER BY change DESC, ended_at DESC, match_id DESC) = 1 AS best,
            row_number() OVER (ORDER BY change, ended_at DESC, match_id DESC) = 1 AS worst
          FROM moved WHERE change IS NOT NULL)
      SELECT l.match_id AS match, l.rank, l.ended_at AS played_at, l.change, l.nth::int AS nth, l.best, l.worst,
        NOT EXISTS (SELECT 1 FROM seat z WHERE z.match_id = l.match_id AND z.rank = l.rank AND z.seat <> l.seat) AS alone
      FROM listed l WHERE l.nth <= 5 OR l.best OR l.worst ORDER BY l.nth`
  })
}))
