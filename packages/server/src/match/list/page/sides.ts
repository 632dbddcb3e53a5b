/** The versions `v` of a side and their seats `x`: the matches of a version, a model or an owner, and of two models that met. */
import type { SqlClient, Statement } from "effect/sql"
import { type Asked, type Listing, sideModelOf } from "../listing.ts"
import { conditions, ofSeason, passed, rated, readsSeason } from "./filters.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** A seat of a match that counts, by the rating after the match, which is set exactly where the match counts. */
export const ratedOfSide = "x.made_mu IS NOT NULL"
/** A seat of a trial that was played, by seat_trial. */
const trialSeat = (seat: string): string => `${seat}.rank > 0 AND ${seat}.made_mu IS NULL`
export const passedTrialOfSide = `${trialSeat("x")} AND ${passed}`

/** The versions `v` of the side that the statement starts from, as a FROM and WHERE. Each is of one season. */
export const versionsOf = (sql: Sql, listing: Listing): { readonly seasons: Fragment; readonly where: ReadonlyArray<Fragment> } => {
  const { query, season_id } = listing
  const { owner, version } = query
  const model = sideModelOf(query)
  const where = [
    ...(version === undefined ? [] : [sql`v.id = ${version}`]),
    ...(model === undefined ? [] : [sql`v.model_id = ${model}`]),
    ...(owner === undefined ? [] : [sql`v.owner_id = (SELECT id FROM account WHERE username = ${owner})`]),
    ...(season_id === null ? [] : [sql`v.season_id = ${season_id}`]),
    ...ofSeason(sql, listing)
  ]
  return { seasons: sql.literal(readsSeason(listing) ? "JOIN season s ON s.id = v.season_id" : ""), where }
}

/**
 * The seats `x` of a version `v`, as the text after FROM: their matches `m` are joined only where a condition needs
 * them. All filtered columns are in match_newest, so no match is looked up in the table for that.
 */
export const seatsOf = (sql: Sql, listing: Listing, status: string, of: "seat" | "match"): Fragment => {
  const asked = conditions(sql, listing)
  const join = of === "match" || asked.length > 0 ? "JOIN match m ON m.id = x.match_id" : ""
  const newest = status === ratedOfSide && asked.length > 0 && listing.query.sort !== "discussed" ? [sql.literal(IN_NEWEST)] : []
  return sql`seat x ${sql.literal(join)} WHERE ${sql.and([...seatOf(sql, listing.query, status), ...newest, ...asked])}`
}
const IN_NEWEST = `m.season_id = v.season_id AND m.ended_at = x.ended_at AND ${rated}`

/** All counted matches of a side, one row for each of the side's seats. */
export const allOfSide = (sql: Sql, listing: Listing, of: "seat" | "match"): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  return sql`version v ${seasons} CROSS JOIN ${seatsOf(sql, listing, ratedOfSide, of)} AND ${sql.and(where)}`
}

/**
 * The conditions on a seat `x` of the side in a match of this status. A seat has its match's time. One since when is in a subquery, so that
 * the statement is not planned anew for it: that takes longer than running it.
 */
export const seatOf = (sql: Sql, query: Asked, status: string): ReadonlyArray<Fragment> => {
  const { outcome, since, vs } = query
  const met = (vs?.split(",") ?? []).filter((model) => model !== sideModelOf(query))
  return [
    sql`x.version_id = v.id`,
    sql.literal(status),
    ...(since === undefined ? [] : [sql`x.ended_at >= (SELECT ${new Date(since)}::timestamptz)`]),
    ...(outcome === undefined ? [] : [outcomeOf(sql, outcome)]),
    ...met.map((model) => metBy(sql, model, status))
  ]
}

/**
 * Whether the model sat there too: read off the index, where its seats by match would be looked up, one page of the
 * table each. Of a trial all seats are a trial's, so it is looked for among these few.
 */
const metBy = (sql: Sql, model: string, status: string): Fragment =>
  sql`EXISTS (SELECT 1 FROM version w JOIN seat y ON y.version_id = w.id
    WHERE w.model_id = ${model} AND w.season_id = v.season_id AND y.ended_at = x.ended_at AND y.match_id = x.match_id
      ${sql.literal(status === ratedOfSide ? "" : `AND ${trialSeat("y")}`)})`

/** Whether others finished first as well, by the seats of the match where a release before migration 0047 has written them. */
const sharedFirst = `CASE WHEN x.shared IS NULL THEN (SELECT count(*) > 1 FROM seat z WHERE z.match_id = x.match_id AND z.rank = 1)
  ELSE x.shared END`

const outcomeOf = (sql: Sql, outcome: "win" | "draw" | "loss"): Fragment => {
  const shared = sql.literal(sharedFirst)
  if (outcome === "loss") return sql`x.rank > 1`
  return outcome === "win" ? sql`(x.rank = 1 AND NOT ${shared})` : sql`(x.rank = 1 AND ${shared})`
}
