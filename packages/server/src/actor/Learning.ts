/**
 * Looks, beside the running season, how far its field lies apart: the log of the round is read, and the season told what it says
 * (domain/season/rating/Learning.ts). The season asks for a look by its own count of matches, so a look that is lost is made again.
 */
import { spreadOf } from "@agon/domain/rating/Spread.ts"
import { LADDERS, type Ladder } from "@agon/domain/season/Rules.ts"
import { isLookDue, LOOK_MATCHES_MAX } from "@agon/domain/season/rating/Learning.ts"
import { RoundLog } from "@agon/domain/season/rating/RoundLog.ts"
import { Duration, Effect, Schedule } from "effect"
import type { Folding } from "./Folding.ts"
import * as Mailbox from "./Mailbox.ts"

/** Matches that one statement reads. */
const PAGE_MATCHES = 1_000
/** The limit for reading a page; a healthy database needs far less. */
const PAGE_TIMEOUT = Duration.seconds(30)
const AGAIN = Schedule.spaced("1 second")

/** One look, if it is still due. A failure starts it over; the end of the season's incarnation stops it. */
export const look = (season: Folding): Effect.Effect<void> =>
  Effect.suspend(() => (isLookDue(season.state) ? once(season) : Effect.void)).pipe(
    Effect.tapError((error) => Effect.logWarning("the spread of the field could not be learned, trying again", error)),
    Effect.retry(AGAIN),
    Effect.orDie
  )

const once = Effect.fn("Learning.once")(function* ({ fence, log, mailbox, state }: Folding) {
  const { round } = state
  const read = new RoundLog()
  const place = yield* Effect.timeout(log.place(fence.season, round), PAGE_TIMEOUT)
  for (let after = place.after, full = true; full && read.matches < LOOK_MATCHES_MAX; after = read.last) {
    const page = yield* Effect.timeout(log.page(fence.season, { round, after }, PAGE_MATCHES, false), PAGE_TIMEOUT)
    read.add(page)
    full = page.matches.length === PAGE_MATCHES
    yield* Effect.yieldNow
  }
  const spreads: Partial<Record<Ladder, number>> = {}
  for (const ladder of LADDERS) {
    const spread = yield* within(spreadOf(read.of(ladder)))
    if (spread !== null) spreads[ladder] = spread
  }
  const { learned } = yield* Mailbox.ask(mailbox, { _tag: "LearnStarts", round, played: read.matches, spreads })
  if (learned) yield* Effect.logInfo("ratings start with another spread", { matches: read.matches, ...spreads })
})

/** Whatever waits in the process runs between two steps. */
const within = Effect.fnUntraced(function* <A>(steps: Generator<void, A>) {
  for (;;) {
    const { done, value } = steps.next()
    if (done === true) return value
    yield* Effect.yieldNow
  }
})
