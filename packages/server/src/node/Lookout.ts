/**
 * Detects killed nodes: a killed node's port refuses connections at once, long before its heartbeat is missed. Every node
 * probes the others' ports and removes one that refused twice in a row from the list of nodes that host seasons. A node that
 * is slow or unreachable is left to the heartbeat; one that starts again adds itself to the list.
 */

import { connect } from "node:net"
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import type { Address } from "../config/variables.ts"
import * as NodeAddress from "./nodeAddress.ts"

const LOOK_EVERY = "400 millis"
/** A node that has not even refused by then is left to the heartbeat. */
const KNOCK_TIMEOUT_MS = 1_000
/** A single refusal may be a node that is restarting. */
const REFUSALS = 2

/** Whether the port refuses connections. */
const refuses = (address: string) =>
  Effect.callback<boolean>((resume) => {
    const socket = connect({ ...NodeAddress.read(address), timeout: KNOCK_TIMEOUT_MS })
    const say = (refused: boolean) => {
      socket.destroy()
      resume(Effect.succeed(refused))
    }
    socket.on("connect", () => say(false))
    socket.on("timeout", () => say(false))
    socket.on("error", ({ code }: NodeJS.ErrnoException) => say(code === "ECONNREFUSED"))
    return Effect.sync(() => socket.destroy())
  })

/** The addresses of the other nodes that run: a few rows; those of nodes that are gone for good are swept by the library. */
export const runningBeside = Effect.fnUntraced(function* (self: string) {
  const sql = yield* SqlClient.SqlClient
  const others = yield* sql<{ readonly address: string }>`
    SELECT address FROM cluster_runners WHERE healthy AND address <> ${self} AND last_heartbeat > now()::timestamp - interval '4 seconds'`
  return others.map(({ address }) => address)
})

export const lookout = Effect.fnUntraced(function* (node: Address) {
  const sql = yield* SqlClient.SqlClient
  const self = NodeAddress.written(node)
  const refused = new Map<string, number>()

  const knock = Effect.fnUntraced(function* (address: string) {
    const times = (yield* refuses(address)) ? (refused.get(address) ?? 0) + 1 : 0
    refused.set(address, times)
    // One row by its unique address; the first node that notices updates it.
    if (times >= REFUSALS) yield* sql`UPDATE cluster_runners SET healthy = false WHERE address = ${address} AND healthy`
  })
  const look = Effect.gen(function* () {
    const others = yield* runningBeside(self)
    yield* Effect.forEach(others, knock, { concurrency: "unbounded", discard: true })
    for (const address of refused.keys()) if (!others.includes(address)) refused.delete(address)
  })
  // Without the database nobody can be taken off the list: the next look finds the same nodes.
  yield* look.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
})
