/**
 * Finished matches are looked at in the background, season by season in the order of their end: a share of the stored
 * replays is played again by the rules, a share of the matches set aside for another runner to play again.
 *
 *   a page of matches after the last one looked at ─▶ each: replay fetched, checked in a thread of its own
 *     ─▶ it does not follow: runner flagged, match voided ─▶ the page is noted ─▶ the next page, or a pause
 *
 * Progress is one row a season, so a restart goes on where it stopped and looks at a page at most twice. A season is
 * looked at by the node it lives on. Nothing waits for it: one match is in memory at a time, and a page that cannot be
 * finished (the object store is away) is tried again.
 */
import { Clock, Context, Effect, Layer, Option, Schedule } from "effect"
import type { SqlClient } from "effect/sql"
import { hashText, mix } from "@agon/domain/season/Random.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { newId } from "../database/newId.ts"
import { replayKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { LocalMailboxes } from "../season/SeasonEntity.ts"
import { type Checkable, makeQueries } from "./checkQueries.ts"
import { MatchVoiding } from "./MatchVoiding.ts"
import * as ReplayThread from "./ReplayThread.ts"

const PAGE = 32
const LOOK_EVERY = "1 second"

/**
 * A match is looked at when it has ended so long ago that no other that ended before it can still be on its way into the
 * tables: longer than a commit may take. Tests look at once.
 */
export const SettledAfter = Context.Reference<number>("agon/match/SettledAfter_ms", { defaultValue: () => 15_000 })

export interface Shares {
  readonly replay_check: number
  readonly audit: number
}

export class ReplayCheck extends Context.Service<ReplayCheck, { readonly look: Effect.Effect<void> }>()("agon/ReplayCheck") {
  static readonly layer = (
    shares: Shares
  ): Layer.Layer<ReplayCheck, never, SqlClient.SqlClient | ObjectStore | LocalMailboxes | MatchVoiding> =>
    Layer.effect(
      ReplayCheck,
      Effect.gen(function* () {
        const look = yield* makeLook(shares)
        if (shares.replay_check > 0 || shares.audit > 0) {
          yield* look.pipe(Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
        }
        return ReplayCheck.of({ look })
      })
    )
}

/** Whether a match is among a share of them, whoever asks and whenever; each use draws its own. */
const among = (share: number, use: string, match: string): boolean => mix(hashText(`${use} ${match}`)) < share * 2 ** 32

const makeLook = Effect.fnUntraced(function* (shares: Shares) {
  const queries = yield* makeQueries
  const mailboxes = yield* LocalMailboxes
  const settled_ms = yield* SettledAfter
  const check = yield* makeCheck

  const page = Effect.fnUntraced(function* (season_id: string) {
    const now = yield* Clock.currentTimeMillis
    const matches = yield* queries.next({ season_id, until: new Date(now - settled_ms), limit: PAGE })
    for (const match of matches) {
      const sound = !among(shares.replay_check, "replay", match.id) || (yield* check(season_id, match))
      if (!sound || !among(shares.audit, "audit", match.id)) continue
      yield* queries.toAudit({ id: yield* newId, match_id: match.id, season_id, created_at: new Date(now) })
    }
    const last = matches.at(-1)
    if (last !== undefined) yield* queries.checked(last, season_id)
    return matches.length === PAGE
  })

  /** One that fails does not hold up the others, and is tried again with the next look. */
  const season = (id: string) =>
    page(id).pipe(
      Effect.repeat({ while: (more) => more }),
      Effect.catchCause((cause) => Effect.logWarning("replays were not checked", { season: id }, cause))
    )
  return Effect.suspend(() => Effect.forEach([...mailboxes.keys()], season, { discard: true })).pipe(Effect.withSpan("ReplayCheck.look"))
})

/** Whether the replay bears the report out, as far as can be said. */
const makeCheck = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const voiding = yield* MatchVoiding
  const thread = yield* ReplayThread.make

  return Effect.fnUntraced(function* (season_id: string, match: Checkable) {
    if (engineOf(match.game)?.digest !== match.engine_digest) return true // of an older build: its rules are not here
    const bytes = yield* objects
      .get({ key: replayKey(match.id), max_bytes: match.replay_bytes })
      .pipe(Effect.catchTag("ObjectTooLarge", () => Effect.succeed(Option.none())))
    if (Option.isNone(bytes)) {
      yield* Effect.logWarning("a stored replay is not there", { match: match.id })
      return true
    }
    const verdict = yield* thread(match, bytes.value)
    if (verdict === "undecided") yield* Effect.logWarning("a replay could not be checked", { match: match.id })
    if (verdict === "undecided" || verdict.fault === null) return true
    const runners = match.runner_id === null ? [] : [match.runner_id]
    yield* voiding.voidMatch({ season_id, match: match.id, detail: verdict.fault, runners })
    return false
  })
})
