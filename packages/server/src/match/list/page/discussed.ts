/** The matches with the most comments, by the table of those that have any. */
import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { SqlClient, Statement } from "effect/sql"
import { classBit } from "../../../actor/store/figures.ts"
import { counts } from "../../../database/visibility.ts"
import type { Fitting, Listing, OfSeason } from "../listing.ts"
import { bound, type Cut, endOf } from "./cut.ts"
import { conditions, rated, tables, whereOf, within } from "./filters.ts"
import { ratedOfSide, seatOf, versionsOf } from "./sides.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/**
 * For a season: the matches with comments in their order, then the others, which all tie, newest first. Each
 * branch stops where the page ends; few matches have comments, so the second skips few of them.
 */
export const discussed = (sql: Sql, listing: OfSeason, cut: Cut, fitting: Fitting): Fragment => {
  const upTo = endOf(cut)
  const silent = sql`AND NOT EXISTS (SELECT 1 FROM thread t WHERE t.match_id = m.id AND t.comments > 0) ${within(sql, fitting)}`
  return sql`SELECT * FROM (
      (${withComments(sql, listing, upTo)})
      UNION ALL
      (SELECT m.id, m.ended_at, 0 FROM ${tables(sql, listing)} WHERE ${whereOf(sql, listing, rated)} ${silent}
        ORDER BY m.ended_at DESC, m.id DESC LIMIT ${bound(sql, Math.min(upTo, fitting.total))})) listed ${discussedPage(sql, cut)}`
}

export const discussedPage = (sql: Sql, { limit, offset }: Cut): Fragment =>
  sql`ORDER BY figure DESC, ended_at DESC, id DESC LIMIT ${bound(sql, limit)} OFFSET ${bound(sql, offset)}`

/** The first of a season's matches with comments, by the index of discussed_match that the filter has, or by discussed_most. */
export const withComments = (sql: Sql, listing: OfSeason, upTo: number): Fragment => {
  const { query, season_id } = listing
  const where = sql.and([
    sql`m.season_id = ${season_id} AND m.comments > 0 AND ${sql.literal(counts("r"))}`,
    ...(query.since === undefined ? [] : [sql`m.ended_at >= ${new Date(query.since)}`]),
    ...discussedConditions(sql, listing)
  ])
  return sql`SELECT m.match_id AS id, m.ended_at, m.comments::float8 AS figure FROM discussed_match m JOIN match r ON r.id = m.match_id
    WHERE ${where} ORDER BY m.comments DESC, m.ended_at DESC, m.match_id DESC LIMIT ${bound(sql, upTo)}`
}

/** The same of a side, by discussed_versions. Each of them is looked for among the version's seats by its time. */
export const withCommentsOfSide = (sql: Sql, listing: Listing, upTo: number): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  const commented = sql.and([sql.literal("m.versions @> ARRAY[v.id] AND m.comments > 0"), ...conditions(sql, listing)])
  const seated = sql.and([...seatOf(sql, listing.query, ratedOfSide), sql.literal("x.ended_at = d.ended_at AND x.match_id = d.match_id")])
  return sql`SELECT DISTINCT d.match_id AS id, d.ended_at, d.comments::float8 AS figure FROM version v ${seasons}
    CROSS JOIN LATERAL (SELECT m.match_id, m.ended_at, m.comments FROM discussed_match m WHERE ${commented} OFFSET 0) d
    CROSS JOIN LATERAL (SELECT 1 FROM seat x WHERE ${seated} OFFSET 0) found
    WHERE ${sql.and(where)} ORDER BY figure DESC, d.ended_at DESC, id DESC LIMIT ${bound(sql, upTo)}`
}

/** The conditions on a discussed match `m`, which has the match's own columns. */
const discussedConditions = (sql: Sql, listing: Listing): ReadonlyArray<Fragment> => {
  const { class: asked, ...query } = listing.query
  const classes = asked === undefined ? [] : [sql.literal(`m.classes = ANY ('{${withClass(classBit(asked)).join()}}')`)]
  return [...conditions(sql, { ...listing, query }), ...classes]
}

/** The weight classes of a match, in every way in which the class of this bit is among them: an index finds these, and not a bit. */
const withClass = (bit: number): ReadonlyArray<number> =>
  Array.from({ length: 1 << LADDERS.length }, (_, classes) => classes).filter((classes) => (classes & bit) !== 0)
