/**
 * Places in the object store that somebody may have written to, and nobody may ever take over: a runner uploads a replay and dies
 * before it reports it, or reports it too late. So every place that an upload was let to is known until it is removed, as what is
 * taken over is at once; UploadWatch.ts empties those that are left when no upload to them can be under way any more.
 *
 * It is this node's memory: what was let in before a restart and is never reported stays, as many as were leased when it stopped.
 */
import { Context, DateTime, Effect, Layer } from "effect"
import { ObjectStore } from "./ObjectStore.ts"

/** Places known at once, some 200 bytes each; over it the one that was let in first is forgotten. */
const PLACES_MAX = 100_000

export class Incoming extends Context.Service<
  Incoming,
  {
    /** Places that nothing could be sent to since `before`, in milliseconds of the clock, and that have not been removed. */
    readonly left: (before: number) => ReadonlyArray<string>
  }
>()("agon/object/Incoming") {
  /** Comes with the store through which places are let out and removed. */
  static readonly layer: Layer.Layer<Incoming | ObjectStore, never, ObjectStore> = Layer.effectContext(
    Effect.map(ObjectStore, (objects) => {
      const { places, watched } = watch(objects)
      const left = (before: number) => [...places].flatMap(([key, until]) => (until < before ? [key] : []))
      return Context.make(Incoming, { left }).pipe(Context.add(ObjectStore, watched))
    })
  )
}

const watch = (objects: ObjectStore["Service"]) => {
  const places = new Map<string, number>()
  const watched: ObjectStore["Service"] = {
    ...objects,
    presignPut: (request) =>
      Effect.map(objects.presignPut(request), (upload) => {
        places.set(request.key, DateTime.toEpochMillis(upload.expires_at))
        if (places.size > PLACES_MAX) places.delete(places.keys().next().value!)
        return upload
      }),
    remove: (key) => Effect.map(objects.remove(key), () => void places.delete(key))
  }
  return { places, watched }
}
