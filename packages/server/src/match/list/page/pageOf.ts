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

import type { Sort } from "@agon/api/match/api.ts"
import type { SqlClient, Statement } from "effect/sql"
import { sees } from "../../../database/visibility.ts"
import { type Fitting, isOfSeason, type Listing, namesSide } from "../listing.ts"
import { type Cut, endOf } from "./cut.ts"
import { discussed, discussedPage, withComments, withCommentsOfSide } from "./discussed.ts"
import { figured, figures, isFigured } from "./figured.ts"
import { rated, within } from "./filters.ts"
import { branch, branchOfSide, withTrials } from "./newest.ts"
import { ratedOfSide } from "./sides.ts"

type Sql = SqlClient.SqlClient
type Fragment = Statement.Fragment

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

/** The order of a page `p`. */
export const orderOf = (sort: Sort): string =>
  isFigured(sort) ? "p.figure DESC NULLS LAST, p.ended_at DESC, p.id DESC" : "p.ended_at DESC, p.id DESC"
