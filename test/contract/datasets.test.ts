/** The daily files of public seasons: what is in them, for whom, and that each is made once, whatever happens. */

import { rm } from "node:fs/promises"
import { KeptEvery } from "@agon/server/dataset/DatasetMaker.ts"
import { Patience } from "@agon/server/dataset/patience.ts"
import { ObjectStore, ObjectsUnavailable } from "@agon/server/object/ObjectStore.ts"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import {
  datasetsAt,
  entriesOf,
  fetched,
  hashOf,
  idOf,
  linesOf,
  listed,
  make,
  makerWith,
  type Played,
  played,
  replay,
  voided
} from "../support/DatasetFiles.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"

const { seasonIds, versionIds: v } = Fixture

/** A match as the API shows it to everybody, without what changes or names anybody. */
const shownTo = (id: string) =>
  Effect.map(A.ask(`/v1/matches/${id}`), ({ json, status, text }) => {
    assert.strictEqual(status, 200, text)
    const {
      comments: _,
      fault_reason: __,
      is_trial: ___,
      replay_url: ____,
      status: _____,
      successor: ______,
      withdrawn_reason: _______,
      ...match
    } = json
    return { ...match, seats: match.seats.map(({ model: _, owner: __, ...seat }: any) => seat) }
  })
const named = (files: ReadonlyArray<any>) => files.map(({ day, kind, part, rows }) => `${day} ${part} ${kind} ${rows}`)

/** The hashes of the fixture's replays, which lie in no store. */
const FIXTURE: Readonly<Record<string, string | null>> = {
  [Fixture.matchIds.nano]: null,
  [Fixture.matchIds.open]: `sha256:${"d".repeat(64)}`
}

const days = ["2025-03-01", "2025-03-02", "2025-03-03"] as const
const three = Effect.gen(function* () {
  yield* played({ n: 3, at: `${days[0]}T00:00:00.000Z` }, { n: 4, at: `${days[0]}T23:59:59.999Z` })
  yield* played({ n: 5, at: `${days[1]}T00:00:00.000Z`, versions: [v.gamma1, v.random] })
  yield* played({ n: 6, at: `${days[2]}T12:00:00.000Z` }, { n: 7, at: `${days[2]}T12:00:00.000Z` })
})

const start = Fixture.layer.pipe(Layer.provideMerge(A.layer))

layer(start, A.options)("datasets", (it) => {
  it.effect("have every rated match of a public season once, as the API shows it, and its replay", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* listed("spring"), [])
      yield* three
      const hostile = `"},{"id":"x"}\n\u2028</script>`
      yield* A.rows`UPDATE account SET display_name = ${hostile}, suspended = username = 'bob'`
      yield* A.rows`UPDATE model SET name = ${hostile} || id`
      // Of the fixture, spring has one day, and the closed season another.
      assert.strictEqual(yield* make(), 5)
      const files = yield* listed("spring")
      assert.deepStrictEqual(named(files), [
        "1969-12-31 1 matches 2",
        ...["2025-03-01 1 matches 2", "2025-03-01 1 replays 2"],
        ...["2025-03-02 1 matches 1", "2025-03-02 1 replays 1"],
        ...["2025-03-03 1 matches 2", "2025-03-03 1 replays 2"]
      ])
      const matches = (yield* Effect.forEach(
        files.filter(({ kind }) => kind === "matches"),
        linesOf
      )).flat()
      assert.deepStrictEqual(matches.map(({ id }) => id).slice(2), [3, 4, 5, 6, 7].map(idOf))
      for (const { replay_hash, ...match } of matches) {
        assert.deepStrictEqual(match, yield* shownTo(match.id))
        const n = [3, 4, 5, 6, 7].find((one) => idOf(one) === match.id)
        assert.strictEqual(replay_hash, n === undefined ? FIXTURE[match.id] : `sha256:${hashOf(replay(n))}`)
      }
      const replays = yield* Effect.forEach(
        files.filter(({ kind }) => kind === "replays"),
        entriesOf
      )
      for (const n of [3, 4, 5, 6, 7])
        assert.deepStrictEqual(replays.find((all) => all.has(`${idOf(n)}.json`))?.get(`${idOf(n)}.json`), replay(n))
      assert.strictEqual(yield* make(), 0, "all is made")
    })
  )

  it.effect("are never written again: a voided match is listed in the file of the day on which it was voided", () =>
    Effect.gen(function* () {
      const before = yield* listed("spring")
      const bytes = yield* Effect.forEach(before, fetched)
      yield* played({ n: 8, at: "2025-03-04T01:00:00Z" }, { n: 9, at: "2025-03-04T02:00:00Z" })
      yield* voided(3, "2025-03-04T10:00:00.250Z")
      yield* voided(9, "2025-03-04T11:00:00Z") // in no file yet, and so never in one
      assert.strictEqual(yield* make(), 1)
      const files = yield* listed("spring")
      const stays = (all: ReadonlyArray<any>) => all.map(({ url: _, ...file }) => file)
      assert.deepStrictEqual(stays(files.slice(0, before.length)), stays(before))
      for (const [at, file] of files.slice(0, before.length).entries()) assert.isTrue((yield* fetched(file)).equals(bytes[at]!))
      const fresh = files.slice(before.length)
      assert.deepStrictEqual(named(fresh), ["2025-03-04 1 matches 1", "2025-03-04 1 replays 1", "2025-03-04 1 voided 1"])
      assert.deepStrictEqual(
        (yield* linesOf(fresh[0])).map(({ id }) => id),
        [idOf(8)]
      )
      assert.deepStrictEqual(yield* linesOf(fresh[2]), [{ id: idOf(3), voided_at: "2025-03-04T10:00:00.250Z" }])

      yield* voided(8, "2025-03-05T00:00:00Z")
      assert.strictEqual(yield* make(), 1, "a day on which nothing was rated")
      const [alone, ...more] = (yield* listed("spring")).slice(files.length)
      assert.deepStrictEqual([named([alone]), more], [["2025-03-05 1 voided 1"], []])
      assert.deepStrictEqual(yield* linesOf(alone), [{ id: idOf(8), voided_at: "2025-03-05T00:00:00.000Z" }])
      assert.deepStrictEqual(yield* A.rows`SELECT n FROM dataset_voided`, [{ n: 9 }], "kept until a part goes beyond its number")
    })
  )

  it.effect("wait until a day is finished, and lose no match that comes later still", () =>
    Effect.gen(function* () {
      const before = (yield* listed("spring")).length
      yield* played({ n: 10, at: "2025-03-04T23:00:00Z" }, { n: 11, at: "2025-03-07T00:00:00Z" })
      const now = new Date().toISOString()
      yield* played({ n: 12, at: now })
      assert.strictEqual(yield* make("matches"), 2)
      assert.deepStrictEqual(yield* A.rows`SELECT n FROM dataset_voided`, [])
      const fresh = (yield* listed("spring")).slice(before)
      assert.deepStrictEqual(named(fresh), ["2025-03-06 1 matches 1", "2025-03-07 1 matches 1"], "without replays, as asked")
      assert.deepStrictEqual(
        (yield* Effect.forEach(fresh, linesOf)).flat().map(({ id }) => id),
        [10, 11].map(idOf)
      )
    })
  )

  it.effect("are of public seasons alone, today and yesterday", () =>
    Effect.gen(function* () {
      const visible = (to: string) => A.rows`UPDATE season SET visibility = ${to} WHERE slug = 'secret'`
      const versions = [v.alphaSecret, v.hiddenSecret] as const
      const secret = (n: number, at: string): Played => ({ n, at, season_id: seasonIds.secret, versions })
      const files = A.rows<{ n: number }>`SELECT count(*)::int AS n FROM dataset_file WHERE season_id = ${seasonIds.secret}`
      yield* played(secret(30, "2025-03-01T00:00:00Z"))
      assert.strictEqual(yield* make(), 0)
      assert.deepStrictEqual(yield* A.rows`SELECT key FROM stored_object WHERE key LIKE ${`datasets/${seasonIds.secret}%`}`, [])
      const missing = (yield* A.ask(A.urlOf("none", "/datasets"))).json
      for (const who of [undefined, "ada", "root"]) {
        const { json, status } = yield* A.ask(datasetsAt("secret"), who === undefined ? {} : { as: who })
        assert.deepStrictEqual([status, json], [404, { ...missing, detail: "snakes has no season secret." }], `${who}`)
      }
      yield* visible("public")
      assert.strictEqual(yield* make(), 2, "everybody sees all of its matches from now on")
      assert.deepStrictEqual(named(yield* listed("secret", "?limit=999")), [
        "1969-12-31 1 matches 1",
        ...["2025-03-01 1 matches 1", "2025-03-01 1 replays 1"]
      ])
      yield* visible("private")
      assert.strictEqual((yield* A.ask(`${datasetsAt("secret")}?limit=998`)).status, 404)
      yield* played(secret(31, "2025-03-02T00:00:00Z"))
      assert.strictEqual(yield* make(), 0)
      yield* visible("public")
      // It becomes private while its files are being made.
      const objects = yield* ObjectStore
      const sql = yield* SqlClient.SqlClient
      const hide = Effect.orDie(sql`UPDATE season SET visibility = 'private' WHERE slug = 'secret'`)
      const hiding = ObjectStore.of({
        ...objects,
        putFile: (key, file) => Effect.andThen(hide, objects.putFile(key, file))
      })
      assert.strictEqual(yield* Effect.provideService(make(), ObjectStore, hiding), 0)
      assert.deepStrictEqual(yield* files, [{ n: 3 }])
    })
  )

  it.effect("are made once, however many nodes make them, and in parts where a day is long", () =>
    Effect.gen(function* () {
      yield* A.rows`UPDATE match SET rated_n = NULL, status = 'failed' WHERE id = ${idOf(12)}` // of today
      const later = Array.from({ length: 6 }, (_, i): Played => ({ n: 20 + i, at: `2025-03-${10 + Math.floor(i / 2)}T0${i}:00:00Z` }))
      yield* played(...later)
      // 450 matches of one day, of which each page has 200.
      yield* A.rows`INSERT INTO match SELECT copy.* FROM match row CROSS JOIN generate_series(1, 450) i CROSS JOIN LATERAL
        jsonb_populate_record(row, jsonb_build_object('id', gen_random_uuid(), 'n', 5000 + i, 'rated_n', 5000 + i, 'replay_hash', NULL,
          'ended_at', '2025-03-20T00:00:00Z'::timestamptz + i * interval '1 second')) copy WHERE row.id = ${idOf(20)}`
      yield* A.rows`INSERT INTO seat SELECT copy.* FROM seat row JOIN match m ON m.n > 5000 AND m.season_id = row.season_id CROSS JOIN LATERAL
        jsonb_populate_record(row, jsonb_build_object('match_id', m.id, 'ended_at', m.ended_at)) copy WHERE row.match_id = ${idOf(20)}`
      const before = (yield* listed("spring")).length
      const makers = yield* Effect.forEach([1, 2, 3], () => makerWith("all", 1))
      const rounds = Effect.all(
        makers.map(({ look }) => look),
        { concurrency: "unbounded" }
      )
      let made = 0
      for (let more = 1; more > 0; made += more) more = (yield* rounds).reduce((sum, n) => sum + n, 0)
      assert.strictEqual(made, 3 + 3)
      const fresh = (yield* listed("spring")).slice(before)
      assert.deepStrictEqual(named(fresh), [
        ...["2025-03-10", "2025-03-11", "2025-03-12"].flatMap((day) => [`${day} 1 matches 2`, `${day} 1 replays 2`]),
        ...["2025-03-20 1 matches 200", "2025-03-20 2 matches 200", "2025-03-20 3 matches 50"]
      ])
      const lines = (yield* Effect.forEach(
        fresh.filter(({ kind }) => kind === "matches"),
        linesOf
      )).flat()
      assert.deepStrictEqual(
        lines.slice(0, 6).map(({ id }) => id),
        later.map(({ n }) => idOf(n))
      )
      assert.strictEqual(new Set(lines.map(({ id }) => id)).size, 456)
      assert.deepStrictEqual(yield* A.rows`SELECT 1 FROM dataset_claim`, [])
    }).pipe(Effect.scoped)
  )

  it.effect("have no more replays in a part than their bound allows", () =>
    Effect.gen(function* () {
      yield* played(...Array.from({ length: 9 }, (_, i): Played => ({ n: 5_900 + i, at: `2025-03-30T00:00:0${i}Z` })))
      const before = (yield* listed("spring")).length
      const { look } = yield* makerWith("all", 100_000, 1)
      assert.strictEqual(yield* look, 3)
      const fresh = (yield* listed("spring")).slice(before)
      assert.deepStrictEqual(
        named(fresh),
        [4, 4, 1].flatMap((rows, i) => ["matches", "replays"].map((kind) => `2025-03-30 ${i + 1} ${kind} ${rows}`))
      )
      const matches = yield* Effect.forEach(
        fresh.filter(({ kind }) => kind === "matches"),
        linesOf
      )
      assert.deepStrictEqual(
        matches.flat().map(({ id }) => id),
        Array.from({ length: 9 }, (_, i) => idOf(5_900 + i))
      )
    }).pipe(Effect.scoped)
  )

  it.effect("of a node that was killed are made by another when its claim has run out", () =>
    Effect.gen(function* () {
      yield* played({ n: 6_000, at: "2025-04-01T00:00:00Z" })
      yield* A.rows`INSERT INTO dataset_claim VALUES (${seasonIds.spring}, gen_random_uuid(), now() + interval '1 hour')`
      assert.strictEqual(yield* make(), 0)
      yield* A.rows`UPDATE dataset_claim SET until = now() - interval '1 second'`
      assert.strictEqual(yield* make(), 1)
    })
  )

  it.effect("are not listed where the store fails, or somebody else has taken the season meanwhile, and are made the next time", () =>
    Effect.gen(function* () {
      yield* played({ n: 6_001, at: "2025-04-02T00:00:00Z" })
      const objects = yield* ObjectStore
      const away = new ObjectsUnavailable({ operation: "get", key: "x", detail: "away" })
      const sql = yield* SqlClient.SqlClient
      const robbed = Effect.orDie(sql`UPDATE dataset_claim SET holder = gen_random_uuid()`)
      const put: Array<string> = []
      const failing: ReadonlyArray<Partial<typeof objects>> = [
        { get: () => Effect.fail(away) },
        {
          putFile: (key) => {
            put.push(key)
            return Effect.fail(away)
          }
        },
        { freeShare: Effect.succeed(0.09) },
        { putFile: (key, file) => Effect.andThen(robbed, objects.putFile(key, file)) }
      ]
      const before = yield* listed("spring")
      const once = Effect.provideService(make(), Patience, { pause: 0, read: 0, put: 0 })
      for (const faults of failing) {
        assert.strictEqual(yield* Effect.provideService(once, ObjectStore, ObjectStore.of({ ...objects, ...faults })), 0)
        assert.lengthOf(yield* listed("spring"), before.length)
      }
      yield* A.rows`DELETE FROM dataset_claim`
      assert.strictEqual(yield* make(), 1)
      assert.deepStrictEqual(named((yield* listed("spring")).slice(before.length)), ["2025-04-02 1 matches 1", "2025-04-02 1 replays 1"])
      assert.deepStrictEqual(
        yield* A.rows`SELECT key FROM stored_object WHERE key = ${put[0]!} AND check_at > now()`,
        [{ key: put[0]! }],
        "the collector knows of bytes that may lie there"
      )
    })
  )

  for (const [n, slowly] of [
    [6_002, "putFile"],
    [6_004, "get"]
  ] as const)
    it.effect(`keep their claim for as long as the store takes with ${slowly}: no other node begins the same part`, () =>
      Effect.gen(function* () {
        yield* played({ n, at: `2025-04-0${n - 5_999}T00:00:00Z` })
        const objects = yield* ObjectStore
        const [asks, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const sql = yield* SqlClient.SqlClient
        const soonOver = Effect.orDie(sql`UPDATE dataset_claim SET until = now() + interval '10 seconds'`)
        const waits = Effect.andThen(soonOver, Deferred.succeed(asks, undefined)).pipe(Effect.andThen(Deferred.await(goOn)))
        const store: typeof objects = {
          ...objects,
          putFile: (key, file) => Effect.andThen(slowly === "putFile" ? waits : Effect.void, objects.putFile(key, file)),
          get: (asked) => Effect.andThen(slowly === "get" ? waits : Effect.void, objects.get(asked))
        }
        const slow = make().pipe(Effect.provideService(ObjectStore, store), Effect.provideService(KeptEvery, "20 millis"))
        const making = yield* Effect.forkChild(slow)
        yield* Deferred.await(asks)
        yield* eventually(
          "the claim is kept",
          Effect.map(sql`SELECT 1 FROM dataset_claim WHERE until > now() + interval '1 minute'`, (rows) => rows.length === 1)
        )
        assert.strictEqual(yield* make(), 0)
        yield* Deferred.succeed(goOn, undefined)
        assert.strictEqual(yield* Fiber.join(making), 1)
      })
    )

  it.effect("are put again while their claim is kept, the file is there and the disk has room, and are not made again", () =>
    Effect.gen(function* () {
      yield* played({ n: 6_005, at: "2025-04-06T00:00:00Z" })
      const objects = yield* ObjectStore
      const sql = yield* SqlClient.SqlClient
      const away = Effect.fail(new ObjectsUnavailable({ operation: "put", key: "x", detail: "away" }))
      const did = { get: 0, put: 0 }
      /** A store whose first reads and writes fail, so many times; `meanwhile` happens as a write fails. */
      const failing = (times: { readonly get: number; readonly put: number }, meanwhile: (path: string) => Effect.Effect<unknown>) =>
        ObjectStore.of({
          ...objects,
          freeShare: Effect.suspend(() => (did.put > 50 ? Effect.succeed(0.09) : objects.freeShare)),
          get: (asked) => Effect.suspend(() => (did.get++ < times.get ? away : objects.get(asked))),
          putFile: (key, file) =>
            Effect.suspend(() => (did.put++ < times.put ? Effect.andThen(meanwhile(file.path), away) : objects.putFile(key, file)))
        })
      const patient = make().pipe(
        Effect.provideService(Patience, { pause: "1 millis", read: "1 minute", put: "1 minute" }),
        Effect.provideService(KeptEvery, "20 millis")
      )
      const made = (store: typeof objects) => {
        Object.assign(did, { get: 0, put: 0 })
        return Effect.provideService(patient, ObjectStore, store)
      }
      const robbed = () => Effect.orDie(sql`UPDATE dataset_claim SET holder = gen_random_uuid()`)
      const lost = (path: string) => Effect.promise(() => rm(path))
      assert.strictEqual(yield* made(failing({ get: 0, put: Number.POSITIVE_INFINITY }, robbed)), 0)
      yield* A.rows`DELETE FROM dataset_claim`
      assert.strictEqual(yield* made(failing({ get: 0, put: Number.POSITIVE_INFINITY }, lost)), 0)
      assert.strictEqual(did.put, 1)
      assert.strictEqual(yield* made(failing({ get: 0, put: Number.POSITIVE_INFINITY }, () => Effect.void)), 0)
      assert.strictEqual(did.put, 51, "a disk that is nearly full has no room for what waits")
      assert.strictEqual(yield* made(failing({ get: 5, put: 5 }, () => Effect.void)), 1)
      assert.deepStrictEqual(did, { get: 6, put: 7 }, "one replay, two files")
    })
  )

  it.effect("of a season that fails are left for the next look, while those of others are made", () =>
    Effect.gen(function* () {
      const secret = (n: number, at: string): Played => ({ n, at, season_id: seasonIds.secret, versions: [v.alphaSecret, v.hiddenSecret] })
      yield* A.rows`UPDATE season SET visibility = 'public' WHERE slug = 'secret'`
      yield* make("matches")
      yield* played({ n: 6_900, at: "2025-05-01T00:00:00Z" }, secret(6_901, "2025-05-01T00:00:00Z"), secret(6_902, "2025-05-02T00:00:00Z"))
      const objects = yield* ObjectStore
      let tries = 0
      const away = Effect.suspend(() => {
        tries++
        return Effect.fail(new ObjectsUnavailable({ operation: "put", key: "x", detail: "away" }))
      })
      const store = ObjectStore.of({
        ...objects,
        putFile: (key, file) => (key.includes(seasonIds.spring) ? away : objects.putFile(key, file))
      })
      const once = Effect.provideService(make("matches"), Patience, { pause: 0, read: 0, put: 0 })
      assert.deepStrictEqual([yield* Effect.provideService(once, ObjectStore, store), tries], [2, 1])
      assert.strictEqual(yield* make("matches"), 1)
      yield* A.rows`UPDATE season SET visibility = 'private' WHERE slug = 'secret'`
    })
  )

  it.effect("list every void of a day, however many, and leave out a replay that is not the one of its match", () =>
    Effect.gen(function* () {
      const before = (yield* listed("spring")).length
      yield* A.rows`INSERT INTO dataset_voided (season_id, match_id, n, at)
        SELECT ${seasonIds.spring}::uuid, gen_random_uuid(), 1, '2025-05-03T00:00:00Z' FROM generate_series(1, 401)`
      yield* played({ n: 6_903, at: "2025-05-04T00:00:00Z" })
      yield* A.rows`UPDATE match SET replay_bytes = 1 WHERE id = ${idOf(6_903)}`
      assert.strictEqual(yield* make(), 2)
      const fresh = (yield* listed("spring")).slice(before)
      assert.deepStrictEqual(named(fresh), ["2025-05-03 1 voided 401", "2025-05-04 1 matches 1"])
      assert.strictEqual(new Set((yield* linesOf(fresh[0])).map(({ id }) => id)).size, 401)
    })
  )

  it.effect("list a void that comes while a part is made in the next one, once", () =>
    Effect.gen(function* () {
      yield* played({ n: 6_904, at: "2025-05-05T00:00:00Z" })
      const before = (yield* listed("spring")).length
      const objects = yield* ObjectStore
      const sql = yield* SqlClient.SqlClient
      const voids: Array<string> = []
      const voiding = Effect.suspend(() => {
        if (voids.length >= 2) return Effect.void
        const id = crypto.randomUUID()
        voids.push(id)
        return Effect.orDie(
          sql`INSERT INTO dataset_voided (season_id, match_id, n, at) VALUES (${seasonIds.spring}, ${id}, 1, '2025-05-05T01:00:00Z')`
        )
      })
      const store = ObjectStore.of({
        ...objects,
        get: (asked) => Effect.andThen(voiding, objects.get(asked)),
        putFile: (key, file) => Effect.andThen(voiding, objects.putFile(key, file))
      })
      assert.strictEqual(yield* Effect.provideService(make(), ObjectStore, store), 2)
      const fresh = (yield* listed("spring")).slice(before)
      assert.deepStrictEqual(named(fresh), ["2025-05-05 1 matches 1", "2025-05-05 1 replays 1", "2025-05-06 1 voided 2"])
      assert.deepStrictEqual(
        (yield* linesOf(fresh[2])).map(({ id }) => id),
        voids
      )
    })
  )

  it.effect("go on beside matches and voids that came by a clock that was ahead for years", () =>
    Effect.gen(function* () {
      const before = (yield* listed("spring")).length
      const ahead = "2145-01-01T00:00:00Z"
      yield* played({ n: 7_910, at: "2025-06-01T00:00:00Z" }, { n: 7_911, at: ahead }, { n: 7_912, at: "2025-06-01T12:00:00Z" })
      yield* played({ n: 7_913, at: ahead }, { n: 7_914, at: "2025-06-02T00:00:00Z" }, { n: 7_915, at: "2025-06-03T00:00:00Z" })
      assert.strictEqual(yield* make("matches"), 3)
      yield* voided(7_910, ahead)
      yield* voided(7_912, "2025-06-03T13:00:00Z")
      const at = (day: string) =>
        A.rows`UPDATE season SET head = head || jsonb_build_object('now', ${`${Date.parse(day)}`}::float8) WHERE slug = 'spring'`
      assert.strictEqual(yield* make("matches"), 1, "the void by the right clock")
      yield* played({ n: 7_916, at: ahead }, { n: 7_917, at: "2025-06-06T00:00:00Z" })
      yield* at(new Date().toISOString())
      assert.strictEqual(yield* make("matches"), 1, "the match by the right clock")
      yield* played({ n: 7_918, at: ahead })
      assert.strictEqual(yield* make("matches"), 0, "the season's day is not over")
      yield* at("2025-06-08T00:00:00Z")
      assert.strictEqual(yield* make("matches"), 1, "it has stood still since")
      yield* voided(7_914, ahead)
      yield* at("2025-06-10T00:00:00Z")
      assert.strictEqual(yield* make("matches"), 1, "a void alone")
      assert.strictEqual(yield* make("matches"), 0)
      const fresh = (yield* listed("spring")).slice(before)
      assert.deepStrictEqual(named(fresh), [
        ...["2025-06-01 1 matches 4", "2025-06-02 1 matches 1", "2025-06-03 1 matches 1"],
        ...["2025-06-04 1 voided 2", "2025-06-06 1 matches 2", "2025-06-08 1 matches 1", "2025-06-10 1 voided 1"]
      ])
    })
  )

  it.effect("are listed in pages", () =>
    Effect.gen(function* () {
      const all = yield* listed("spring")
      const first = (yield* A.ask(`${datasetsAt("spring")}?limit=5`)).json
      assert.deepStrictEqual([first.total, first.next_cursor, named(first.datasets)], [all.length, "5", named(all.slice(0, 5))])
      const rest = (yield* A.ask(`${datasetsAt("spring")}?cursor=5`)).json
      assert.deepStrictEqual([rest.next_cursor, named(rest.datasets)], [null, named(all.slice(5))])
    })
  )
})
