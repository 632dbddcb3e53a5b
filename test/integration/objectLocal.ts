/** The local store as the server assembles it, its limit on bodies included: uploads are larger than that. */
import { mkdtempSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { LocalObjects } from "@agon/server/object/directory/LocalObjects.ts"
import { layerRoutes } from "@agon/server/object/http.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { NodeHttpServer } from "@effect/platform-node"
import { ByteSize, Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer, HttpServerRequest } from "effect/http"

export const temporaryDirectory = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-test-objects-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

export const loopback = NodeHttpServer.layer(createServer, { port: 0, host: "127.0.0.1" })

export const localObjects = (directory: string, isShared = false) =>
  Layer.unwrap(
    Effect.map(HttpServer.HttpServer, (server) => {
      const publicOrigin = `http://127.0.0.1:${(server.address as { readonly port: number }).port}`
      const store = LocalObjects.layer({ directory, secret: Redacted.make("secret"), publicOrigin, isShared })
      return HttpRouter.serve(layerRoutes, {
        disableLogger: true,
        disableListenLog: true,
        middleware: (app) => Effect.provideService(app, HttpServerRequest.MaxBodySize, ByteSize.bytes(1_024))
      }).pipe(Layer.provideMerge(store))
    })
  )

/** `node objectLocal.ts DIRECTORY KEY`: a service to kill. Prints a URL that takes any upload of up to a mebibyte. */
const main = Effect.gen(function* () {
  const [directory = "", key = ""] = process.argv.slice(2)
  const request = { key, sha256: null, max_bytes: 1024 * 1024, expires_s: 60 }
  const serve = ObjectStore.use((objects) => objects.presignPut(request)).pipe(
    Effect.tap(({ url }) => Effect.sync(() => console.log(url))),
    Effect.andThen(Effect.never)
  )
  yield* Effect.provide(serve, localObjects(directory).pipe(Layer.provide(loopback)))
})

if (import.meta.main) await Effect.runPromise(main)
