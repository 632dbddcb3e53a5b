/**
 * `node datasetNode.ts DATABASE_URL OBJECTS DIRECTORY`: a node that makes datasets, and is killed when its
 * first file lies in the store.
 */
import { join } from "node:path"
import { DatasetMaker } from "@agon/server/dataset/DatasetMaker.ts"
import { PauseTimes } from "@agon/server/dataset/PartFiles.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { LocalObjects } from "@agon/server/object/directory/LocalObjects.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { StoredObjects } from "@agon/server/object/StoredObjects.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"

const [url = "", objects = "", directory = ""] = process.argv.slice(2)

const stores = LocalObjects.layer({ directory: objects, secret: Redacted.make("secret"), publicOrigin: "http://localhost" })
const dying = Layer.effect(
  ObjectStore,
  Effect.map(ObjectStore, (store) =>
    ObjectStore.of({
      ...store,
      putFile: (key, file) =>
        Effect.andThen(
          store.putFile(key, file),
          Effect.sync(() => process.kill(process.pid, "SIGKILL"))
        )
    })
  )
).pipe(Layer.provide(stores))
const node = DatasetMaker.layer({ datasets: "all", directory: join(directory, "making") }).pipe(
  Layer.provide(StoredObjects.layer),
  Layer.provide(dying),
  Layer.provide(ResponseCache.layer),
  Layer.provide(PgClient.layer({ url: Redacted.make(url) }))
)

await Effect.runPromise(DatasetMaker.use(({ look }) => look).pipe(Effect.provide(node), Effect.provideService(PauseTimes, 0)))
