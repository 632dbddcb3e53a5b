/**
 * A runner key is in force while whoever made it administers its season or the platform, and is not suspended. Out of force it opens no
 * session and reports nothing, and the leases of its runners are returned at once, as when it is revoked. With the office it
 * is in force again.
 */
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { Ongoing } from "../../account/level/Ongoing.ts"
import { MakersKeys } from "../../account/MakersKeys.ts"
import { makeQueries } from "./keyQueries.ts"
import { RunnerKeys } from "./RunnerKeys.ts"

export const layer: Layer.Layer<MakersKeys, never, RunnerKeys | SqlClient.SqlClient> = Layer.effect(
  MakersKeys,
  Effect.gen(function* () {
    const ongoing = yield* Ongoing
    const queries = yield* makeQueries
    const { returnLeases } = yield* RunnerKeys
    return MakersKeys.of({
      stop: Effect.fnUntraced(function* (account_id) {
        const keys = (yield* queries.lapsed(account_id)).map(({ id }) => id)
        if (keys.length > 0) yield* queries.endRunners(keys)
        return keys
      }, Effect.orDie),
      stopped: Effect.fnUntraced(function* (keys) {
        yield* Effect.forEach(keys, ongoing.end, { discard: true })
        yield* Effect.forkDetach(Effect.forEach(keys, (id) => returnLeases(id, "ended"), { discard: true }))
      })
    })
  })
)
