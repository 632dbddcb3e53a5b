/**
 * The response cache of a node among others: what one purges, all purge (docs/contract.md#caching).
 *
 * Here a purge is immediate, as without others; the rest hear of it (node/Broadcast.ts). A node that is deaf may miss any
 * of them: it forgets everything, and keeps nothing until it hears again.
 */
import { Effect, Layer } from "effect"
import { Broadcast, everything } from "./Broadcast.ts"
import { ResponseCache } from "../http/ResponseCache.ts"

const makeShared = Effect.gen(function* () {
  const local = yield* ResponseCache
  const { listen, tell } = yield* Broadcast
  yield* listen({
    topic: "purge",
    heard: (tags) => (tags.includes(everything) ? local.purgeAll : local.purge(...tags)),
    deaf: local.keeping(false),
    hearing: local.keeping(true)
  })
  return {
    ...local,
    purge: (...tags: ReadonlyArray<string>) => Effect.andThen(local.purge(...tags), tell("purge", tags)),
    purgeAll: Effect.andThen(local.purgeAll, tell("purge", [everything]))
  } satisfies ResponseCache["Service"]
})

/** Takes the place of `ResponseCache.layer` where several nodes share one database. */
export const layer: Layer.Layer<ResponseCache, never, Broadcast> = Layer.effect(ResponseCache, makeShared).pipe(
  Layer.provide(ResponseCache.layer)
)
