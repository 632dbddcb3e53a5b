/**
 * The rows of GET /v1/matches: which matches, in which order, as one statement whose shape follows from what was asked,
 * so that it starts from the narrowest index and reads no further than the page:
 *
 *   version, model, owner, vs    that side's seats, newest first, by seat_version, seat_model or seat_owner
 *   otherwise                    the season's rated matches, newest first, by match_newest
 *
 * Under `newest` the trials of candidates that passed come between them, from a branch of their own with the same limit.
 * Other sorts, and totals of filtered lists, read every match that fits.
 */
import type { SqlClient, Statement } from "effect/sql"
import type { MatchQuery, Sort } from "@agon/api/match/api.ts"
import { sees } from "../season/queries.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** A parameter with a default loses its type in the definition. */
export type Asked = Omit<MatchQuery, "sort"> & { readonly sort: Sort }

export interface Listing {
  /** Null: every season that the viewer may see, of `game` where it is not null. */
  readonly season_id: string | null
  readonly game: string | null
  readonly viewer: string | null
  readonly query: Asked
}

const LARGEST_LIMIT = 2 ** 31 - 1

/** Whether the query speaks of a side, whose matches are searched for in every season. */
export const namesSide = ({ model, owner, version, vs }: Asked) => (model ?? owner ?? version ?? vs) !== undefined

/** The seat `x` that the statement starts from; none where it starts from the season. */
const sideOf = (sql: Sql, { model, outcome, owner, version, vs }: Asked): ReadonlyArray<Fragment> => [
  ...(version === undefined ? [] : [sql`x.version_id = ${version}`]),
  ...(model === undefined ? [] : [sql`x.model_id = ${model}`]),
  ...(owner === undefined ? [] : [sql`x.owner_id = (SELECT id FROM account WHERE username = ${owner})`]),
  ...(vs !== undefined && (version ?? model ?? owner) === undefined ? [sql`x.model_id = ${vs.split(",")[0]!}`] : []),
  ...(outcome === undefined ? [] : [outcomeOf(sql, outcome)])
]

const outcomeOf = (sql: Sql, outcome: "win" | "draw" | "loss"): Fragment => {
  const shared = sql`EXISTS (SELECT 1 FROM seat z WHERE z.match_id = x.match_id AND z.rank = 1 AND z.seat <> x.seat)`
  if (outcome === "loss") return sql`x.rank > 1`
  return outcome === "win" ? sql`(x.rank = 1 AND NOT ${shared})` : sql`(x.rank = 1 AND ${shared})`
}

/** What a match `m` must be, each by the primary key of the table that it asks. */
const conditions = (sql: Sql, { game, query, season_id, viewer }: Listing): ReadonlyArray<Fragment> => {
  const { ladder, map, players_max = 8, players_min = 1, since, top, vs } = query
  const seated = (seat: Fragment) => sql`EXISTS (SELECT 1 FROM seat y WHERE y.match_id = m.id AND ${seat})`
  const of = (version: Fragment) => sql`EXISTS (SELECT 1 FROM version c WHERE c.id = y.version_id AND ${version})`
  return [
    season_id === null ? sees(sql, viewer) : sql`m.season_id = ${season_id}`,
    ...(game === null ? [] : [sql`s.game = ${game}`]),
    ...(ladder === undefined ? [] : [sql`m.ladder = ${ladder}`]),
    ...(map === undefined ? [] : [sql`m.map_id = ${map}`]),
    ...(since === undefined ? [] : [sql`m.ended_at >= ${new Date(since)}`]),
    ...(query.class === undefined ? [] : [seated(of(sql`c.class = ${query.class}`))]),
    ...(top === undefined ? [] : [seated(sql`y.place <= ${top}`)]),
    ...(vs?.split(",") ?? []).map((model) => seated(sql`y.model_id = ${model}`)),
    ...(players_min === 1 && players_max === 8 ? [] : [playersOf(sql, players_min, players_max)])
  ]
}

const playersOf = (sql: Sql, min: number, max: number): Fragment =>
  sql`EXISTS (SELECT 1 FROM board b WHERE b.season_id = m.season_id AND b.map_id = m.map_id AND b.players BETWEEN ${min} AND ${max})`

const tables = (sql: Sql, { game, season_id }: Listing, side: boolean): Fragment => {
  const matches = side ? "seat x JOIN match m ON m.id = x.match_id" : "match m"
  return sql.literal(season_id === null || game !== null ? `${matches} JOIN season s ON s.id = m.season_id` : matches)
}

const rated = "m.status = 'rated'"
const passedTrial = `m.status = 'finished' AND m.candidate IS NOT NULL
  AND EXISTS (SELECT 1 FROM version c WHERE c.id = m.candidate AND c.status IN ('entered', 'superseded', 'disabled'))`

/** Matches of one status, newest first; a side may have two seats in one match. */
const branch = (sql: Sql, listing: Listing, status: string, limit: number): Fragment => {
  const side = sideOf(sql, listing.query)
  const where = sql.and([sql.literal(status), ...side, ...conditions(sql, listing)])
  const columns = sql.literal(side.length > 0 ? "DISTINCT x.match_id AS id, x.ended_at" : "m.id, m.ended_at")
  return sql`(SELECT ${columns}, NULL::float8 AS figure FROM ${tables(sql, listing, side.length > 0)} WHERE ${where}
    ORDER BY ended_at DESC, id DESC LIMIT ${limit})`
}

/** What a sort goes by; more is earlier. Scores and ranks are those of the match, ratings those before it. */
const figures: Record<Exclude<Sort, "newest">, string> = {
  longest: "m.turns::float8",
  // The share of the first's score that the second is behind.
  closest: `(SELECT CASE WHEN f.scores[1] = f.scores[2] THEN 0 ELSE -abs(f.scores[1] - f.scores[2])::float8 / nullif(abs(f.scores[1]), 0) END
    FROM (SELECT array_agg(y.score ORDER BY y.rank, y.score DESC) AS scores FROM seat y WHERE y.match_id = m.id) f)`,
  upset: `(SELECT max((l.made_mu - l.made_change) - (w.made_mu - w.made_change)) FROM seat w JOIN seat l ON l.match_id = w.match_id
    WHERE w.match_id = m.id AND w.rank < l.rank)`,
  discussed: "NULL::float8" // nothing is discussed yet; ties go by newest
}

const figured = (sql: Sql, listing: Listing, sort: Exclude<Sort, "newest">): Fragment => {
  const side = sideOf(sql, listing.query)
  const where = sql.and([sql.literal(rated), ...side, ...conditions(sql, listing)])
  return sql`SELECT DISTINCT m.id, m.ended_at, ${sql.literal(figures[sort])} AS figure FROM ${tables(sql, listing, side.length > 0)} WHERE ${where}`
}

/** Ids of a page in their order, as a relation `(id, ended_at, figure)` that is ordered by figure, time and id, all descending. */
export const pageOf = (sql: Sql, listing: Listing, limit: number, offset: number): Fragment => {
  const { ladder, sort, top } = listing.query
  const upTo = Math.min(LARGEST_LIMIT, offset + limit)
  const trials = ladder === undefined && top === undefined // trials are made for no ladder
  const newest = [rated, ...(trials ? [passedTrial] : [])].map((status) => branch(sql, listing, status, upTo))
  const all = sort === "newest" ? newest.reduce((one, other) => sql`${one} UNION ALL ${other}`) : figured(sql, listing, sort)
  return sql`SELECT * FROM (${all}) listed ORDER BY figure DESC NULLS LAST, ended_at DESC, id DESC
    LIMIT ${limit} OFFSET ${offset}`
}

/** How many rated matches fit; trials are not counted. */
export const countOf = (sql: Sql, listing: Listing): Fragment => {
  const side = sideOf(sql, listing.query)
  const where = sql.and([sql.literal(rated), ...side, ...conditions(sql, listing)])
  return sql`SELECT count(DISTINCT m.id)::int AS total FROM ${tables(sql, listing, side.length > 0)} WHERE ${where}`
}
