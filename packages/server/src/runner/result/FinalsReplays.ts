/**
 * Results of finals are checked by the rules before they count. All other results are checked some time after they are
 * rated (match/check/), and a false one is voided then. The last result of the finals closes the season
 * and freezes its podium in the commit that rates it, so that it could never be voided.
 *
 * result of a match in finals ─▶ its replay is played again by the rules
 *   ─▶ it confirms the result, or the check gave up: the season rates it
 *   ─▶ it contradicts the result: the runner is flagged, the season takes the result as that of a voided match
 */

import { Unavailable } from "@agon/api/Problem.ts"
import { parseLease } from "@agon/domain/season/Lease.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { ownAudit } from "../../audit/auditLog.ts"
import { CheckShares } from "../../config/CheckShares.ts"
import * as ReplayThread from "../../match/check/ReplayThread.ts"
import type { Reported as ReportedMatch } from "../../match/check/replayFault.ts"
import { MatchVoiding } from "../../match/MatchVoiding.ts"
import { replayKey } from "../../object/keys.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import type { Holding } from "../session/Holdings.ts"
import { makeQueries, type OpenMatch } from "./finalsQueries.ts"
import { away, bySeat, type Finished, isFinished, type Reported } from "./results.ts"

export class FinalsReplays extends Context.Service<
  FinalsReplays,
  {
    /** The result of held work, with `denied` where it is of a match in finals and its replay contradicts it. */
    readonly checked: (held: Holding | undefined, result: Reported) => Effect.Effect<Reported, Unavailable>
  }
>()("agon/FinalsReplays") {
  static readonly layer: Layer.Layer<FinalsReplays, never, SqlClient.SqlClient | MatchVoiding | ObjectStore> = Layer.effect(
    FinalsReplays,
    Effect.suspend(() => makeFinalsReplays)
  )
}

const makeFinalsReplays = Effect.gen(function* () {
  if ((yield* CheckShares).replay_check === 0) return FinalsReplays.of({ checked: (_, result) => Effect.succeed(result) })
  const faultOf = yield* makeFaultOf
  const voiding = yield* MatchVoiding
  return FinalsReplays.of({
    checked: Effect.fn("FinalsReplays.checked")(function* (held, result) {
      if (!held?.is_finals || !isFinished(result)) return result
      const detail = yield* faultOf(held, result)
      if (detail === null) return result
      const { key, runner, season: season_id } = held
      const match = parseLease(held.lease)!.id
      yield* Effect.catch(voiding.flag({ id: runner, key }, { season_id, match, detail }), () => notYet)
      return { ...result, denied: { detail, audit: yield* ownAudit("match.void", match, { detail, runners: [runner] }) } }
    })
  })
})

const notYet = Effect.fail(new Unavailable({ detail: "The result could not be checked just now; report again in a second." }))

/** The first contradiction between a result and its replay; null where there is none, or none was found in time. */
const makeFaultOf = Effect.gen(function* () {
  const queries = yield* makeQueries
  const replayOf = yield* makeReplayOf
  const thread = yield* ReplayThread.make()
  return Effect.fnUntraced(function* (held: Holding, result: Finished) {
    const { id } = parseLease(held.lease)!
    const [open] = yield* Effect.orDie(queries.openMatch({ season_id: held.season, id }))
    // A match that is not open any more is not rated either; an older engine has rules that this build does not have.
    if (open === undefined || engineOf(open.game)?.digest !== open.engine_digest) return null
    const answer = yield* thread(reportedOf(open, result), yield* replayOf(id, result))
    return answer === "undecided" ? null : answer.fault // it is checked again once it is rated
  })
})

const reportedOf = ({ seats: models, ...match }: OpenMatch, result: Finished): ReportedMatch => {
  const { reason, runtime_version, state_sha256, turns } = result
  const seats = bySeat(result).map(({ rank, score, strikes }, seat) => ({ ...models[seat]!, rank, score, strikes }))
  return { ...match, reason, runtime_version, state_sha256, turns, seats }
}

/** A replay as it came, or from where it was taken over to. */
const makeReplayOf = Effect.map(
  ObjectStore,
  (objects) =>
    (id: string, { replay: { bytes, hash, inline } }: Finished): Effect.Effect<Uint8Array, Unavailable> =>
      inline !== undefined
        ? Effect.succeed(Buffer.from(inline))
        : objects
            .get({ key: replayKey(id, hash), max_bytes: bytes })
            .pipe(
              Effect.catchTags({ ObjectsUnavailable: () => away, ObjectTooLarge: () => away }),
              Effect.flatMap(Option.match({ onNone: () => away, onSome: Effect.succeed }))
            )
)
