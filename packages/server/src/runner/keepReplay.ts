/**
 * A season's node may be of a release that does not write replays with their matches: then a replay that came within its result is put
 * where the match's row says that it is. A process that dies before that loses the replay: while a release is exchanged, and never else.
 */

import { parseLease } from "@agon/domain/season/Lease.ts"
import { Effect } from "effect"
import { replayKey } from "../object/keys.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { makeQueries } from "./queries.ts"
import { away, inlineOf, isFinished, type Reported } from "./results.ts"

/** For a result that was accepted by a season that did not say that the replay is kept. */
export const makeKeepReplay = Effect.gen(function* () {
  const objects = yield* ObjectStore
  const queries = yield* makeQueries
  return Effect.fnUntraced(function* (result: Reported) {
    const inline = inlineOf(result)
    if (inline === undefined || !isFinished(result)) return
    const ended = { id: parseLease(result.lease)!.id, hash: result.replay.hash }
    if ((yield* Effect.orDie(queries.endedWithout(ended))).length === 0) return
    yield* Effect.catchTag(objects.put(replayKey(ended.id, ended.hash), Buffer.from(inline)), "ObjectsUnavailable", () => away)
  })
})
