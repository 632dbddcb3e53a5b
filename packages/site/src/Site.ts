/** The site as a layer: node's server with its limits, the client of the service beneath it, and the pages. */
import { createServer } from "node:http"
import { makeStrictClient } from "@agon/api/Client.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer } from "effect"
import { HttpClient, HttpServer, HttpServerRequest } from "effect/http"
import { assetsOf } from "./html/assets.ts"
import { made } from "./html/Html.ts"
import { makeAnswers } from "./http/Answers.ts"
import { makeClientAs } from "./http/clientAs.ts"
import { makeNames } from "./http/Names.ts"
import { plainReads } from "./http/plainReads.ts"
import { reading } from "./http/Reads.ts"
import { type IslandFile, type IslandName, load, scriptTag } from "./islands.ts"
import type { Options } from "./Options.ts"
import { routes } from "./routes.ts"

/** The first start on other sources builds the islands. */
const BUILD_TIMEOUT = "1 minute"

/** Connections to the service. Each page reads a few answers at once, and most of them come from the service's cache. */
const CONNECTIONS = 32

const SHUTDOWN_TIMEOUT = "2 seconds"

/** Only the service in front connects, or a developer. */
const makeServer = () => {
  const server = createServer({ maxHeaderSize: 16_384, headersTimeout: 15_000, requestTimeout: 30_000, shouldUpgradeCallback: () => false })
  server.maxConnections = 512
  server.timeout = 60_000
  return server
}

/** The site sends its spans nowhere, and the service reads no trace headers of a request. */
const untraced = Layer.succeed(HttpClient.TracerDisabledWhen, () => true)

/** Pages work without a script, so a site without islands starts too. */
const islands = load().pipe(
  Effect.timeout(BUILD_TIMEOUT),
  Effect.catchCause((cause) =>
    Effect.as(Effect.logWarning("the site has no islands: their scripts could not be built", cause), {
      files: new Map<string, IslandFile>(),
      address: () => ""
    })
  )
)

const answers = ({ objects, origin, service }: Options) =>
  Effect.gen(function* () {
    const scope = yield* Effect.scope
    const http = reading(plainReads(yield* HttpClient.HttpClient, yield* NodeHttpClient.Dispatcher, service))
    const over = Effect.provideService(HttpClient.HttpClient, http)
    const { address, files } = yield* islands
    const script = (island: IslandName) => made(scriptTag(address(island)))
    const client = yield* over(makeStrictClient(service))
    const as = yield* over(makeClientAs(service))
    return makeAnswers(
      { assets: assetsOf(files), around: { script, file: address, names: makeNames(), objects, origin }, routes, client, as, http },
      scope
    )
  })

/** Pages take no body; a form has a bound of its own. */
const noBody = Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(1_024))

/** Connections that the kernel keeps until they are taken up, as many as the service's (server/http/connection/listening.ts). */
const BACKLOG = 4_096

/** Serves the pages; the layer gives HttpServer, whose address says the port. */
export const layer = (options: Options) =>
  Layer.unwrap(
    Effect.map(answers(options), (answer) => HttpServer.serve(noBody(Effect.flatMap(HttpServerRequest.HttpServerRequest, answer))))
  ).pipe(
    Layer.provideMerge(
      NodeHttpServer.layer(makeServer, {
        host: options.host,
        port: options.port,
        backlog: BACKLOG,
        gracefulShutdownTimeout: SHUTDOWN_TIMEOUT
      })
    ),
    Layer.provide(untraced),
    Layer.provide(NodeHttpClient.layerUndiciNoDispatcher),
    Layer.provide(NodeHttpClient.layerDispatcherOptions({ connections: CONNECTIONS }))
  )
