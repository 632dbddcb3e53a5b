/** Matches newest first, with the trials of candidates that passed. */
import type { SqlClient, Statement } from "effect/sql"
import { INT4_MAX } from "../../../database/rows.ts"
import { type Listing, listsTrials, namesSide } from "../listing.ts"
import { bound, type Cut, endOf } from "./cut.ts"
import { passedTrial, tables, whereOf } from "./filters.ts"
import { passedTrialOfSide, ratedOfSide, seatsOf, versionsOf } from "./sides.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Matches of one status, newest first. */
export const branch = (sql: Sql, listing: Listing, status: string, limit: number, range: Fragment): Fragment =>
  sql`(SELECT m.id, m.ended_at, NULL::float8 AS figure FROM ${tables(sql, listing)} WHERE ${whereOf(sql, listing, status)} ${range}
    ${newest(sql, limit)})`

/** The same for each version of a side, merged. A side, and even a version, may have two seats in one match. */
export const branchOfSide = (sql: Sql, listing: Listing, status: string, limit: number, range: Fragment): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  return sql`(SELECT DISTINCT n.id, n.ended_at, NULL::float8 AS figure FROM version v ${seasons} CROSS JOIN LATERAL (
      SELECT DISTINCT x.match_id AS id, x.ended_at FROM ${seatsOf(sql, listing, status, status === ratedOfSide ? "seat" : "match")}
      ${range} ${newest(sql, limit)}) n
    WHERE ${sql.and(where)} ${newest(sql, limit)})`
}

const newest = (sql: Sql, limit: number): Fragment => sql`ORDER BY ended_at DESC, id DESC LIMIT ${bound(sql, limit)}`

/** Rated matches as far as the page ends, and the trials as far as these go, newest first. */
export const withTrials = (sql: Sql, listing: Listing, { limit, offset }: Cut, counted: Fragment, last_trial?: Date | null): Fragment => {
  const upTo = endOf({ limit, offset })
  const page = newestPage(sql, { limit, offset })
  if (!listsTrials(listing.query) || last_trial === null) return sql`SELECT * FROM (${counted}) listed ${page}`
  const end = sql`coalesce((SELECT min(c.ended_at) FROM counted c HAVING count(*) >= ${bound(sql, upTo)}), '-infinity')`
  const tried = namesSide(listing.query)
    ? branchOfSide(sql, listing, passedTrialOfSide, upTo, sql`AND x.ended_at >= ${end}`)
    : branch(sql, listing, passedTrial, upTo, sql`AND m.ended_at >= ${end} ${before(sql, last_trial)}`)
  return sql`WITH counted AS MATERIALIZED (${counted})
    SELECT * FROM (SELECT * FROM counted UNION ALL ${tried}) listed ${page}`
}

/** A Date has dropped the microseconds. */
const before = (sql: Sql, last: Date | undefined): Fragment =>
  last === undefined ? sql`` : sql`AND m.ended_at < ${new Date(last.getTime() + 1)}`

const newestPage = (sql: Sql, { limit, offset }: Cut): Fragment =>
  sql`ORDER BY ended_at DESC, id DESC LIMIT ${bound(sql, limit)} OFFSET ${bound(sql, offset)}`

/** Counts the trials that a list shows: a few for each version of the season, or of the side. */
export const countOfTrials = (sql: Sql, listing: Listing): Fragment =>
  sql`SELECT count(*)::int AS total FROM (${
    namesSide(listing.query)
      ? branchOfSide(sql, listing, passedTrialOfSide, INT4_MAX, sql``)
      : branch(sql, listing, passedTrial, INT4_MAX, sql``)
  }) tried`
