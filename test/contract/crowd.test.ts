/** Connections that one client address holds open: as many as it may have, and nobody else is kept out by them. */

import { connect, type Socket } from "node:net"
import { ClientAddress, trusting } from "@agon/server/http/ClientAddress.ts"
import { ConnectionLimits } from "@agon/server/http/connection/Connections.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger } from "effect"
import { overSocket, port } from "../support/Web.ts"

const ADDRESS_MAX = 5
const usual = Context.get(Context.empty(), ConnectionLimits)

/** The service's log, line by line. */
const logged: Array<string> = []
const Log = Logger.layer([
  Logger.make(({ message }) => {
    logged.push(String(message))
  })
])

const live = (proxies: ReadonlyArray<string>) =>
  overSocket().pipe(
    Layer.provide(Layer.succeed(ConnectionLimits, { ...usual, address_connections: ADDRESS_MAX })),
    Layer.provide(Layer.succeed(ClientAddress, trusting(proxies))),
    Layer.provideMerge(Log)
  )

interface Opened {
  readonly socket: Socket
  /** Whether the service answers on it, rather than closing it. */
  readonly served: Promise<boolean>
}

/** Opens a connection from that address and asks once. */
const open = (port: number, localAddress: string): Promise<Opened> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1", localAddress }, () => {
      socket.write("GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
      resolve({ socket, served })
    })
    const served = new Promise<boolean>((tell) => {
      socket.on("data", (chunk) => tell(String(chunk).startsWith("HTTP/1.1 200")))
      socket.on("close", () => tell(false))
    })
    socket.on("error", () => undefined)
  })

const ended = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : socket.on("close", () => resolve()).destroy()))

/** So many one after the other from an address, all kept open; how many were served. */
const crowdOf = (many: number, address: string) =>
  Effect.flatMap(port, (port) =>
    Effect.promise(async () => {
      const all: Array<Opened> = []
      let served = 0
      for (let i = 0; i < many; i++) {
        const one = await open(port, address)
        all.push(one)
        if (await one.served) served++
      }
      const close = () => Promise.all(all.map(({ socket }) => ended(socket)))
      return { served, close }
    })
  )

const quit = (...crowds: ReadonlyArray<{ readonly close: () => Promise<unknown> }>) =>
  Effect.promise(() => Promise.all(crowds.map(({ close }) => close())))

layer(live([]), { excludeTestServices: true })("a client address", (it) => {
  it.effect("holds so many connections and no more, keeps nobody else out, and gets in again when it has let go", () =>
    Effect.gen(function* () {
      logged.length = 0
      const greedy = yield* crowdOf(4 * ADDRESS_MAX, "127.0.0.1")
      assert.strictEqual(greedy.served, ADDRESS_MAX)
      const other = yield* crowdOf(1, "127.0.0.2")
      assert.strictEqual(other.served, 1)
      assert.lengthOf(
        logged.filter((line) => line.includes("connections refused")),
        1,
        "fifteen refusals are one line of the log"
      )
      yield* quit(greedy, other)
      let again = yield* crowdOf(1, "127.0.0.1")
      while (again.served === 0) {
        yield* quit(again) // the service has not heard of the last close yet
        again = yield* crowdOf(1, "127.0.0.1")
      }
      yield* quit(again)
    })
  )
})

layer(live(["127.0.0.1"]), { excludeTestServices: true })("a proxy that is trusted", (it) => {
  it.effect("is not taken for one client", () =>
    Effect.gen(function* () {
      const proxy = yield* crowdOf(4 * ADDRESS_MAX, "127.0.0.1")
      const stranger = yield* crowdOf(2 * ADDRESS_MAX, "127.0.0.2")
      assert.deepStrictEqual([proxy.served, stranger.served], [4 * ADDRESS_MAX, ADDRESS_MAX])
      yield* quit(proxy, stranger)
    })
  )
})
