/** The layers of the HTTP side, put together once, over whatever handlers and services the program brings. */

import { Api } from "@agon/api/Api.ts"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer" // the package itself loads every client there is
import { ByteSize, Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import { HttpApiBuilder, type HttpApiGroup } from "effect/http-api"
import * as Authorization from "./account/level/Authorization.ts"
import * as Boundary from "./http/Boundary.ts"
import * as JsonBody from "./http/body/JsonBody.ts"
import * as Cached from "./http/cache/Cached.ts"
import { BACKLOG, cannotListen } from "./http/connection/listening.ts"
import * as Documents from "./http/Documents.ts"
import * as Edge from "./http/Edge.ts"
import { makeFront } from "./http/Front.ts"
import * as Operations from "./http/Operations.ts"

/** The services of every route, beside those of its feature. Needs Accounts, Lookups, RateLimits and ResponseCache. */
const Middlewares = Layer.mergeAll(Authorization.layer, Boundary.layer, JsonBody.layer, Cached.layer)

/** The handlers of every group of the API. */
type Groups = (typeof Api)["groups"][keyof (typeof Api)["groups"]]
export type AllHandlers = HttpApiGroup.ToService<"agon", Groups>

/** Every route, over the handlers; ResponseCache and RateLimits come from outside, shared with the front. */
export const makeRoutes = <E, R>(handlers: Layer.Layer<AllHandlers, E, R>) =>
  HttpApiBuilder.layer(Api).pipe(
    Layer.provide(handlers.pipe(Layer.provide(Middlewares))),
    Layer.merge(Operations.layer),
    Layer.merge(Documents.layer),
    Layer.merge(Edge.layer)
  )

/** The most bytes of a body that no operation of the API reads; those have bounds of their own, as streams have, such as objects. */
export const MaxBody = Layer.succeed(HttpServerRequest.MaxBodySize, ByteSize.bytes(1_024))

/** Longer than any answer but a runner's long poll, which its dispatcher ends; shorter than a stop may take. */
export const SHUTDOWN_S = 5

interface Listen {
  readonly host: string
  readonly port: number
}

/** Serves the routes, the front before them; the layer gives HttpServer, whose address says the port. */
export const serve = <A, E, R>({ host, port }: Listen, routes: Layer.Layer<A, E, R>) =>
  HttpRouter.serve(routes, { disableLogger: true, disableListenLog: true, routerConfig: Edge.routing }).pipe(
    Layer.provide(MaxBody),
    Layer.provideMerge(
      Layer.unwrap(
        Effect.map(makeFront, (front) =>
          NodeHttpServer.layer(front, { port, host, backlog: BACKLOG, gracefulShutdownTimeout: `${SHUTDOWN_S} seconds` })
        )
      ).pipe(Layer.catch(cannotListen("PORT", { host, port })))
    )
  )
