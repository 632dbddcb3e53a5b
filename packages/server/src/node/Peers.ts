/**
 * Calls between nodes: over HTTP at AGON_NODE, with a server and a router separate from the public one. The paths are `/nodes/`,
 * of the cluster's own messages, and those of handlers that are given to the server. A request has the nodes' credential in its Authorization header, derived from a secret of the installation and compared in constant
 * time; its body is not read before that. With TLS each side presents a certificate as well (config/nodeTls.ts).
 */

import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { Effect, Layer, type Redacted, type Scope } from "effect"
import { HttpRunner } from "effect/cluster"
import { HttpClient, HttpClientRequest, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { NodeTls } from "../config/nodeTls.ts"
import type { Address } from "../config/variables.ts"
import { sameSecret } from "../http/constantTime.ts"
import { BACKLOG, cannotListen } from "../http/listening.ts"
import { nodesCredential } from "./credential.ts"
import { makePeerServer } from "./peerServer.ts"

/** The client ends every path with a slash. */
export const NODES_PATH = "/nodes/"

/**
 * Connections to one node; further messages wait for one of them. The client opens one for each message that is under way where it has
 * no bound, and looks through all whenever one ends.
 */
const CONNECTIONS_MAX = 64

/** The clients for other nodes; each call makes its own, whose messages do not wait for another's. */
export const layerPeerClients = (secret: Redacted.Redacted, tls: NodeTls | undefined) => {
  const credential = nodesCredential(secret)
  // Fresh: otherwise the program's other client, which is the same layer without the certificate, would be reused.
  const http = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(HttpClientRequest.setHeader("authorization", credential)))
  ).pipe(
    Layer.provide(
      Layer.fresh(
        NodeHttpClient.layerUndiciOptions({ connections: CONNECTIONS_MAX, ...(tls === undefined ? {} : { connect: { ...tls } }) })
      )
    )
  )
  return HttpRunner.layerClientProtocolHttp({ path: NODES_PATH, https: tls !== undefined }).pipe(Layer.provide(http))
}

/** Answers other nodes at a path of its own. */
export interface PeerRoute {
  readonly path: string
  readonly answer: Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest | Scope.Scope>
}

/** Serves other nodes' commands to the seasons hosted here. */
export const layerPeerServer = (
  { host, port }: Address,
  secret: Redacted.Redacted,
  tls: NodeTls | undefined,
  routes: ReadonlyArray<PeerRoute>
) => {
  const credential = nodesCredential(secret)
  const make = () => makePeerServer(tls, credential)
  return Layer.unwrap(
    Effect.map(HttpRunner.toHttpEffect, (answer) => HttpServer.serve(guarded([{ path: NODES_PATH, answer }, ...routes], credential)))
  ).pipe(
    Layer.provide(NodeHttpServer.layer(make, { host, port, backlog: BACKLOG }).pipe(Layer.catch(cannotListen("AGON_NODE", { host, port }))))
  )
}

const guarded = (routes: ReadonlyArray<PeerRoute>, credential: string) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }): PeerRoute["answer"] => {
    const route = routes.find(({ path }) => path === url)
    if (route === undefined) return Effect.succeed(nothingHere)
    if (!sameSecret(headers["authorization"] ?? "", credential)) return Effect.succeed(notANode)
    return method === "POST" ? route.answer : Effect.succeed(nothingHere)
  })

/** Closes the connection, since a body that follows is not read. */
const nothingHere = HttpServerResponse.text("", { status: 404, headers: { connection: "close" } })
const notANode = HttpServerResponse.text("", { status: 401, headers: { connection: "close" } })
