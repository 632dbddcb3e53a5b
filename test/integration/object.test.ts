/**
 * Answers of every object store, over real sockets: the local directory behind its routes, and S3 against a real
 * server (OpenStack Swift where it is installed). Where the two differ by nature, the store's traits say how.
 */
import { createHash, randomBytes } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { WHOLE_BYTES_MAX } from "@agon/server/object/directory/ObjectDirectory.ts"
import { ObjectStore, type Upload } from "@agon/server/object/ObjectStore.ts"
import * as S3Objects from "@agon/server/object/s3/S3Objects.ts"
import { assert, describe, layer } from "@effect/vitest"
import { DateTime, Effect, Layer, Option } from "effect"
import { TestClock } from "effect/testing"
import { missingS3, S3Server } from "../support/S3Server.ts"
import { localObjects, loopback, temporaryDirectory } from "./objectLocal.ts"

interface Traits {
  /** A wrong or too large body is refused at the PUT already; elsewhere only `verify` finds it. */
  readonly enforcesAtPut: boolean
  /** How long a dataset may be cached is said with every download. */
  readonly tellsCaches: boolean
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const fresh = (prefix: string): string => `${prefix}/${randomBytes(8).toString("hex")}`
const HOUR_S = 3600

const send = (url: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const response = await fetch(url, init)
    return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
  })
const upload = (to: Upload, bytes: Uint8Array<ArrayBuffer>) => send(to.url, { method: to.method, headers: to.headers, body: bytes })
const text = (answer: { readonly bytes: Uint8Array }): string => Buffer.from(answer.bytes).toString()
const granted = (bytes: Uint8Array, over: { key?: string; max_bytes?: number; expires_s?: number } = {}) => ({
  key: fresh("incoming"),
  sha256: sha256(bytes),
  max_bytes: bytes.byteLength,
  expires_s: HOUR_S,
  ...over
})
const anHourAgo = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.andThen(TestClock.setTime(Date.now() - HOUR_S * 1000), effect).pipe(Effect.provide(TestClock.layer()))

const conformance = (title: string, stores: Layer.Layer<ObjectStore, unknown>, traits: Traits) =>
  layer(stores, { excludeTestServices: true })(title, (it) => {
    it.effect("what goes up through a presigned PUT comes down through a presigned GET", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        for (const size of [1, 1_025, WHOLE_BYTES_MAX, WHOLE_BYTES_MAX + 1, 3_000_000]) {
          const bytes = randomBytes(size)
          const request = granted(bytes)
          const to = yield* objects.presignPut(request)
          assert.strictEqual(to.max_bytes, request.max_bytes)
          const left_ms = DateTime.toEpochMillis(to.expires_at) - Date.now()
          assert.isTrue(left_ms > (HOUR_S - 10) * 1000 && left_ms <= HOUR_S * 1000)
          assert.strictEqual((yield* upload(to, bytes)).status, 200, `${size} bytes`)
          assert.deepStrictEqual(yield* objects.stat(request.key), Option.some({ bytes: bytes.byteLength }))
          assert.deepStrictEqual(yield* objects.verify(request), { bytes: bytes.byteLength })
          const down = yield* send(yield* objects.presignGet({ key: request.key, expires_s: HOUR_S }))
          assert.strictEqual(down.status, 200)
          assert.isTrue(Buffer.from(down.bytes).equals(bytes))
        }
      })
    )

    it.effect("an empty object is an object", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const request = granted(new Uint8Array(0))
        assert.strictEqual((yield* upload(yield* objects.presignPut(request), new Uint8Array(0))).status, 200)
        assert.deepStrictEqual(yield* objects.verify(request), { bytes: 0 })
        assert.deepStrictEqual(yield* objects.get({ key: request.key, max_bytes: 0 }), Option.some(new Uint8Array(0)))
      })
    )

    it.effect("a folder is listed in pages, in the order of its keys and with the time of each", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const folder = fresh("incoming")
        const keys = ["a.1", "b-2.1", "b-2.2", "c"].map((name) => `${folder}/${name}`)
        yield* Effect.forEach([...keys.toReversed(), `${folder}-beside/d`], (key) => objects.put(key, new Uint8Array(2)))
        const prefix = `${folder}/`
        const first = yield* objects.list({ prefix, limit: 3 })
        const rest = yield* objects.list({ prefix, after: first.at(-1)!.key, limit: 3 })
        assert.deepStrictEqual(
          [first, rest].map((page) => page.map(({ key }) => key)),
          [keys.slice(0, 3), keys.slice(3)]
        )
        for (const { modified_at } of [...first, ...rest]) assert.isBelow(Math.abs(Date.now() - modified_at), 60_000)
        assert.deepStrictEqual(yield* objects.list({ prefix: `${fresh("incoming")}/`, limit: 3 }), [])
      })
    )

    it.effect("the service's own put, get, stat and remove agree, and remove may be repeated", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const key = fresh("replays")
        const bytes = new Uint8Array(randomBytes(70_000))
        yield* objects.put(key, bytes)
        assert.deepStrictEqual(yield* objects.stat(key), Option.some({ bytes: 70_000 }))
        assert.deepStrictEqual(yield* objects.get({ key, max_bytes: 70_000 }), Option.some(bytes))
        yield* objects.put(key, bytes.slice(1))
        assert.deepStrictEqual(yield* objects.stat(key), Option.some({ bytes: 69_999 }))
        yield* objects.remove(key)
        yield* objects.remove(key)
        assert.deepStrictEqual(yield* objects.stat(key), Option.none())
      })
    )

    it.effect("a file of this machine is put as it is, and a download of it goes on in the middle", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const directory = yield* temporaryDirectory
        const bytes = randomBytes(700_001)
        const path = join(directory, "file")
        writeFileSync(path, bytes)
        const key = `datasets/${fresh("season")}/${sha256(bytes)}/2026-11-20-1.matches.jsonl.zst`
        yield* objects.putFile(key, { path, bytes: bytes.byteLength, sha256: sha256(bytes) })
        assert.deepStrictEqual(yield* objects.get({ key, max_bytes: bytes.byteLength }), Option.some(new Uint8Array(bytes)))
        const url = yield* objects.presignGet({ key, expires_s: HOUR_S })
        const whole = yield* send(url)
        assert.deepStrictEqual([whole.status, whole.bytes.byteLength], [200, bytes.byteLength])
        if (traits.tellsCaches) assert.strictEqual(whole.headers.get("cache-control"), "private, max-age=31536000, immutable")
        for (const [range, from, to] of [
          ["bytes=0-0", 0, 1],
          ["bytes=700000-", 700_000, 700_001],
          ["bytes=-5", 699_996, 700_001],
          ["bytes=300000-900000", 300_000, 700_001]
        ] as const) {
          const part = yield* send(url, { headers: { range } })
          assert.deepStrictEqual([part.status, part.headers.get("content-range")], [206, `bytes ${from}-${to - 1}/700001`], range)
          assert.isTrue(bytes.subarray(from, to).equals(part.bytes), range)
        }
        assert.strictEqual((yield* send(url, { headers: { range: "bytes=700001-" } })).status, 416)
        assert.strictEqual((yield* send(url, { headers: { range: "lines=1-2" } })).status, 200)
      }).pipe(Effect.scoped)
    )

    it.effect("get refuses to read more than it was allowed", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const key = fresh("replays")
        yield* objects.put(key, randomBytes(500_001))
        const error = yield* Effect.flip(objects.get({ key, max_bytes: 500_000 }))
        assert.deepInclude(error, { _tag: "ObjectTooLarge", key, max_bytes: 500_000 })
      })
    )

    it.effect("a key under which nothing lies is missing everywhere, and never an error", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const request = granted(new Uint8Array(1))
        const { key } = request
        assert.deepStrictEqual(yield* objects.stat(key), Option.none())
        assert.deepStrictEqual(yield* objects.get({ key, max_bytes: 10 }), Option.none())
        assert.strictEqual(yield* objects.verify({ ...request, into: fresh("weights") }), "missing")
        const answer = yield* send(yield* objects.presignGet({ key, expires_s: HOUR_S }))
        assert.strictEqual(answer.status, 404)
        assert.match(text(answer), /<Code>NoSuchKey<\/Code>/)
      })
    )

    it.effect("wrong bytes are refused at the PUT where the store can tell, and never survive verify", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const request = granted(randomBytes(1_000))
        const into = fresh("weights")
        const answer = yield* upload(yield* objects.presignPut(request), randomBytes(1_000))
        assert.strictEqual(answer.status, traits.enforcesAtPut ? 400 : 200)
        if (traits.enforcesAtPut) assert.match(text(answer), /<Code>BadDigest<\/Code>/)
        assert.strictEqual(yield* objects.verify({ ...request, into }), traits.enforcesAtPut ? "missing" : "hash_mismatch")
        assert.deepStrictEqual(yield* objects.stat(request.key), Option.none())
        assert.deepStrictEqual(yield* objects.stat(into), Option.none())
      })
    )

    it.effect("too large a body, declared or chunked, is refused where the store can tell, and never survives verify", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bytes = randomBytes(600_000)
        for (const chunked of [false, true]) {
          const request = granted(bytes, { max_bytes: 500_000 })
          const to = yield* objects.presignPut(request)
          const body = chunked ? { body: new Blob([bytes]).stream(), duplex: "half" as const } : { body: bytes }
          const answer = yield* send(to.url, { method: "PUT", headers: to.headers, ...body })
          assert.strictEqual(answer.status, traits.enforcesAtPut ? 413 : 200)
          if (traits.enforcesAtPut) assert.match(text(answer), /<Code>EntityTooLarge<\/Code>/)
          assert.strictEqual(yield* objects.verify(request), traits.enforcesAtPut ? "missing" : "too_large")
          assert.deepStrictEqual(yield* objects.stat(request.key), Option.none())
        }
      })
    )

    it.effect("an upload whose bytes are not known in advance is bound by its size alone", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bytes = randomBytes(1_000)
        const request = granted(bytes, { max_bytes: 2_000 })
        const to = yield* objects.presignPut({ ...request, sha256: null })
        assert.strictEqual((yield* upload(to, bytes)).status, 200)
        assert.strictEqual(yield* objects.verify({ ...request, sha256: sha256(randomBytes(8)) }), "hash_mismatch")
        assert.strictEqual(yield* objects.verify(request), "missing")
        assert.strictEqual((yield* upload(to, bytes)).status, 200)
        const wrong = { ...request, sha256: sha256(randomBytes(8)), into: "replays/wrong", keeps: "hash" } as const
        assert.strictEqual(yield* objects.verify(wrong), "hash_mismatch")
        assert.strictEqual(yield* objects.verify({ ...wrong, max_bytes: 999, keeps: "all" }), "too_large")
        assert.isTrue(Option.isNone(yield* objects.stat("replays/wrong")))
        assert.deepStrictEqual(yield* objects.verify(request), { bytes: 1_000 })
      })
    )

    it.effect("verify takes proven bytes over into their address, and may be repeated after a crash", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bytes = randomBytes(100_000)
        const [first, second] = [granted(bytes), granted(bytes)]
        const into = `weights/sha256/${first.sha256}`
        for (const request of [first, second]) yield* upload(yield* objects.presignPut(request), bytes)
        assert.deepStrictEqual(yield* objects.verify({ ...first, into }), { bytes: 100_000 })
        assert.deepStrictEqual(yield* objects.verify({ ...first, into }), { bytes: 100_000 })
        assert.deepStrictEqual(yield* objects.verify({ ...second, into }), { bytes: 100_000 })
        yield* objects.remove(first.key)
        yield* objects.remove(second.key)
        const stored = yield* objects.get({ key: into, max_bytes: 100_000 })
        assert.strictEqual(sha256(Option.getOrThrow(stored)), first.sha256)
      })
    )

    it.effect("who uploads something else after verify changes nothing of what was taken over", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bytes = randomBytes(1_000)
        const request = granted(bytes)
        const into = `weights/sha256/${request.sha256}`
        const to = yield* objects.presignPut({ ...request, sha256: null })
        yield* upload(to, bytes)
        assert.deepStrictEqual(yield* objects.verify({ ...request, into }), { bytes: 1_000 })
        assert.strictEqual((yield* upload(to, randomBytes(1_000))).status, 200)
        assert.strictEqual(yield* objects.verify({ ...request, into }), "hash_mismatch")
        assert.deepStrictEqual(yield* objects.verify({ ...request, key: into }), { bytes: 1_000 })
      })
    )

    it.effect("uploads of one key at once leave one whole object", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bodies = Array.from({ length: 2 }, () => randomBytes(400_000))
        const request = granted(bodies[0] ?? new Uint8Array(0))
        const to = yield* objects.presignPut({ ...request, sha256: null })
        const answers = yield* Effect.forEach(bodies, (bytes) => upload(to, bytes), { concurrency: "unbounded" })
        assert.deepStrictEqual(
          answers.map(({ status }) => status),
          bodies.map(() => 200)
        )
        const stored = Option.getOrThrow(yield* objects.get({ key: request.key, max_bytes: 400_000 }))
        assert.include(bodies.map(sha256), sha256(stored))
      })
    )

    it.effect("an expired URL is denied, for reading and for writing", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bytes = randomBytes(100)
        const request = granted(bytes, { expires_s: 60 })
        const to = yield* anHourAgo(objects.presignPut(request))
        const refused = yield* upload(to, bytes)
        assert.strictEqual(refused.status, 403)
        assert.match(text(refused), /<Code>AccessDenied<\/Code>/)
        assert.deepStrictEqual(yield* objects.stat(request.key), Option.none())
        yield* objects.put(request.key, bytes)
        assert.strictEqual((yield* send(yield* anHourAgo(objects.presignGet(request)))).status, 403)
      })
    )

    it.effect("a URL serves the method, the key and the headers it was signed for, and nothing else", () =>
      Effect.gen(function* () {
        const objects = yield* ObjectStore
        const bytes = randomBytes(100)
        const request = granted(bytes)
        const to = yield* objects.presignPut(request)
        const get = yield* objects.presignGet(request)
        yield* upload(to, bytes)
        const other = fresh("incoming")
        const forged: ReadonlyArray<readonly [string, RequestInit]> = [
          [get, { method: "PUT", body: randomBytes(100) }],
          [to.url, { method: "GET" }],
          [get.replace(request.key, other), {}],
          [to.url.replace(request.key, other), { method: "PUT", headers: to.headers, body: bytes }],
          [get.replace(/signature=(.)/i, (_, digit) => `${"Signature="}${digit === "0" ? "1" : "0"}`), {}],
          [get.replace(/expires=\d+/i, (found) => `${found}0`), {}]
        ]
        for (const [url, init] of forged) {
          const answer = yield* send(url, init)
          assert.strictEqual(answer.status, 403, `${init.method} ${url}`)
          assert.match(text(answer), /<Code>(SignatureDoesNotMatch|AccessDenied)<\/Code>/)
        }
        // Without a signature, or by DELETE, servers differ in which refusal it is.
        assert.include([400, 403], (yield* send(get.replace(/\?.*/, ""))).status)
        assert.include([403, 405], (yield* send(get, { method: "DELETE" })).status)
        assert.deepStrictEqual(yield* objects.stat(other), Option.none())
        assert.deepStrictEqual(yield* objects.verify(request), { bytes: 100 })
      })
    )
  })

const s3 = Layer.unwrap(Effect.map(S3Server, (server) => S3Objects.layer({ ...server, bucket: "agon-objects" }))).pipe(
  Layer.provide(S3Server.layer)
)

conformance("objects in a directory", Layer.unwrap(Effect.map(temporaryDirectory, localObjects)).pipe(Layer.provide(loopback)), {
  enforcesAtPut: true,
  tellsCaches: true
})

const missing = missingS3()
describe.skipIf(missing !== undefined)(`S3${missing === undefined ? "" : `: ${missing}`}`, () => {
  conformance("objects in S3", s3, { enforcesAtPut: false, tellsCaches: true })
})
