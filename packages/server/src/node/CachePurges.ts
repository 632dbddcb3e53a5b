/**
 * The response cache of one of several nodes: a purge on one node reaches all of them (docs/contract.md#caching).
 *
 * A purge is immediate on its own node and broadcast to the others (node/Broadcast.ts). A node that receives no broadcasts
 * could miss one: it forgets everything, and caches nothing until it receives them again.
 */
import { Effect, Layer } from "effect"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { Broadcast, everything } from "./Broadcast.ts"

const makeShared = Effect.gen(function* () {
  const local = yield* ResponseCache
  const { listen, tell } = yield* Broadcast
  yield* listen({
    topic: "purge",
    heard: (tags) => (tags.includes(everything) ? local.purgeAll : local.purge(...tags)),
    disconnected: local.keeping(false),
    hearing: local.keeping(true)
  })
  return {
    ...local,
    purge: (...tags: ReadonlyArray<string>) => Effect.andThen(local.purge(...tags), tell("purge", tags)),
    purgeAll: Effect.andThen(local.purgeAll, tell("purge", [everything]))
  } satisfies ResponseCache["Service"]
})

/** Replaces `ResponseCache.layer` where several nodes share one database. */
export const layer: Layer.Layer<ResponseCache, never, Broadcast> = Layer.effect(ResponseCache, makeShared).pipe(
  Layer.provide(ResponseCache.layer)
)
