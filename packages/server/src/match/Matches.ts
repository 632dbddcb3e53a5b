/**
 * Reading matches. Everybody sees the matches that count, of seasons that they may see, and in lists the trials of
 * candidates that passed; a competitor sees their own in every state.
 */

import type { SignedIn, UnknownGame, UnknownSeason } from "@agon/api/Authorization.ts"
import type { Matches as MatchList, OwnMatches, Related } from "@agon/api/match/api.ts"
import type { Frame, MatchDetail, OwnMatch } from "@agon/api/match/Match.ts"
import { cutTo, nextCursor, oneMoreThan, type PageOf } from "@agon/api/Page.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { INT4_MAX } from "../database/rows.ts"
import type { Viewer } from "../database/visibility.ts"
import { firstGame, registered } from "../season/registered.ts"
import { Seasons } from "../season/Seasons.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { makeDeepPages } from "./list/DeepPages.ts"
import { isKeepable } from "./list/firstRows.ts"
import { makeListStore } from "./list/ListStore.ts"
import { type CountSeason, type FirstRows, filtersOf, isScattered, makeFirstRows, makeOwnTotals, makeTotals } from "./list/listCaches.ts"
import { type Asked, eitherSideOf, type Found, type Listing, listsTrials, namesSide } from "./list/listing.ts"
import { WholeCounts } from "./list/WholeCounts.ts"
import { type MatchRow, makeQueries } from "./queries.ts"
import { Replays } from "./Replays.ts"
import { detailOf, seatOf } from "./seats.ts"

/** A list and its season, for the tags of the answer; null where every season was searched. */
export interface ReadMatches {
  readonly list: MatchList
  readonly season: FoundSeason | null
}
export interface ReadMatch {
  readonly match: MatchDetail
  readonly season_id: string
}

export class Matches extends Context.Service<
  Matches,
  {
    readonly list: (query: Asked, viewer: Viewer) => Effect.Effect<ReadMatches, UnknownGame | UnknownSeason | Unavailable>
    readonly get: (id: string, viewer: Viewer) => Effect.Effect<ReadMatch, NotFound>
    readonly frame: (
      id: string,
      viewer: Viewer
    ) => Effect.Effect<{ readonly frame: Frame; readonly season_id: string }, NotFound | Unavailable>
    /** Other counted matches that the viewer may see, for the page of one. */
    readonly related: (
      id: string,
      viewer: Viewer
    ) => Effect.Effect<
      { readonly list: Related; readonly season_id: string; readonly models: ReadonlyArray<string> },
      NotFound | Unavailable
    >
    /** In any state; ask `ownedBy` first. */
    readonly ownOne: (account: SignedIn, id: string) => Effect.Effect<OwnMatch, NotFound>
    /** Whether the account has a seat in it; not where `id` is no UUID. */
    readonly ownedBy: (account_id: string, id: string) => Effect.Effect<boolean>
    /** In every state, of one game, or of all where that is undefined. */
    readonly own: (account: SignedIn, game: string | undefined, page: PageOf) => Effect.Effect<OwnMatches, UnknownGame | Unavailable>
  }
>()("agon/Matches") {
  static readonly layer: Layer.Layer<Matches, never, SqlClient.SqlClient | Seasons | Replays> = Layer.effect(
    Matches,
    Effect.suspend(() => makeMatches)
  ).pipe(Layer.provide(WholeCounts.layer))
}

/** The contract's number (docs/contract.md#fields-of-a-match). */
const RELATED_MAX = 12

const unknown = new NotFound({ detail: "There is no such match." })

/** The share of a season's time, until now or its end, in which all of these matches were played. */
const shareOf = ({ record }: FoundSeason, { first, last }: Found, now: number) => {
  if (first === null || last === null) return 0
  const length = (record.closed_at === null ? now : Date.parse(record.closed_at)) - Date.parse(record.submissions_open_at)
  return Math.min(1, (last.getTime() - first.getTime()) / Math.max(1, length))
}

/** Starts from the model with fewer matches, of two that met: the other may have a hundred times as many. */
const fromNarrowest = Effect.fnUntraced(function* (queries: Effect.Success<typeof makeQueries>, query: Asked) {
  const either = eitherSideOf(query)
  if (either.length === 0) return query
  return { ...query, vs: (yield* narrowestFirst(queries, either)).join(",") }
})

const narrowestFirst = Effect.fnUntraced(function* (queries: Effect.Success<typeof makeQueries>, models: ReadonlyArray<string>) {
  if (models.length < 2) return models
  const first = yield* Effect.orDie(queries.narrowest(models))
  return [first, ...models.filter((model) => model !== first)]
})

/** Whether a page is past the end: anybody can ask for one, and it must not cost a scan of the whole list. */
const makeIsPastEnd = (queries: Effect.Success<typeof makeQueries>, inTurn: ReturnType<typeof makeDeepPages>) =>
  Effect.fnUntraced(function* (listing: Listing, { total }: Found) {
    const { query } = listing
    if (query.cursor < total || query.cursor === 0) return false
    if (!listsTrials(query)) return true
    const trials = inTurn({ upTo: query.cursor, isWhole: onlySeason(query) }, Effect.orDie(queries.countOfTrials(listing)))
    return query.cursor >= total + (yield* trials)
  })

const makeLists = Effect.fnUntraced(function* (
  queries: Effect.Success<typeof makeQueries>,
  countSeason: CountSeason,
  firstRows: FirstRows
) {
  const seasons = yield* Seasons
  const inTurn = makeDeepPages()
  const isPastEnd = makeIsPastEnd(queries, inTurn)

  /** With a side and no season every season is searched; without either, the featured one. */
  const seasonOf = Effect.fnUntraced(function* (query: Asked, viewer: Viewer) {
    if (query.season === undefined && namesSide(query)) {
      if (query.game !== undefined) yield* registered(query.game)
      return undefined
    }
    if (query.season !== undefined && query.game === undefined) return yield* seasons.findAnywhere(query.season, viewer)
    return yield* seasons.find(query.game ?? firstGame, query.season, viewer)
  })

  /** The list's total, before its page is read, and its first rows where they are kept. */
  const knownOf = Effect.fnUntraced(function* (listing: Listing, season: FoundSeason | undefined) {
    const of = season?.record.matches_played ?? 0
    const all = { of, span: of, first: null, last: null }
    if (season === undefined || namesSide(listing.query)) {
      const { total, ...first } = yield* firstRows.ofSide(listing)
      return { fitting: { ...all, total }, first }
    }
    if (onlySeason(listing.query)) return { fitting: { ...all, total: of } }
    const ofSeason = { ...listing, season_id: season.id }
    const fits = yield* countSeason(ofSeason, of)
    const fitting = { of, span: of * shareOf(season, fits, yield* Clock.currentTimeMillis), ...fits }
    return isScattered(fitting, listing) ? { fitting, first: yield* firstRows.ofSeason(ofSeason, fitting) } : { fitting }
  })

  const page = Effect.fnUntraced(function* (listing: Listing, season: FoundSeason | undefined) {
    const { first, fitting } = yield* knownOf(listing, season)
    const { cursor, sort } = listing.query
    if (yield* isPastEnd(listing, fitting)) return { rows: [], total: fitting.total }
    const cut = oneMoreThan(listing.query)
    const upTo = cut.offset + cut.limit
    if (first === undefined || (!first.whole && first.rows.length < upTo))
      return {
        rows: yield* inTurn({ upTo, isWhole: onlySeason(listing.query) }, Effect.orDie(queries.cards(listing, cut, fitting))),
        total: fitting.total
      }
    // Matches get comments at any time: they are put in order anew.
    const isOrdered = isKeepable(sort)
    const from = isOrdered && sort !== "newest" ? cursor : 0
    const ids = first.rows.slice(from, isOrdered || !first.whole ? upTo : undefined).map(({ id }) => id)
    const last_trial = namesSide(listing.query) ? undefined : first.last_trial
    const known = { ids, last_trial, whole: first.whole }
    return { rows: yield* Effect.orDie(queries.cardsOfRows(listing, cut, known)), total: fitting.total }
  })

  return Effect.fn("Matches.list")(function* (asked: Asked, viewer: Viewer) {
    const season = yield* seasonOf(asked, viewer)
    const query = yield* fromNarrowest(queries, asked)
    const listing = { season_id: season?.id ?? null, game: season === undefined ? (query.game ?? null) : null, viewer, query }
    const { rows, total } = hasNul(query) ? NOTHING : yield* page(listing, season)
    const { next_cursor, shown: matches } = cutTo(query, rows)
    return { list: { season: season?.record.slug ?? null, total, matches, sort: query.sort, next_cursor }, season: season ?? null }
  })
})

const NOTHING = { rows: [], total: 0 }

/** Postgres text cannot hold a NUL, so such a filter matches nothing. */
const hasNul = ({ map = "", owner = "" }: Asked) => `${map}${owner}`.includes("\0")

/** Whether the list is that of the whole season, whose counter has its number of matches. */
const onlySeason = (query: Asked) => filtersOf(query).length === 0

const storedReplay = ({ id, replay_by_match, replay_hash, replay_inline }: MatchRow) =>
  replay_hash === null ? undefined : { id, replay_by_match, replay_hash, replay_inline }

type ShownReplay = Pick<MatchDetail, "replay_url" | "replay_removed_at">

const makeReplayOf =
  (replays: Replays["Service"]) =>
  (row: MatchRow): Effect.Effect<ShownReplay> => {
    const stored = storedReplay(row)
    if (stored !== undefined) return Effect.map(replays.urlOf(stored), (replay_url) => ({ replay_url }))
    const { replay_removed_at } = row
    return Effect.succeed(replay_removed_at === null ? {} : { replay_removed_at })
  }

const makeOwn = (
  queries: Effect.Success<typeof makeQueries>,
  ownTotal: ReturnType<typeof makeOwnTotals>,
  replayOf: ReturnType<typeof makeReplayOf>
) => {
  const ownOf = (row: MatchRow, account: SignedIn) =>
    Effect.map(replayOf(row), (replay) => ({
      ...detailOf(row),
      ...replay,
      created_at: row.created_at,
      seats: row.seats.map((seat) => ({ ...seatOf(row, seat), mine: seat.owner_id === account.id }))
    }))

  const ownOne = Effect.fn("Matches.ownOne")(function* (account: SignedIn, id: string) {
    const row = yield* Effect.orDie(queries.ownById(id))
    return Option.isSome(row) ? yield* ownOf(row.value, account) : yield* unknown
  })

  const ownedBy = (owner_id: string, id: string) =>
    isUuid(id) ? Effect.map(Effect.orDie(queries.ownedBy({ id, owner_id })), Option.isSome) : Effect.succeed(false)

  const own = Effect.fn("Matches.own")(function* (account: SignedIn, game: string | undefined, { cursor, limit }: PageOf) {
    if (game !== undefined) yield* registered(game)
    const of = { owner_id: account.id, game: game ?? null }
    const up_to = Math.min(INT4_MAX, cursor + limit)
    const rows = yield* Effect.orDie(queries.own({ ...of, limit, offset: cursor, up_to }))
    const total = yield* ownTotal(of)
    const matches = yield* Effect.forEach(rows, (row) => ownOf(row, account))
    return { matches, total, next_cursor: nextCursor(cursor, rows.length, total) }
  })

  return { own, ownOne, ownedBy }
}

const makeMatches = Effect.gen(function* () {
  const queries = yield* makeQueries
  const whole = yield* WholeCounts
  const countSeason = makeTotals(queries, whole)
  const store = yield* makeListStore
  const list = yield* makeLists(queries, countSeason, makeFirstRows(queries, whole, store))
  const replays = yield* Replays

  const find = Effect.fnUntraced(function* (id: string, viewer: Viewer) {
    const row = yield* Effect.orDie(queries.publicById({ id, viewer }))
    return Option.isSome(row) ? row.value : yield* unknown
  })

  const replayOf = makeReplayOf(replays)

  const get = Effect.fn("Matches.get")(function* (id: string, viewer: Viewer) {
    const row = yield* find(id, viewer)
    return {
      season_id: row.season_id,
      match: { ...detailOf(row), seats: row.seats.map((seat) => seatOf(row, seat)), ...(yield* replayOf(row)) }
    }
  })

  const frame = Effect.fn("Matches.frame")(function* (id: string, viewer: Viewer) {
    const row = yield* find(id, viewer)
    const stored = storedReplay(row)
    const view = stored === undefined ? null : yield* replays.lastViewOf(stored, row.replay_bytes ?? 0)
    const seats = row.seats.map(({ model, owner, rank, score, seat }) => ({ seat, model, owner, score: score ?? 0, rank: rank ?? 0 }))
    return { season_id: row.season_id, frame: { match: id, turn: row.turns ?? 0, seats, view: view as Frame["view"] } }
  })

  const related = Effect.fn("Matches.related")(function* (id: string, viewer: Viewer) {
    const { map, season_id, seats } = yield* find(id, viewer)
    const models = yield* narrowestFirst(queries, [...new Set(seats.map(({ model_id }) => model_id))])
    const query: Asked = { map, sort: "newest", limit: RELATED_MAX, cursor: 0 }
    // A board may have been out of play for long: the search is limited to the time of its matches.
    const onBoard = yield* countSeason({ season_id, game: null, viewer, query }, Infinity)
    const matches = yield* Effect.orDie(
      queries.related({ ...{ id, season_id, map, models, viewer }, limit: RELATED_MAX, on_board: onBoard })
    )
    return { season_id, models, list: { matches, total: matches.length, next_cursor: null } }
  })

  return Matches.of({ list, get, frame, related, ...makeOwn(queries, makeOwnTotals(queries, whole, store), replayOf) })
})
