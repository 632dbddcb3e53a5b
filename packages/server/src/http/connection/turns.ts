/**
 * The requests of one connection are handled one after another, as they are answered. A packet of 64 KiB has
 * a thousand small ones, which node hands over all at once: twenty connections would hold the loop for
 * everybody else until all of theirs are answered.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Requests of a connection that wait for the one before; beyond it the connection is closed. No browser or runner sends a second. */
export const WAITING_MAX = 32

/** Calls `handle` now, or once what came before it on this connection is answered; never, where the connection has closed. */
export const makeTurns = () => {
  const lines = new WeakMap<Socket, Array<() => void>>()
  const next = (socket: Socket) => {
    const following = socket.destroyed ? undefined : lines.get(socket)?.shift()
    if (following === undefined) lines.delete(socket)
    else setImmediate(following) // others have their turn in between
  }
  return ({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void => {
    const begin = () => {
      response.once("close", () => next(socket))
      handle()
    }
    if (socket.destroyed) return
    const line = lines.get(socket)
    if (line === undefined) {
      lines.set(socket, [])
      begin()
    } else if (line.length < WAITING_MAX) line.push(begin)
    else socket.destroy()
  }
}
