/** Objects that nobody needs are removed, those that somebody needs are not, whatever happens in between. */

import { LocalObjects } from "@agon/server/object/directory/LocalObjects.ts"
import { datasetKey, incomingKey, replayKey, storedKey } from "@agon/server/object/keys.ts"
import { ObjectStore, ObjectsUnavailable } from "@agon/server/object/ObjectStore.ts"
import { Room } from "@agon/server/object/Room.ts"
import { StoredObjects } from "@agon/server/object/StoredObjects.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer, Logger, Option, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { core } from "../support/Web.ts"
import { temporaryDirectory } from "./objectLocal.ts"

const Objects = Layer.unwrap(
  Effect.map(temporaryDirectory, (directory) =>
    LocalObjects.layer({ directory, secret: Redacted.make("secret"), publicOrigin: "http://localhost" })
  )
)
const Kept = Objects.pipe(Layer.provide(Fixture.layer), Layer.provideMerge(core()))
/** No other collector is at work: it would hold rows that a test looks for. */
const Stored = Layer.mergeAll(StoredObjects.layerIdle, Room.layer).pipe(Layer.provideMerge(Kept))

const hash = (n: number) => `sha256:${n.toString(16).padStart(64, "0")}`
const body = new Uint8Array([1, 2, 3])

/** A version of gamma's model in the spring season. */
const version = (n: number, weights: number, change: Fixture.Row = {}) => ({
  id: Fixture.uuid("version", 7_000 + n),
  season_id: Fixture.seasonIds.spring,
  model_id: Fixture.modelIds.gamma,
  owner_id: null,
  ord: 7_000 + n,
  number: 7_000 + n,
  weights_hash: hash(weights),
  manifest_hash: hash(weights + 1_000),
  created_at: "2026-01-01T00:00:00Z",
  status: "testing",
  weights_bytes: 3,
  manifest_bytes: 3,
  admit_attempt: 0,
  admit_failures: 0,
  trial_played: 0,
  trial_failed: 0,
  trial_void: 0,
  ...change
})

const keysOf = (weights: number) => [storedKey("weights", hash(weights)), storedKey("manifests", hash(weights + 1_000))]

/** As the watch over uploads takes a version's files over. */
const taken = Effect.fnUntraced(function* (...weights: ReadonlyArray<number>) {
  const { taking } = yield* StoredObjects
  const objects = yield* ObjectStore
  const keys = weights.flatMap(keysOf)
  yield* taking(keys)
  for (const key of keys) yield* objects.put(key, body)
})

const lies = (key: string) =>
  Effect.map(
    ObjectStore.use((objects) => objects.stat(key)),
    Option.isSome
  )
const lie = (weights: number) => Effect.map(Effect.forEach(keysOf(weights), lies), (all) => all.every(Boolean))
const isGone = (weights: number) => Effect.map(Effect.forEach(keysOf(weights), lies), (all) => !all.some(Boolean))
const collectAfter = (duration: "1 day" | "15 minutes" | "1 second") =>
  Effect.andThen(
    TestClock.adjust(duration),
    StoredObjects.use(({ collect }) => collect)
  )
const status = (n: number, to: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`UPDATE version SET status = ${to} WHERE number = ${7_000 + n}`)

layer(Stored)("stored objects", (it) => {
  it.effect("of a rejected version are removed a day after the first look that found them unused, those of others stay", () =>
    Effect.gen(function* () {
      yield* Fixture.insert("version", [version(1, 1), version(2, 2), version(3, 3), version(4, 3)])
      yield* taken(1, 2, 3)
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], lie), [true, true, true], "candidates need theirs")
      yield* status(1, "rejected")
      yield* status(2, "entered")
      yield* status(3, "rejected") // version 4 consists of the same files, and is superseded, not rejected
      yield* status(4, "superseded")
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach([1, 2, 3], lie), [true, true, true], "a match of the trial may be under audit")
      yield* collectAfter("1 day")
      assert.isTrue(yield* isGone(1))
      assert.deepStrictEqual(yield* Effect.forEach([2, 3], lie), [true, true])
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql`SELECT key FROM stored_object WHERE check_at IS NOT NULL`
      assert.deepStrictEqual(rows, [], "what is kept for good is not looked at again")
    })
  )

  it.effect("of a version that is rejected though it was out of its trial are removed, and count in its owner's quota until then", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ofQuota } = yield* Room
      const [account] = yield* sql<{ readonly id: string }>`SELECT id FROM account ORDER BY id LIMIT 1`
      const left = ofQuota(account!.id, 1_000_000, [])
      const before = yield* left
      const owned = { owner_id: account!.id, weights_bytes: 1_000 }
      yield* Fixture.insert("version", [version(31, 31, owned), version(32, 32, owned)])
      yield* taken(31, 32)
      for (const n of [31, 32]) yield* status(n, "disqualified") // its owner was excluded while it was in trial
      for (const _day of [1, 2, 3]) yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach([31, 32], lie), [true, true])
      yield* status(31, "rejected") // its owner is back, and the finals have begun
      assert.strictEqual(yield* left, before - 2 * 1_003)
      yield* collectAfter("1 day")
      yield* collectAfter("1 day")
      assert.isTrue(yield* isGone(31))
      assert.isTrue(yield* lie(32))
      assert.strictEqual(yield* left, before - 1_003)
      yield* sql`UPDATE season SET closed_at = now() WHERE id = ${Fixture.seasonIds.spring}`
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* sql`SELECT key FROM stored_object WHERE check_at IS NOT NULL`, [], "of a closed season all is final")
      assert.isTrue(yield* lie(32))
      yield* sql`UPDATE season SET closed_at = NULL WHERE id = ${Fixture.seasonIds.spring}`
    })
  )

  it.effect("that are uploaded again before the collector comes back are not taken for those that nobody needed", () =>
    Effect.gen(function* () {
      yield* Fixture.insert("version", [version(11, 11, { status: "rejected" })])
      yield* taken(11)
      yield* collectAfter("1 day")
      yield* Fixture.insert("version", [version(12, 11)])
      yield* taken(11)
      yield* status(12, "rejected")
      yield* collectAfter("1 day")
      assert.isTrue(yield* lie(11), "the first look since they were taken")
      yield* collectAfter("1 day")
      assert.isTrue(yield* isGone(11))
    })
  )

  it.effect("of a season that was removed go after a day, but for those that another match or version still has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const objects = yield* ObjectStore
      const { open } = Fixture.matchIds
      const there = replayKey(open, `sha256:${"d".repeat(64)}`)
      const gone = [replayKey(Fixture.uuid("match", 777), hash(1)), `replays/${Fixture.uuid("match", 778)}`, keysOf(21)[0]!]
      yield* Fixture.insert("version", [version(22, 22, { status: "superseded" })])
      for (const key of [there, ...gone, ...keysOf(22)]) {
        yield* objects.put(key, body)
        yield* sql`INSERT INTO stored_object (key, check_at, unused) SELECT ${key}, to_timestamp(${yield* Clock.currentTimeMillis}::float8 / 1000) + interval '1 day', true`
      }
      yield* collectAfter("1 second")
      assert.deepStrictEqual(yield* Effect.forEach(gone, lies), [true, true, true], "a backup under way finds them")
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach([...gone, there], lies), [false, false, false, true])
      assert.isTrue(yield* lie(22))
      const rows = yield* sql`SELECT key FROM stored_object WHERE check_at IS NOT NULL`
      assert.deepStrictEqual(rows, [])
    })
  )

  it.effect("of a dataset that is listed stay, those of an attempt that came to nothing are removed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const objects = yield* ObjectStore
      const { taking } = yield* StoredObjects
      const [listed, orphan] = ["a", "b"].map((digit) =>
        datasetKey(Fixture.seasonIds.spring, digit.repeat(64), "2026-01-01-1.matches.jsonl.zst")
      )
      yield* taking([listed!, orphan!])
      for (const key of [listed!, orphan!]) yield* objects.put(key, body)
      yield* sql`INSERT INTO dataset_file (season_id, day, part, kind, key, sha256, bytes, rows, through_n, last, made_at)
        VALUES (${Fixture.seasonIds.spring}, '2026-01-01', 1, 'matches', ${listed!}, 'x', 3, 1, 1, true, now())`
      yield* collectAfter("1 day")
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach([listed!, orphan!], lies), [true, false])
      assert.deepStrictEqual(yield* sql`SELECT key FROM stored_object WHERE key LIKE 'datasets/%'`, [{ key: listed! }])
    })
  )

  it.effect("are not put back while the collector removes them: who takes them waits until it has", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const objects = yield* ObjectStore
      const { taking } = yield* StoredObjects
      const [key] = yield* dueKeys(61)
      const [removing, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const waits = Effect.andThen(Deferred.succeed(removing, undefined), Deferred.await(goOn))
      yield* collectorOn((asked) => Effect.andThen(asked === key ? waits : Effect.void, objects.remove(asked)))
      yield* Deferred.await(removing)
      const taker = yield* Effect.forkChild(taking(keysOf(61)))
      yield* eventually(
        "the taker waits",
        Effect.map(sql`SELECT FROM pg_locks WHERE NOT granted`, (rows) => rows.length > 0 && taker.pollUnsafe() === undefined)
      )
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(taker)
      assert.isFalse(yield* lies(key!))
      assert.lengthOf(yield* sql`SELECT 1 FROM stored_object WHERE key = ${key!} AND check_at IS NOT NULL AND NOT unused`, 1)
    })
  )

  it.effect("that were uploaded in time are left to the season that was away meanwhile: it still waits for them", () =>
    Effect.gen(function* () {
      const { expect } = yield* StoredObjects
      const objects = yield* ObjectStore
      const sql = yield* SqlClient.SqlClient
      const awaited = version(41, 41, { phase: "upload", upload_until: "2026-01-01T01:00:00Z", weights_bytes: null, manifest_bytes: null })
      yield* Fixture.insert("version", [awaited])
      const keys = [incomingKey(awaited.id, "weights"), incomingKey(awaited.id, "manifest")]
      yield* expect(keys, yield* Clock.currentTimeMillis)
      for (const key of keys) yield* objects.put(key, body)
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach(keys, lies), [true, true])
      yield* sql`UPDATE version SET phase = 'review', upload_until = NULL WHERE id = ${awaited.id}`
      yield* collectAfter("1 day")
      assert.deepStrictEqual(yield* Effect.forEach(keys, lies), [false, false])
    })
  )

  it.effect(
    "that were uploaded and never wanted are removed when no upload can be under way any more, by any node, also after a restart",
    () =>
      Effect.gen(function* () {
        const { expect } = yield* StoredObjects
        const objects = yield* ObjectStore
        const keys = [incomingKey(Fixture.uuid("version", 7_031), "weights"), incomingKey(Fixture.uuid("version", 7_031), "manifest")]
        const now = yield* Clock.currentTimeMillis
        yield* expect(keys, now)
        yield* expect(keys, now + 1_000) // the same submission again
        yield* expect(keys, now - 60_000) // and once more, where a shorter window was set meanwhile: the first address is still good
        for (const key of keys) yield* objects.put(key, body)
        yield* collectAfter("15 minutes")
        assert.deepStrictEqual(yield* Effect.forEach(keys, lies), [true, true], "too early")
        const removed = yield* Effect.andThen(TestClock.adjust("1 second"), collectAnew)
        assert.deepStrictEqual(yield* Effect.forEach(keys, lies), [false, false])
        assert.strictEqual(removed, 2)
        yield* collectAfter("1 day")
      })
  )
})

/** By a service that has just started and knows nothing but the rows. */
const collectAnew = Effect.scoped(
  Effect.flatMap(Layer.build(Layer.fresh(StoredObjects.layerIdle)), (context) =>
    Effect.provideContext(
      StoredObjects.use(({ collect }) => collect),
      context
    )
  )
)

/** Keys whose objects lie in the store and are due. */
const dueKeys = Effect.fnUntraced(function* (...weights: ReadonlyArray<number>) {
  const sql = yield* SqlClient.SqlClient
  const objects = yield* ObjectStore
  const keys = weights.flatMap(keysOf)
  for (const [at, key] of keys.entries()) {
    yield* sql`INSERT INTO stored_object (key, check_at, unused) VALUES (${key}, to_timestamp(${(at + 1) / 1_000_000}::float8), true)`
    yield* objects.put(key, body)
  }
  yield* TestClock.adjust("1 day")
  return keys
})

/** A collector, which has its first turn at once, on a store whose removals are others; the lines that it logs about them. */
const collectorOn = Effect.fnUntraced(function* (remove: (typeof ObjectStore)["Service"]["remove"]) {
  const objects = yield* ObjectStore
  const lines: Array<string> = []
  const log = Logger.layer([Logger.make(({ message }) => lines.push(JSON.stringify(message)))])
  const other = Layer.succeed(ObjectStore, { ...objects, remove })
  yield* Layer.build(Layer.fresh(StoredObjects.layer).pipe(Layer.provide(other), Layer.provide(log)))
  return () => lines.filter((line) => line.includes("not removed"))
})

layer(Kept)("a store that is away", (it) => {
  it.effect("ends the collector's turn after a few waits, in one line of the log, and the next turn goes on behind them", () =>
    Effect.gen(function* () {
      const keys = yield* dueKeys(61, 62, 63, 64)
      const objects = yield* ObjectStore
      const asked: Array<string> = []
      let bad: ReadonlyArray<string> = keys
      const said = yield* collectorOn((key) => {
        asked.push(key)
        return bad.includes(key) ? Effect.never : objects.remove(key)
      })
      // Second by second: the collector may begin to wait for the store only after it has asked it.
      const passes = (what: string, until: () => boolean) =>
        eventually(what, Effect.andThen(TestClock.adjust("1 second"), Effect.sync(until)))
      const hasAsked = (some: ReadonlyArray<string>) =>
        Effect.tap(
          passes(`${some.length} were asked for`, () => asked.length >= some.length),
          Effect.sync(() => assert.deepStrictEqual(asked, some))
        )
      for (const waits of [1, 2, 3]) yield* hasAsked(keys.slice(0, waits))
      yield* passes("the turn ends", () => said().length === 1)
      bad = keys.slice(0, 4)
      yield* hasAsked(keys.slice(0, 4))
      yield* hasAsked(keys)
      yield* passes("the fourth has a line of its own", () => said().length === 2)
      bad = []
      yield* hasAsked([...keys, ...keys.slice(0, 4)])
      const sql = yield* SqlClient.SqlClient
      yield* eventually(
        "all are removed",
        Effect.map(sql`SELECT 1 FROM stored_object WHERE key = ANY (string_to_array(${keys.join()}, ','))`, (rows) => rows.length === 0)
      )
      assert.deepStrictEqual(
        yield* Effect.forEach(keys, lies),
        keys.map(() => false)
      )
      assert.lengthOf(said(), 2)
    }).pipe(Effect.scoped)
  )

  it.effect("is a line of the log each minute, not one for each object that is due, and loses none", () =>
    Effect.gen(function* () {
      const keys = yield* dueKeys(51, 52, 53)
      const away = (key: string) => Effect.fail(new ObjectsUnavailable({ operation: "remove", key, detail: "503 SlowDown" }))
      const said = yield* collectorOn(away)
      for (const turn of [1, 2, 3]) {
        yield* eventually(
          `turn ${turn} has its line`,
          Effect.sync(() => said().length === turn)
        )
        yield* TestClock.adjust("1 minute")
      }
      assert.isTrue(
        said().every((line) => line.includes("one after the other")),
        said().join()
      )
      yield* collectAnew
      assert.deepStrictEqual(
        yield* Effect.forEach(keys, lies),
        keys.map(() => false)
      )
    }).pipe(Effect.scoped)
  )
})
