/** `SeasonStore` on PostgreSQL, over the actors' own pool. */

import { parseLease } from "@agon/domain/season/Lease.ts"
import { LADDERS } from "@agon/domain/season/Rules.ts"
import { type LadderRatingRow, ratingNumber } from "@agon/domain/season/rating/LadderRating.ts"
import type { Snapshot } from "@agon/domain/season/State.ts"
import { answerAgain, type EndedWork } from "@agon/domain/season/scheduler/answerAgain.ts"
import type { OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import type { Left } from "@agon/domain/season/VersionCounts.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Clock, Effect, Layer } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { removedOwners } from "../../account/ownerQueries.ts"
import { SeasonSql } from "../../database/Database.ts"
import { gathered } from "../../http/gathered.ts"
import { SeasonClosed } from "../Mailbox.ts"
import { type Claimed, Fenced, SeasonStore, StoreFailed } from "../SeasonStore.ts"
import { RATINGS_PER_S, SLOW_MS, WaitingRatings } from "../WaitingRatings.ts"
import * as reading from "./claim.ts"
import { commit } from "./commit.ts"
import { inOrder } from "./inOrder.ts"
import * as log from "./log.ts"
import { unpack } from "./redo.ts"

/** See `WaitingRatings`. Without `slow_ms` no commit is slow. */
interface Options {
  /** The rating rows of a season that are written in a second. */
  readonly ratings_per_s: number
  readonly slow_ms?: number
}

/** Read under the lock that `reading.claim` holds on the season's row, so no commit comes between two tables. */
const readAll = Effect.fnUntraced(function* (sql: PgClient, season: string, row: reading.SeasonRow, options: Options) {
  const { at, epoch, game, head, ratings_round, seq, slug, ...settings } = row
  const waited = keptOf(yield* reading.redo(sql, season), head.round)
  const versions = yield* reading.versions(sql, season)
  const gone = yield* reading.gone(sql, season)
  const boards = yield* reading.boards(sql, season)
  const rounds = yield* reading.rounds(sql, season)
  const live = yield* reading.live(sql, season)
  const reviews = yield* reading.reviews(sql, season)
  const voiding = yield* reading.voiding(sql, season)
  const inPlay = yield* reading.ratings(sql, season)
  const out = yield* reading.ratingsOut(sql, season, outOfPlay(versions, live))
  const rows = inOrder([...inPlay, ...out])
  const ratings = waited.size === 0 ? rows : rows.map((row) => newest(row, waited.get(ratingNumber(row))?.row))
  const left = gone.filter((each): each is reading.Gone & Left => each.weights_hash !== null)
  const owners = lastSubmissions([versions, gone], head.now)
  const snapshot = { id: season, head, settings, versions, left, owners, ratings, boards, rounds, live, reviews, voiding }
  return {
    name: { id: season, game, slug },
    fence: {
      season,
      epoch,
      seq,
      at,
      waiting: new WaitingRatings(
        options.ratings_per_s,
        { kept: firstOf(waited), behind: ratings_round < head.round, rescaled: head.rescaled },
        options.slow_ms
      )
    },
    snapshot
  } satisfies Claimed
})

/** Versions that may still change although out of play: those seated in an open match, and those that may come back. */
const outOfPlay = (versions: ReadonlyArray<Version>, live: ReadonlyArray<OpenMatch>): ReadonlyArray<string> => {
  const off = versions.filter(({ status }) => status === "disabled" || status === "disqualified").map(({ id }) => id)
  return [...new Set([...off, ...live.flatMap(({ versions }) => versions)])]
}

/** The cooldown runs from an owner's last submission. One of a later time than the season's was made by a clock that was ahead. */
const lastSubmissions = (all: ReadonlyArray<ReadonlyArray<Pick<Version, "owner" | "created_at">>>, now: number): Snapshot["owners"] => {
  const last = new Map<string, number>()
  for (const versions of all) {
    for (const { created_at, owner } of versions) {
      if (owner !== null && created_at <= now && created_at > (last.get(owner) ?? -Infinity)) last.set(owner, created_at)
    }
  }
  return Array.from(last, ([id, last_submitted_at]) => ({ id, last_submitted_at }))
}

/**
 * The kept rating counts, unless its row belongs to a later round: a rating that moved in that
 * round would have been kept again.
 */
const newest = (row: LadderRatingRow, kept: LadderRatingRow | undefined): LadderRatingRow =>
  kept === undefined || !row.active || kept.round < row.round ? row : kept

/** A rating among kept commits: its last record, and the number of the first commit that has one. */
interface Kept {
  readonly row: LadderRatingRow
  first: number
}

/**
 * By `ratingNumber`. Read from the last commit to the first: after a season has played at full speed there are hundreds of thousands
 * of records, of which few are the last.
 */
const keptOf = (
  commits: ReadonlyArray<{ readonly seq: number; readonly ratings: Uint8Array }>,
  round: number
): ReadonlyMap<number, Kept> => {
  const kept = new Map<number, Kept>()
  for (const { ratings, seq } of commits.toReversed()) {
    const isLast = (ladder: number, ord: number): boolean => {
      const later = kept.get(ratingNumber({ ladder: LADDERS[ladder]!, ord }))
      if (later !== undefined) later.first = seq
      return later === undefined
    }
    for (const row of unpack(ratings, round, isLast)) kept.set(ratingNumber(row), { row, first: seq })
  }
  return kept
}

const firstOf = (kept: ReadonlyMap<number, Kept>) => new Map(Array.from(kept, ([rating, { first }]) => [rating, first] as const))

/** Ended work, by its season and id: runners repeat results by the hundred, and all that wait share one statement. */
const makeEndedWork = (sql: PgClient) =>
  gathered<EndedWork>((names) =>
    Effect.map(Effect.orDie(reading.endedWork(sql, names.map(workOf))), (rows) => new Map(rows.map((row) => [nameOf(row), row]))).pipe(
      Effect.withSpan("SeasonStore.answerOf")
    )
  )
const nameOf = ({ id, season }: { readonly season: string; readonly id: string }) => `${season} ${id}`
const workOf = (name: string) => {
  const [season, id] = name.split(" ") as [string, string]
  return { season, id }
}

const make = Effect.fnUntraced(function* (sql: PgClient, options: Options) {
  const endedWork = yield* makeEndedWork(sql)
  const removed = removedOwners(sql)
  const storeFailed = (season: string) => (cause: SqlError) => new StoreFailed({ season, cause })
  return SeasonStore.of({
    claim: Effect.fn("SeasonStore.claim")(function* (season) {
      const claiming = Effect.gen(function* () {
        const [row] = yield* reading.claim(sql, season)
        return row === undefined ? undefined : yield* readAll(sql, season, row, options)
      })
      const claimed = yield* sql.withTransaction(claiming).pipe(Effect.mapError(storeFailed(season)))
      return claimed ?? (yield* new SeasonClosed({ season }))
    }),

    commit: Effect.fnUntraced(function* (fence, state) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* Effect.mapError(commit(sql, fence, state, now), storeFailed(fence.season))
      if (row?.held !== 1) return yield* new Fenced({ season: fence.season })
      const ended = yield* Clock.currentTimeMillis
      fence.waiting.took(ended - now, ended)
      return { ...fence, seq: fence.seq + 1, at: row.at }
    }),

    answerOf: Effect.fnUntraced(function* (season, lease, key) {
      const name = parseLease(lease)
      if (name === undefined) return { accepted: false, reason: "unknown" }
      const found = endedWork(nameOf({ season, id: name.id }))
      const row = yield* Effect.catchDefect(found, (cause) => Effect.fail(new StoreFailed({ season, cause })))
      return answerAgain(row, { n: name.n, key })
    }),

    log: log.make(sql),

    removed: Effect.fn("SeasonStore.removed")(function* (season, accounts) {
      const rows = yield* Effect.mapError(removed({ season_id: season, accounts }), (cause) => new StoreFailed({ season, cause }))
      return new Set(rows.map(({ id }) => id))
    }),

    written: Effect.fn("SeasonStore.written")(function* (season, ids) {
      const rows = yield* Effect.mapError(reading.written(sql, ids), storeFailed(season))
      return new Set(rows.map(({ id }) => id))
    }),

    open: reading
      .openSeasons(sql)
      .pipe(
        Effect.mapBoth({ onFailure: storeFailed("*"), onSuccess: (rows) => rows.map((row) => row.id) }),
        Effect.withSpan("SeasonStore.open")
      )
  })
})

export const layerOf = (options: Options) =>
  Layer.effect(
    SeasonStore,
    Effect.flatMap(SeasonSql, (sql) => make(sql, options))
  )
export const layer = layerOf({ ratings_per_s: RATINGS_PER_S, slow_ms: SLOW_MS })
