/**
 * Calls between nodes: over HTTP at AGON_NODE, with a server and a router separate from the public one. The paths are `/nodes/`, of the
 * cluster's own messages, and `/nodes/asks`, of asks of seasons: by POST, or many over a connection that is upgraded there (AskServer.ts).
 * A request has the nodes' credential in its Authorization header, derived from a secret of the installation and compared in constant time;
 * its body is not read before that. With TLS each side presents a certificate as well (config/nodeTls.ts).
 */

import { seldom } from "@agon/api/program/seldom.ts"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import * as NodeHttpServer from "@effect/platform-node/NodeHttpServer"
import { ByteSize, Effect, Layer, type Redacted, type Scope } from "effect"
import { HttpRunner } from "effect/cluster"
import { HttpClient, HttpClientRequest, type HttpClientResponse, HttpServer, HttpServerRequest, HttpServerResponse } from "effect/http"
import type { NodeTls } from "../config/nodeTls.ts"
import type { Address } from "../config/variables.ts"
import { BACKLOG, cannotListen } from "../http/connection/listening.ts"
import { sameSecret } from "../http/sameSecret.ts"
import { type AnswerAsk, ASK_BYTES_MAX, makeAskServer } from "./AskServer.ts"
import { nodesCredential, UNKNOWN } from "./credential.ts"
import { ASKS_PATH } from "./PeerLink.ts"
import { makePeerServer } from "./peerServer.ts"

/** The client ends every path with a slash. */
export const NODES_PATH = "/nodes/"

/**
 * Connections to one node; further messages wait for one of them. The client opens one for each message that is under way where it has
 * no bound, and looks through all whenever one ends.
 */
const CONNECTIONS_MAX = 64

const unknown = seldom("another node does not know this one: its AGON_DATA/secrets are others")
/** Two that started at the same time with secrets of their own were not told so by each other (stranger.ts). */
const tellUnknown = ({ request, status }: HttpClientResponse.HttpClientResponse) => {
  if (status !== UNKNOWN) return Effect.void
  const node = new URL(request.url).host
  return unknown({ reason: node, fields: { node } })
}

/** The clients for other nodes; each call makes its own, whose messages do not wait for another's. */
export const layerPeerClients = (secret: Redacted.Redacted, tls: NodeTls | undefined) => {
  const credential = nodesCredential(secret)
  // Fresh: otherwise the program's other client, which is the same layer without the certificate, would be reused.
  const http = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (client) =>
      HttpClient.tap(HttpClient.mapRequest(client, HttpClientRequest.setHeader("authorization", credential)), tellUnknown)
    )
  ).pipe(
    Layer.provide(
      Layer.fresh(
        NodeHttpClient.layerUndiciOptions({ connections: CONNECTIONS_MAX, ...(tls === undefined ? {} : { connect: { ...tls } }) })
      )
    )
  )
  return HttpRunner.layerClientProtocolHttp({ path: NODES_PATH, https: tls !== undefined }).pipe(Layer.provide(http))
}

type Answer = Effect.Effect<HttpServerResponse.HttpServerResponse, unknown, HttpServerRequest.HttpServerRequest | Scope.Scope>

/** Serves other nodes' commands to the seasons hosted here: the cluster's messages, and the asks that `answer` answers. */
export const layerPeerServer = ({ host, port }: Address, secret: Redacted.Redacted, tls: NodeTls | undefined, answer: AnswerAsk) => {
  const credential = nodesCredential(secret)
  const served = Effect.map(HttpRunner.toHttpEffect, (messages) =>
    HttpServer.serve(
      guarded(
        new Map<string, Answer>([
          [NODES_PATH, messages],
          [ASKS_PATH, answerPost(answer)]
        ]),
        credential
      )
    )
  )
  return Layer.unwrap(served).pipe(
    Layer.provide(
      Layer.unwrap(
        Effect.map(makeAskServer(answer), (asks) => {
          const make = () => makePeerServer(tls, credential, { path: ASKS_PATH, asks })
          return NodeHttpServer.layer(make, { host, port, backlog: BACKLOG }).pipe(Layer.catch(cannotListen("AGON_NODE", { host, port })))
        })
      )
    )
  )
}

/** For nodes of an earlier release, and for asks that find no connection. */
const answerPost = (answer: AnswerAsk): Answer =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ text }) => Effect.flatMap(text, answer)).pipe(
    Effect.map((answered) =>
      answered === undefined
        ? HttpServerResponse.empty({ status: 400 })
        : HttpServerResponse.text(answered.text, { status: answered.status, contentType: "application/json" })
    ),
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(ASK_BYTES_MAX))
  )

const guarded = (routes: ReadonlyMap<string, Answer>, credential: string) =>
  Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers, method, url }): Answer => {
    const route = routes.get(url)
    if (route === undefined) return Effect.succeed(nothingHere)
    if (!sameSecret(headers["authorization"] ?? "", credential)) return Effect.succeed(notANode)
    return method === "POST" ? route : Effect.succeed(nothingHere)
  })

/** Closes the connection, since a body that follows is not read. */
const nothingHere = HttpServerResponse.text("", { status: 404, headers: { connection: "close" } })
const notANode = HttpServerResponse.text("", { status: UNKNOWN, headers: { connection: "close" } })
