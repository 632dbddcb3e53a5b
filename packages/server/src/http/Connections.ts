/**
 * node's server as strangers meet it: how long they may take, how many they may be, and the refusal of what is no request at all. Such
 * refusals are problems like every other, but written to the socket, since there is no answer yet that could hold them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from "node:http"
import type { Socket } from "node:net"
import type { Duplex } from "node:stream"
import { Context, Schema } from "effect"
import * as P from "@agon/api/Problem.ts"
import { type Crowd, UNCOUNTED } from "./crowd.ts"
import { nextRequestId } from "./RequestId.ts"
import { SECURITY_HEADERS } from "./securityHeaders.ts"

export interface Limits {
  /** From the opening of a connection, or the first byte of another request on it, to the end of a request's head. */
  readonly head_ms: number
  /** From the end of the head to the end of the body. 1 MiB at 35 KB/s. */
  readonly body_ms: number
  /** The same for an object, whose signed URL says how much it may have; as long as an upload's window. */
  readonly object_ms: number
  /** Without a byte in either direction while a request is under way: who does not read its answer. Four times a runner's long poll. */
  readonly idle_ms: number
  /** Of request line and headers together. */
  readonly head_bytes: number
  /** As many lines has a head; no client sends a tenth. */
  readonly headers: number
  /** Open at once. A runner holds two, a website's backend a few; over it new ones are closed. */
  readonly connections: number
  /** Of them, from one client address. Twenty addresses that do their worst leave room for nobody else, one leaves nearly all of it. */
  readonly address_connections: number
  /** How often connections are looked over for those that took too long. */
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
const noTunnel = malformed("This is no proxy.")
const tooSlow = new P.RequestTimeout({ detail: "The request took too long to arrive." })
const tooMuch = new P.HeadersTooLarge({ detail: "The address and the headers together may have 16 KiB, in at most 1,000 lines." })

const encode: (problem: unknown) => unknown = Schema.encodeUnknownSync(
  Schema.Union([P.InvalidRequest, P.RequestTimeout, P.HeadersTooLarge]) as unknown as Schema.Encoder<unknown>
)

/** Ends a connection with a problem, unless an answer is half way out on it already. */
const refuse = (socket: Duplex, problem: { readonly status: number }) => {
  // node keeps the answer under way there; to write into it would be to forge it.
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

/** Called with every request before anybody else; false where it has been refused. */
export type Admit = (request: IncomingMessage, response: ServerResponse) => boolean

export const makeServer = (limits: Limits, crowd: Crowd = UNCOUNTED): { readonly server: Server; readonly admit: Admit } => {
  const server = createServer({
    connectionsCheckingInterval: limits.every_ms,
    headersTimeout: limits.head_ms,
    maxHeaderSize: limits.head_bytes,
    requestTimeout: Math.max(limits.object_ms, limits.head_ms),
    requireHostHeader: false, // it is required below, with a problem
    shouldUpgradeCallback: () => false // there is nothing to upgrade to: an ordinary request
  })
  server.maxConnections = limits.connections
  server.maxHeadersCount = 0 // all are seen, or a second Host behind them would not be; they are counted below
  server.timeout = limits.idle_ms
  server.on("connection", (socket: Socket) => {
    if (!crowd.enter(socket)) socket.destroy()
  })
  server.on("drop", (socket) => crowd.dropped(socket?.remoteAddress))
  endsIdleConnections(server)
  server.on("clientError", (error: Error & { readonly code?: string }, socket) => refuse(socket, faultOf(error)))
  server.on("connect", (_request, socket) => refuse(socket, noTunnel))
  server.on("checkExpectation", (request, response) => server.emit("request", request, response)) // it may be ignored (RFC 9110, 10.1.1)

  const admit: Admit = (request, response) => {
    if (request.httpVersion === "1.1" && !hasOneHost(request)) {
      refuse(request.socket, noHost)
      return false
    }
    if (request.rawHeaders.length > 2 * limits.headers) {
      refuse(request.socket, tooMuch)
      return false
    }
    toPath(request)
    if (!server.listening) response.shouldKeepAlive = false // it stops: the next request is somebody else's
    if (hasBody(request) && isHurried(request.url!)) {
      const timer = setTimeout(() => giveUp(request, response), limits.body_ms).unref()
      request.once("close", () => clearTimeout(timer))
    }
    return true
  }
  return { server, admit }
}

/** How often a server that stops looks for connections that have become idle. */
const idle_every_ms = 20

/** node ends those that are idle when the server is closed; one whose answer was under way would hold the server up for 5 s more. */
const endsIdleConnections = (server: Server) => {
  const close = server.close.bind(server)
  server.close = (done) => {
    const looks = setInterval(() => server.closeIdleConnections(), idle_every_ms)
    server.once("close", () => clearInterval(looks))
    return close(done)
  }
}

/** A body that has not come whole: who has had an answer without it gets no other. */
const giveUp = (request: IncomingMessage, response: ServerResponse) => {
  if (request.complete) return
  if (response.writableEnded) request.socket.destroy()
  else refuse(request.socket, tooSlow)
}

/** node keeps the first of several, so they are counted as they came. */
const hasOneHost = ({ rawHeaders }: IncomingMessage) => {
  let found = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === "host") found++
  }
  return found === 1
}

/** A proxy may ask for `http://host/path`, which is `/path` here, to routes and cache alike (RFC 9112, 3.2.2). */
const toPath = (request: IncomingMessage) => {
  const url = request.url!
  if (url.charCodeAt(0) === 47 || !/^https?:\/\//i.test(url)) return
  request.url = url.replace(/^https?:\/\/[^/?]*/i, "").replace(/^(?!\/)/, "/")
}

const hasBody = ({ headers }: IncomingMessage) => headers["content-length"] !== undefined || headers["transfer-encoding"] !== undefined

/** Bodies of the API and of the development sign-in; objects have bounds of their own. */
const isHurried = (url: string) => !url.startsWith("/objects/")
