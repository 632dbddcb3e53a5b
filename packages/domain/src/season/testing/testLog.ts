/** The rows of ended matches, for tests that void a match: the log as a store would read and rewrite it. */

import type { Of } from "../Command.ts"
import type { Earlier, EndedMatch, LeftRating, LoggedMatch, LogPage, LogPlace } from "../Log.ts"
import { type Ladder, laddersRated } from "../Rules.ts"
import { begin, type Changes, fold } from "../rating/Fold.ts"
import { TAIL_MATCHES_MAX } from "../rating/Installing.ts"
import type { InheritedRating, SeriesPoint } from "../rating/LadderRating.ts"
import { HISTORY_KEPT } from "../rating/Resets.ts"
import { startsDue } from "../rating/Starts.ts"
import { step } from "../Season.ts"
import type { State } from "../State.ts"
import type { Ended } from "../scheduler/Match.ts"
import type { Version } from "../Version.ts"
import type { Writes } from "../Writes.ts"
import { copied } from "./copied.ts"

export interface Books {
  readonly ended: Map<string, Ended>
  readonly seeds: Map<string, InheritedRating>
  readonly ratings: Map<string, LeftRating>
  readonly series: Map<string, SeriesPoint>
  /** Those that were rejected, or more. */
  readonly versions: Map<string, Version>
}

/** The books of matches alone. */
type Log = Omit<Books, "ratings" | "versions">

export const books = (): Books => ({ ended: new Map(), seeds: new Map(), ratings: new Map(), series: new Map(), versions: new Map() })

/** Writes the rows that a commit would. */
export const writeEnded = (to: Log, { ended, rerated, seeds, series, voided }: Writes): void => {
  for (const { detail, id } of voided) {
    const row = to.ended.get(id)!
    const seats = row.seats.map((seat) => ({ ...seat, rank: 0, place: null, made: null, open: null }))
    const failed = { ending: "failed", rated_n: null, fault_reason: "replay_mismatch", fault_detail: detail } as const
    to.ended.set(id, { ...row, ...failed, seats })
  }
  for (const row of ended) {
    if (to.ended.has(row.id)) throw new Error(`match ${row.id} ended twice`) // the primary key
    to.ended.set(row.id, copied(row))
  }
  writeChanges(to, { seats: rerated, seeds, points: series })
}

/** A match that was voided meanwhile stays as it is. */
export const writeChanges = ({ ended, seeds, series }: Log, changes: Changes): void => {
  for (const { made, match, open, seat } of changes.seats) {
    const row = ended.get(match)!
    if (row.rated_n === null) continue
    ended.set(match, { ...row, seats: row.seats.map((one, i) => (i === seat ? { ...one, made, open } : one)) })
  }
  for (const point of changes.points) series.set(`${point.ladder} ${point.at}`, copied(point))
  for (const seed of changes.seeds) seeds.set(`${seed.ladder} ${seed.version}`, seed)
}

export const write = (to: Books, { writes }: State): void => {
  writeEnded(to, writes)
  for (const [id, version] of writes.rejected) to.versions.set(id, copied(version))
  for (const { busy: _busy, key: _key, suspended: _suspended, ...row } of writes.ratings)
    to.ratings.set(`${row.ladder} ${row.version}`, copied(row))
}

const counted = ({ ended }: Pick<Books, "ended">): ReadonlyArray<LoggedMatch> =>
  ([...ended.values()].filter(({ rated_n }) => rated_n !== null) as unknown as Array<LoggedMatch>).sort((a, b) => a.rated_n - b.rated_n)

export const endedOf = (of: Books, match: string): EndedMatch | undefined => {
  const row = of.ended.get(match)
  if (row === undefined) return undefined
  const candidate = row.candidate === null ? undefined : of.versions.get(row.candidate)
  const rejected = candidate?.reject_reason === "trial_failed" ? copied(candidate) : null
  return { ...row, left: leftOf(of, row.versions), rejected }
}

export const leftOf = ({ ratings }: Pick<Books, "ratings">, versions: ReadonlyArray<string>): ReadonlyArray<LeftRating> =>
  copied([...ratings.values()].filter(({ active, version }) => !active && versions.includes(version)))

export const placeOf = (of: Pick<Books, "ended">, round: number): LogPlace => ({
  round,
  after: counted(of).findLast((match) => match.round < round)?.rated_n ?? 0
})

/** `end`: includes what came after the last match. */
export const pageOf = (of: Log, { after, round }: LogPlace, limit: number, end: boolean): LogPage => {
  const matches = counted(of)
    .filter(({ rated_n }) => rated_n > after)
    .slice(0, limit)
  const until = end ? Infinity : (matches.at(-1)?.rated_n ?? after)
  const between = (each: InheritedRating | SeriesPoint) => each.round >= round && each.n >= after && each.n < until
  const of_ = { matches, seeds: [...of.seeds.values()].filter(between), points: [...of.series.values()].filter(between) }
  return copied(of_)
}

export const earlierOf = (of: Log, ladder: Ladder, versions: ReadonlyArray<string>, after: number): Array<Earlier> =>
  versions.map((version) => {
    const moved = counted(of).filter((match) => match.rated_n <= after && laddersRated(match.ladder).includes(ladder))
    const means = moved.flatMap(({ ladder: made, rated_n: n, round, seats }) => {
      const seat = seats.find((each) => each.version === version)
      return seat === undefined ? [] : [{ n, round, mu: (made === ladder ? seat.made! : seat.open!).mu }]
    })
    const seed = of.seeds.get(`${ladder} ${version}`)
    return { ladder, version, seed: seed === undefined ? null : { mu: seed.mu, round: seed.round }, means: means.slice(-HISTORY_KEPT) }
  })

/**
 * Folds the log from the first round with something voided, or learned: the command that installs it,
 * with its rows as they are now.
 */
export const folded = (state: State, of: Books, page_matches = 10): Of<"InstallFold"> => {
  const voiding = [...state.voiding.values()]
  const { strike_limit } = state.settings.rules.match
  const rounds = [...voiding, ...(state.learning === null ? [] : [state.learning])].map(({ round }) => round)
  const to = begin(placeOf(of, Math.min(...rounds)), startsDue(state))
  for (let page: LogPage; (page = pageOf(of, { ...to, after: to.n }, page_matches, false)).matches.length > 0; )
    writeChanges(of, fold(to, page, strike_limit))
  const earlier = voiding.flatMap(({ ladder, versions }) => laddersRated(ladder).flatMap((each) => earlierOf(of, each, versions, to.after)))
  const versions = [...[...to.courses.values()].map(({ version }) => version), ...voiding.flatMap((each) => each.versions)]
  const left = versions.filter((version) => !state.versions_by_id.has(version))
  const rows = { tail: pageOf(of, { ...to, after: to.n }, TAIL_MATCHES_MAX + 1, true), left: leftOf(of, left) }
  return { _tag: "InstallFold", fold: to, voiding: new Set(state.voiding.keys()), earlier, tail_max: TAIL_MATCHES_MAX, rows }
}

export const refold = (state: State, of: Books, now: number) => step(state, folded(state, of), now)
