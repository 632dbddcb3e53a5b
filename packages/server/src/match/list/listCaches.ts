/**
 * The caches behind the lists of matches, for everybody who reads one:
 *
 *   totals        how many matches of a season fit a filter     KeptCounts.ts
 *   first rows    of lists that would take long to find         KeptLists.ts
 *   own totals    how many matches an owner has, in any state   KeptLists.ts, without rows
 */

import { hash } from "node:crypto"
import { Effect } from "effect"
import type { SqlError } from "effect/sql"
import type { makeQueries, OfOwner } from "../queries.ts"
import { FIRST_ROWS, isKeepable } from "./firstRows.ts"
import { KeptCounts } from "./KeptCounts.ts"
import { KeptLists, type ListStore } from "./KeptLists.ts"
import type { Asked, Fitting, Found, Listing, OfSeason } from "./listing.ts"
import { isTallied } from "./seasonCounts.ts"
import type { WholeCount } from "./WholeCounts.ts"

type Queries = Effect.Success<typeof makeQueries>

/** Filters whose matches are counted once and then kept up to date; some 300 bytes each. */
const FILTERS_MAX = 10_000

/** Matches of a season that are counted within a request; 0.1 s. */
const LARGE_SEASON = 500_000

/** Matches that are counted by their numbers besides those counted beside the season; 0.1 s. */
const UNTALLIED_MAX = 50_000

/** A count of everything: by what is counted beside the season, where few of its matches are not, or else another. */
export const byTallies = <A, E, F>(
  untallied: Effect.Effect<number, SqlError.SqlError>,
  tallied: Effect.Effect<A, E>,
  anew: Effect.Effect<A, F>
): Effect.Effect<A, E | F> =>
  Effect.flatMap(Effect.orDie(untallied), (left): Effect.Effect<A, E | F> => (left < UNTALLIED_MAX ? tallied : anew))

const pick = (one: Date | null, other: Date | null, isBetter: (one: Date, other: Date) => boolean): Date | null =>
  one === null || other === null ? (one ?? other) : isBetter(one, other) ? one : other

/** Matches that were numbered later have ended later, unless a clock was ahead. */
const join = (before: Found, later: Found): Found => ({
  total: before.total + later.total,
  first: pick(before.first, later.first, (one, other) => one <= other),
  last: pick(before.last, later.last, (one, other) => one >= other),
  ...(later.upTo === undefined ? {} : { upTo: later.upTo })
})

/** The matches of a season that fit a filter; `of` is how many it has, as far as that is known. */
export const makeTotals = (queries: Queries, whole: WholeCount) => {
  const kept = new KeptCounts<Found>({ join, most: FILTERS_MAX })
  return (listing: OfSeason, of: number) => {
    const name = filterOf(listing)
    const count = (after: number) => Effect.orDie(queries.countOfSeason(listing, after))
    return kept.read(name, count, (keep) => {
      const everything = keep(count(0))
      const anew = of < LARGE_SEASON ? everything : whole(name, everything)
      if (!isTallied(listing.query)) return anew
      return byTallies(queries.untallied(listing.season_id), keep(Effect.orDie(queries.talliedOfSeason(listing))), anew)
    })
  }
}
export type CountSeason = ReturnType<typeof makeTotals>

/** Rows kept of the lists of sides, and of those of seasons; some 100 bytes each. */
const ROWS_MAX = 200_000
/** Matches of a side that are read within a request: 0.2 s, and 2 s where each is looked up for its figure. */
const LARGE_SIDE = 50_000

/** Where the order of a list cannot be kept, its first rows are the newest. */
const orderable = <L extends Listing>(listing: L): L =>
  isKeepable(listing.query.sort) ? listing : { ...listing, query: { ...listing.query, sort: "newest" } }

export const makeFirstRows = (queries: Queries, whole: WholeCount, store: ListStore) => {
  const options = { rows: FIRST_ROWS, all: ROWS_MAX, store }
  const [sides, seasons] = [new KeptLists(options), new KeptLists(options)]

  return {
    /** A large side is read anew beside the requests that ask for it. */
    ofSide: (asked: Listing) => {
      const listing = orderable(asked)
      const { query: _, ...of } = listing
      const name = listOf(listing)
      return sides.read(
        name,
        (since) => Effect.orDie(queries.cameOfSide(listing, since)),
        (everything) =>
          Effect.flatMap(Effect.orDie(queries.matchesOfSide(listing)), (matches) =>
            matches < LARGE_SIDE ? everything : whole(JSON.stringify([name, of.game, of.viewer]), everything)
          )
      )
    },

    ofSeason: (asked: OfSeason, fitting: Fitting) => {
      const listing = orderable(asked)
      const name = listOf(listing)
      return seasons.read(
        name,
        (since) => Effect.orDie(queries.cameOfSeason(listing, since, fitting)),
        (everything) => (fitting.of < LARGE_SEASON ? everything : whole(name, everything))
      )
    }
  }
}

/** The number of an owner's matches in every state, kept season by season as lists are, without rows. */
export const makeOwnTotals = (queries: Queries, whole: WholeCount, store: ListStore) => {
  const owners = new KeptLists({ rows: 0, all: ROWS_MAX, store })
  return (of: OfOwner) => {
    const name = `own ${JSON.stringify(of)}`
    return Effect.map(
      owners.read(
        name,
        (since) => Effect.orDie(queries.cameOfOwner(of, since)),
        (everything) =>
          Effect.flatMap(Effect.orDie(queries.matchesOfOwner(of)), (matches) =>
            matches < LARGE_SIDE ? everything : whole(name, everything)
          )
      ),
      ({ total }) => total
    )
  }
}

/** So many matches are passed by for each that fits before the first rows of a list are kept: under other sorts each is looked up. */
const SCATTERED = { newest: 40, figured: 1.5 }
export const isScattered = ({ of, total }: Fitting, { query: { cursor, limit, sort } }: Listing) => {
  const times = isKeepable(sort) && sort !== "newest" ? SCATTERED.figured : SCATTERED.newest
  return cursor + limit < FIRST_ROWS && of > total * times
}

export type FirstRows = ReturnType<typeof makeFirstRows>

const shaping = new Set(["game", "season", "sort", "limit", "cursor"])
/** The filters of the query, without the season and the page. */
export const filtersOf = (query: Asked) => Object.entries(query).filter(([name, value]) => !shaping.has(name) && value !== undefined)

/** The same for the lists of a filter in one order. */
const listOf = (listing: Listing) => `${listing.query.sort} ${filterOf(listing)}`

/** A longer name is kept by its hash: a query may name what no season has, as long as a URL may be. */
const NAME_LENGTH_MAX = 256

/** One cache name for all pages of a filter, whatever the order of its parts. */
export const filterOf = ({ query, season_id }: Pick<Listing, "query" | "season_id">): string => {
  const name = JSON.stringify([season_id, ...filtersOf(query).toSorted(([a], [b]) => (a < b ? -1 : 1))])
  return name.length > NAME_LENGTH_MAX ? hash("sha256", name, "base64url") : name
}
