/**
 * A node that was killed: its port refuses connections at once, long before its heartbeat is missed. Every node knocks at the
 * others' ports, and strikes one that refused twice running off the list of those that host seasons. A node that is only
 * slow, or cannot be reached, is left to its heartbeat; one that starts again puts itself on the list.
 */
import { Effect, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { connect } from "node:net"
import type { Address } from "../config/variables.ts"

const LOOK_EVERY = "400 millis"
/** Who does not even refuse by then is no matter of ours. */
const KNOCK_TIMEOUT_MS = 1_000
/** One refusal may be a node between two lives. */
const REFUSALS = 2

/** Whether nobody listens there. */
const refuses = (address: string) =>
  Effect.callback<boolean>((resume) => {
    const colon = address.lastIndexOf(":")
    const socket = connect({ host: address.slice(0, colon), port: Number(address.slice(colon + 1)), timeout: KNOCK_TIMEOUT_MS })
    const say = (refused: boolean) => {
      socket.destroy()
      resume(Effect.succeed(refused))
    }
    socket.on("connect", () => say(false))
    socket.on("timeout", () => say(false))
    socket.on("error", ({ code }: NodeJS.ErrnoException) => say(code === "ECONNREFUSED"))
    return Effect.sync(() => socket.destroy())
  })

export const lookout = Effect.fnUntraced(function* ({ host, port }: Address) {
  const sql = yield* SqlClient.SqlClient
  const self = `${host}:${port}` // as the library writes it, an IPv6 host without brackets
  const refused = new Map<string, number>()

  const knock = Effect.fnUntraced(function* (address: string) {
    const times = (yield* refuses(address)) ? (refused.get(address) ?? 0) + 1 : 0
    refused.set(address, times)
    // One row by its unique address; whoever notices first strikes it off.
    if (times >= REFUSALS) yield* sql`UPDATE cluster_runners SET healthy = false WHERE address = ${address} AND healthy`
  })
  const look = Effect.gen(function* () {
    // A few rows; those of nodes that are gone for good are swept by the library.
    const others = yield* sql<{ readonly address: string }>`
      SELECT address FROM cluster_runners WHERE healthy AND address <> ${self} AND last_heartbeat > now()::timestamp - interval '4 seconds'`
    yield* Effect.forEach(others, ({ address }) => knock(address), { concurrency: "unbounded", discard: true })
    for (const address of refused.keys()) if (!others.some((other) => other.address === address)) refused.delete(address)
  })
  yield* look.pipe(Effect.ignore, Effect.repeat(Schedule.spaced(LOOK_EVERY)), Effect.forkScoped)
})
