/**
 * The server of a node's port for the others, with its limits. It listens on an operator's network, which others may reach. A connection
 * is a stranger's until a request on it has brought the nodes' credential: strangers have little time and few connections, and beyond
 * those the oldest of them is closed for a new one, so that strangers who fill the port do not keep the other nodes out.
 */

import { createServer, type IncomingMessage, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Socket } from "node:net"
import type { NodeTls } from "../config/nodeTls.ts"
import { sameSecret } from "../http/sameSecret.ts"
import type { AskServer } from "./AskServer.ts"
import { FRAMES } from "./FrameSocket.ts"

/** `requestTimeout` is for a whole request, of which the largest between nodes are some MB. */
const LIMITS = { connectionsCheckingInterval: 1_000, headersTimeout: 5_000, requestTimeout: 30_000, maxHeaderSize: 8_192 }
/**
 * Open connections of all together. A node keeps one for asks to each of the others, at most 128 where it asks by POST, and some for the
 * cluster's messages.
 */
const CONNECTIONS_MAX = 8_192
/** Open connections that have not brought the credential. */
export const STRANGERS_MAX = 256
/** From the opening of a connection, its handshake included, until a request on it has brought the credential. */
export const STRANGER_MS = 10_000

/** Where the upgrade of a connection is accepted, and who answers on it then. */
export interface Upgrades {
  readonly path: string
  readonly asks: AskServer
}

export const makePeerServer = (tls: NodeTls | undefined, credential: string, upgrades: Upgrades): Server => {
  const server =
    tls === undefined
      ? createServer(LIMITS)
      : createTlsServer({ ...LIMITS, ...tls, handshakeTimeout: STRANGER_MS, requestCert: true, rejectUnauthorized: true })
  server.maxConnections = CONNECTIONS_MAX
  const isNode = closeStrangers(server, credential)
  upgrade(server, isNode, upgrades)
  return server
}

const SWITCHED = `HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\nupgrade: ${FRAMES}\r\n\r\n`

/**
 * Takes the event, so that no other handler answers on the same connection: the library's would, and leave it half open. Whoever is no node
 * is closed without an answer. Node's server waits for upgraded connections to end, but does not know when they may.
 */
const upgrade = (server: Server, isNode: (request: IncomingMessage) => boolean, { asks, path }: Upgrades): void => {
  const take = (request: IncomingMessage, socket: Socket, head: Buffer): void => {
    const { headers, method, url } = request
    if (url !== path || method !== "GET" || headers.upgrade !== FRAMES || !isNode(request)) {
      socket.destroy()
      return
    }
    socket.write(SWITCHED)
    asks.take(socket, head)
  }
  server.on("upgrade", take) // without a listener Node serves it as any other request
  const emit: (event: string | symbol, ...args: Array<any>) => boolean = server.emit.bind(server)
  server.emit = (event: string | symbol, ...args: Array<any>) => {
    if (event !== "upgrade") return emit(event, ...args)
    take(args[0], args[1], args[2])
    return true
  }
  const close = server.close.bind(server)
  server.close = (callback) => {
    asks.part()
    return close(callback)
  }
}

/** Returns whether a request comes from a node, whose connection is no stranger's any more. */
const closeStrangers = (server: Server, credential: string) => {
  /** By address and port: with TLS a connection and its requests show different sockets. In the order of their opening. */
  const strangers = new Map<string, { readonly socket: Socket; readonly timer: NodeJS.Timeout }>()
  const nameOf = ({ remoteAddress, remotePort }: Socket) => `${remoteAddress} ${remotePort}`
  const forget = (name: string) => {
    clearTimeout(strangers.get(name)?.timer)
    strangers.delete(name)
  }
  server.on("connection", (socket: Socket) => {
    const name = nameOf(socket)
    forget(name)
    const stranger = { socket, timer: setTimeout(() => socket.destroy(), STRANGER_MS).unref() }
    strangers.set(name, stranger)
    socket.once("close", () => {
      if (strangers.get(name) === stranger) forget(name)
    })
    if (strangers.size <= STRANGERS_MAX) return
    const [oldest, its] = strangers.entries().next().value!
    forget(oldest)
    its.socket.destroy()
  })
  const isNode = ({ headers, socket }: IncomingMessage): boolean => {
    const is = sameSecret(headers.authorization ?? "", credential)
    if (is) forget(nameOf(socket))
    return is
  }
  server.on("request", (request) => {
    if (strangers.has(nameOf(request.socket))) isNode(request)
  })
  return isNode
}
