/**
 * The server of a node's port for the others, with its limits. It listens on an operator's network, which others may reach. A connection
 * is a stranger's until a request on it has brought the nodes' credential: strangers have little time and few connections, and beyond
 * those the oldest of them is closed for a new one, so that strangers who fill the port do not keep the other nodes out.
 */

import { createServer, type Server } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { Socket } from "node:net"
import type { NodeTls } from "../config/nodeTls.ts"
import { sameSecret } from "../http/constantTime.ts"
import { refuseUpgrades } from "../http/refuseUpgrades.ts"

/** `requestTimeout` is for a whole request, of which the largest between nodes are some MB. */
const LIMITS = { connectionsCheckingInterval: 1_000, headersTimeout: 5_000, requestTimeout: 30_000, maxHeaderSize: 8_192 }
/** Open connections of all together. A node keeps at most 128 for asks to each of the others, and some for the cluster's messages. */
const CONNECTIONS_MAX = 8_192
/** Open connections that have not brought the credential. */
export const STRANGERS_MAX = 256
/** From the opening of a connection, its handshake included, until a request on it has brought the credential. */
export const STRANGER_MS = 10_000

export const makePeerServer = (tls: NodeTls | undefined, credential: string): Server => {
  const server =
    tls === undefined
      ? createServer(LIMITS)
      : createTlsServer({ ...LIMITS, ...tls, handshakeTimeout: STRANGER_MS, requestCert: true, rejectUnauthorized: true })
  server.maxConnections = CONNECTIONS_MAX
  refuseUpgrades(server)
  closeStrangers(server, credential)
  return server
}

const closeStrangers = (server: Server, credential: string): void => {
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
  server.on("request", ({ headers, socket }) => {
    const name = nameOf(socket)
    if (strangers.has(name) && sameSecret(headers.authorization ?? "", credential)) forget(name)
  })
}
