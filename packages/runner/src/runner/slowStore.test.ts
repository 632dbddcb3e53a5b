/** Files from an object store that is slow, silent or trickles: a real server, which sends when it is told to. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Queue, Stream } from "effect"
import { HttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { listening } from "../../../../test/support/listening.ts"
import { Transfers } from "./Transfers.ts"

const MIB = 1024 ** 2

/** Every request to it, unanswered. */
const store = Effect.gen(function* () {
  const asked = yield* Queue.unbounded<{ readonly request: IncomingMessage; readonly response: ServerResponse }>()
  const server = createServer((request, response) => void Queue.offerUnsafe(asked, { request, response }))
  return { asked, origin: yield* listening(server) }
})

/** Downloads by a client that says how much of its answers has been read. */
const counted = Effect.gen(function* () {
  const read = yield* Queue.unbounded<number>()
  const client = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.transformResponse(
        Effect.map((response) =>
          Object.create(response, { stream: { value: Stream.tap(response.stream, ({ length }) => Queue.offer(read, length)) } })
        )
      )
    )
  ).pipe(Layer.provide(NodeHttpClient.layerUndici))
  const { get, put } = Context.get(yield* Layer.build(Transfers.layer.pipe(Layer.provide(client))), Transfers)
  const send = Effect.fnUntraced(function* (response: ServerResponse, bytes: number) {
    response.write(Buffer.alloc(bytes, 1))
    for (let left = bytes; left > 0; ) left -= yield* Queue.take(read)
  })
  return { get, put, send }
})

const later = (seconds: number) => TestClock.adjust(`${seconds} seconds`)

it.effect("a large file comes over a slow line, in one try, for as long as it comes", () =>
  Effect.gen(function* () {
    const { asked, origin } = yield* store
    const { get, send } = yield* counted
    const getting = yield* Effect.forkChild(get(origin, 40 * MIB))
    const { response } = yield* Queue.take(asked)
    yield* later(25)
    for (let sent = 0; sent < 40; sent += 4) {
      yield* send(response, 4 * MIB)
      yield* later(25)
    }
    response.end()
    assert.strictEqual((yield* Fiber.join(getting)).length, 40 * MIB)
    assert.strictEqual(yield* Queue.size(asked), 0)
  }).pipe(Effect.scoped)
)

it.effect("a store that does not answer is asked four times", () =>
  Effect.gen(function* () {
    const { asked, origin } = yield* store
    const { get } = yield* counted
    const getting = yield* Effect.forkChild(Effect.flip(get(origin, 40 * MIB)))
    for (let tries = 0; tries < 4; tries++) {
      yield* Queue.take(asked)
      yield* later(30)
      yield* later(5)
    }
    assert.deepInclude({ ...(yield* Fiber.join(getting)) }, { detail: "no answer in 30 s", gone: false })
    assert.strictEqual(yield* Queue.size(asked), 0)
  }).pipe(Effect.scoped)
)

it.effect("a store that is away is asked for two minutes, less and less often, and its file fetched once it is back", () =>
  Effect.gen(function* () {
    const { asked, origin } = yield* store
    const { get } = yield* counted
    const tries = Effect.gen(function* () {
      let count = 0
      for (let seconds = 0; seconds < 100; seconds++) {
        yield* later(1)
        yield* Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
        for (const { response } of yield* Queue.clear(asked)) {
          count++
          response.writeHead(503).end()
          yield* Effect.promise(() => new Promise((resolve) => setTimeout(resolve, 20)))
        }
      }
      return count
    })
    const getting = yield* Effect.forkChild(get(origin, 4))
    const count = yield* tries
    assert.isTrue(count > 4 && count < 20, `${count} tries`)
    const fetched = Effect.forkChild(Effect.flatMap(Queue.take(asked), ({ response }) => Effect.sync(() => response.end("1234"))))
    const answering = yield* fetched
    yield* later(19)
    yield* Fiber.join(answering)
    assert.strictEqual((yield* Fiber.join(getting)).length, 4)
  }).pipe(Effect.scoped)
)

it.effect("a file that comes no further is asked for again", () =>
  Effect.gen(function* () {
    const { asked, origin } = yield* store
    const { get, send } = yield* counted
    const getting = yield* Effect.forkChild(get(origin, 2 * MIB))
    const first = yield* Queue.take(asked)
    yield* send(first.response, MIB)
    yield* later(30)
    yield* later(5)
    const second = yield* Queue.take(asked)
    yield* send(second.response, 2 * MIB)
    second.response.end()
    assert.strictEqual((yield* Fiber.join(getting)).length, 2 * MIB)
  }).pipe(Effect.scoped)
)

it.effect("a file that trickles is given up after two minutes and 8 s for each MiB, and not asked for again", () =>
  Effect.gen(function* () {
    const { asked, origin } = yield* store
    const { get, send } = yield* counted
    const getting = yield* Effect.forkChild(Effect.flip(get(origin, 40 * MIB)))
    const { response } = yield* Queue.take(asked)
    const closed = new Promise<void>((resolve) => response.on("close", resolve))
    for (let seconds = 0; seconds < 440; seconds += 20) {
      assert.isUndefined(getting.pollUnsafe(), `given up after ${seconds} s`)
      yield* send(response, 1024)
      yield* later(20)
    }
    const { detail, gone } = yield* Fiber.join(getting)
    assert.deepStrictEqual([detail, gone], ["not done in 440 s", false])
    yield* Effect.promise(() => closed)
    assert.strictEqual(yield* Queue.size(asked), 0)
  }).pipe(Effect.scoped)
)

it.effect("an upload has time for its bytes before the answer", () =>
  Effect.gen(function* () {
    const { asked, origin } = yield* store
    const { put } = yield* counted
    const upload = { method: "PUT" as const, url: origin, headers: {}, max_bytes: 4 * MIB, expires_at: new Date(0) }
    const putting = yield* Effect.forkChild(put(upload as never, new Uint8Array(4 * MIB)))
    const { request, response } = yield* Queue.take(asked)
    yield* later(60)
    request.resume()
    yield* Effect.callback<void>((resume) => void request.once("end", () => resume(Effect.void)))
    response.end()
    yield* Fiber.join(putting)
    assert.strictEqual(yield* Queue.size(asked), 0)
  }).pipe(Effect.scoped)
)
