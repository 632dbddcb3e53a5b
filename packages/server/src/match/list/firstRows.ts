/**
 * The first rows of lists of matches and their totals, as KeptLists.ts keeps them: for each season that the viewer sees, the matches from
 * an instant on, or all. A page of such rows is then read by their ids.
 *
 *   a side's      its versions by version_model or version_owner, and the seats of each since then by seat_version
 *   a season's    the matches since then by match_newest; all of them as any other page is found
 */
import type { Sort } from "@agon/api/match/api.ts"
import type { SqlClient, Statement } from "effect/sql"
import type { Since } from "./KeptLists.ts"
import { type Fitting, type Listing, listsTrials, type OfSeason } from "./listing.ts"
import { figured, figureOfSeat, figures, isFigured } from "./page/figured.ts"
import { conditions, rated, tables, whereOf, within } from "./page/filters.ts"
import { branch } from "./page/newest.ts"
import { ratedOfSide, seatsOf, versionsOf } from "./page/sides.ts"
import { edge, marks, putBack, ratedMarks } from "./seasonCounts.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

/** Rows of one list: the first page of every size, and some. */
export const FIRST_ROWS = 128

/** Sorts whose figures change with nothing but the marks. A match gets comments at any time. */
export const isKeepable = (sort: Sort): boolean => sort !== "discussed"

const figureOf = (sort: Sort): string => (isFigured(sort) ? `${figures[sort]}::float8` : "NULL::float8")
const ORDER = "figure DESC NULLS LAST, ended_at DESC, id DESC"

/** The gap between ratings is new once these have been made anew. */
const marksOf = (sort: Sort): string => (sort === "upset" ? ratedMarks : marks)
const asJson = "json_agg(json_build_array(t.id, t.figure, (extract(epoch FROM t.ended_at) * 1000000)::bigint))"

/** Whence on to read each season, as a relation of a WITH. */
const known = (sql: Sql, since: Since): Fragment => {
  const seasons = [...since]
  return sql`known AS MATERIALIZED (SELECT * FROM unnest(string_to_array(${seasons.map(([season_id]) => season_id).join()}, ',')::uuid[],
        string_to_array(${seasons.map(([, from]) => from.toISOString()).join()}, ',')::timestamptz[]) k(season_id, since))`
}

/**
 * A side's matches that have come since, a row for each season with a version of it. A side, and even a version, may
 * have two seats in one match. Where all are asked for, newest first, they are counted without being kept, and of
 * each version the first rows are read.
 */
export const cameOfSide = (sql: Sql, listing: Listing, since: Since): Fragment => {
  const { outcome, sort, vs } = listing.query
  const { where } = versionsOf(sql, listing)
  const isAll = !isFigured(sort) && (outcome ?? vs) === undefined && conditions(sql, listing).length === 0
  return sql`
    WITH ${known(sql, since)},
      sided AS MATERIALIZED (SELECT v.id, v.season_id, coalesce(k.since, '-infinity') AS since
        FROM version v JOIN season s ON s.id = v.season_id LEFT JOIN known k ON k.season_id = v.season_id WHERE ${sql.and(where)}),
      seasons AS MATERIALIZED (SELECT s.id, ${sql.literal(`${marksOf(sort)} AS marks, ${edge} AS edge`)}
        FROM season s WHERE s.id IN (SELECT season_id FROM sided))
      ${isAll ? sql`` : sql`, ${fitOfSide(sql, listing)}`}
    SELECT s.id AS season_id, s.marks, s.edge, c.total, c.early, coalesce(r.rows, '[]') AS rows FROM seasons s
    CROSS JOIN LATERAL (SELECT count(*)::int AS total, (count(*) FILTER (WHERE f.ended_at < s.edge))::int AS early
      FROM ${isAll ? matchesOnce(sql, listing) : sql`fit f WHERE f.season_id = s.id`}) c
    CROSS JOIN LATERAL (SELECT ${sql.literal(asJson)} AS rows FROM (${isAll ? newestOfSide(sql, listing) : firstOfSide(sql)}) t) r`
}

/** Those of the side's matches that fit, with their figures. */
const fitOfSide = (sql: Sql, listing: Listing): Fragment => {
  const { sort } = listing.query
  const figure = isFigured(sort) ? `(${figureOfSeat(sort)})::float8` : "NULL::float8"
  return sql`fit AS MATERIALIZED (SELECT DISTINCT v.season_id, n.* FROM sided v CROSS JOIN LATERAL (
        SELECT x.match_id AS id, x.ended_at, ${sql.literal(figure)} AS figure
        FROM ${seatsOf(sql, listing, ratedOfSide, "seat")} AND x.ended_at >= v.since OFFSET 0) n)`
}

const firstOfSide = (sql: Sql): Fragment =>
  sql`SELECT f.id, f.figure, f.ended_at FROM fit f WHERE f.season_id = s.id ORDER BY ${sql.literal(ORDER)} LIMIT ${sql.literal(String(FIRST_ROWS))}`

/** The matches of the season `s`, each once. */
const matchesOnce = (sql: Sql, listing: Listing): Fragment =>
  sql`(SELECT n.id, min(n.ended_at) AS ended_at FROM sided v CROSS JOIN LATERAL (SELECT x.match_id AS id, x.ended_at
        FROM ${seatsOf(sql, listing, ratedOfSide, "seat")} AND x.ended_at >= v.since OFFSET 0) n
      WHERE v.season_id = s.id GROUP BY n.id) f`

const newestOfSide = (sql: Sql, listing: Listing): Fragment => {
  const newest = sql.literal(`ORDER BY ended_at DESC, id DESC LIMIT ${FIRST_ROWS}`)
  return sql`SELECT DISTINCT n.id, NULL::float8 AS figure, n.ended_at FROM sided v CROSS JOIN LATERAL (SELECT DISTINCT x.match_id AS id, x.ended_at
        FROM ${seatsOf(sql, listing, ratedOfSide, "seat")} AND x.ended_at >= v.since ${newest}) n
      WHERE v.season_id = s.id ${newest}`
}

/**
 * How many matches have come of the versions `v`, in every state, a row for each season, and one without an edge for those that are open:
 * of the same moment, since a match is one or the other. Two of the versions may meet. A voided match is still its owners', so it moves no
 * mark.
 */
export const cameOfOwner = (sql: Sql, versions: Fragment, open: Fragment, since: Since): Fragment =>
  sql`WITH ${known(sql, since)},
      owned AS MATERIALIZED (SELECT v.id, v.season_id, coalesce(k.since, '-infinity') AS since
        FROM version v LEFT JOIN known k ON k.season_id = v.season_id WHERE ${versions}),
      fit AS MATERIALIZED (SELECT DISTINCT v.season_id, n.* FROM owned v CROSS JOIN LATERAL (
        SELECT x.match_id, x.ended_at FROM seat x WHERE x.version_id = v.id AND x.ended_at >= v.since OFFSET 0) n)
    SELECT s.id::text AS season_id, ${sql.literal(`${putBack}::text AS marks`)}, e.edge, c.total, c.early
    FROM season s CROSS JOIN LATERAL (SELECT ${sql.literal(edge)} AS edge OFFSET 0) e
    CROSS JOIN LATERAL (SELECT count(*)::int AS total, (count(*) FILTER (WHERE f.ended_at < e.edge))::int AS early
      FROM fit f WHERE f.season_id = s.id) c
    WHERE s.id IN (SELECT season_id FROM owned)
    UNION ALL SELECT 'open', '', NULL, count(*)::int, 0 ${open}`

/** About how many seats of a side there are to read. */
export const matchesOfSide = (sql: Sql, listing: Listing): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  return sql`SELECT coalesce(sum(r.matches), 0)::int AS matches FROM version v ${seasons}
    JOIN rating r ON r.version_id = v.id AND r.season_id = v.season_id AND r.ladder = 'open' WHERE ${sql.and(where)}`
}

/** A trial passes later, and then it is listed. */
const trial = "m.status = 'finished' AND m.candidate IS NOT NULL"

/**
 * The same of a season's matches that fit, without a total. All of them are found among those that were counted, and more may have come
 * since, in a large season for seconds: then what is kept ends where the count did. The order of the innermost rows is the index's, so no
 * other index is walked for it.
 */
export const cameOfSeason = (sql: Sql, listing: OfSeason, since: Since, fitting: Fitting): Fragment => {
  const { query, season_id } = listing
  const from = since.get(season_id)
  const later = from === undefined ? sql`` : sql`AND m.ended_at >= ${from}`
  const first =
    from === undefined
      ? allOf(sql, listing, fitting)
      : sql`SELECT n.* FROM (SELECT m.id, m.ended_at, ${sql.literal(figureOf(query.sort))} AS figure FROM ${tables(sql, listing)}
          WHERE ${whereOf(sql, listing, rated)} ${later} ORDER BY m.ended_at DESC, m.id DESC OFFSET 0) n
          ORDER BY ${sql.literal(ORDER)} LIMIT ${sql.literal(String(FIRST_ROWS))}`
  const tried = listsTrials(query)
    ? sql`(SELECT max(m.ended_at) FROM ${tables(sql, listing)} WHERE ${whereOf(sql, listing, trial)} ${later})`
    : sql`NULL::timestamptz`
  const { upTo } = fitting
  const until =
    upTo === undefined || from !== undefined
      ? sql.literal(edge)
      : upTo === null
        ? sql`NULL::timestamptz`
        : sql`least(${sql.literal(edge)}, ${upTo}::timestamptz)`
  return sql`SELECT s.id AS season_id, ${sql.literal(`${marksOf(query.sort)} AS marks, coalesce(r.rows, '[]') AS rows`)},
      ${until} AS edge, ${tried} AS last_trial
    FROM season s CROSS JOIN (SELECT ${sql.literal(asJson)} AS rows FROM (${first}) t) r WHERE s.id = ${season_id}`
}

const allOf = (sql: Sql, listing: Listing, fitting: Fitting): Fragment => {
  const { sort } = listing.query
  if (isFigured(sort)) return figured(sql, listing, { limit: FIRST_ROWS, offset: 0, fitting }, sort)
  return branch(sql, listing, rated, Math.min(FIRST_ROWS, fitting.total), within(sql, fitting))
}
