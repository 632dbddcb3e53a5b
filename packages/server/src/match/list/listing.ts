/** A list of matches: its season and filters as asked for, and the count of the matches that fit. page/pageOf.ts makes the statement. */
import type { MatchQuery, Sort } from "@agon/api/match/api.ts"

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

/** Whether the query names a side, whose matches are searched for in every season. */
export const namesSide = ({ model, owner, version, vs }: Asked) => (model ?? owner ?? version ?? vs) !== undefined

export type OfSeason = Listing & { readonly season_id: string }
/** Whether the matches of one season are listed, whoever sat in them. */
export const isOfSeason = (listing: Listing): listing is OfSeason => listing.season_id !== null && !namesSide(listing.query)

/** The model whose seats the statement starts from, if any: the first of two that met, where no other side is named. */
export const sideModelOf = ({ model, owner, version, vs }: Asked) =>
  model ?? (version === undefined && owner === undefined ? vs?.split(",")[0] : undefined)

/** Both models that met, where the statement starts from the first of them: starting from either gives the same answer. */
export const eitherSideOf = (query: Asked): ReadonlyArray<string> => (sideModelOf(query) === query.model ? [] : query.vs!.split(","))

/** Trials appear only under `newest`, and under no filter on a column that they lack: they are made for no ladder. */
export const listsTrials = ({ ladder, sort, top }: Asked) => sort === "newest" && ladder === undefined && top === undefined
