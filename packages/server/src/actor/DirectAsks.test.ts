/** Asks of another node over real connections, where something else has come to listen at its address. */

import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { PeerLink } from "../node/PeerLink.ts"
import { makeDirectAsks } from "./DirectAsks.ts"

const SEASON = "019a0000-0000-7000-8000-000000000001"
const command = { _tag: "Close" } as never

const listening = (answer: RequestListener) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer(answer)
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return { server, address: `127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )

/** Whether the cluster was asked, by each of two asks after the address was learnt. */
const askedOf = (answer: RequestListener) =>
  Effect.gen(function* () {
    const { address } = yield* listening(answer)
    const ask = yield* makeDirectAsks
    let byCluster = 0
    const cluster = Effect.sync(() => {
      byCluster++
      return ["by the cluster"] as never
    })
    const one = ask(SEASON, [command], cluster, Effect.succeed(address))
    yield* one
    yield* Effect.yieldNow
    const replies: Array<unknown> = []
    for (let n = 0; n < 2; n++) replies.push(...(yield* Effect.catchTag(one, "Unavailable", ({ reason }) => Effect.succeed([reason]))))
    return { byCluster, replies }
  }).pipe(Effect.provide(PeerLink.layerOf({ host: "127.0.0.1", port: 1 }, Redacted.make("secret"), undefined)), Effect.scoped)

it.live("a node that answers is asked directly", () =>
  Effect.gen(function* () {
    const told = yield* askedOf((_, response) => response.end('{"replies":["by the node"]}'))
    assert.deepStrictEqual(told, { byCluster: 1, replies: ["by the node", "by the node"] })
  })
)

it.live("an answer that no node gives sends the ask to the cluster, and the address is forgotten", () =>
  Effect.gen(function* () {
    for (const text of ["<html>", "", "null", "1", "[]", "{}", '{"replies":1}', '{"replies":[]}', '{"unavailable":1}']) {
      const told = yield* askedOf((_, response) => response.end(text))
      assert.deepStrictEqual(told, { byCluster: 3, replies: ["by the cluster", "by the cluster"] }, text)
    }
  })
)

it.live("an answer without end is given up, and the ask goes to the cluster", () =>
  Effect.gen(function* () {
    const chunk = Buffer.alloc(1024 * 1024, "x")
    let sent = 0
    const told = yield* askedOf((_, response) => {
      const more = () => {
        while (!response.destroyed && response.write(chunk, () => sent++)) {}
        if (!response.destroyed) response.once("drain", more)
      }
      more()
    })
    // On a busy machine the time is up before so much has come.
    const byCluster = told.replies.filter((reply) => reply === "by the cluster").length
    const late = told.replies.filter((reply) => reply === "its node has not answered in time").length
    assert.deepStrictEqual([told.byCluster, byCluster + late], [1 + byCluster, 2])
    assert.isBelow(sent, 100)
  })
)
