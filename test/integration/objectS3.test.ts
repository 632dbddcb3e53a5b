/** S3 as networks and operators are: a front that fails, cuts and races stands before the real server. */
import { createHash, randomBytes } from "node:crypto"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import * as S3Objects from "@agon/server/object/s3/S3Objects.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { type Front, front, type Mishap } from "../support/S3Front.ts"
import { missingS3, S3Server } from "../support/S3Server.ts"

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")
const body = randomBytes(300_000)
const right = { sha256: sha256(body), max_bytes: body.byteLength }

/** A store behind a front of its own, on the suite's server. */
const through = <A, E>(use: (front: Front, objects: (typeof ObjectStore)["Service"]) => Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const server = yield* S3Server
    const { it, endpoint } = yield* front(server.endpoint)
    const store = S3Objects.layer({ ...server, endpoint, bucket: "agon-front" })
    return yield* ObjectStore.use((objects) => use(it, objects)).pipe(Effect.provide(store))
  }).pipe(Effect.scoped)

const missing = missingS3()
describe.skipIf(missing !== undefined)(`S3 in trouble${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(S3Server.layer, { excludeTestServices: true })((it) => {
    it.effect("what fails by 503 or by the network is repeated", () =>
      through((front, objects) =>
        Effect.gen(function* () {
          const mishaps: Array<Mishap> = ["503", "reset"]
          front.plan = () => mishaps.shift()
          yield* objects.put("replays/again", body)
          assert.deepStrictEqual(mishaps, [])
          assert.deepStrictEqual(yield* objects.stat("replays/again"), Option.some({ bytes: body.byteLength }))
        })
      )
    )

    it.effect("what keeps failing ends as unavailable after four requests", () =>
      through((front, objects) =>
        Effect.gen(function* () {
          front.plan = () => "503"
          front.seen.length = 0
          const error = yield* Effect.flip(objects.remove("replays/never"))
          assert.deepInclude(error, { _tag: "ObjectsUnavailable", operation: "remove", key: "replays/never", detail: "503 SlowDown" })
          assert.strictEqual(front.seen.length, 4)
        })
      )
    )

    it.effect("a body that breaks off is read again, and never taken for a short object", () =>
      through((front, objects) =>
        Effect.gen(function* () {
          yield* objects.put("incoming/cut", body)
          const mishaps: Array<Mishap> = ["cut", "cut"]
          front.plan = (method) => (method === "GET" ? mishaps.shift() : undefined)
          assert.deepStrictEqual(yield* objects.verify({ ...right, key: "incoming/cut" }), { bytes: body.byteLength })
          assert.deepStrictEqual(mishaps, [])
        })
      )
    )

    it.effect("an object that is replaced after it was hashed is not taken over", () =>
      through((front, objects) =>
        Effect.gen(function* () {
          const key = "incoming/raced"
          yield* objects.put(key, body)
          const to = yield* objects.presignPut({ key, sha256: null, max_bytes: right.max_bytes, expires_s: 60 })
          let raced = false
          front.plan = (method, path) => {
            if (raced || method !== "PUT" || !path.endsWith("weights/raced")) return undefined
            raced = true
            return (go) => void fetch(to.url, { method: "PUT", body: randomBytes(body.byteLength) }).then(go)
          }
          assert.strictEqual(yield* objects.verify({ ...right, key, into: "weights/raced" }), "hash_mismatch")
          assert.isTrue(raced)
          assert.deepStrictEqual(yield* objects.stat("weights/raced"), Option.none())
        })
      )
    )

    it.effect("nodes that start at once all find the bucket made, and in it what any of them has put there", () =>
      Effect.gen(function* () {
        const server = yield* S3Server
        const node = Effect.map(Layer.build(Layer.fresh(S3Objects.layer({ ...server, bucket: "agon-twice" }))), Context.get(ObjectStore))
        const nodes = yield* Effect.all([node, node, node], { concurrency: "unbounded" })
        for (const [n, { put }] of nodes.entries()) yield* put(`replays/of-${n}`, body)
        for (const { stat } of nodes)
          for (const n of nodes.keys()) assert.deepStrictEqual(yield* stat(`replays/of-${n}`), Option.some({ bytes: body.byteLength }))
      }).pipe(Effect.scoped)
    )

    it.effect("a bucket that everybody may read ends the start, and nothing is left in it", () =>
      Effect.gen(function* () {
        const server = yield* S3Server
        const { endpoint, it } = yield* front(server.endpoint)
        const options = { ...server, endpoint, bucket: "agon-open" }
        const store = Effect.map(Layer.build(Layer.fresh(S3Objects.layer(options))), Context.get(ObjectStore))
        it.open = true
        const error = yield* Effect.flip(store)
        const said = "it answers requests that nobody has signed; make it private"
        assert.strictEqual(error.detail, `bucket agon-open at ${endpoint} as ${server.accessKeyId}: ${said}`)
        const probe = it.seen.find((one) => one.startsWith("PUT ") && one.includes("/probes/"))!.slice("PUT /agon-open/".length)
        it.open = false
        assert.deepStrictEqual(yield* (yield* store).stat(probe), Option.none())
      }).pipe(Effect.scoped)
    )

    it.effect("wrong keys end the start in one line that names the bucket and hides the secret", () =>
      Effect.gen(function* () {
        const server = yield* S3Server
        const wrong = S3Objects.layer({ ...server, bucket: "agon-wrong", secretAccessKey: Redacted.make("not-the-secret") })
        const error = yield* Effect.flip(Layer.build(wrong))
        const mend = "look at S3_ACCESS_KEY_ID, S3_SECRET_ACCESS_KEY and what they may do there"
        assert.strictEqual(error.detail, `bucket agon-wrong at ${server.endpoint} as ${server.accessKeyId}: 403; ${mend}`)
      }).pipe(Effect.scoped)
    )
  })
})
