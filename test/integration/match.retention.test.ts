/**
 * Replays are removed by their age, on PostgreSQL and the local store: of matches that a service has rated,
 * and none that somebody needs or has a reason to look at.
 */

import type { Client } from "@agon/api/Client.ts"
import { canonicalJson } from "@agon/engine/canonicalJson.ts"
import { CheckShares } from "@agon/server/config/CheckShares.ts"
import { DatasetMaker } from "@agon/server/dataset/DatasetMaker.ts"
import { PauseTimes } from "@agon/server/dataset/PartFiles.ts"
import { ReplayCheck, SettledAfter } from "@agon/server/match/check/ReplayCheck.ts"
import { type Bounds, Limits, type Options, ReplayRetention } from "@agon/server/match/retention/ReplayRetention.ts"
import { replayKey } from "@agon/server/object/keys.ts"
import { ObjectStore } from "@agon/server/object/ObjectStore.ts"
import { StoredObjects } from "@agon/server/object/StoredObjects.ts"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer, Option, Redacted } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { after, type Belief, near, START } from "../e2e/Ledger.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, visit } from "../support/Pages.ts"
import { played, toldOf } from "../support/playedMatch.ts"
import { hashOf, isMatch, keyed, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { valueOf } from "../support/scrape.ts"
import { temporaryDirectory } from "./objectLocal.ts"

const DAYS = 30
const MATCHES = 14
const SLUG = "aged"

/** Replays are checked when the test says so. */
const checked = Layer.build(Layer.fresh(ReplayCheck.layer({ nodes: Redacted.make("ours") }))).pipe(
  Effect.flatMap((built) => Context.get(built, ReplayCheck).look),
  Effect.scoped,
  Effect.provideService(CheckShares, { replay_check: 1, audit: 0 }),
  Effect.provideService(SettledAfter, 0)
)

/** A sweep as each node has one, which has looked at nothing yet. */
const sweeper = (options: Partial<Options> = {}, limits: Partial<Bounds> = {}) =>
  Layer.build(Layer.fresh(ReplayRetention.layer({ days: DAYS, checks: true, datasets: false, ...options }))).pipe(
    Effect.map((built) => Context.get(built, ReplayRetention)),
    Effect.provideService(Limits, { matches: 3, batches: 100, again_ms: 86_400_000, ...limits })
  )
const swept = (options: Partial<Options> = {}) => Effect.scoped(Effect.flatMap(sweeper(options), ({ look }) => look))

/** Plays matches: every second replay is in its result, and a row; the others are objects. Answers the ids in the order of their end. */
const play = Effect.fnUntraced(function* (count: number) {
  const fleet = yield* keyed(SLUG)
  yield* seasonOf(SLUG, fleet)
  const runner = yield* fleet.open(["match"])
  const ids: Array<string> = []
  while (ids.length < count) {
    const { leases } = yield* fleet.client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } })
    for (const work of leases.filter(isMatch)) {
      if (ids.length % 2 === 0) yield* report(fleet.client, work)
      else {
        const truth = played(work)
        const inline = canonicalJson(truth.replay)
        const bytes = new TextEncoder().encode(inline)
        const replay = { hash: hashOf(bytes), bytes: bytes.length, inline }
        const payload = { kind: "match", runtime_version: "test", played_ms: 1, ...toldOf(work, truth), replay } as const
        assert.deepStrictEqual(yield* fleet.client.runner.result({ params: { lease: work.lease }, payload }), { accepted: true })
      }
      ids.push(work.match_id)
    }
  }
  yield* checked
  return { admin: fleet.admin, ids }
})

/** Ended so many days ago, an hour after one another. */
const aged = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, days: number) {
  const sql = yield* SqlClient.SqlClient
  for (const [i, id] of ids.entries()) {
    const ended = sql`clock_timestamp() - make_interval(days => ${days}::int) + make_interval(hours => ${i}::int)`
    yield* sql`UPDATE match SET ended_at = ${ended} WHERE id = ${id}`
    yield* sql`UPDATE seat SET ended_at = (SELECT m.ended_at FROM match m WHERE m.id = match_id) WHERE match_id = ${id}`
  }
})

interface Held {
  readonly id: string
  readonly held: boolean
  readonly row: boolean
}
/** Of each match whether it says that it has a replay, and whether the row of one is there. */
const heldOf = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<Held>`
    SELECT m.id, m.replay_hash IS NOT NULL AS held, EXISTS (SELECT 1 FROM replay r WHERE r.match_id = m.id) AS row
    FROM match m WHERE m.id = ANY (string_to_array(${ids.join()}, ',')::uuid[])`
  return ids.map((id) => rows.find((row) => row.id === id)!)
})
const removedOf = (ids: ReadonlyArray<string>) => Effect.map(heldOf(ids), (rows) => rows.flatMap(({ held }, i) => (held ? [] : [i])))

const json = (path: string) =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    Effect.promise(() => fetch(`${origin}/v1${path}`).then((response) => response.json() as Promise<any>))
  )

/** All that is told and rated of the season's matches, without replays. */
const books = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const matches = yield* sql<{ readonly text: string }>`
    SELECT (to_jsonb(m) - '{replay_hash,replay_bytes,replay_inline,replay_removed_at}'::text[])::text AS text FROM match m ORDER BY id`
  const [seats, ratings] = [yield* sql`SELECT y::text FROM seat y ORDER BY 1`, yield* sql`SELECT s::text FROM standing s ORDER BY 1`]
  return { matches, seats, ratings }
})

/** Every rating is what a replay of the log makes. */
const assertRatings = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const seats = yield* sql<{ n: number; ladder: string; version_id: string; rank: number; mu: number; open_mu: number | null }>`
    SELECT m.rated_n AS n, m.ladder, y.version_id, y.rank, y.made_mu AS mu, y.open_mu FROM match m JOIN seat y ON y.match_id = m.id
    WHERE m.status = 'rated' ORDER BY m.rated_n, y.seat`
  const beliefs = new Map<string, Belief>()
  for (const rows of Map.groupBy(seats, ({ n }) => n).values())
    for (const ladder of new Set([rows[0]!.ladder, "open"])) {
      const before = rows.map(({ version_id }) => beliefs.get(`${ladder} ${version_id}`) ?? START)
      const made = after(
        before,
        rows.map(({ rank }) => rank)
      )
      rows.forEach((row, i) => {
        near(ladder === row.ladder ? row.mu : row.open_mu, made[i]!.mu, `match ${row.n}, seat ${i} on ${ladder}`)
        beliefs.set(`${ladder} ${row.version_id}`, made[i]!)
      })
    }
  const standing = yield* sql<{ ladder: string; version_id: string; mu: number }>`SELECT ladder, version_id, mu FROM standing`
  for (const { ladder, mu, version_id } of standing)
    near(mu, (beliefs.get(`${ladder} ${version_id}`) ?? START).mu, `${version_id} on ${ladder}`)
  return new Set(seats.map(({ n }) => n)).size
})

/** Each reason to keep one, on the match of that place. Answers what is kept. */
const withReasons = Effect.fnUntraced(function* (ids: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const [of] = yield* sql<{ readonly season_id: string }>`SELECT season_id FROM match WHERE id = ${ids[0]!}`
  const { season_id } = of!
  const now = new Date()
  const id = (n: number) => Fixture.uuid("thread", 4_000 + n)
  yield* sql`INSERT INTO pick (id, match_id, game, season_id, picked_at) VALUES (${id(1)}, ${ids[3]!}, 'snakes', ${season_id}, ${now})`
  yield* sql`INSERT INTO thread (id, match_id, season_id, ended_at, created_at) VALUES (${id(2)}, ${ids[4]!}, ${season_id}, ${now}, ${now})`
  yield* sql`INSERT INTO match_audit (id, match_id, season_id, state, created_at) VALUES (${id(3)}, ${ids[5]!}, ${season_id}, 'waiting', ${now})`
  yield* sql`INSERT INTO match_audit (id, match_id, season_id, state, created_at, doubter_id, doubter_sha256, verdict)
    VALUES (${id(4)}, ${ids[6]!}, ${season_id}, 'done', ${now}, ${id(9)}, ${"a".repeat(64)}, 'doubter_wrong')`
  yield* sql`INSERT INTO match_audit (id, match_id, season_id, state, created_at, verdict)
    VALUES (${id(5)}, ${ids[2]!}, ${season_id}, 'done', ${now}, 'agreed')`
  yield* sql`INSERT INTO round (season_id, n, kind, games, starts_at, withdrawn) VALUES (${season_id}, 99, 'finals', 1, ${now}, false)`
  yield* sql`UPDATE match SET round = 99 WHERE id = ${ids[7]!}`
  yield* sql`INSERT INTO version SELECT (jsonb_populate_record(v, jsonb_build_object('id', ${id(6)}::text, 'ord', 900, 'number', 900, 'status', 'testing'))).*
    FROM version v WHERE v.season_id = ${season_id} ORDER BY ord LIMIT 1`
  yield* sql`INSERT INTO match SELECT (jsonb_populate_record(m, jsonb_build_object('id', ${id(7)}::text, 'n', 9000, 'status', 'finished', 'rated_n', NULL,
    'ladder', NULL, 'candidate', ${id(6)}::text, 'replay_inline', false))).* FROM match m WHERE m.id = ${ids[0]!}`
  yield* sql`INSERT INTO match SELECT (jsonb_populate_record(m, jsonb_build_object('id', ${id(8)}::text, 'n', 9001, 'candidate',
    (SELECT v.id FROM version v WHERE v.season_id = ${season_id} AND v.status <> 'testing' LIMIT 1)))).* FROM match m WHERE m.id = ${id(7)}`
  return { season_id, trial: id(7), decided: id(8) }
})

/** States of a season in which every replay is kept: the statement that begins each, and the one that ends it. */
const unrest = (season_id: string, match: string) =>
  Effect.map(SqlClient.SqlClient, (sql) => [
    [
      sql`INSERT INTO voiding (season_id, match_id, n, round, ladder, versions) VALUES (${season_id}, ${match}, 1, 0, 'open', '{}')`,
      sql`DELETE FROM voiding`
    ],
    [
      sql`INSERT INTO void_order (version_id, season_id, actor, reason, created_at)
        SELECT v.id, v.season_id, a.id, 'x', now() FROM version v, account a WHERE v.season_id = ${season_id} LIMIT 1`,
      sql`DELETE FROM void_order`
    ],
    [sql`UPDATE season SET close_requested_at = now()`, sql`UPDATE season SET close_requested_at = NULL`],
    [
      sql`UPDATE match_check SET ended_at = ended_at - interval '100 days'`,
      sql`UPDATE match_check SET ended_at = ended_at + interval '100 days'`
    ]
  ])

const madeDatasets = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const built = yield* Layer.build(Layer.fresh(DatasetMaker.layer({ datasets: "all", directory })))
  return yield* Context.get(built, DatasetMaker).look
}).pipe(Effect.scoped, Effect.provideService(PauseTimes, 0))

interface Rows {
  readonly kind: string
  readonly rows: number
}

const lies = (key: string) =>
  Effect.map(
    ObjectStore.use((objects) => objects.stat(key)),
    Option.isSome
  )

const objectOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly replay_hash: string }>`SELECT replay_hash FROM match WHERE id = ${id}`
  return replayKey(id, row!.replay_hash)
})
const statusOf = (address: string) => Effect.promise(() => fetch(address).then(({ status }) => status))

const voidMatch = Effect.fnUntraced(function* (admin: Client, id: string) {
  const sql = yield* SqlClient.SqlClient
  yield* admin.matchAdmin.voidMatch({ params: { game: "snakes", slug: SLUG, id }, payload: { reason: "a test" } })
  yield* eventually(
    "nothing is to be voided",
    Effect.map(sql`SELECT 1 FROM voiding`, (rows) => rows.length === 0)
  )
})

/** Matches of which the first eleven are old, and one of these is voided. `url` leads to a replay that goes; `key` to one that goes as well. */
const stage = Effect.gen(function* () {
  const { admin, ids } = yield* play(MATCHES)
  yield* aged(ids.slice(0, 11), DAYS + 2)
  yield* voidMatch(admin, ids[8]!)
  const reasons = yield* withReasons(ids)
  const url: string = (yield* json(`/matches/${ids[1]}`)).replay_url
  const [key, kept] = [yield* objectOf(ids[0]!), yield* objectOf(ids[4]!)]
  return { ...reasons, admin, ids, all: [...ids, reasons.trial, reasons.decided], url, key, kept }
})

class Stage extends Context.Service<Stage, Effect.Success<typeof stage>>()("test/Stage") {}

const ground = Layer.effect(Stage, Effect.map(stage, Stage.of)).pipe(Layer.provideMerge(Service.layer(SiteService.settings)))

layer(Layer.orDie(ground), { excludeTestServices: true, timeout: "240 seconds" })("replays that are kept for a time", (it) => {
  it.effect(
    "all stay without a number of days, while their season waits for something, or before they were checked or are in a daily file",
    () =>
      Effect.gen(function* () {
        const { all, ids, season_id, url } = yield* Stage
        assert.strictEqual(yield* swept({ days: 0 }), 0)
        for (const [begin, end] of yield* unrest(season_id, ids[0]!)) {
          yield* begin!
          assert.strictEqual(yield* swept(), 0)
          yield* end!
        }
        assert.strictEqual(yield* swept({ datasets: true }), 0, "none is in a daily file")
        assert.deepStrictEqual(yield* removedOf(all), [])
        assert.strictEqual(yield* statusOf(url), 200)
      })
  )

  it.effect("go when their match is old enough and nobody needs them, rows and objects, each once; all that it was rated by stays", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { admin, all, decided, ids } = yield* Stage
      const before = yield* books
      const both = yield* Effect.all([sweeper(), sweeper()])
      const [one = 0, other = 0] = yield* Effect.all(
        both.map(({ look }) => look),
        { concurrency: 2 }
      )
      const last = yield* swept()
      const expected = [0, 1, 2, 9, 10, all.indexOf(decided)]
      assert.deepStrictEqual(
        yield* removedOf(all),
        expected,
        "young ones, a pick, a discussed one, audits, finals, a void and a trial stay"
      )
      assert.strictEqual(one + other + last, expected.length)
      assert.strictEqual(yield* swept(), 0)
      const rows = (yield* heldOf(all)).flatMap(({ row }, i) => (row ? [i] : []))
      assert.deepStrictEqual(rows, [3, 5, 7, 11, 13], "the rows of those whose replays were in their results")
      assert.strictEqual(valueOf(yield* PrometheusMetrics.format(), "agon_replays_removed_total"), expected.length)

      assert.deepStrictEqual(yield* books, before)
      yield* sql`UPDATE match SET round = 0 WHERE round = 99`
      const rated = yield* assertRatings
      assert.strictEqual(rated, MATCHES - 1)
      yield* voidMatch(admin, ids[2]!)
      assert.strictEqual(yield* assertRatings, rated - 1, "one without a replay is taken out of the ratings as any other")
    }).pipe(Effect.scoped)
  )

  it.effect("are told of with the time when they were removed, by the API and on the page of the match", () =>
    Effect.gen(function* () {
      const { ids, url } = yield* Stage
      assert.strictEqual(yield* statusOf(url), 404)
      const { replay_removed_at, ...shown } = yield* json(`/matches/${ids[1]}`)
      assert.match(replay_removed_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
      assert.deepInclude(shown, { status: "rated" })
      assert.notProperty(shown, "replay_url")
      const there = yield* json(`/matches/${ids[12]}`)
      assert.isString(there.replay_url)
      assert.notProperty(there, "replay_removed_at")
      assert.isNull((yield* json(`/matches/${ids[1]}/frame`)).view)

      const page = yield* visit(`/matches/${ids[1]}`)
      assert.strictEqual(page.status, 200)
      assertPage("the match", page)
      assert.match(page.text, /The replay of this match is no longer kept: it was removed <time datetime="\d/)
      assert.notInclude(page.text, "agon-replay")
      assert.notInclude(page.text, "Check it yourself")
      assert.include((yield* visit(`/matches/${ids[12]}`)).text, "agon-replay")
    })
  )

  it.effect("leave the store a day later, so that a backup under way finds them", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { kept, key } = yield* Stage
      const { collect } = yield* StoredObjects
      assert.strictEqual(yield* collect, 0)
      assert.isTrue(yield* lies(key))
      yield* sql`INSERT INTO stored_object (key, check_at, unused) VALUES (${kept}, now(), true)`
      yield* sql`UPDATE stored_object SET check_at = now() - interval '1 second' WHERE starts_with(key, 'replays/')`
      assert.isAtLeast(yield* collect, 3)
      assert.deepStrictEqual([yield* lies(key), yield* lies(kept)], [false, true])
    })
  )

  it.effect("that were removed are missing in the daily files, which are made all the same; those in a file may go", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      assert.isAtLeast(yield* madeDatasets, 1)
      const files =
        yield* sql<Rows>`SELECT kind, sum(rows)::int AS rows FROM dataset_file WHERE kind <> 'voided' GROUP BY kind ORDER BY kind`
      const [row] = yield* sql<{ readonly rated: number; readonly replays: number }>`
        SELECT count(*)::int AS rated, count(replay_hash)::int AS replays FROM match
        WHERE status = 'rated' AND ended_at < date_trunc('day', now(), 'UTC')`
      const { rated, replays } = row!
      assert.isBelow(replays, rated)
      const expected: ReadonlyArray<Rows> = [
        { kind: "matches", rows: rated },
        { kind: "replays", rows: replays }
      ]
      assert.deepStrictEqual(files, expected)
      yield* sql`DELETE FROM pick`
      yield* sql`DELETE FROM match_audit`
      assert.strictEqual(yield* swept({ datasets: true }), 4, "a pick, two audits, and the one that is of no finals any more")
    })
  )

  it.effect("are looked at on from where a look has ended, and again after a day where they were kept", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const found = yield* sql<{ readonly id: string }>`
        SELECT id FROM match WHERE replay_hash IS NOT NULL AND status = 'rated' ORDER BY rated_n DESC LIMIT 3`
      const ids = found.map(({ id }) => id)
      yield* aged(ids, DAYS + 1)
      const { look } = yield* sweeper({}, { matches: 1, batches: 1 })
      const looks: Array<number> = []
      for (let i = 0; i < 20; i++) looks.push(yield* look)
      const removing = looks.filter((removed) => removed > 0)
      assert.deepStrictEqual(removing, [1, 1, 1])
      assert.deepStrictEqual(yield* removedOf(ids), [0, 1, 2])

      const later = yield* sweeper({}, { again_ms: 5_000 })
      assert.strictEqual(yield* later.look, 0)
      yield* sql`DELETE FROM thread`
      assert.strictEqual(yield* later.look, 0, "it was looked at just now")
      yield* eventually(
        "the reason to keep it is gone",
        Effect.map(later.look, (removed) => removed === 1)
      )
    }).pipe(Effect.scoped)
  )

  it.effect("do not wait for a daily file while the disk has no room for one", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids } = yield* Stage
      const old = ids.slice(11)
      yield* aged(old, DAYS + 1)
      yield* sql`UPDATE match SET replay_hash = ${"a".repeat(64)}, replay_bytes = 1 WHERE id IN (${old[0]!}, ${old[1]!}, ${old[2]!})`
      const objects = yield* ObjectStore
      const withFree = (share: number) =>
        Effect.provideService(swept({ datasets: true }), ObjectStore, ObjectStore.of({ ...objects, freeShare: Effect.succeed(share) }))
      yield* withFree(0.1)
      assert.deepStrictEqual(yield* removedOf(old), [], "they are in no daily file")
      yield* withFree(0.09)
      assert.deepStrictEqual(yield* removedOf(old), [0, 1, 2])
    })
  )

  it.effect("are removed of every season, however many have nothing to remove and whichever fails", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { decided, ids, season_id } = yield* Stage
      const [nothing, failing] = [Fixture.uuid("season", 0), Fixture.uuid("season", 1)]
      assert.isTrue(failing < season_id, "they come before it")
      for (const id of [nothing, failing])
        yield* sql`INSERT INTO season SELECT (jsonb_populate_record(s, jsonb_build_object('id', ${id}::text, 'slug', ${id}::text,
          'closed_at', now(), 'featured', false))).* FROM season s WHERE s.id = ${season_id}`
      const old = [ids[11]!, ids[12]!, ids[13]!]
      yield* aged(old, DAYS + 1)
      yield* sql`UPDATE match SET replay_hash = NULL, replay_bytes = NULL, replay_inline = false`
      yield* sql`UPDATE match SET replay_hash = ${"a".repeat(64)}, replay_bytes = 1 WHERE id IN (${old[0]!}, ${old[1]!}, ${old[2]!}, ${decided})`
      yield* sql`UPDATE match SET season_id = ${failing} WHERE id = ${decided}`
      yield* sql`CREATE FUNCTION refused() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'`
      yield* sql`CREATE TRIGGER refused BEFORE UPDATE ON match FOR EACH ROW
        WHEN (OLD.season_id = ${sql.literal(`'${failing}'`)}) EXECUTE FUNCTION refused()`
      const { look } = yield* sweeper({ checks: false }, { matches: 1, batches: 2 })
      assert.deepStrictEqual([yield* look, yield* look, yield* look, yield* look, yield* look], [0, 1, 1, 0, 1], "two seasons each")
      assert.deepStrictEqual(yield* removedOf(old), [0, 1, 2])
    }).pipe(Effect.scoped)
  )
})
