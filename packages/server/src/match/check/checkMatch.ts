/**
 * The check of one match: its replay is played again by the rules, and a share of the matches is set aside for another
 * runner to play again.
 */

import { engineOf } from "@agon/engine/registry.ts"
import { DateTime, Effect, Option } from "effect"
import { makeAuditLog } from "../../audit/auditLog.ts"
import { CheckShares } from "../../config/CheckShares.ts"
import { newId } from "../../database/newId.ts"
import { storedReplayKey } from "../../object/keys.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { MatchVoiding } from "../MatchVoiding.ts"
import { makePassOver } from "./CheckRetries.ts"
import { type Checkable, makeQueries } from "./checkQueries.ts"
import type { Drawn } from "./drawn.ts"
import { LoneTimeouts } from "./LoneTimeouts.ts"
import * as ReplayThread from "./ReplayThread.ts"

const FETCH_TIMEOUT = "30 seconds"

/** Checks one match of a season, in a thread of its own. Fails where it is to be retried. */
export const makeCheckMatch = Effect.fnUntraced(function* (drawn: Drawn) {
  const shares = yield* CheckShares
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
  const noteTimeouts = yield* makeNoteTimeouts

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
    if (answer.fault === null) {
      yield* noteTimeouts(season_id, match, answer.late)
      return "sound" as const
    }
    const runners = match.runner_id === null ? [] : [{ id: match.runner_id, key: match.key_id }]
    yield* voiding.voidMatch({ season_id, match: match.id, detail: answer.fault, runners })
    return "false" as const
  })
})

/** A match that was checked again, after a restart or beside a close, may count twice: nothing follows but a line in the log. */
const makeNoteTimeouts = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const timeouts = new LoneTimeouts()
  return Effect.fnUntraced(function* (
    season_id: string,
    { game, id, key_id: key, runner_id: runner, seats }: Checkable,
    late: ReadonlyArray<number>
  ) {
    if (key === null || runner === null) return
    const timed = seats.map(({ manifest_hash, weights_hash }, seat) => ({
      model: `${weights_hash} ${manifest_hash}`,
      late: late.includes(seat)
    }))
    const matches = timeouts.note({ key, match: id, seats: timed })
    if (matches === undefined) return
    const detail = "Models were too slow under its key alone: another has played them ten times and more, never late."
    yield* Effect.logWarning("a runner reports timeouts that no other sees", { runner, key, matches })
    yield* auditLog.noted({ game, season_id }, "runner.doubt", runner, { key, matches, detail })
  })
})
