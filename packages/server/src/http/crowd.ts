/**
 * How many connections each client address holds open, so that one of them cannot take all there are. An IPv6 client counts by its
 * network of 64 bits, as for the rates. A proxy named in TRUSTED_PROXIES speaks for many and is not counted: there the limit is the
 * proxy's own (scripts/nginx.conf).
 */
import type { Socket } from "node:net"
import { Clock, Context, Effect, Metric } from "effect"
import { ClientAddress, speaksForOthers } from "./ClientAddress.ts"

export interface Crowd {
  /** Counts the connection until it closes; false where its address has as many as it may have, and it is to be closed. */
  readonly enter: (socket: Socket) => boolean
  /** One that node closed unseen, since there were too many of everybody's. */
  readonly dropped: (address: string | undefined) => void
}

/** Where nobody counts. */
export const UNCOUNTED: Crowd = { enter: () => true, dropped: () => undefined }

/** Whoever is refused is refused thousands of times; the log has one line in so long. */
const LOG_EVERY_MS = 10_000

const refusals = Metric.counter("agon_connections_refused_total", {
  description: "Connections closed since there were too many",
  incremental: true
})

export const makeCrowd = Effect.fnUntraced(function* (address_max: number) {
  const addressOf = yield* ClientAddress
  const context = yield* Effect.context<never>()
  const open = new Map<string, number>()
  let logged_ms = Number.NEGATIVE_INFINITY
  let unlogged = 0

  const refuse = (address: string, why: string) => {
    refusals.updateUnsafe(1, context)
    unlogged++
    const now_ms = Context.get(context, Clock.Clock).currentTimeMillisUnsafe()
    if (now_ms - logged_ms < LOG_EVERY_MS) return
    const line = Effect.logWarning("connections refused").pipe(Effect.annotateLogs({ address, why, refused: unlogged }))
    logged_ms = now_ms
    unlogged = 0
    Effect.runForkWith(context)(line)
  }

  const leave = (address: string) => {
    const left = open.get(address)! - 1
    if (left === 0) open.delete(address)
    else open.set(address, left)
  }

  return {
    enter: (socket) => {
      const peer = socket.remoteAddress
      if (peer === undefined || speaksForOthers(addressOf, peer)) return true // gone again already, or a proxy of ours
      const address = addressOf(peer, undefined)
      const held = open.get(address) ?? 0
      if (held >= address_max) {
        refuse(address, "its address has too many")
        return false
      }
      open.set(address, held + 1)
      socket.once("close", () => leave(address))
      return true
    },
    dropped: (address) => refuse(address ?? "", "there are too many in all")
  } satisfies Crowd
})
