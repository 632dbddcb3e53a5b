/** The conditions on a match `m` and its season `s`. */
import type { SqlClient, Statement } from "effect/sql"
import { classBit } from "../../../actor/store/figures.ts"
import { counts, published, sees } from "../../../database/visibility.ts"
import type { Fitting, Listing } from "../listing.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

export const rated = counts()
export const passed = `EXISTS (SELECT 1 FROM version c WHERE c.id = m.candidate AND ${published("c")})`
export const passedTrial = `m.status = 'finished' AND m.candidate IS NOT NULL AND ${passed}`
export const readsSeason = ({ game, season_id }: Listing) => season_id === null || game !== null
/** The conditions on the season `s`, where it is read. */
export const ofSeason = (sql: Sql, { game, season_id, viewer }: Listing): ReadonlyArray<Fragment> => [
  ...(season_id === null ? [sees(sql, viewer)] : []),
  ...(game === null ? [] : [sql`s.game = ${game}`])
]

/** The tables that matches `m` of seasons come from. */
export const tables = (sql: Sql, listing: Listing): Fragment =>
  sql.literal(readsSeason(listing) ? "match m JOIN season s ON s.id = m.season_id" : "match m")

export const whereOf = (sql: Sql, listing: Listing, status: string): Fragment => {
  const { query, season_id } = listing
  const since = query.since === undefined ? [] : [sql`m.ended_at >= ${new Date(query.since)}`]
  const season = season_id === null ? [] : [sql`m.season_id = ${season_id}`]
  return sql.and([sql.literal(status), ...season, ...ofSeason(sql, listing), ...since, ...conditions(sql, listing)])
}

/** The conditions on a match `m`: on its own columns, except for boards by number of players. */
export const conditions = (sql: Sql, { query, season_id }: Listing): ReadonlyArray<Fragment> => {
  const { ladder, map, players_max = 8, players_min = 1, top } = query
  return [
    ...(ladder === undefined ? [] : [sql`m.ladder = ${ladder}`]),
    ...(map === undefined ? [] : [sql`m.map_id = ${map}`]),
    ...(query.class === undefined ? [] : [sql`m.classes & ${classBit(query.class)} <> 0`]),
    ...(top === undefined ? [] : [sql`m.best_place <= ${top}`]),
    ...(players_min === 1 && players_max === 8 ? [] : [playersOf(sql, season_id, players_min, players_max)])
  ]
}

/** The boards of one season are read once; with no season named, each match's own. */
const playersOf = (sql: Sql, season_id: string | null, min: number, max: number): Fragment =>
  season_id === null
    ? sql`EXISTS (SELECT 1 FROM board b WHERE b.season_id = m.season_id AND b.map_id = m.map_id AND b.players BETWEEN ${min} AND ${max})`
    : sql`m.map_id = ANY (ARRAY(SELECT b.map_id FROM board b WHERE b.season_id = ${season_id} AND b.players BETWEEN ${min} AND ${max}))`

/** Limits the search to the time of the fitting matches. A Date has dropped the microseconds. */
export const within = (sql: Sql, { first, last }: Pick<Fitting, "first" | "last">): Fragment => {
  if (first === null || last === null) return sql``
  return sql`AND m.ended_at >= ${first} AND m.ended_at < ${new Date(last.getTime() + 1)}`
}
