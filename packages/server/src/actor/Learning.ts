/**
 * Looks, beside the running season, how far its field lies apart: the log of the round is read, and the
 * season told what it says (domain/season/rating/Learning.ts). The season asks for a look by its own count of
 * matches, so a look that is lost is made again.
 */
import { spreadOf } from "@agon/domain/rating/Spread.ts"
import { LADDERS, type Ladder } from "@agon/domain/season/Rules.ts"
import { isLookDue, LOOK_MATCHES_MAX } from "@agon/domain/season/rating/Learning.ts"
import { RoundLog } from "@agon/domain/season/rating/RoundLog.ts"
import { Effect } from "effect"
import { type BesideSeason, untilSuccess, withinStatementTimeout } from "./BesideSeason.ts"
import * as Mailbox from "./Mailbox.ts"

/** Matches that one statement reads. */
const PAGE_MATCHES = 1_000

/** One look, if it is still due. */
export const look = (season: BesideSeason): Effect.Effect<void> =>
  Effect.suspend(() => (isLookDue(season.state) ? once(season) : Effect.void)).pipe(
    untilSuccess("the spread of the field could not be learned, trying again")
  )

const once = Effect.fn("Learning.once")(function* ({ fence, log, mailbox, state }: BesideSeason) {
  const { round } = state
  const read = new RoundLog()
  const place = yield* withinStatementTimeout(log.place(fence.season, round))
  for (let after = place.after, full = true; full && read.matches < LOOK_MATCHES_MAX; after = read.last) {
    const page = yield* withinStatementTimeout(log.page(fence.season, { round, after }, PAGE_MATCHES, false))
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
