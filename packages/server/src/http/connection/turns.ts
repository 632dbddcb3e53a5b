/**
 * The requests of one connection are handled one after another, as they are answered. A packet of 64 KiB has
 * a thousand small ones, which node hands over all at once: twenty connections would hold the loop for
 * everybody else until all of theirs are answered. A connection whose request was refused with 429 is closed where others wait
 * behind it: they would be refused too, at the price of an answer each.
 *
 * Every request passes here, so what is known of a connection stands on its socket, and one that comes alone costs no
 * closure and no list.
 */
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"

/** Requests of a connection that wait for the one before; beyond it the connection is closed. No browser or runner sends a second. */
export const WAITING_MAX = 8

const LINE = Symbol("the requests that wait on this connection")
/** Undefined where no request is being handled. */
type Connection = Socket & { [LINE]?: Array<() => void> | undefined }

/** The line of every connection on which one request is being handled and none waits. */
const NOBODY: Array<() => void> = []

const TOO_MANY_REQUESTS = 429

function ended(this: ServerResponse) {
  const socket: Connection = this.req.socket
  if (this.statusCode === TOO_MANY_REQUESTS && socket[LINE] !== NOBODY) return void socket.destroySoon() // once the refusal is sent
  const following = socket.destroyed ? undefined : socket[LINE]?.shift()
  if (following === undefined) socket[LINE] = undefined
  else setImmediate(following) // others have their turn in between
}

/** Calls `handle` now, or once what came before it on this connection is answered; never, where the connection has closed. */
export const inTurn = ({ socket }: IncomingMessage, response: ServerResponse, handle: () => void): void => {
  if (socket.destroyed) return
  const connection: Connection = socket
  const line = connection[LINE]
  if (line === undefined) {
    connection[LINE] = NOBODY
    response.on("close", ended)
    handle()
  } else if (line.length < WAITING_MAX) {
    const begin = () => {
      response.on("close", ended)
      handle()
    }
    if (line === NOBODY) connection[LINE] = [begin]
    else line.push(begin)
  } else socket.destroy()
}
