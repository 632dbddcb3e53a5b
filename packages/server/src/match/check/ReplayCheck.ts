/**
 * Finished matches are checked in the background, in the order of their end: a share of the stored replays is played
 * again by the rules, a share of the matches is set aside for another runner to play again.
 *
 * each season in turn: a page of matches after the last one checked ─▶ each: replay fetched, checked in a thread
 *   ─▶ it contradicts the report: runner flagged, match voided   ─▶ progress is recorded ─▶ the next season
 *   ─▶ the thread gave up twice: another runner plays it again
 *   ─▶ store, season or database away: set aside and retried with every look, for a limited time; then it is passed over,
 *      and the audit log says so. Later matches are checked meanwhile
 *
 * Progress is one row a season, up to the first match that is set aside, so after a restart the check continues there; matches
 * after it may be checked twice, which changes nothing. A season is checked by the node it lives on; a season that closed before
 * its check was complete, by any node. Nothing but a close waits for the check: one match is in memory at a time, a long season delays the
 * others by a page at most, and every match is checked a bounded number of times, at least once. A closed season's podium is
 * final: none of its matches is voided any more, but a runner that reported falsely is flagged, and the audit log names the match.
 * So a close has a check of its own (closing.ts).
 */

import { seldom } from "@agon/api/program/seldom.ts"
import { Context, Effect, Layer, Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import { CheckShares } from "../../config/CheckShares.ts"
import type { Secrets } from "../../config/Secrets.ts"
import { SharedClock } from "../../database/SharedClock.ts"
import type { ObjectStore } from "../../object/ObjectStore.ts"
import type { MatchVoiding } from "../MatchVoiding.ts"
import { makeCheckRetries } from "./CheckRetries.ts"
import { makeCheckMatch } from "./checkMatch.ts"
import { type Checkable, makeQueries } from "./checkQueries.ts"
import { makeLookAtClosing } from "./closing.ts"
import { type Drawn, drawnBy } from "./drawn.ts"
import { FAILURES_MAX, inTurns, PAGE } from "./inTurns.ts"

const LOOK_EVERY = "1 second"
/** Seasons are ahead of the clock that all nodes share by less, and progress never lies after the present of one of them. */
const AHEAD_MS = 60_000

/**
 * How long after its end a match is checked: longer than a statement may take, so that no match that ended before it can still
 * be on its way into the tables. Tests check at once.
 */
export const SettledAfter = Context.Reference<number>("agon/match/SettledAfter_ms", { defaultValue: () => 20_000 })

export class ReplayCheck extends Context.Service<
  ReplayCheck,
  {
    /** Checks until nothing is left to check. */
    readonly look: Effect.Effect<void>
  }
>()("agon/ReplayCheck") {
  static readonly layer = (
    secrets: Pick<Secrets, "nodes">
  ): Layer.Layer<ReplayCheck, never, SqlClient.SqlClient | ObjectStore | LocalMailboxes | MatchVoiding> =>
    Layer.effect(
      ReplayCheck,
      Effect.gen(function* () {
        const { audit, replay_check } = yield* CheckShares
        const drawn = drawnBy(Redacted.value(secrets.nodes))
        const look = yield* makeLook(drawn)
        if (replay_check > 0 || audit > 0) yield* forkRepeated(look)
        if (replay_check > 0) yield* forkRepeated(yield* makeLookAtClosing(drawn))
        return ReplayCheck.of({ look })
      })
    ).pipe(Layer.provide(SharedClock.layer))
}

const forkRepeated = (look: Effect.Effect<void>) => look.pipe(Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)

const makeLook = Effect.fnUntraced(function* (drawn: Drawn) {
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const mailboxes = yield* LocalMailboxes
  const settled_ms = yield* SettledAfter
  const unchecked = seldom("replays were not checked")
  const retries = yield* makeCheckRetries(yield* makeCheckMatch(drawn))

  const page = Effect.fnUntraced(function* (season_id: string, closed: boolean) {
    const until = new Date((yield* shared.now_ms) - settled_ms)
    const tried = yield* retries.retry(season_id)
    const matches = yield* queries.next({ season_id, until, limit: PAGE, after: retries.last(season_id) ?? null })
    let failed = tried.failed
    let last: Checkable | undefined
    for (const match of failed < FAILURES_MAX ? matches : []) {
      if (!(yield* retries.checked(season_id, match))) failed++
      last = match
      if (failed >= FAILURES_MAX) break // the store or the database is away
    }
    yield* retries.recordProgress(season_id, last)
    if (closed && matches.length < PAGE && retries.isEmpty(season_id)) yield* queries.complete(season_id)
    return matches.length === PAGE && failed < FAILURES_MAX
  })

  const putBack = Effect.flatMap(shared.now_ms, (now) =>
    queries.putBack({ ahead_of: new Date(now + AHEAD_MS), until: new Date(now - settled_ms) })
  ).pipe(Effect.catchCause((cause) => unchecked({ reason: "", fields: {}, cause })))
  const seasons = Effect.gen(function* () {
    const closed = yield* queries.left(new Date((yield* shared.now_ms) - settled_ms))
    const left = new Set(closed.map(({ id }) => id))
    const open = [...mailboxes.keys()].filter((id) => !left.has(id))
    return [...open, ...left].map((id) => ({ id, page: page(id, left.has(id)) }))
  })
  return Effect.andThen(putBack, inTurns(unchecked, seasons)).pipe(Effect.withSpan("ReplayCheck.look"))
})
