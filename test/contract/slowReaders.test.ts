/**
 * Readers who ask for a large answer and do not take it: they are cut after a time, and however many they
 * are they cost few copies of it.
 */

import { connect, type Socket } from "node:net"
import { Api } from "@agon/api/Api.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { ClientAddress, trusting } from "@agon/server/http/ClientAddress.ts"
import { type Limits, SlowReaderLimits, slowReadersCut } from "@agon/server/http/connection/SlowReaders.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Metric, Schedule } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { overSocket, port, uncalled } from "../support/Web.ts"

const MIB = 1024 * 1024

/** An answer for one reader, larger than what the kernel holds of a connection that nobody reads. */
const LARGE = { maps: [], total: 0, next_cursor: "x".repeat(12 * MIB) }
const BoardHandlers = HttpApiBuilder.group(Api, "board", (handlers) =>
  handlers.handleAll({
    boards: () => Effect.as(tagged("test"), LARGE),
    board: uncalled,
    privateBoard: uncalled,
    privateBoards: () => Effect.succeed(LARGE)
  })
)

const live = (limits: Limits) =>
  overSocket({ handlers: BoardHandlers, served: ["board"] }).pipe(
    Layer.provide(Layer.mergeAll(Layer.succeed(SlowReaderLimits, limits), Layer.succeed(ClientAddress, trusting(["127.0.0.1"]))))
  )

/** Asks, and reads nothing until it is told to. */
const ask = (port: number, path: string, client: string) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Socket>((resolve, reject) => {
          const socket = connect(port, "127.0.0.1", () => {
            socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${client}\r\nConnection: close\r\n\r\n`)
            resolve(socket)
          })
          socket.once("error", reject)
          socket.on("error", () => undefined)
        })
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )

/** How much comes of an answer until the connection is closed. */
const rest = (socket: Socket) =>
  Effect.promise(
    () =>
      new Promise<number>((resolve) => {
        let bytes = 0
        socket
          .on("data", (chunk) => (bytes += chunk.length))
          .once("close", () => resolve(bytes))
          .resume()
      })
  )

const served = (port: number, path: string, client: string) =>
  Effect.promise(() =>
    fetch(`http://127.0.0.1:${port}${path}`, { headers: { "x-forwarded-for": client } }).then((answer) => answer.arrayBuffer())
  )

const cuts = Effect.map(Metric.value(slowReadersCut), ({ count }) => Number(count))
const untilCut = (least: number) =>
  Effect.repeat(cuts, { until: (n) => n >= least, schedule: Schedule.spaced("20 millis") }).pipe(Effect.timeout("40 seconds"))

const readers = (n: number, port: number, path: string, clientOf: (i: number) => string) =>
  Effect.forEach(
    Array.from({ length: n }, (_, i) => i),
    (i) => ask(port, path, clientOf(i))
  )

const ours = "/v1/private/games/snakes/seasons/s1/maps"
const kept = "/v1/games/snakes/seasons/s1/maps"
const patient = { grace_ms: 600_000, bytes_per_s: 1, address_bytes: 1e12, total_bytes: 1e12 }

layer(live(patient), { excludeTestServices: true })("two hundred who read nothing of the API's reference", (it) => {
  it.effect("share its bytes: the process grows by less than a tenth of two hundred copies", () =>
    Effect.gen(function* () {
      const at = yield* port
      const whole = (yield* served(at, "/docs", "10.9.9.9")).byteLength
      global.gc?.()
      const before = process.memoryUsage().rss
      yield* readers(200, at, "/docs", (i) => `10.0.0.${i}`)
      yield* served(at, "/docs", "10.9.9.9") // answered after all of theirs
      const grown = process.memoryUsage().rss - before
      console.log(`200 slow readers of ${(whole / MIB).toFixed(1)} MiB: ${(grown / MIB).toFixed(0)} MiB more`)
      assert.isBelow(grown, (200 * whole) / 10)
    })
  )
})

layer(live({ ...patient, address_bytes: 40 * MIB, total_bytes: 100 * MIB }), { excludeTestServices: true })(
  "answers that wait for readers",
  (it) => {
    it.effect("are bounded in bytes for an address and for all; who comes last is cut, and others are served", () =>
      Effect.gen(function* () {
        const at = yield* port
        const before = yield* cuts
        yield* readers(6, at, ours, () => "10.1.0.1") // 12 MiB each: three fit
        yield* untilCut(before + 3)
        yield* readers(10, at, ours, (i) => `10.2.0.${i}`) // five more fit into 100
        yield* untilCut(before + 3 + 5)
        assert.isAbove((yield* served(at, "/openapi.json", "10.3.0.1")).byteLength, 1)
        assert.strictEqual(yield* cuts, before + 8)
      })
    )
  }
)

layer(live({ ...patient, grace_ms: 500, bytes_per_s: 100 * MIB }), { excludeTestServices: true })("a reader", (it) => {
  for (const [kind, path] of Object.entries({ "an answer made for them": ours, "a kept answer": kept })) {
    it.effect(`who takes nothing of ${kind} is cut after a time, and one who reads gets all of it`, () =>
      Effect.gen(function* () {
        const at = yield* port
        assert.isAbove((yield* served(at, path, "10.1.0.1")).byteLength, 12 * MIB)
        const before = yield* cuts
        const [slow] = yield* readers(1, at, path, () => "10.1.0.1")
        yield* untilCut(before + 1)
        assert.isBelow(yield* rest(slow!), 12 * MIB)
        assert.isAbove((yield* served(at, path, "10.1.0.1")).byteLength, 12 * MIB)
        assert.strictEqual(yield* cuts, before + 1)
      })
    )
  }
})
