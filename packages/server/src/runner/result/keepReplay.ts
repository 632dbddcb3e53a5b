/**
 * Replays within results beside nodes of an earlier release, which would look for them among the objects: as
 * long as such a node is connected, they are objects. One that has just come, and hosts the season, accepts a
 * result without writing the replay that it brings: then the replay is put where the match's row says that it
 * is. A process that dies before that loses the replay.
 */

import { parseLease } from "@agon/domain/season/Lease.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { allHave } from "../../database/beside.ts"
import { replayKey } from "../../object/keys.ts"
import { ObjectStore } from "../../object/ObjectStore.ts"
import { keptFor } from "../../process/keptFor.ts"
import { makeQueries } from "./replayQueries.ts"
import { away, inlineOf, isFinished, type Reported } from "./results.ts"

/** The migration of `match.replay_inline`. */
const NEEDED = 45
const LOOKED_AT_EVERY_MS = 5_000

/** Whether replays may be rows. One node alone need not ask. */
export const makeMayBeRows = Effect.fnUntraced(function* (isOneOfSeveral: boolean) {
  if (!isOneOfSeveral) return Effect.succeed(true)
  const sql = yield* SqlClient.SqlClient
  const asked = Effect.provideService(Effect.orDie(allHave(NEEDED)), SqlClient.SqlClient, sql)
  return yield* keptFor(LOOKED_AT_EVERY_MS)(asked)
})

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
