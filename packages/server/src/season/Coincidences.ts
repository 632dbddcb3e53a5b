/**
 * Results and networks that agree in a season more than chance allows (docs/rating.md#pairs-of-owners), for
 * its administrators. Nothing follows from it by itself.
 *
 * It is computed when somebody asks, from the latest rated matches, beside the season: pages of rows on a
 * connection of the service, neither in the season's commit nor in its mailbox. The result is kept for
 * some minutes, since it changes little, and one season at a time is computed, so that asking for many
 * costs no more than one connection.
 */
import type { Coincidences as Answer } from "@agon/api/season/coincidences.ts"
import { type Companion, Companions } from "@agon/domain/rating/coincidence/Companions.ts"
import { type OwnedSeat, type OwnerPair, OwnerPairs } from "@agon/domain/rating/coincidence/OwnerPairs.ts"
import { likenessesOf } from "@agon/domain/submission/Likenesses.ts"
import { Cache, Context, DateTime, Effect, Exit, Layer, Semaphore } from "effect"
import type { SqlClient } from "effect/sql"
import { CurrentCallerClass } from "../database/CallerClass.ts"
import { INT4_MAX } from "../database/rows.ts"
import { twoDecimals } from "../rating/shown.ts"
import { makeQueries, type PlayedRow } from "./coincidenceQueries.ts"

/** Matches that are looked at: 2 seconds where they have two seats. */
const MATCHES_MAX = 100_000
/**
 * Pairs of seats that are looked at: 36,000 matches of eight seats. With 2,000 owners these take 18 seconds, since
 * most of their pairs are forgotten and met again.
 */
const PAIRS_MAX = 1_000_000
/** The matches that one statement reads, in some 20 ms. */
const MATCHES_OF_PAGE = 2_000
/** Matches that are counted in one go: up to 10 ms where they have eight seats. */
const MATCHES_AT_ONCE = 50
/** The latest versions that are compared with each other. */
const VERSIONS_MAX = 1_000
const BASELINES_MAX = 200
const ANSWER_TTL = "5 minutes"
const ANSWERS_MAX = 64

export class Coincidences extends Context.Service<
  Coincidences,
  {
    /** At most five minutes old. */
    readonly of: (season_id: string) => Effect.Effect<Answer>
  }
>()("agon/Coincidences") {
  static readonly layer: Layer.Layer<Coincidences, never, SqlClient.SqlClient> = Layer.effect(
    Coincidences,
    Effect.suspend(() => makeCoincidences)
  )
}

const makeCoincidences = Effect.gen(function* () {
  const queries = yield* makeQueries
  const turn = yield* Semaphore.make(1)

  const read = Effect.fnUntraced(function* (season_id: string) {
    const pairs = new OwnerPairs()
    const companions = new Companions()
    let matches = 0
    let seated = 0
    let before = INT4_MAX
    for (let pages = 0; pages < MATCHES_MAX / MATCHES_OF_PAGE && seated < PAIRS_MAX; pages++) {
      const page = yield* queries.played({ season_id, before, limit: MATCHES_OF_PAGE })
      const played = page.filter(({ owners }) => owners.length > 0)
      for (const [at, match] of played.entries()) {
        const seats = seatsOf(match)
        pairs.add(seats)
        companions.add(seats)
        seated += (seats.length * (seats.length - 1)) / 2
        if (at % MATCHES_AT_ONCE === 0) yield* Effect.yieldNow
      }
      matches += played.length
      if (page.length < MATCHES_OF_PAGE) break
      before = page.at(-1)!.n
    }
    return { matches, between: pairs.judge(), beside: companions.judge() }
  })

  const compare = Effect.fnUntraced(function* (season_id: string) {
    const versions = yield* queries.entrants({ season_id, limit: VERSIONS_MAX })
    const shown = new Map(versions.map(({ id, model, username, version }) => [id, { version_id: id, owner: username, model, version }]))
    const baselines = new Set((yield* queries.baselines({ season_id, limit: BASELINES_MAX })).map(({ weights_hash }) => weights_hash))
    const found = likenessesOf(versions, baselines)
    const same_weights = found.map(({ earlier, later }) => ({ earlier: shown.get(earlier)!, later: shown.get(later)! }))
    return { versions_compared: versions.length, same_weights }
  })

  const compute = Effect.fn("Coincidences.compute")(function* (season_id: string) {
    const { beside, between, matches } = yield* read(season_id)
    const owners = [
      ...new Set([
        ...between.pairs.flatMap(({ gainer, giver }) => [gainer, giver]),
        ...beside.pairs.flatMap(({ companion, owner }) => [companion, owner])
      ])
    ]
    const names = new Map((yield* queries.names(owners)).map(({ id, username }) => [id, username]))
    const computed_at = (yield* DateTime.nowAsDate).toISOString()
    const pairs = between.pairs.map((pair) => shownPair(pair, names))
    const companions = beside.pairs.map((pair) => shownCompanion(pair, names))
    return {
      ...{ matches, pairs_judged: between.judged, pairs, companions_judged: beside.judged, companions },
      ...{ ...(yield* compare(season_id)), computed_at }
    }
  }, Effect.orDie)

  const kept = yield* Cache.makeWith(
    (season_id: string) => turn.withPermits(1)(Effect.provideService(compute(season_id), CurrentCallerClass, "service")),
    { capacity: ANSWERS_MAX, timeToLive: (exit) => (Exit.isSuccess(exit) ? ANSWER_TTL : 0) }
  )
  return Coincidences.of({ of: (season_id) => Cache.get(kept, season_id) })
})

const seatsOf = ({ mus, owners, ranks, sigmas }: PlayedRow): ReadonlyArray<OwnedSeat> =>
  owners.map((owner, i) => ({ owner, mu: mus[i]!, sigma: sigmas[i]!, rank: ranks[i]! }))

const shownPair = (pair: OwnerPair, names: ReadonlyMap<string, string>) => ({
  gainer: names.get(pair.gainer)!,
  giver: names.get(pair.giver)!,
  matches: pair.matches,
  points: twoDecimals(pair.points),
  expected_points: twoDecimals(pair.expected_points),
  deviations: twoDecimals(pair.z),
  chance: pair.chance
})

const shownCompanion = (pair: Companion, names: ReadonlyMap<string, string>) => ({
  owner: names.get(pair.owner)!,
  companion: names.get(pair.companion)!,
  matches: pair.matches,
  share: twoDecimals(pair.points / pair.matches),
  expected_share: twoDecimals(pair.expected_points / pair.matches),
  deviations: twoDecimals(pair.z),
  chance: pair.chance
})
