/**
 * The store of objects, which says in the log when it fails and when it takes long. Who asks it answers 503 or asks again later, and says
 * nothing by itself: results of matches wait for a store that is away, and the log of a node would not say for what.
 */
import { seldom } from "@agon/api/program/seldom.ts"
import { type Duration, Effect, Fiber, Layer } from "effect"
import { ObjectStore, type ObjectsUnavailable, type ObjectTooLarge } from "./ObjectStore.ts"

/** A copy of the largest model within a bucket may take this long. A store that hangs is given up after a minute, and asked four times. */
const LONG: Duration.Input = "20 seconds"

type Fault = ObjectsUnavailable | ObjectTooLarge

const toldBy = (objects: (typeof ObjectStore)["Service"]): (typeof ObjectStore)["Service"] => {
  const failed = seldom("the object store failed")
  const long = seldom("the object store takes long")

  const told = <A, E extends Fault>(operation: string, key: string, asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.tapError(asked, (error) =>
      error._tag === "ObjectsUnavailable" ? failed({ reason: error.detail, fields: { operation, key, detail: error.detail } }) : Effect.void
    )
  const timed = <A, E extends Fault>(operation: string, key: string, asked: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.acquireUseRelease(
      Effect.forkDetach(Effect.delay(long({ reason: "", fields: { operation, key } }), LONG)),
      () => told(operation, key, asked),
      Fiber.interrupt
    )

  return {
    ...objects,
    stat: (key) => timed("stat", key, objects.stat(key)),
    list: (request) => timed("list", request.prefix, objects.list(request)),
    verify: (request) => timed("verify", request.key, objects.verify(request)),
    get: (request) => timed("get", request.key, objects.get(request)),
    put: (key, bytes) => timed("put", key, objects.put(key, bytes)),
    putFile: (key, file) => told("put", key, objects.putFile(key, file)), // of hundreds of MB
    freeShare: told("room", "", objects.freeShare),
    remove: (key) => timed("remove", key, objects.remove(key))
  }
}

export const layer: Layer.Layer<ObjectStore, never, ObjectStore> = Layer.effect(ObjectStore, Effect.map(ObjectStore, toldBy))
