/**
 * node's server with its limits: how long clients may take, how many connections may be open, and the refusal of malformed requests.
 * These refusals are problems like all others, but written to the socket, since there is no response object yet.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import * as P from "@agon/api/Problem.ts"
import { Context, Schema } from "effect"
import { nextRequestId } from "../RequestId.ts"
import { SECURITY_HEADERS } from "../securityHeaders.ts"
import { type AddressLimit, NO_LIMIT } from "./AddressLimit.ts"
import { ProtectedResponse } from "./ProtectedResponse.ts"

export interface Limits {
  /** Time from the opening of a connection, or the first byte of another request on it, to the end of a request's head. */
  readonly head_ms: number
  /** Time from the end of the head to the end of the body. 1 MiB at 35 KB/s. */
  readonly body_ms: number
  /** The same for an object, whose size is limited by its signed URL; as long as an upload's window. */
  readonly object_ms: number
  /** No byte in either direction while a request is under way: the client does not read its answer. Four times a runner's long poll. */
  readonly idle_ms: number
  /** Size of request line and headers together. */
  readonly head_bytes: number
  /** Header lines of a request; no client sends a tenth of it. */
  readonly headers: number
  /** Connections open at once; beyond it new ones are closed. A runner holds two, a website's backend a few. */
  readonly connections: number
  /** The same for one client address. One hostile address leaves nearly all of them free, twenty can take them all. */
  readonly address_connections: number
  /** How often connections are checked for time-outs. */
  readonly every_ms: number
}

const usual: Limits = {
  head_ms: 15_000,
  body_ms: 30_000,
  object_ms: 30 * 60_000,
  idle_ms: 120_000,
  head_bytes: 16_384,
  headers: 1_000,
  connections: 10_000,
  address_connections: 500,
  every_ms: 5_000
}

export class ConnectionLimits extends Context.Reference<Limits>("agon/ConnectionLimits", { defaultValue: () => usual }) {}

const malformed = (detail: string) => new P.InvalidRequest({ detail, errors: [] })
const notHttp = malformed("This is not a request of HTTP/1.1.")
const noHost = malformed("A request of HTTP/1.1 names its Host, once.")
const noCoding = malformed("A body is sent in chunks or with its length, and in no other coding.")
const noTunnel = malformed("This is no proxy.")
const tooSlow = new P.RequestTimeout({ detail: "The request took too long to arrive." })
const tooMuch = new P.HeadersTooLarge({ detail: "The address and the headers together may have 16 KiB, in at most 1,000 lines." })

const encode: (problem: unknown) => unknown = Schema.encodeUnknownSync(
  Schema.Union([P.InvalidRequest, P.RequestTimeout, P.HeadersTooLarge]) as unknown as Schema.Encoder<unknown>
)

/** Ends a connection with a problem, unless an answer on it has been sent in part. */
const refuse = (socket: Duplex, problem: { readonly status: number }) => {
  // node's response under way; a problem written into it would look like a part of it.
  const answering = (socket as Duplex & { readonly _httpMessage?: { readonly headersSent: boolean } })._httpMessage
  if (!socket.writable || answering?.headersSent === true) return void socket.destroy()
  const body = JSON.stringify(encode(problem))
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...["content-type: application/problem+json", `content-length: ${Buffer.byteLength(body)}`, "cache-control: no-store"],
    ...Array.from(SECURITY_HEADERS, ([name, value]) => `${name}: ${value}`),
    ...[`x-request-id: ${nextRequestId()}`, "connection: close"]
  ]
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy())
}

const faultOf = ({ code }: { readonly code?: string }) => {
  if (code === "HPE_HEADER_OVERFLOW") return tooMuch
  return code === "ERR_HTTP_REQUEST_TIMEOUT" ? tooSlow : notHttp
}

/** Called first with every request; false where it has been refused. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => boolean

export const makeServer = (limits: Limits, addressLimit: AddressLimit = NO_LIMIT): { readonly server: Server; readonly admit: Admit } => {
  const server = createServer({
    ServerResponse: ProtectedResponse,
    connectionsCheckingInterval: limits.every_ms,
    headersTimeout: limits.head_ms,
    maxHeaderSize: limits.head_bytes,
    requestTimeout: Math.max(limits.object_ms, limits.head_ms),
    requireHostHeader: false, // it is required below, with a problem
    shouldUpgradeCallback: () => false // no upgrades: treated as an ordinary request
  })
  server.maxConnections = limits.connections
  server.maxHeadersCount = 0 // unlimited here, or a second Host after the limit would go unseen; they are counted below
  server.timeout = limits.idle_ms
  server.on("connection", (socket: Socket) => {
    if (!addressLimit.enter(socket)) socket.destroy()
  })
  server.on("drop", (socket) => addressLimit.dropped(socket?.remoteAddress))
  endsIdleConnections(server)
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => refuse(socket, faultOf(error)))
  server.on("connect", (_request, socket) => refuse(socket, noTunnel))
  server.on("checkExpectation", (request, response) => server.emit("request", request, response)) // Expect may be ignored (RFC 9110, 10.1.1)

  const admit: Admit = (request, response) => {
    if (request.httpVersion === "1.1" && !hasOneHost(request)) {
      refuse(request.socket, noHost)
      return false
    }
    if (request.rawHeaders.length > 2 * limits.headers) {
      refuse(request.socket, tooMuch)
      return false
    }
    // node reads `gzip, chunked` as if the chunks were plain.
    if (!/^(chunked)?$/i.test(request.headers["transfer-encoding"] ?? "")) {
      refuse(request.socket, noCoding)
      return false
    }
    toPath(request)
    if (!server.listening) response.shouldKeepAlive = false // the server stops and takes no further requests
    if (!hasBody(request)) return true
    const hurry = () => {
      const timer = setTimeout(() => giveUp(request, response), limits.body_ms).unref()
      request.once("close", () => clearTimeout(timer))
    }
    if (isHurried(request.url!)) hurry()
    else response.once("finish", () => request.complete || hurry()) // refused before its end, which may come as slowly as it likes
    return true
  }
  return { server, admit }
}

/** How often a stopping server checks for connections that have become idle. */
const IDLE_EVERY_MS = 20

/** On close node only ends connections that are idle then; one with an answer under way would delay the stop by 5 s more. */
const endsIdleConnections = (server: Server) => {
  const close = server.close.bind(server)
  server.close = (done) => {
    const looks = setInterval(() => server.closeIdleConnections(), IDLE_EVERY_MS)
    server.once("close", () => clearInterval(looks))
    return close(done)
  }
}

/** Gives up on an incomplete body. Where the answer has been sent already, the connection is closed without a problem. */
const giveUp = (request: IncomingMessage, response: ServerResponse) => {
  if (request.complete) return
  if (response.writableEnded) request.socket.destroy()
  else refuse(request.socket, tooSlow)
}

/** node keeps only the first of several Host headers, so the raw headers are counted. */
const hasOneHost = ({ rawHeaders }: IncomingMessage) => {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === "host") found++
  }
  return found === 1
}

/** A proxy may request `http://host/path`; routes and cache get `/path` (RFC 9112, 3.2.2). */
const toPath = (request: IncomingMessage) => {
  const url = request.url!
  if (url.charCodeAt(0) === 47 || !/^https?:\/\//i.test(url)) return
  request.url = url.replace(/^https?:\/\/[^/?]*/i, "").replace(/^(?!\/)/, "/")
}

const hasBody = ({ headers }: IncomingMessage) => headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** Whether `body_ms` applies: to the API and the development sign-in, but not to objects, which have `object_ms`. */
const isHurried = (url: string) => !url.startsWith("/objects/")
