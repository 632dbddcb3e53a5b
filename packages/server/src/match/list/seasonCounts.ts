/** How many matches of a season fit, and by which marks of the season a count or a list that is kept is out of date. */
import type { SqlClient, Statement } from "effect/sql"
import { counts } from "../../database/visibility.ts"
import type { Asked, OfSeason } from "./listing.ts"
import { conditions, rated, tables, whereOf } from "./page/filters.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/**
 * How often the time of the season `s` was put back, since a clock had been ahead. Matches that ended by that clock are later than the
 * season's time until that is reached again, and others end before them: where this has moved, nothing counted up to an instant is whole.
 */
export const putBack = "coalesce(s.head->>'put_back', '0')::int"
/** The voids of the season `s` and the other: one number for both, since both only grow. */
export const disturbed = `(coalesce(s.head->>'voided', '0')::int + ${putBack})`
/** The time of the season `s`, in whole milliseconds: none of its matches that is still to be written ends before it. */
export const seasonTime = "date_trunc('milliseconds', to_timestamp((s.head->>'now')::float8 / 1000))"

/** Marks of the season `s` for figures that no rating is part of (KeptLists.ts). */
export const marks = `${disturbed}::text`
/** For figures made of ratings: these change again once they have been made without a voided match, or with other starts. */
export const ratedMarks = `${marks} || '/' || (SELECT count(*) FROM voiding w WHERE w.season_id = s.id)
  || '/' || coalesce(s.head->>'rescaled', '0')`
/** When the newest match of the season `s` ended, by match_newest, and no later than its time. */
export const edge = `(SELECT least(date_trunc('milliseconds', e.ended_at), ${seasonTime}) FROM match e
  WHERE e.season_id = s.id AND ${counts("e")} ORDER BY e.ended_at DESC LIMIT 1)`

const counters = `${edge} AS "upTo", (s.head->>'rated')::int AS rated, coalesce(s.head->>'voided', '0')::int AS voided`

/** The number of a season's rated matches that fit, of those after number `after`: all by match_newest, the last ones by match_rated. */
export const countOfSeason = (sql: Sql, listing: OfSeason, after: number): Fragment =>
  sql`SELECT c.total, c.first, c.last, ${sql.literal(counters)} FROM season s
    CROSS JOIN (${countedAfter(sql, listing, after === 0 ? sql`` : sql`AND m.rated_n > ${after}`)}) c WHERE s.id = ${listing.season_id}`

const countedAfter = (sql: Sql, listing: OfSeason, later: Fragment): Fragment =>
  sql`SELECT count(*)::int AS total, min(m.ended_at) AS first, max(m.ended_at) AS last
    FROM ${tables(sql, listing)} WHERE ${whereOf(sql, listing, rated)} ${later}`

/** Places that are counted beside the season. A query may ask for more, which are rarely asked for and would be nine of ten counts. */
export const PLACES_MAX = 100

/** Whether matches are counted beside the season by what the query filters by. */
export const isTallied = ({ map, players_max, players_min, since, top, ...query }: Asked): boolean =>
  since === undefined && (top === undefined || (top <= PLACES_MAX && (map ?? players_max ?? players_min ?? query.class) === undefined))

/** The matches that were counted beside the season `s`, by match_tally_key, and those after them, by match_rated. */
export const talliedOfSeason = (sql: Sql, listing: OfSeason): Fragment => {
  const { query, season_id } = listing
  const cells = sql.and([
    sql`m.season_id = ${season_id} AND m.matches > 0`,
    sql.literal(query.top === undefined ? "m.best_place IS NULL" : "m.map_id IS NULL"),
    ...conditions(sql, listing)
  ])
  return sql`SELECT coalesce(t.total, 0) + c.total AS total, least(t.first, c.first) AS first, greatest(t.last, c.last) AS last,
      ${sql.literal(counters)}
    FROM season s CROSS JOIN (SELECT sum(m.matches)::int AS total, min(m.first) AS first, max(m.last) AS last FROM match_tally m WHERE ${cells}) t
    CROSS JOIN (${countedAfter(sql, listing, sql`AND m.rated_n > coalesce((SELECT y.counted_to FROM season_tally y WHERE y.season_id = ${season_id}), 0)`)}) c
    WHERE s.id = ${season_id}`
}
