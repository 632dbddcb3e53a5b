import { createServer as createHttpServer } from "node:http"
import { type AddressInfo, createServer } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import type { SettingsShape } from "../config/Settings.ts"
import { checkPorts } from "./addresses.ts"

const taken = Effect.acquireRelease(
  Effect.promise(async () => {
    const server = createServer((socket) => socket.destroy())
    await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
    return server
  }),
  (server) => Effect.sync(() => server.close())
)

for (const [asked, state] of [
  [true, "broken"],
  [false, "mend"] // the service logs it and starts without metrics
] as const)
  it.effect(`an address that another program has is ${state} for metrics that were ${asked ? "" : "not "}asked for`, () =>
    Effect.gen(function* () {
      const { port } = (yield* taken).address() as AddressInfo
      const settings = { host: "127.0.0.1", port: 0, metrics: { address: { host: "127.0.0.1", port }, asked } }
      const found = yield* checkPorts(settings as unknown as SettingsShape)
      assert.deepStrictEqual(
        found.map((finding) => finding.state),
        [state]
      )
    })
  )

it.effect("an address for nodes that another program has is broken before the start, and this node's while its service answers", () =>
  Effect.gen(function* () {
    const { port: nodes } = (yield* taken).address() as AddressInfo
    const service = yield* Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createHttpServer((_, response) => response.end())
        await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
        return server
      }),
      (server) => Effect.sync(() => server.close() && server.closeAllConnections())
    )
    const found = (port: number) =>
      Effect.map(checkPorts({ host: "127.0.0.1", port, node: { host: "127.0.0.1", port: nodes } } as SettingsShape), (all) =>
        all.filter(({ says }) => says.startsWith("AGON_NODE")).map(({ state }) => state)
      )
    assert.deepStrictEqual(yield* found((service.address() as AddressInfo).port), ["fine"])
    assert.deepStrictEqual(yield* found(0), ["broken"])
  })
)
