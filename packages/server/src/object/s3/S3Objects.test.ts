/** A bucket, or what stands before it, that answers 200 with bytes that nobody has put there. */
import { createHash } from "node:crypto"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Option, Queue, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { replayKey, replayUploadKey, storedKey } from "../keys.ts"
import { ObjectStore } from "../ObjectStore.ts"
import * as S3Objects from "./S3Objects.ts"
import type { S3Options } from "./s3Requests.ts"

const bytes = Buffer.from('{"format":"agon-replay"}')
const sha256 = createHash("sha256").update(bytes).digest("hex")
const HASH = `sha256:${sha256}`
const PAGE = "<html>Sign in to the network"
const asked = { key: replayUploadKey("lease"), sha256, max_bytes: 1_000, into: replayKey("match", HASH) }

type Answer = (response: ServerResponse) => void
const right: Answer = (response) => void response.writeHead(200, { etag: '"e"' }).end(bytes)
const wrong: Answer = (response) => void response.writeHead(200, { etag: '"e"' }).end(PAGE)
const page: Answer = (response) => void response.writeHead(200).end(PAGE)

const optionsAt = (port: number): S3Options => ({
  ...{ endpoint: `http://127.0.0.1:${port}`, region: "us-east-1", bucket: "b" },
  ...{ accessKeyId: "a", secretAccessKey: Redacted.make("secret") }
})

/** A store on a bucket that answers signed requests for objects as it is told. */
const bucket = Effect.gen(function* () {
  const it = { answer: right, seen: [] as Array<string> }
  const server = yield* Effect.acquireRelease(
    Effect.promise(async () => {
      const server = createServer((request, response) => {
        request.resume()
        const isObject = /\/b\/(replays|incoming|weights)\//.test(request.url!)
        if (request.headers.authorization === undefined) response.writeHead(403).end()
        else if (!isObject || request.method === "DELETE" || request.method === "PUT") response.writeHead(200).end("<CopyObjectResult/>")
        else it.answer(response)
        if (isObject) it.seen.push(request.method!)
      })
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  )
  const store = Context.get(yield* Layer.build(S3Objects.layer(optionsAt((server.address() as AddressInfo).port))), ObjectStore)
  return { it, store }
})

it.effect("a bucket that says nothing is named after three seconds, and is given up within a minute, in one sentence", () =>
  Effect.gen(function* () {
    const [server, asked] = [createServer(), yield* Queue.unbounded<void>()]
    server.on("request", () => Queue.offerUnsafe(asked, undefined))
    yield* Effect.promise(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
    const port = (server.address() as AddressInfo).port
    const said: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => void said.push(message))])
    const starting = yield* Effect.forkChild(Effect.provide(Effect.flip(Layer.build(S3Objects.layer(optionsAt(port)))), log))
    yield* TestClock.adjust("3 seconds")
    assert.deepStrictEqual(said, [["the start waits for the object store", { at: `http://127.0.0.1:${port}`, bucket: "b" }]])
    for (let tries = 0; tries < 4; tries++) {
      yield* Queue.take(asked)
      yield* TestClock.adjust("10 seconds")
      yield* TestClock.adjust("2 seconds")
    }
    const { detail } = yield* Fiber.join(starting)
    assert.lengthOf(said, 1)
    assert.strictEqual(detail, `bucket b at http://127.0.0.1:${port} as a: no answer in 10 seconds`)
    server.closeAllConnections()
    server.close()
  }).pipe(Effect.scoped)
)

it.live("a bucket that refuses signatures since the clocks are an hour apart is told by that", () =>
  Effect.gen(function* () {
    const { it, store } = yield* bucket
    for (const [ahead_ms, said] of [
      [3_600_000, "403: this machine's clock is 60 min ahead of the store's; set both by NTP"],
      [-3_600_000, "403: this machine's clock is 60 min behind the store's; set both by NTP"],
      [0, "403"]
    ] as const) {
      it.answer = (response) => void response.writeHead(403, { date: new Date(Date.now() - ahead_ms).toUTCString() }).end()
      const failure = yield* Effect.flip(store.stat(replayKey("match", HASH)))
      assert.deepInclude(failure, { _tag: "ObjectsUnavailable", detail: said })
    }
  })
)

it.live("bytes that do not have the hash in their address are an answer of nobody, and the right ones are had later", () =>
  Effect.gen(function* () {
    const { it, store } = yield* bucket
    for (const key of [replayKey("match", HASH), storedKey("weights", HASH)]) {
      it.answer = wrong
      const failure = yield* Effect.flip(store.get({ key, max_bytes: 1_000 }))
      assert.deepInclude(failure, { _tag: "ObjectsUnavailable", detail: "the store answered other bytes than were put there" })
      it.answer = right
      assert.deepStrictEqual(yield* store.get({ key, max_bytes: 1_000 }), Option.some(new Uint8Array(bytes)))
    }
    it.answer = wrong
    assert.isTrue(Option.isSome(yield* store.get({ key: asked.key, max_bytes: 1_000 })), "an upload may be anything")
  }).pipe(Effect.scoped)
)

it.live("a page with 200 and no ETag is no object, has no size, and condemns no upload", () =>
  Effect.gen(function* () {
    const { it, store } = yield* bucket
    it.answer = page
    for (const outcome of [store.verify(asked), store.stat(asked.key), store.get({ key: asked.key, max_bytes: 1_000 })])
      assert.deepInclude(yield* Effect.flip(outcome as Effect.Effect<unknown, unknown>), { _tag: "ObjectsUnavailable" })
    assert.notInclude(it.seen, "DELETE")
    it.answer = right
    assert.deepStrictEqual(yield* store.verify(asked), { bytes: bytes.length })
  }).pipe(Effect.scoped)
)

it.live("an upload that was answered with other bytes once is not wrong, stays where it is, and is taken at the next look", () =>
  Effect.gen(function* () {
    const { it, store } = yield* bucket
    const long: Answer = (response) => void response.writeHead(200, { etag: '"e"' }).end(PAGE.repeat(100))
    for (const once of [wrong, long]) {
      it.answer = (response) => {
        once(response)
        it.answer = right
      }
      assert.deepStrictEqual(yield* store.verify(asked), { bytes: bytes.length })
    }
    assert.notInclude(it.seen, "DELETE")
    it.answer = wrong
    assert.strictEqual(yield* store.verify(asked), "hash_mismatch")
    it.answer = long
    assert.strictEqual(yield* store.verify(asked), "too_large")
    assert.strictEqual(it.seen.filter((method) => method === "DELETE").length, 2)
  }).pipe(Effect.scoped)
)

it.live("an upload whose every answer is another one is away", () =>
  Effect.gen(function* () {
    const { it, store } = yield* bucket
    let answers = 0
    it.answer = (response) => void response.writeHead(200, { etag: '"e"' }).end(`${PAGE} ${answers++}`)
    assert.deepInclude(yield* Effect.flip(store.verify(asked)), { _tag: "ObjectsUnavailable", detail: "its answers differ" })
    assert.notInclude(it.seen, "DELETE")
  }).pipe(Effect.scoped)
)
