/**
 * Limits the open connections of each client address, so that one address cannot take all of them. An IPv6 client counts by its /64
 * network, as for the rates. A proxy named in TRUSTED_PROXIES serves many clients and is not counted: there the proxy's own limit
 * applies (scripts/nginx.conf).
 */
import type { Socket } from "node:net"
import { HeldCounts } from "@agon/api/program/HeldCounts.ts"
import { Clock, Context, Effect, Metric } from "effect"
import { ClientAddress, speaksForOthers } from "../ClientAddress.ts"

export interface AddressLimit {
  /** Counts the connection until it closes; false where its address has the maximum already and the caller has to close it. */
  readonly enter: (socket: Socket) => boolean
  /** Counts a connection that node closed by itself because the total was reached. */
  readonly dropped: (address: string | undefined) => void
}

/** For servers without this limit. */
export const NO_LIMIT: AddressLimit = { enter: () => true, dropped: () => undefined }

/** A client may be refused thousands of times, so there is one log line in this time. */
const LOG_EVERY_MS = 10_000

const refusals = Metric.counter("agon_connections_refused_total", {
  description: "Connections closed since there were too many",
  incremental: true
})

export const makeAddressLimit = Effect.fnUntraced(function* (address_max: number) {
  const addressOf = yield* ClientAddress
  const context = yield* Effect.context<never>()
  const open = new HeldCounts()
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

  return {
    enter: (socket) => {
      const peer = socket.remoteAddress
      if (peer === undefined || speaksForOthers(addressOf, peer)) return true // closed already, or a trusted proxy
      const address = addressOf(peer, undefined)
      if (open.of(address) >= address_max) {
        refuse(address, "its address has too many")
        return false
      }
      open.enter(address)
      socket.once("close", () => open.leave(address))
      return true
    },
    dropped: (address) => refuse(address ?? "", "there are too many in all")
  } satisfies AddressLimit
})
