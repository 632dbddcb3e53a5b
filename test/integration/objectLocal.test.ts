/** Properties of the local store alone: files that survive crashes whole or not at all, and its own HTTP. */

import { spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from "node:fs"
import { request as httpRequest } from "node:http"
import { connect } from "node:net"
import { join } from "node:path"
import { openObjectDirectory } from "@agon/server/object/directory/ObjectDirectory.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "../support/eventually.ts"
import { localObjects, loopback, temporaryDirectory } from "./objectLocal.ts"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const body = randomBytes(200_000)
const granted = { key: "incoming/v1/weights", sha256: sha256(body), max_bytes: body.byteLength, expires_s: 60 }

/** One life of the service on a directory. */
const life = <A, E>(directory: string, use: Effect.Effect<A, E, ObjectStore>) =>
  Effect.provide(use, localObjects(directory).pipe(Layer.provide(loopback)))

const partials = (directory: string): ReadonlyArray<string> => readdirSync(join(directory, "partial"))
const underWay = (directory: string, uploads: number) => Effect.sync(() => partials(directory).length === uploads)

/** Sends the head of a PUT and the first bytes of its body, and keeps the connection open. */
const beginUpload = (url: string, bytes: Uint8Array) =>
  Effect.promise(
    () =>
      new Promise<ReturnType<typeof connect>>((done) => {
        const { port, pathname, search } = new URL(url)
        const socket = connect(Number(port), "127.0.0.1", () => {
          socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.byteLength}\r\n\r\n`)
          socket.write(bytes, () => done(socket))
        })
        socket.on("error", () => undefined)
      })
  )

/** As sent, without the normalisation of fetch. */
const raw = (origin: string, method: string, path: string) =>
  Effect.promise(
    () =>
      new Promise<{ status: number; headers: Record<string, unknown>; text: string }>((done, fail) => {
        const { port } = new URL(origin)
        const sent = httpRequest({ port, host: "127.0.0.1", method, path }, (answer) => {
          const chunks: Array<Buffer> = []
          answer.on("data", (chunk) => chunks.push(chunk))
          answer.on("end", () => done({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }))
        })
        sent.on("error", fail)
        sent.end()
      })
  )

it.live("what an earlier life left half written is swept at the start, and what it stored is kept", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* life(
      directory,
      ObjectStore.use((objects) => objects.put("replays/m1", body))
    )
    mkdirSync(join(directory, "partial"), { recursive: true })
    writeFileSync(join(directory, "partial", "0123456789abcdef"), "half of something")
    const found = yield* life(
      directory,
      ObjectStore.use((objects) => objects.stat("replays/m1"))
    )
    assert.deepStrictEqual(found, Option.some({ bytes: body.byteLength }))
    assert.deepStrictEqual(partials(directory), [])
    assert.strictEqual(statSync(join(directory, "objects/replays/m1")).mode & 0o077, 0)
  })
)

it.live("an object that the disk has damaged is away, not another one, and is there again once it is put back", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const key = `replays/m.${sha256(body)}`
    yield* life(
      directory,
      Effect.gen(function* () {
        const store = yield* ObjectStore
        yield* store.put(key, body)
        const path = join(directory, "objects", key)
        for (const damaged of [body.with(5, body[5]! ^ 1), body.subarray(1), new Uint8Array()]) {
          writeFileSync(path, damaged)
          const failure = yield* Effect.flip(store.get({ key, max_bytes: body.length }))
          assert.deepInclude(failure, { _tag: "ObjectsUnavailable", key })
        }
        writeFileSync(path, body)
        assert.deepStrictEqual(yield* store.get({ key, max_bytes: body.length }), Option.some(new Uint8Array(body)))
      })
    )
  }).pipe(Effect.scoped)
)

it.live("an upload that the client gives up half-way leaves nothing, and what was there before stays", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* life(
      directory,
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        for (const before of [undefined, body.subarray(1)]) {
          if (before !== undefined) yield* objects.put(granted.key, before)
          const { url } = yield* objects.presignPut({ ...granted, sha256: null })
          const socket = yield* beginUpload(url, body.subarray(0, 100_000))
          yield* eventually("the upload is under way", underWay(directory, 1))
          socket.destroy()
          yield* eventually("the partial file is gone", underWay(directory, 0))
          const left = Option.map(Option.fromUndefinedOr(before), ({ byteLength }) => ({ bytes: byteLength }))
          assert.deepStrictEqual(yield* objects.stat(granted.key), left)
        }
      })
    )
  })
)

it.live("a service that stops in the middle of an upload leaves nothing under the key", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const begin = Effect.gen(function* () {
      const { url } = yield* ObjectStore.use((objects) => objects.presignPut(granted))
      const socket = yield* beginUpload(url, body.subarray(0, 100_000))
      yield* eventually("the upload is under way", underWay(directory, 1))
      // The server waits for running requests when it stops; this one never ends by itself.
      setTimeout(() => socket.destroy(), 100)
    })
    yield* life(directory, begin)
    assert.isFalse(existsSync(join(directory, "objects", granted.key)))
    assert.deepStrictEqual(partials(directory), [])
  })
)

const killable = (directory: string, key: string) =>
  Effect.promise(async () => {
    const program = join(import.meta.dirname, "objectLocal.ts")
    const child = spawn(process.execPath, [program, directory, key], { stdio: ["ignore", "pipe", "inherit"] })
    const ended = new Promise((done) => child.on("close", done))
    const url = await new Promise<string>((done) => child.stdout.once("data", (line) => done(String(line).trim())))
    const kill = async () => {
      child.kill("SIGKILL")
      await ended
    }
    return { url, kill }
  })

it.live("a kill -9 leaves what was acknowledged whole, and nothing of what was not", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const service = yield* killable(directory, "replays/m1")
    const answer = yield* Effect.promise(() => fetch(service.url, { method: "PUT", body }))
    assert.strictEqual(answer.status, 200)
    yield* beginUpload(service.url, randomBytes(100_000))
    yield* eventually("the second upload is under way", underWay(directory, 1))
    yield* Effect.promise(service.kill)
    assert.lengthOf(partials(directory), 1)
    const kept = yield* life(
      directory,
      ObjectStore.use((objects) => objects.get({ key: "replays/m1", max_bytes: body.byteLength }))
    )
    assert.strictEqual(sha256(Option.getOrThrow(kept)), sha256(body))
    assert.deepStrictEqual(partials(directory), [])
  })
)

it.live("an object that is removed while it is read is there, or is not", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const keys = Array.from({ length: 200 }, (_, i) => `incoming/v${i}/weights`)
    yield* life(
      directory,
      ObjectStore.use((objects) =>
        Effect.gen(function* () {
          yield* Effect.forEach(keys, (key) => objects.put(key, body.subarray(0, 64)), { concurrency: 8 })
          const get = (key: string) => objects.get({ key, max_bytes: body.byteLength })
          const [found] = yield* Effect.all(
            [Effect.forEach(keys, get, { concurrency: 16 }), Effect.forEach(keys, objects.remove, { concurrency: 16 })],
            { concurrency: 2 }
          )
          for (const bytes of found) if (Option.isSome(bytes)) assert.lengthOf(bytes.value, 64)
          assert.isTrue(Option.isNone(yield* get(keys[0]!)))
        })
      )
    )
  }).pipe(Effect.scoped)
)

it.live("an upload that is taken over again and again leaves nothing beside the object", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* life(
      directory,
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const request = { ...granted, key: "incoming/replays/m1.1", into: `replays/m1.${granted.sha256}` }
        yield* objects.put(request.key, body)
        const verify = objects.verify(request)
        yield* verify
        yield* Effect.all([verify, verify, verify], { concurrency: "unbounded" })
        assert.deepStrictEqual(partials(directory), [])
        assert.strictEqual(statSync(join(directory, "objects", request.into)).nlink, 2) // its own name and the upload's
      })
    )
  })
)

it.live("a node that starts on the directory of another leaves the uploads that are under way there", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* life(
      directory,
      Effect.gen(function* () {
        const { url } = yield* ObjectStore.use((objects) => objects.presignPut(granted))
        const socket = yield* beginUpload(url, body.subarray(0, 100_000))
        yield* eventually("the upload is under way", underWay(directory, 1))
        const another = ObjectStore.use((objects) => objects.stat(granted.key)).pipe(
          Effect.provide(localObjects(directory, true).pipe(Layer.provide(loopback), Layer.fresh))
        )
        assert.deepStrictEqual(yield* another, Option.none())
        const answer = new Promise<string>((done) => socket.once("data", (data) => done(String(data))))
        socket.write(body.subarray(100_000))
        assert.match(yield* Effect.promise(() => answer), /^HTTP\/1\.1 200 /)
        assert.deepStrictEqual(yield* another, Option.some({ bytes: body.byteLength }))
        socket.destroy()
      })
    )
  })
)

it.live("what a node left half written goes an hour later, where others write to the directory as well", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    const openAfter = (minutes: number) =>
      Effect.andThen(TestClock.setTime(Date.now() + minutes * 60_000), openObjectDirectory(directory, true)).pipe(
        Effect.provide(TestClock.layer())
      )
    mkdirSync(join(directory, "partial"), { recursive: true })
    writeFileSync(join(directory, "partial", "0123456789abcdef"), "half of something")
    yield* openAfter(59)
    assert.lengthOf(partials(directory), 1)
    yield* openAfter(61)
    assert.deepStrictEqual(partials(directory), [])
  })
)

it.live("no more than two uploads of one key are under way at once", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* life(
      directory,
      Effect.gen(function* () {
        const { url } = yield* ObjectStore.use((objects) => objects.presignPut(granted))
        const open = yield* Effect.forEach(Array.from({ length: 2 }), () => beginUpload(url, body.subarray(0, 10)))
        yield* eventually("both are under way", underWay(directory, 2))
        const put = Effect.promise(() => fetch(url, { method: "PUT", body }).then(async (answer) => [answer.status, await answer.text()]))
        const [status, text] = yield* put
        assert.strictEqual(status, 503)
        assert.match(String(text), /<Code>SlowDown<\/Code>/)
        for (const socket of open) socket.destroy()
        yield* eventually("they are gone", underWay(directory, 0))
        assert.strictEqual((yield* put)[0], 200)
      })
    )
  })
)

it.live("HEAD tells the length without the bytes, and answers are neither cached nor run by a browser", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    yield* life(
      directory,
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        yield* objects.put("replays/m1", body)
        const url = new URL(yield* objects.presignGet({ key: "replays/m1", expires_s: 60 }))
        const head = yield* raw(url.origin, "HEAD", url.pathname + url.search)
        assert.strictEqual(head.status, 200)
        assert.strictEqual(head.text, "")
        assert.deepInclude(head.headers, {
          "content-length": String(body.byteLength),
          "content-type": "application/octet-stream",
          "cache-control": "private, no-store",
          "x-content-type-options": "nosniff"
        })
        const post = yield* raw(url.origin, "POST", url.pathname + url.search)
        assert.strictEqual(post.status, 405)
        assert.strictEqual(post.headers["allow"], "GET, HEAD, PUT")
        assert.match(post.text, /<Code>MethodNotAllowed<\/Code>/)
      })
    )
  })
)

it.live("no path leads out of the directory", () =>
  Effect.gen(function* () {
    const directory = yield* temporaryDirectory
    writeFileSync(join(directory, "secret"), "secret")
    yield* life(
      directory,
      Effect.gen(function* () {
        const url = new URL(yield* ObjectStore.use((objects) => objects.presignGet({ key: "replays/m1", expires_s: 60 })))
        for (const path of [
          "/objects/../secret",
          "/objects/replays/../../secret",
          "/objects/%2e%2e/secret",
          "/objects/..%2fsecret",
          "/objects//secret"
        ]) {
          const answer = yield* raw(url.origin, "GET", path + url.search)
          assert.include([403, 404], answer.status, path)
          assert.notInclude(answer.text, "secret")
        }
      })
    )
  })
)
