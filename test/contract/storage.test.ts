/** Room for uploads: the quota of an account, a disk that is nearly full, and one that is full. */

import { createHash, randomBytes } from "node:crypto"
import { chownSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs"
import { connect } from "node:net"
import { join } from "node:path"
import { serverUser } from "@agon/embedded-postgres/serverUser.ts"
import * as DiskWatch from "@agon/server/DiskWatch.ts"
import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { believedShare } from "@agon/server/object/believedShare.ts"
import { incomingKey, replayUploadKey, storedKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { takeReplays } from "@agon/server/runner/result/results.ts"
import { UploadWatch } from "@agon/server/submission/UploadWatch.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Logger, Option } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { localObjects, loopback } from "../integration/objectLocal.ts"
import * as A from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import { holding } from "../support/holding.ts"
import { fill, hasSmallDisks, smallDisk } from "../support/SmallDisk.ts"
import { bodyOf, entered, foresee, fresh, modelOf, over, reenter, submit } from "../support/Submitting.ts"
import { valueOf } from "../support/scrape.ts"
import { call, unlimited } from "../support/Web.ts"

const MIB = 1024 ** 2

layer(A.layer, A.options)("a storage quota", (it) => {
  it.effect("that is used up refuses what is to be uploaded, last of all refusals, and nothing else", () =>
    Effect.gen(function* () {
      const rules = { max_stored_bytes_per_owner: MIB, cooldown_s: 0, max_models_per_owner: 10 }
      const refusedBecause = "The service keeps 1 MiB of models for you (rejected ones for up to two days), and this season allows 1 MiB."
      yield* A.season("quota", { rules })
      const model = yield* modelOf("ada")
      const kept = yield* over("kept-bytes", model, { weights_bytes: MIB - 100, manifest_bytes: 100 })
      const refused = yield* submit(bodyOf("quota", model))
      assert.deepStrictEqual([refused.status, refused.json.code], [507, "storage_full"], refused.text)
      assert.strictEqual(refused.json.detail, refusedBecause)
      const foreseen = yield* foresee("quota", model)
      assert.deepStrictEqual(foreseen.json.refusals, [{ code: "storage_full", detail: refused.json.detail }])
      yield* A.patch(`/v1/models/${model}`, { retired: true }, "ada")
      assert.strictEqual((yield* submit(bodyOf("quota", model))).json.code, "model_retired", "every other refusal comes before it")
      yield* A.patch(`/v1/models/${model}`, { retired: false }, "ada")
      // Files that the service keeps already cost nothing more, by whichever way they come.
      const { manifest_hash, weights_hash } = kept.version
      assert.strictEqual((yield* reenter({ game: "snakes", model, season: "quota", from: "kept-bytes" })).status, 201)
      yield* A.season("quota-again", { rules })
      const repeated = yield* submit(bodyOf("quota-again", model, { weights_hash, manifest_hash }))
      assert.strictEqual(repeated.status, 201, repeated.text)
      // Others' bytes do not count, and those of a rejected version count no more, once they are removed.
      assert.strictEqual((yield* submit(bodyOf("quota", yield* modelOf("bob")), "bob")).status, 201)
      yield* A.rows`UPDATE version SET status = 'rejected' WHERE weights_hash = ${weights_hash}`
      const key = storedKey("weights", weights_hash)
      const other = yield* modelOf("ada")
      yield* A.season("quota-rejected", { rules })
      const foreseenOf = Effect.map(foresee("quota-rejected", other), ({ json }) => json.refusals.map(({ code }: any) => code))
      yield* A.rows`INSERT INTO stored_object (key, check_at) VALUES (${key}, now() + interval '1 day')`
      yield* A.rows`INSERT INTO stored_object (key, check_at) VALUES (${storedKey("manifests", manifest_hash)}, now() + interval '1 day')`
      assert.deepStrictEqual(yield* foreseenOf, ["storage_full"])
      yield* A.rows`DELETE FROM stored_object WHERE key = ${key}`
      assert.deepStrictEqual(yield* foreseenOf, [])
      assert.deepStrictEqual(
        (yield* foresee("quota-again", model)).json.refusals.map(({ code }: any) => code),
        ["candidate_in_flight"]
      )
    })
  )

  it.effect("that leaves less than the size of the weights refuses them before they are a candidate, so that others may come at once", () =>
    Effect.gen(function* () {
      const rules = { max_stored_bytes_per_owner: MIB, cooldown_s: 600, max_models_per_owner: 10 }
      const { id } = yield* A.season("declared", { rules })
      const model = yield* modelOf("bob")
      const bob = (yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'bob'`)[0]!.id
      yield* entered(id, model, { owner_id: bob, number: 99, status: "superseded", weights_bytes: MIB - 1_500, manifest_bytes: 100 })
      const sent = (weights_bytes: unknown) => submit(bodyOf("declared", model, { weights_bytes }), "bob")
      const over = yield* sent(1_401)
      assert.deepStrictEqual([over.status, over.json.code], [507, "storage_full"], over.text)
      assert.match(over.json.detail, /^The weights have 1401 bytes, and your quota leaves 1400\. The service keeps 1 MiB of models for you/)
      const huge = yield* sent(10 ** 12)
      assert.deepStrictEqual([huge.status, huge.json.code, huge.json.errors[0].path], [400, "invalid_request", "weights_bytes"], huge.text)
      for (const wrong of [0, -1, 1.5, "1"]) assert.strictEqual((yield* sent(wrong)).status, 400)
      assert.deepStrictEqual((yield* foresee("declared", model, "bob")).json.candidate, null)
      const fits = bodyOf("declared", model, { weights_bytes: 1_400 })
      assert.strictEqual((yield* submit(fits, "bob")).status, 201)
      assert.strictEqual((yield* submit({ ...fits, weights_bytes: null }, "bob")).status, 200)
      yield* A.rows`UPDATE version SET status = 'rejected' WHERE season_id = ${id} AND number = 99`
    })
  )

  it.effect("bounds the upload by what it leaves, also where it was used up after the upload was announced", () =>
    Effect.gen(function* () {
      const rules = { max_stored_bytes_per_owner: MIB, cooldown_s: 0, max_models_per_owner: 10 }
      const { id } = yield* A.season("leaves", { rules })
      const model = yield* modelOf("bob")
      const objects = yield* ObjectStore
      const [weights, manifest] = [randomBytes(2_000), randomBytes(50)]
      const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
      const { json, status } = yield* submit(bodyOf("leaves", model, hashes), "bob")
      assert.strictEqual(status, 201)
      const most = json.upload.weights.max_bytes
      const bob = (yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'bob'`)[0]!.id
      yield* entered(id, model, { owner_id: bob, number: 99, status: "superseded", weights_bytes: MIB - 1_500, manifest_bytes: 100 })
      const again = yield* submit(bodyOf("leaves", model, hashes), "bob")
      assert.deepStrictEqual([again.status, again.json.upload.weights.max_bytes], [200, 1_400])
      assert.isAbove(most, 1_400)
      yield* objects.put(incomingKey(json.version_id, "weights"), weights)
      yield* objects.put(incomingKey(json.version_id, "manifest"), manifest)
      const own = A.read(`/v1/me/versions/${json.version_id}`, "bob")
      const { json: judged } = yield* Effect.repeat(own, { until: ({ json }) => json.status !== "testing" })
      assert.deepStrictEqual([judged.status, judged.reject_reason], ["rejected", "too_large"])
      assert.match(judged.reject_detail, /storage quota/)
    })
  )

  it.effect("is not passed by weights beside a wrong manifest: they are not taken over", () =>
    Effect.gen(function* () {
      yield* A.season("wrong-manifest", { rules: { cooldown_s: 0, max_models_per_owner: 10 } })
      const model = yield* modelOf("bob")
      const objects = yield* ObjectStore
      const [weights, manifest] = [randomBytes(2_000), randomBytes(50)]
      const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
      const { json } = yield* submit(bodyOf("wrong-manifest", model, hashes), "bob")
      yield* objects.put(incomingKey(json.version_id, "weights"), weights)
      yield* objects.put(incomingKey(json.version_id, "manifest"), randomBytes(50))
      const own = A.read(`/v1/me/versions/${json.version_id}`, "bob")
      const { json: judged } = yield* Effect.repeat(own, { until: ({ json }) => json.status !== "testing" })
      assert.deepStrictEqual(
        [judged.status, judged.reject_reason, judged.reject_detail],
        ["rejected", "hash_mismatch", "The manifest file is not the one whose hash was submitted."]
      )
      assert.isTrue(Option.isNone(yield* objects.stat(storedKey("weights", hashes.weights_hash))))
    })
  )

  it.effect("holds for files that come at the same moment, each for another season", () =>
    Effect.gen(function* () {
      const rules = { max_stored_bytes_per_owner: MIB, cooldown_s: 0, max_models_per_owner: 10 }
      const objects = yield* ObjectStore
      const model = yield* modelOf("root")
      const candidates = yield* Effect.forEach([1, 2, 3, 4, 5, 6], (n) =>
        Effect.gen(function* () {
          yield* A.season(`at-once-${n}`, { rules })
          const [weights, manifest] = [randomBytes(0.4 * MIB), randomBytes(50)]
          const hashes = { weights_hash: hashOf(weights), manifest_hash: hashOf(manifest) }
          const { json, status } = yield* submit(bodyOf(`at-once-${n}`, model, hashes), "root")
          assert.strictEqual(status, 201)
          yield* objects.put(incomingKey(json.version_id, "weights"), weights)
          return { id: json.version_id as string, manifest, key: storedKey("weights", hashes.weights_hash) }
        })
      )
      const last = ({ id, manifest }: (typeof candidates)[number]) => objects.put(incomingKey(id, "manifest"), manifest)
      const put = Effect.forEach(candidates, last, { concurrency: "unbounded", discard: true })
      const judged = Effect.forEach(candidates, ({ id }) => Effect.map(A.read(`/v1/me/versions/${id}`, "root"), ({ json }) => json))
      const waiting = Effect.map(judged, (all) => all.filter(({ phase }) => phase === "upload").length)
      const { look } = yield* UploadWatch
      const [root] = yield* A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'root'`
      const anotherNode = holding(`SELECT pg_advisory_xact_lock(hashtextextended('quota ${root!.id}', 0))`)
      const held = Effect.scoped(Effect.andThen(anotherNode, Effect.andThen(put, Effect.andThen(look, waiting))))
      assert.strictEqual(yield* held, 6, "none while another node tells a season of files of the account")
      yield* Effect.all([look, look, look], { concurrency: "unbounded" })
      yield* eventually(
        "the end of the last upload",
        Effect.map(waiting, (n) => n === 0)
      )
      const outcomes = (yield* judged).map(({ phase, reject_reason }) => phase ?? reject_reason).sort()
      assert.deepStrictEqual(outcomes, ["review", "review", ...Array(4).fill("too_large")], "as many as the quota holds")
      const keys = candidates.map(({ key }) => key).join()
      const known = A.rows`SELECT 1 FROM stored_object WHERE key = ANY (string_to_array(${keys}, ',')) AND check_at IS NOT NULL`
      assert.lengthOf(yield* known, 6, "the collector is told before files are taken over")
    })
  )

  it.effect.skipIf(!hasSmallDisks)(
    "a database whose disk is full answers 503 to writes, goes on reading, and takes writes again when there is room",
    () =>
      Effect.gen(function* () {
        const disk = yield* smallDisk(4 * MIB)
        yield* onDisk("story", disk)
        const model = yield* modelOf("ada")
        // Each text is kept beside the row, on pages of its own.
        const write = call(`/v1/models/${model}/story`, { method: "PUT", as: "ada", json: { body: randomBytes(6_000).toString("hex") } })
        const filler = fill(disk)
        const refused = yield* write
        assert.deepStrictEqual([refused.status, refused.json.code], [503, "unavailable"])
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.strictEqual((yield* A.read("/v1/me", "ada")).status, 200)
        rmSync(filler)
        assert.strictEqual((yield* write).status, 200)
      })
  )

  it.effect("is one of the season's rules, with bounds", () =>
    Effect.gen(function* () {
      const few = yield* A.post("/v1/games/snakes/seasons", { ...A.seasonBody("few"), rules: { max_stored_bytes_per_owner: 1_000 } })
      assert.deepStrictEqual([few.status, few.json.code], [422, "rules_invalid"])
    })
  )
})

const crowd = { disk: "", filler: "" }
const fillDisk = (disk: string) => Object.assign(crowd, { disk, filler: fill(disk, 0.04 * 4 * MIB) })
const crowded = A.layerWith(
  RateLimits.layer(unlimited),
  Effect.tap(smallDisk(4 * MIB), (disk) => Effect.sync(() => fillDisk(disk)))
)

describe.skipIf(!hasSmallDisks)("on a disk that is nearly full", () =>
  layer(
    crowded,
    A.options
  )((it) => {
    it.effect("submissions and baselines are refused before anything is recorded, and re-entries go on", () =>
      Effect.gen(function* () {
        yield* A.season("crowded", { rules: { cooldown_s: 0 } })
        const model = yield* modelOf("ada")
        const baseline = { name: "walker", weights_hash: fresh(), manifest_hash: fresh() }
        const refused = yield* submit(bodyOf("crowded", model))
        assert.deepStrictEqual([refused.status, refused.json.code], [507, "storage_full"])
        assert.deepStrictEqual((yield* foresee("crowded", model)).json.refusals, [{ code: "storage_full", detail: refused.json.detail }])
        assert.deepStrictEqual(A.refusal(yield* A.post(A.urlOf("crowded", "/baselines"), baseline)), [507, "storage_full"])
        assert.deepStrictEqual(yield* A.rows`SELECT id FROM version`, [])
        yield* over("roomy", model)
        assert.strictEqual((yield* reenter({ game: "snakes", model, season: "crowded", from: "roomy" })).status, 201)
      })
    )

    it.effect("a submission of before is answered again with addresses for its files, as the disk may have room when they are sent", () =>
      Effect.gen(function* () {
        yield* A.season("again", { rules: { cooldown_s: 0 } })
        const body = bodyOf("again", yield* modelOf("bob"))
        rmSync(crowd.filler)
        const first = yield* submit(body, "bob")
        assert.strictEqual(first.status, 201, first.text)
        fillDisk(crowd.disk)
        assert.strictEqual((yield* submit(bodyOf("again", yield* modelOf("ada")), "ada")).status, 507)
        const again = yield* submit(body, "bob")
        assert.strictEqual(again.status, 200, again.text)
        assert.strictEqual(again.json.upload.weights.max_bytes, first.json.upload.weights.max_bytes)
      })
    )
  })
)

/** Puts a table on a file system of its own, for as long as the scope lasts. */
const onDisk = Effect.fnUntraced(function* (table: string, disk: string) {
  const sql = yield* SqlClient.SqlClient
  const directory = join(disk, "space")
  const user = serverUser()
  mkdirSync(directory)
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  yield* sql.unsafe(`CREATE TABLESPACE small LOCATION '${directory}'`)
  const moved = Effect.acquireRelease(sql.unsafe(`ALTER TABLE ${table} SET TABLESPACE small`), () =>
    Effect.orDie(Effect.andThen(sql.unsafe(`ALTER TABLE ${table} SET TABLESPACE pg_default`), sql.unsafe("DROP TABLESPACE small")))
  )
  yield* moved
})

const hashOf = (bytes: Uint8Array) => `sha256:${createHash("sha256").update(bytes).digest("hex")}`

/**
 * Sends the bytes in two halves, the second when the first has `begun` to be stored and `between`
 * was done; answers the status.
 */
const putInHalves = (url: string, bytes: Uint8Array, begun: () => boolean, between: () => void) =>
  Effect.promise(
    () =>
      new Promise<number>((done, fail) => {
        const { pathname, port, search } = new URL(url)
        const half = bytes.byteLength / 2
        const socket = connect(Number(port), "127.0.0.1", () => {
          socket.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Length: ${bytes.byteLength}\r\n\r\n`)
          socket.write(bytes.subarray(0, half))
          const goOn = () => {
            if (!begun()) return setImmediate(goOn)
            between()
            return socket.write(bytes.subarray(half))
          }
          goOn()
        })
        let answer = ""
        socket.setEncoding("utf8").on("data", (text) => (answer += text))
        socket.on("close", () => done(Number(answer.split(" ")[1])))
        socket.on("error", fail)
      })
  )

const put = (url: string, bytes: Uint8Array<ArrayBuffer>) => Effect.promise(() => fetch(url, { method: "PUT", body: bytes }))
const expires_s = 60

it.live.skipIf(!hasSmallDisks)("a disk that is nearly full takes no more models, and replays until it is fuller still", () =>
  Effect.gen(function* () {
    const directory = yield* smallDisk(4 * MIB)
    yield* Effect.gen(function* () {
      const objects = yield* ObjectStore
      const bytes = new Uint8Array(randomBytes(20_000))
      const at = (key: string) => Effect.map(objects.presignPut({ key, sha256: null, max_bytes: 100_000, expires_s }), ({ url }) => url)
      const weights = yield* at(incomingKey("v1", "weights"))
      const replay = yield* at(replayUploadKey("l1"))
      assert.strictEqual((yield* put(weights, bytes)).status, 200)
      const filler = fill(directory, 0.05 * 4 * MIB)
      assert.isBelow(yield* objects.freeShare, 0.0501)
      const full = yield* put(weights, bytes)
      assert.strictEqual(full.status, 507)
      assert.match(yield* Effect.promise(() => full.text()), /<Code>InsufficientStorage<\/Code>/)
      assert.strictEqual((yield* put(replay, bytes)).status, 200, "the match was played; its replay is small")
      rmSync(filler)
      fill(directory, 0.02 * 4 * MIB)
      assert.strictEqual((yield* put(replay, bytes)).status, 507)
      assert.isTrue((yield* objects.stat(replayUploadKey("l1")))._tag === "Some", "what was stored stays")
    }).pipe(Effect.provide(localObjects(directory).pipe(Layer.provide(loopback))))
  })
)

it.live.skipIf(!hasSmallDisks)(
  "a disk that is nearly full takes no replay within its result either, and the runner is to report again",
  () =>
    Effect.gen(function* () {
      const directory = yield* smallDisk(4 * MIB)
      yield* Effect.gen(function* () {
        const store = yield* ObjectStore
        const objects = { ...store, freeShare: believedShare(store.freeShare) }
        const inline = "a replay"
        const hash = `sha256:${createHash("sha256").update(inline).digest("hex")}`
        const lease = "01900000-0000-7000-8000-000000000001.1"
        const told = { kind: "match", runtime_version: "test", reason: "", turns: 1, played_ms: 1, seats: [], state_sha256: "" } as const
        const result = { ...told, lease, replay: { hash, bytes: inline.length, inline } }
        const uploads = { take: () => true, sweep: Effect.succeed(0) }
        const taking = takeReplays({ objects, uploads, areRows: true }, [result], () => "")
        yield* taking
        const filler = fill(directory, 0.02 * 4 * MIB)
        yield* eventually("a full disk is noticed", Effect.map(Effect.exit(taking), Exit.isFailure))
        assert.deepInclude(yield* Effect.flip(taking), { code: "unavailable" })
        rmSync(filler)
        yield* taking // room is noticed at once
      }).pipe(Effect.provide(localObjects(directory).pipe(Layer.provide(loopback))))
    })
)

it.live.skipIf(!hasSmallDisks)("a disk that fills up during an upload answers 503, and nothing of it is left", () =>
  Effect.gen(function* () {
    const directory = yield* smallDisk(4 * MIB)
    yield* Effect.gen(function* () {
      const objects = yield* ObjectStore
      const bytes = randomBytes(2 * MIB)
      const { url } = yield* objects.presignPut({ key: incomingKey("v1", "weights"), sha256: null, max_bytes: bytes.byteLength, expires_s })
      let filler = ""
      const partials = join(directory, "partial")
      const begun = () => readdirSync(partials).some((name) => statSync(join(partials, name)).size > 0)
      const status = yield* putInHalves(url, bytes, begun, () => {
        filler = fill(directory)
      })
      assert.strictEqual(status, 503)
      assert.isTrue((yield* objects.stat(incomingKey("v1", "weights")))._tag === "None")
      assert.deepStrictEqual(readdirSync(partials), [])
      rmSync(filler)
      assert.strictEqual((yield* put(url, new Uint8Array(bytes))).status, 200, "it works again when there is room")
    }).pipe(Effect.provide(localObjects(directory).pipe(Layer.provide(loopback))))
  })
)

it.live.skipIf(!hasSmallDisks)("a disk that is nearly full is told by a gauge and by a line of the log, once a minute", () =>
  Effect.gen(function* () {
    const directory = yield* smallDisk(4 * MIB)
    const said: Array<unknown> = []
    const log = Logger.layer([Logger.make(({ message }) => said.push(message))])
    const free = Effect.map(PrometheusMetrics.format(), (text) => valueOf(text, "agon_objects_disk_free_ratio") ?? Number.NaN)
    yield* Effect.gen(function* () {
      yield* eventually(
        "the room is told",
        Effect.map(free, (share) => share > 0.5)
      )
      assert.deepStrictEqual(said, [])
      fill(directory, 0.03 * 4 * MIB)
      yield* eventually(
        "that it is nearly full is told",
        Effect.map(free, (share) => share < 0.05)
      )
      assert.lengthOf(said, 1)
      assert.match(String((said[0] as ReadonlyArray<unknown>)[0]), /^the objects' disk is nearly full/)
    }).pipe(
      Effect.provide(DiskWatch.layerEvery("20 millis").pipe(Layer.provide(localObjects(directory).pipe(Layer.provide(loopback))))),
      Effect.provide(log)
    )
  })
)
