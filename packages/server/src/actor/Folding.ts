/**
 * Folds the log of matches again, beside the running season, while ratings still count a match that was
 * voided, or start otherwise than the season has learned.
 *
 *   read a page ──▶ fold ──▶ write seats, seeds and points that read otherwise ──▶ … ──▶ the end of the log ──▶ InstallFold
 *        ▲                                                                                    more was rated since │
 *        └─────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 *
 * The season goes on meanwhile. Its commits wait for each statement that writes a chunk of seats, some ten
 * milliseconds: both lock the season's row. Ladders show the old ratings until the fold is installed. If the
 * process is killed, the rows in `voiding` and what was learned make the next incarnation fold from the
 * start; it finds in the rows the changes already written, and writes the rest.
 */

import { LADDERS, laddersRated } from "@agon/domain/season/Rules.ts"
import * as Fold from "@agon/domain/season/rating/Fold.ts"
import { TAIL_MATCHES_MAX } from "@agon/domain/season/rating/Installing.ts"
import { awaitsFold, startsDue } from "@agon/domain/season/rating/Starts.ts"
import { Clock, Effect } from "effect"
import { type BesideSeason, untilSuccess, withinStatementTimeout } from "./BesideSeason.ts"
import * as Mailbox from "./Mailbox.ts"

/** Matches read and folded in one go, while nothing else of the process runs: some 5 ms. */
const PAGE_MATCHES = 250
/** Rows that one statement writes while the season's commits wait. */
export const CHUNK_SEATS = 250
/**
 * A season that rates faster than its log is read would never be caught up with, and its ladders would show voided results: each refused
 * try may leave twice as many matches to the commit, which takes some hundred milliseconds for as many as this.
 */
const TAIL_AT_LAST = 1_600

/** Runs until no voided match waits, and no other starts. */
export const untilDone = (season: BesideSeason): Effect.Effect<void> =>
  Effect.suspend(() => once(season)).pipe(
    Effect.repeat({ while: () => awaitsFold(season.state) }),
    Effect.asVoid,
    untilSuccess("the log could not be folded, trying again")
  )

const once = Effect.fn("Folding.once")(function* (season: BesideSeason) {
  const { fence, log, mailbox, state } = season
  const began = yield* nowMs
  const waiting = [...state.voiding.values()]
  const round = Math.min(...waiting.map((each) => each.round), state.learning?.round ?? Infinity)
  const voided = Math.min(...waiting.filter((each) => each.round === round).map(({ n }) => n))
  const fold = Fold.begin(yield* withinStatementTimeout(log.place(fence.season, round)), startsDue(state), voided)
  let matches = 0
  for (let over = false, tail_max = TAIL_MATCHES_MAX; !over; tail_max = Math.min(2 * tail_max, TAIL_AT_LAST)) {
    matches += yield* catchUp(season, fold)
    const voiding = new Set(state.voiding.keys())
    const earlier = yield* earlierOf(season, fold)
    const reply = yield* Mailbox.ask(mailbox, { _tag: "InstallFold", fold, voiding, earlier, tail_max, rows: null })
    over = reply.installed || reply.stale
  }
  const took_ms = Math.round((yield* nowMs) - began)
  yield* Effect.logInfo("ratings are those of the log again", { matches, took_ms, left: state.voiding.size })
})

/** Folds to the current end of the log. */
const catchUp = Effect.fnUntraced(function* ({ fence, log, state }: BesideSeason, fold: Fold.Fold) {
  let matches = 0
  for (let full = true; full; ) {
    const page = yield* withinStatementTimeout(log.page(fence.season, { round: fold.round, after: fold.n }, PAGE_MATCHES, false))
    const changes = Fold.fold(fold, page, state.settings.rules.match.strike_limit)
    for (const chunk of chunksOf(changes)) yield* politely(withinStatementTimeout(log.rewrite(fence, chunk)))
    matches += page.matches.length
    full = page.matches.length === PAGE_MATCHES
    yield* Effect.yieldNow
  }
  return matches
})

/** Older history entries of the versions seated in a voided match: the match may have pushed them out. */
const earlierOf = ({ fence, log, state }: BesideSeason, fold: Fold.Fold) =>
  Effect.forEach(LADDERS, (ladder) => {
    const voiding = [...state.voiding.values()].filter((each) => laddersRated(each.ladder).includes(ladder))
    const versions = [...new Set(voiding.flatMap((each) => each.versions))]
    return versions.length === 0
      ? Effect.succeed([])
      : withinStatementTimeout(log.earlier(fence.season, ladder, versions, fold.after, state.put_back))
  }).pipe(Effect.map((found) => found.flat()))

/** All seats of a match are in one chunk; each point of the series, which may be long, is a chunk of its own. */
const chunksOf = ({ points, seats, seeds }: Fold.Changes): ReadonlyArray<Fold.Changes> => {
  const chunks: Array<Fold.Changes> = points.map((point) => ({ seats: [], seeds: [], points: [point] }))
  if (seeds.length > 0) chunks.push({ seats: [], seeds, points: [] })
  let chunk: Fold.Changes | undefined
  for (const of of Map.groupBy(seats, ({ match }) => match).values()) {
    if (chunk === undefined || chunk.seats.length + of.length > CHUNK_SEATS) chunks.push((chunk = { seats: [], seeds: [], points: [] }))
    chunk.seats.push(...of)
  }
  return chunks
}

/** Monotonic, to measure durations: the season's own clock may be set forward and back. */
const nowMs = Clock.clockWith((clock) => Effect.map(clock.monotonicTimeNanos, (nanos) => Number(nanos) / 1e6))

/** Pauses for as long as the write took, so that the season gets half of the time for its commits. */
const politely = Effect.fnUntraced(function* <A, E, R>(write: Effect.Effect<A, E, R>) {
  const began = yield* nowMs
  yield* write
  const took_ms = (yield* nowMs) - began
  if (took_ms > 0) yield* Effect.sleep(took_ms)
})
