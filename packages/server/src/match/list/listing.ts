/**
 * The rows of GET /v1/matches: a statement whose shape follows from the filters and the sort,
 * so that it starts from the narrowest index and reads no further than the page:
 *
 *   version, model, owner, vs    the seats of that side's versions, each version's newest first by seat_version, and of those the
 *                                newest; the versions by their own key, version_model or version_owner; trials by seat_trial; those of
 *                                the model that it met by seat_version as well, since they have the same time
 *   otherwise                    the season's rated matches in the order of the sort, by match_newest, match_longest,
 *                                match_closest or match_upset; under `discussed` those with comments by discussed_match,
 *                                whose indexes are those of the filters, then the others by match_newest
 *
 * Under `newest` the trials of candidates that passed are merged in, by match_trial, from a branch of their own with the same limit, no
 * further back than the rated matches of the page go. Filtered columns are on the match itself (migration 0004).
 *
 * Three of these plans take longer the more matches there are:
 *
 *   a side, sorts other than newest           all matches of the side are sorted
 *   few matches fit, sorts other than newest  where finding them all takes less time than scanning the sort's index, they are found by
 *                                             match_newest and then sorted (`isRare`)
 *   few matches fit, newest                   match_newest is scanned past all that do not fit
 *
 * So the first rows of a side's lists, and of lists that few matches fit, are kept (KeptLists.ts, firstRows.ts), and a page of such rows is
 * read by their ids (`pageOfRows`). The plans above find rows that are not kept, those of pages further back among them.
 *
 * A seat has no index by model or by owner, which would cost every match 10 us: a version never changes owner, and a page reads
 * no more of each version's matches than it has rows itself.
 */

import type { MatchQuery, Sort } from "@agon/api/match/api.ts"
import { LADDERS } from "@agon/domain/season/Rules.ts"
import type { SqlClient, Statement } from "effect/sql"
import { classBit } from "../../actor/store/figures.ts"
import { INT4_MAX } from "../../database/rows.ts"
import { counts, published, sees } from "../../database/visibility.ts"

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

/** Matches that fit a filter. */
export interface Found {
  readonly total: number
  /** When the first and the last of them ended; null where unknown, or where there is none. */
  readonly first: Date | null
  readonly last: Date | null
  /** When the season's last match ended that was there to be counted; undefined where nothing was counted, null where there is none. */
  readonly upTo?: Date | null
}

/** The rated matches that fit, as far as known; the choice of the index depends on it. */
export interface Fitting extends Found {
  /** The number of rated matches in the season. */
  readonly of: number
  /** An estimate of how many of those ended between the first and the last that fit. */
  readonly span: number
}

/**
 * The first page of the default and of the largest size have their bounds in the text: Postgres then caches their plans, which
 * take longer to make (1 ms) than to run. Other bounds are parameters, so that there is not one text for each page.
 */
const USUAL: ReadonlySet<number> = new Set([0, 26, 61])
const bound = (sql: Sql, rows: number): Fragment => (USUAL.has(rows) ? sql.literal(String(rows)) : sql`${rows}`)

/** Whether the query names a side, whose matches are searched for in every season. */
export const namesSide = ({ model, owner, version, vs }: Asked) => (model ?? owner ?? version ?? vs) !== undefined

export type OfSeason = Listing & { readonly season_id: string }
/** Whether the matches of one season are listed, whoever sat in them. */
const isOfSeason = (listing: Listing): listing is OfSeason => listing.season_id !== null && !namesSide(listing.query)

/** The model whose seats the statement starts from, if any: the first of two that met, where no other side is named. */
const sideModelOf = ({ model, owner, version, vs }: Asked) =>
  model ?? (version === undefined && owner === undefined ? vs?.split(",")[0] : undefined)

/** Both models that met, where the statement starts from the first of them: starting from either gives the same answer. */
export const eitherSideOf = (query: Asked): ReadonlyArray<string> => (sideModelOf(query) === query.model ? [] : query.vs!.split(","))

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

const readsSeason = ({ game, season_id }: Listing) => season_id === null || game !== null
/** The conditions on the season `s`, where it is read. */
const ofSeason = (sql: Sql, { game, season_id, viewer }: Listing): ReadonlyArray<Fragment> => [
  ...(season_id === null ? [sees(sql, viewer)] : []),
  ...(game === null ? [] : [sql`s.game = ${game}`])
]

/**
 * The conditions on a seat `x` of the side in a match of this status. A seat has its match's time. One since when is in a subquery, so that
 * the statement is not planned anew for it: that takes longer than running it.
 */
const seatOf = (sql: Sql, query: Asked, status: string): ReadonlyArray<Fragment> => {
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

export const rated = counts()
const passed = `EXISTS (SELECT 1 FROM version c WHERE c.id = m.candidate AND ${published("c")})`
const passedTrial = `m.status = 'finished' AND m.candidate IS NOT NULL AND ${passed}`
/** The same for a side's seats, by the rating after the match, which is set exactly where the match counts. */
export const ratedOfSide = "x.made_mu IS NOT NULL"
/** A seat of a trial that was played, by seat_trial. */
const trialSeat = (seat: string): string => `${seat}.rank > 0 AND ${seat}.made_mu IS NULL`
const passedTrialOfSide = `${trialSeat("x")} AND ${passed}`

/** The tables that matches `m` of seasons come from. */
export const tables = (sql: Sql, listing: Listing): Fragment =>
  sql.literal(readsSeason(listing) ? "match m JOIN season s ON s.id = m.season_id" : "match m")

export const whereOf = (sql: Sql, listing: Listing, status: string): Fragment => {
  const { query, season_id } = listing
  const since = query.since === undefined ? [] : [sql`m.ended_at >= ${new Date(query.since)}`]
  const season = season_id === null ? [] : [sql`m.season_id = ${season_id}`]
  return sql.and([sql.literal(status), ...season, ...ofSeason(sql, listing), ...since, ...conditions(sql, listing)])
}

/**
 * The seats `x` of a version `v`, as the text after FROM: their matches `m` are joined only where a condition needs
 * them. What is filtered by is in match_newest, so no match is looked up in the table for that.
 */
export const seatsOf = (sql: Sql, listing: Listing, status: string, of: "seat" | "match"): Fragment => {
  const asked = conditions(sql, listing)
  const join = of === "match" || asked.length > 0 ? "JOIN match m ON m.id = x.match_id" : ""
  const newest = status === ratedOfSide && asked.length > 0 && listing.query.sort !== "discussed" ? [sql.literal(IN_NEWEST)] : []
  return sql`seat x ${sql.literal(join)} WHERE ${sql.and([...seatOf(sql, listing.query, status), ...newest, ...asked])}`
}
const IN_NEWEST = `m.season_id = v.season_id AND m.ended_at = x.ended_at AND ${rated}`

/** All counted matches of a side, one row for each of the side's seats. */
const allOfSide = (sql: Sql, listing: Listing, of: "seat" | "match"): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  return sql`version v ${seasons} CROSS JOIN ${seatsOf(sql, listing, ratedOfSide, of)} AND ${sql.and(where)}`
}

/** Matches of one status, newest first. */
export const branch = (sql: Sql, listing: Listing, status: string, limit: number, range: Fragment): Fragment =>
  sql`(SELECT m.id, m.ended_at, NULL::float8 AS figure FROM ${tables(sql, listing)} WHERE ${whereOf(sql, listing, status)} ${range}
    ${newest(sql, limit)})`

const newest = (sql: Sql, limit: number): Fragment => sql`ORDER BY ended_at DESC, id DESC LIMIT ${bound(sql, limit)}`

/** The same for each version of a side, merged. A side, and even a version, may have two seats in one match. */
const branchOfSide = (sql: Sql, listing: Listing, status: string, limit: number, range: Fragment): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  return sql`(SELECT DISTINCT n.id, n.ended_at, NULL::float8 AS figure FROM version v ${seasons} CROSS JOIN LATERAL (
      SELECT DISTINCT x.match_id AS id, x.ended_at FROM ${seatsOf(sql, listing, status, status === ratedOfSide ? "seat" : "match")}
      ${range} ${newest(sql, limit)}) n
    WHERE ${sql.and(where)} ${newest(sql, limit)})`
}

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

/** Limits the search to the time of the fitting matches. A Date has dropped the microseconds. */
export const within = (sql: Sql, { first, last }: Pick<Fitting, "first" | "last">): Fragment => {
  if (first === null || last === null) return sql``
  return sql`AND m.ended_at >= ${first} AND m.ended_at < ${new Date(last.getTime() + 1)}`
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

/**
 * For a season: the matches with comments in their order, then the others, which all tie, newest first. Each
 * branch stops where the page ends; few matches have comments, so the second skips few of them.
 */
const discussed = (sql: Sql, listing: OfSeason, cut: Cut, fitting: Fitting): Fragment => {
  const upTo = endOf(cut)
  const silent = sql`AND NOT EXISTS (SELECT 1 FROM thread t WHERE t.match_id = m.id AND t.comments > 0) ${within(sql, fitting)}`
  return sql`SELECT * FROM (
      (${withComments(sql, listing, upTo)})
      UNION ALL
      (SELECT m.id, m.ended_at, 0 FROM ${tables(sql, listing)} WHERE ${whereOf(sql, listing, rated)} ${silent}
        ORDER BY m.ended_at DESC, m.id DESC LIMIT ${bound(sql, Math.min(upTo, fitting.total))})) listed ${discussedPage(sql, cut)}`
}

const discussedPage = (sql: Sql, { limit, offset }: Cut): Fragment =>
  sql`ORDER BY figure DESC, ended_at DESC, id DESC LIMIT ${bound(sql, limit)} OFFSET ${bound(sql, offset)}`

/** The weight classes of a match, in every way in which the class of this bit is among them: an index finds these, and not a bit. */
const withClass = (bit: number): ReadonlyArray<number> =>
  Array.from({ length: 1 << LADDERS.length }, (_, classes) => classes).filter((classes) => (classes & bit) !== 0)

/** The conditions on a discussed match `m`, which has the match's own columns. */
const discussedConditions = (sql: Sql, listing: Listing): ReadonlyArray<Fragment> => {
  const { class: asked, ...query } = listing.query
  const classes = asked === undefined ? [] : [sql.literal(`m.classes = ANY ('{${withClass(classBit(asked)).join()}}')`)]
  return [...conditions(sql, { ...listing, query }), ...classes]
}

/** The first of a season's matches with comments, by the index of discussed_match that the filter has, or by discussed_most. */
const withComments = (sql: Sql, listing: OfSeason, upTo: number): Fragment => {
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
const withCommentsOfSide = (sql: Sql, listing: Listing, upTo: number): Fragment => {
  const { seasons, where } = versionsOf(sql, listing)
  const commented = sql.and([sql.literal("m.versions @> ARRAY[v.id] AND m.comments > 0"), ...conditions(sql, listing)])
  const seated = sql.and([...seatOf(sql, listing.query, ratedOfSide), sql.literal("x.ended_at = d.ended_at AND x.match_id = d.match_id")])
  return sql`SELECT DISTINCT d.match_id AS id, d.ended_at, d.comments::float8 AS figure FROM version v ${seasons}
    CROSS JOIN LATERAL (SELECT m.match_id, m.ended_at, m.comments FROM discussed_match m WHERE ${commented} OFFSET 0) d
    CROSS JOIN LATERAL (SELECT 1 FROM seat x WHERE ${seated} OFFSET 0) found
    WHERE ${sql.and(where)} ORDER BY figure DESC, d.ended_at DESC, id DESC LIMIT ${bound(sql, upTo)}`
}

export interface Cut {
  readonly limit: number
  readonly offset: number
}

const endOf = ({ limit, offset }: Cut): number => Math.min(INT4_MAX, offset + limit)

/** Trials appear only under `newest`, and under no filter on a column that they lack: they are made for no ladder. */
export const listsTrials = ({ ladder, sort, top }: Asked) => sort === "newest" && ladder === undefined && top === undefined

/** Counts the trials that a list shows: a few for each version of the season, or of the side. */
export const countOfTrials = (sql: Sql, listing: Listing): Fragment =>
  sql`SELECT count(*)::int AS total FROM (${
    namesSide(listing.query)
      ? branchOfSide(sql, listing, passedTrialOfSide, INT4_MAX, sql``)
      : branch(sql, listing, passedTrial, INT4_MAX, sql``)
  }) tried`

/** Ids of a page, as a relation `(id, ended_at, figure)`; `orderOf` says in which order. */
export const pageOf = (sql: Sql, listing: Listing, { limit, offset }: Cut, fitting: Fitting): Fragment => {
  const { sort } = listing.query
  if (sort === "discussed" && isOfSeason(listing)) return discussed(sql, listing, { limit, offset }, fitting)
  if (isFigured(sort)) return figured(sql, listing, { limit, offset, fitting }, sort)
  // No branch is searched for more matches than there are.
  const most = Math.min(endOf({ limit, offset }), fitting.total)
  const counted = namesSide(listing.query)
    ? branchOfSide(sql, listing, ratedOfSide, most, sql``)
    : branch(sql, listing, rated, most, within(sql, fitting))
  return withTrials(sql, listing, { limit, offset }, counted)
}

export interface KnownRows {
  readonly ids: ReadonlyArray<string>
  /** Whether there are no others. */
  readonly whole: boolean
  /** When the last of the trials that fit ended, of those that may pass as well; null where there is none, undefined where unknown. */
  readonly last_trial: Date | null | undefined
}

/**
 * The same where the first rows of the list are known by their ids. By the sort:
 *
 *   newest                     `ids`: the rows from the first to the page's end; the trials are merged in
 *   discussed, `whole`         `ids`: all rows, newest first; they are put in the order of their comments
 *   discussed, others follow   `ids`: the newest rows, as many as to the page's end; the matches with comments are read and merged in
 *   longest, closest, upset    `ids`: the rows of the page
 *
 * Each row is looked at again, since a match may have been voided, or a season hidden, after it was found.
 *
 * The ids stand in a subquery, so that Postgres does not plan for their number: a page of three looked so much cheaper than one of ten that
 * it was planned anew each time, 2 ms.
 */
export const pageOfRows = (sql: Sql, listing: Listing, cut: Cut, { ids, last_trial, whole }: KnownRows): Fragment => {
  const { sort } = listing.query
  const figure = isFigured(sort) ? figures[sort] : "NULL::float8"
  const known = sql`SELECT m.id, m.ended_at, ${sql.literal(figure)} AS figure
    FROM unnest(string_to_array((SELECT ${ids.join()}), ',')::uuid[]) k(id) JOIN match m ON m.id = k.id JOIN season s ON s.id = m.season_id
    WHERE ${sql.literal(rated)} AND ${listing.season_id === null ? sees(sql, listing.viewer) : sql`m.season_id = ${listing.season_id}`}`
  if (sort === "newest") return withTrials(sql, listing, cut, known, last_trial)
  if (sort !== "discussed") return known
  if (whole) return sql`${known} ${discussedPage(sql, cut)}`
  // Those without comments follow newest first, and of the page's there are none that are not among the newest of the list.
  const discussed = isOfSeason(listing) ? withComments(sql, listing, endOf(cut)) : withCommentsOfSide(sql, listing, endOf(cut))
  return sql`SELECT * FROM (${known} UNION (${discussed})) listed ${discussedPage(sql, cut)}`
}

/** Rated matches as far as the page ends, and the trials as far as these go, newest first. */
const withTrials = (sql: Sql, listing: Listing, { limit, offset }: Cut, counted: Fragment, last_trial?: Date | null): Fragment => {
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

/** The order of a page `p`. */
export const orderOf = (sort: Sort): string =>
  isFigured(sort) ? "p.figure DESC NULLS LAST, p.ended_at DESC, p.id DESC" : "p.ended_at DESC, p.id DESC"

/** Marks of the season `s` for figures that no rating is part of (KeptLists.ts). */
export const marks = "coalesce(s.head->>'voided', '0')"
/** For figures made of ratings: these change again once they have been made without a voided match, or with other starts. */
export const ratedMarks = `${marks} || '/' || (SELECT count(*) FROM voiding w WHERE w.season_id = s.id)
  || '/' || coalesce(s.head->>'rescaled', '0')`
/** When the newest match of the season `s` ended, by match_newest. */
export const edge = `(SELECT date_trunc('milliseconds', e.ended_at) FROM match e WHERE e.season_id = s.id AND ${counts("e")} ORDER BY e.ended_at DESC LIMIT 1)`

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
