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
 * its check was complete, by any node. Nothing waits for the check: one match is in memory at a time, a long season delays the
 * others by a page at most, and every match is checked a bounded number of times, at least once. A closed season's podium is
 * final: none of its matches is voided any more, but a runner that reported falsely is flagged, and the audit log names the match.
 */

import { seldom } from "@agon/api/program/seldom.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Clock, Context, DateTime, Effect, Layer, Option, Redacted, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import type { Secrets } from "../../config/Secrets.ts"
import { newId } from "../../database/newId.ts"
import { storedReplayKey } from "../../object/keys.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { MatchVoiding } from "../MatchVoiding.ts"
import { makeCheckRetries, makePassOver } from "./CheckRetries.ts"
import { type Checkable, makeQueries } from "./checkQueries.ts"
import { type Drawn, drawnBy } from "./drawn.ts"
import * as ReplayThread from "./ReplayThread.ts"

const PAGE = 32
const LOOK_EVERY = "1 second"
const FETCH_TIMEOUT = "30 seconds"

/**
 * How long after its end a match is checked: longer than a statement may take, so that no match that ended before it can still
 * be on its way into the tables. Tests check at once.
 */
export const SettledAfter = Context.Reference<number>("agon/match/SettledAfter_ms", { defaultValue: () => 20_000 })
/** Failures in one look at a season after which the store or the database counts as away: the rest waits for the next look. */
const FAILURES_MAX = 4

export interface Shares {
  readonly replay_check: number
  readonly audit: number
}

export class ReplayCheck extends Context.Service<
  ReplayCheck,
  {
    /** Checks until nothing is left to check. */
    readonly look: Effect.Effect<void>
  }
>()("agon/ReplayCheck") {
  static readonly layer = (
    shares: Shares,
    secrets: Pick<Secrets, "nodes">
  ): Layer.Layer<ReplayCheck, never, SqlClient.SqlClient | ObjectStore | LocalMailboxes | MatchVoiding> =>
    Layer.effect(
      ReplayCheck,
      Effect.gen(function* () {
        const look = yield* makeLook(shares, drawnBy(Redacted.value(secrets.nodes)))
        if (shares.replay_check > 0 || shares.audit > 0) {
          yield* look.pipe(Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
        }
        return ReplayCheck.of({ look })
      })
    )
}

const makeLook = Effect.fnUntraced(function* (shares: Shares, drawn: Drawn) {
  const queries = yield* makeQueries
  const mailboxes = yield* LocalMailboxes
  const settled_ms = yield* SettledAfter
  const unchecked = seldom("replays were not checked")
  const retries = yield* makeCheckRetries(yield* makeOne(shares, drawn))

  const page = Effect.fnUntraced(function* (season_id: string, closed: boolean) {
    const until = new Date((yield* Clock.currentTimeMillis) - settled_ms)
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

  /** Checks one season. A failure does not hold up the others, and is retried with the next look. */
  const season = (id: string, closed: boolean) =>
    page(id, closed).pipe(Effect.catchCause((cause) => Effect.as(unchecked({ reason: id, fields: { season: id }, cause }), false)))
  const turn = Effect.gen(function* () {
    const closed = yield* queries.left(new Date((yield* Clock.currentTimeMillis) - settled_ms))
    const left = new Set(closed.map(({ id }) => id))
    const open = [...mailboxes.keys()].filter((id) => !left.has(id))
    const full = yield* Effect.forEach([...open, ...left], (id) => season(id, left.has(id)))
    return full.includes(true)
  }).pipe(Effect.catchCause((cause) => Effect.as(unchecked({ reason: "", fields: {}, cause }), false)))
  return turn.pipe(Effect.repeat({ while: (full) => full }), Effect.asVoid, Effect.withSpan("ReplayCheck.look"))
})

/** Checks one match of a season. Fails where it is to be retried. */
const makeOne = Effect.fnUntraced(function* (shares: Shares, drawn: Drawn) {
  const queries = yield* makeQueries
  const check = yield* makeCheck
  return Effect.fnUntraced(function* (season_id: string, match: Checkable) {
    const verdict = drawn(shares.replay_check, "replay", match.id) ? yield* check(season_id, match) : "sound"
    if (verdict === "false" || (verdict === "sound" && !drawn(shares.audit, "audit", match.id))) return
    const created_at = yield* DateTime.nowAsDate
    yield* queries.toAudit({ id: yield* newId, match_id: match.id, season_id, created_at })
  })
})

/** Whether the replay confirms the report, as far as this build can tell. */
const makeCheck = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const voiding = yield* MatchVoiding
  const passOver = yield* makePassOver
  const thread = yield* ReplayThread.make()

  return Effect.fnUntraced(function* (season_id: string, match: Checkable) {
    if (engineOf(match.game)?.digest !== match.engine_digest) return "sound" as const // an older engine, whose rules this build does not have
    const bytes = yield* objects.get({ key: storedReplayKey(match), max_bytes: match.replay_bytes }).pipe(
      Effect.catchTag("ObjectTooLarge", () => Effect.succeed(Option.none())),
      Effect.timeout(FETCH_TIMEOUT)
    )
    if (Option.isNone(bytes)) {
      yield* passOver(season_id, match, "Its stored replay is not there any more, or is longer than it was.")
      return "sound" as const
    }
    const once = thread(match, bytes.value)
    const first = yield* once
    const answer = first === "undecided" ? yield* once : first
    if (answer === "undecided") {
      yield* Effect.logError("a replay could not be checked", { match: match.id })
      return "undecided" as const
    }
    if (answer.fault === null) return "sound" as const
    const runners = match.runner_id === null ? [] : [{ id: match.runner_id, key: match.key_id }]
    yield* voiding.voidMatch({ season_id, match: match.id, detail: answer.fault, runners })
    return "false" as const
  })
})
