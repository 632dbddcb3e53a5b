/** Matches by a figure of theirs: the longest, the closest, the greatest upsets; of a side, the most discussed ones as well. */
import type { Sort } from "@agon/api/match/api.ts"
import type { SqlClient, Statement } from "effect/sql"
import { type Fitting, type Listing, namesSide } from "../listing.ts"
import { bound, type Cut, endOf } from "./cut.ts"
import { rated, tables, whereOf, within } from "./filters.ts"
import { allOfSide } from "./sides.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

const discussion = "coalesce((SELECT t.comments FROM thread t WHERE t.match_id = m.id), 0)"
/** The column that each sort orders by, descending. */
export const figures = { longest: "m.turns", closest: "m.closeness", upset: "m.upset", discussed: discussion } as const
type Figured = keyof typeof figures

export const isFigured = (sort: Sort): sort is Figured => sort in figures

/**
 * The same of a side's seat `x`, which has its match's figures, so that the match is not looked up: 13 us each. Where a release before
 * migration 0047 has written the seat it is.
 */
export const figureOfSeat = (sort: Figured): string => {
  if (sort === "discussed") return discussion
  const figure = figures[sort]
  return `CASE WHEN x.turns IS NULL THEN (SELECT ${figure} FROM match m WHERE m.id = x.match_id) ELSE ${figure.replace("m.", "x.")} END`
}

export const figured = (
  sql: Sql,
  listing: Listing,
  { fitting, limit, offset }: Cut & { readonly fitting: Fitting },
  sort: Figured
): Fragment => {
  const figure = sql.literal(figures[sort])
  const page = sql`ORDER BY ${figure} DESC NULLS LAST, m.ended_at DESC, m.id DESC LIMIT ${bound(sql, limit)} OFFSET ${bound(sql, offset)}`
  if (namesSide(listing.query)) return figuredOfSide(sql, listing, { limit, offset }, sort)
  const where = whereOf(sql, listing, rated)
  if (!isRare(fitting, endOf({ limit, offset })))
    return sql`SELECT m.id, m.ended_at, ${figure} AS figure FROM ${tables(sql, listing)} WHERE ${where} ${page}`
  return sql`SELECT m.id, m.ended_at, ${figure} AS figure
    FROM (SELECT m.id FROM ${tables(sql, listing)} WHERE ${where} ${within(sql, fitting)} ORDER BY m.ended_at DESC, m.id DESC LIMIT ${fitting.total}) fit
    JOIN match m ON m.id = fit.id ${page}`
}

const figuredOfSide = (sql: Sql, listing: Listing, { limit, offset }: Cut, sort: Figured): Fragment => {
  const matches = sort === "discussed" ? allOfSide(sql, listing, "match") : allOfSide(sql, listing, "seat")
  return sql`SELECT DISTINCT x.match_id AS id, x.ended_at, ${sql.literal(figureOfSeat(sort))} AS figure FROM ${matches}
    ORDER BY figure DESC NULLS LAST, x.ended_at DESC, id DESC LIMIT ${bound(sql, limit)} OFFSET ${bound(sql, offset)}`
}

/** So many matches are read from an index alone in the time of one from the table. */
const FROM_INDEX = 8
/**
 * How much cheaper walking must look: it finds nothing for long where the matches that fit come last. Matches of one figure are in the
 * order of time, so those of a board that was played at first only are behind all others that were as close.
 */
const SURELY = 4
/**
 * Whether reading every fitting match is expected to be cheaper than walking the sort's index as far as the page. They are found by going
 * through match_newest, which has what is filtered by, from the last to the first.
 */
const isRare = ({ of, span, total }: Fitting, upTo: number) => total < of && total * (total + span / FROM_INDEX) < SURELY * upTo * of
