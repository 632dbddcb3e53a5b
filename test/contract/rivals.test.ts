/**
 * A model's rivals over a season that it has played most of: counted once, by whichever process,
 * and right whatever is stored.
 */

import { Words } from "@agon/server/account/Words.ts"
import { lockNamed } from "@agon/server/database/lockNamed.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Models } from "@agon/server/model/Models.ts"
import { SEATS_MAX } from "@agon/server/model/RivalCache.ts"
import { NEW_MATCHES_MIN, RivalSweep } from "@agon/server/model/RivalSweep.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { Versions } from "@agon/server/version/Versions.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { id, insertRows, seasonId, versionNumber } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const season = seasonId(1)
const model = id("model", 1)
const version = id("version", versionNumber(1, 1))

/** The first entry has the first seat of every match of its season: some 3,600 that count. */
const busy = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  // Rows read are compared, and an autovacuum of any table between two reads would change their plans.
  const tables = yield* sql<{ readonly name: string }>`SELECT oid::regclass::text AS name FROM pg_class
    WHERE relkind = 'r' AND relnamespace = current_schema()::regnamespace`
  for (const { name } of tables) yield* sql.unsafe(`ALTER TABLE ${name} SET (autovacuum_enabled = false)`)
  yield* insertRows(sql, { matches: 6_000, entries: 100 })
  yield* sql`DELETE FROM seat WHERE season_id = ${season} AND seat > 0 AND model_id = ${model}`
  yield* sql`UPDATE seat SET version_id = ${version}, model_id = ${model} WHERE season_id = ${season} AND seat = 0`
  yield* sql`UPDATE rating SET matches = 3600 WHERE version_id = ${version}`
})

const database = Layer.effectDiscard(Effect.orDie(busy)).pipe(Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 4 })))

/** The answer of a process that has just started. */
const fresh = <A, E>(of: (models: Models["Service"]) => Effect.Effect<A, E>) =>
  Effect.flatMap(Models, of).pipe(
    Effect.provide(
      Layer.fresh(Models.layer).pipe(Layer.provide(Versions.layer), Layer.provide([Seasons.layer, Words.layer, ResponseCache.layer]))
    ),
    Effect.scoped
  )
const read = fresh(({ rivals }) => rivals(model, { limit: 100, cursor: 0 }, null))
const onMaps = Effect.map(
  fresh(({ maps }) => maps(model, "big", null)),
  ({ maps }) => maps.maps
)
const total = (maps: ReadonlyArray<{ readonly matches: number }>) => maps.reduce((sum, { matches }) => sum + matches, 0)

/** The sweep of a process that has just started. Its limit of time ends with it, in a test's transaction too. */
const sweep = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { look } = yield* Effect.provide(RivalSweep, Layer.fresh(RivalSweep.layer))
  return Effect.tap(look, sql`SELECT set_config('statement_timeout', '0', true)`)
})

/** So many matches more of the version, one each millisecond from an instant on. */
const playedFrom = Effect.fnUntraced(function* (at: Date, matches: number) {
  const sql = yield* PgClient.PgClient
  yield* sql`CREATE TABLE next AS SELECT x.match_id AS of, gen_random_uuid() AS id, row_number() OVER (ORDER BY x.match_id) AS i
    FROM seat x WHERE x.version_id = ${version} AND x.made_mu IS NOT NULL LIMIT ${matches}`
  for (const [table, key, numbers] of [
    ["match", "id", "'n', 2000000 + next.i, 'rated_n', 2000000 + next.i"],
    ["seat", "match_id", "'seat', row.seat"]
  ] as const)
    yield* sql`INSERT INTO ${sql(table)} SELECT copy.* FROM next JOIN ${sql(table)} row ON row.${sql(key)} = next.of
      CROSS JOIN LATERAL jsonb_populate_record(row, jsonb_build_object(${key}::text, next.id,
        'ended_at', ${at}::timestamptz + next.i * interval '1 ms', ${sql.literal(numbers)})) copy`
  yield* sql`UPDATE season SET head = head || jsonb_build_object('rated', (head->>'rated')::int + ${matches}::int,
      'now', ${at.getTime() + matches}::float8) WHERE id = ${season}`
  yield* sql`DROP TABLE next`
})

const storedFor = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly counted_to: Date; readonly voided: number }>`
    SELECT counted_to, voided FROM rival_tally WHERE version_id = ${version}`
)

/** Runs the effect and undoes its writes. */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    sql
      .withTransaction(Effect.andThen(effect, Effect.fail("undone" as const)))
      .pipe(Effect.catch((error) => (error === "undone" ? Effect.void : Effect.die(error))))
  )

/** By one statement over all of them. */
const counted = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql<{ readonly model_id: string; readonly played: number; readonly wins: number }>`
    SELECT y.model_id, count(*)::int AS played, count(*) FILTER (WHERE x.rank < y.rank)::int AS wins
    FROM seat x JOIN seat y ON y.match_id = x.match_id AND y.model_id <> x.model_id JOIN season s ON s.id = x.season_id
    WHERE x.model_id = ${model} AND x.made_mu IS NOT NULL AND s.visibility = 'public' GROUP BY y.model_id`
)

const same = Effect.gen(function* () {
  const { rivals } = yield* read
  const brief = rivals.map(({ model_id, played, wins }) => ({ model_id, played, wins }))
  assert.sameDeepMembers(brief, [...(yield* counted)])
  return rivals
})

/** A list of the matches in which two models met, and how many rows of tables were fetched for it. */
const met = (...models: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const fetched = Effect.map(
      sql<{ rows: number }>`SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::int AS rows FROM pg_stat_xact_user_tables`,
      ([found]) => found!.rows
    )
    yield* sql`SET LOCAL random_page_cost = 1.1`
    const before = yield* fetched
    const asked = { vs: models.join(), sort: "closest", limit: 25, cursor: 0 } as Asked
    const { list } = yield* (yield* Matches).list(asked, null)
    return { list, rows: (yield* fetched) - before }
  }).pipe(
    (reads) => Effect.flatMap(PgClient.PgClient, (sql) => sql.withTransaction(reads)),
    Effect.provide(Matches.layer.pipe(Layer.provide([Layer.mock(Replays, {}), Seasons.layer])))
  )

layer(database, { excludeTestServices: true })("the rivals of a model with many matches", (it) => {
  it.effect("are those of all its matches, and another process goes on where the first has stored them", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const first = yield* same
      const [stored] = yield* sql<{ readonly counted_to: Date }>`SELECT counted_to FROM rival_tally WHERE version_id = ${version}`
      assert.deepStrictEqual(yield* same, first)
      yield* undone(
        Effect.gen(function* () {
          yield* sql`UPDATE seat SET made_mu = NULL WHERE version_id = ${version} AND ended_at < ${stored!.counted_to}`
          assert.deepStrictEqual((yield* read).rivals, first, "what was counted is not read again")
          yield* sql`UPDATE season SET head = head || '{"voided": 1}' WHERE id = ${season}`
          assert.isBelow((yield* same).length, first.length, "now it is")
        })
      )
    })
  )

  it.effect("are counted before anybody asks, but for a bounded rest", () =>
    undone(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`DELETE FROM rival_tally`
        assert.isAbove(yield* yield* sweep, 0)
        const [stored] = yield* storedFor
        const [{ rest } = { rest: 0 }] = yield* sql<{ readonly rest: number }>`
          SELECT count(*)::int AS rest FROM seat WHERE version_id = ${version} AND ended_at >= ${stored!.counted_to} AND made_mu IS NOT NULL`
        assert.isBelow(rest, SEATS_MAX)
        const first = yield* same
        yield* sql`UPDATE seat SET made_mu = NULL WHERE version_id = ${version} AND ended_at < ${stored!.counted_to}`
        assert.deepStrictEqual((yield* read).rivals, first, "the first reader reads the rest alone")
      })
    )
  )

  it.effect("are counted on from where another process stopped, and anew where a match was voided", () =>
    undone(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        yield* sql`DELETE FROM rival_tally`
        const look = yield* sweep
        assert.isAbove(yield* look, 0)
        const [first] = yield* storedFor
        assert.strictEqual(yield* look, 0, "nothing has come")
        yield* sql`UPDATE season SET head = head || '{"voided": 1}' WHERE id = ${season}`
        assert.isAbove(yield* look, 0)
        assert.deepStrictEqual(yield* storedFor, [{ ...first!, voided: 1 }])
        yield* same
        assert.strictEqual(yield* look, 0)
      })
    )
  )

  it.effect("and its record on boards count what ends before matches that a clock has ended which was ahead", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const right = (later: number) =>
        Effect.map(
          sql<{
            at: Date
          }>`SELECT date_trunc('milliseconds', ended_at) AS at FROM seat WHERE version_id = ${version} AND made_mu IS NOT NULL
            ORDER BY ended_at DESC OFFSET ${later} LIMIT 1`,
          ([row]) => row!.at
        )
      const seats = Effect.map(
        sql<{ n: number }>`SELECT count(*)::int AS n FROM seat WHERE version_id = ${version} AND made_mu IS NOT NULL`,
        ([row]) => row!.n
      )
      const both = Effect.gen(function* () {
        yield* same
        assert.strictEqual(total(yield* onMaps), yield* seats)
      })
      for (const later of [300, SEATS_MAX + 100])
        yield* undone(
          Effect.gen(function* () {
            const look = yield* sweep
            yield* look
            yield* both
            const at = yield* right(later)
            yield* sql`UPDATE season SET head = head || jsonb_build_object('now', ${at.getTime()}::float8, 'put_back', 1) WHERE id = ${season}`
            yield* look
            yield* both
            yield* playedFrom(at, 100)
            yield* look
            yield* both
            yield* both
            const [stored] = yield* storedFor
            assert.isAtMost(stored!.counted_to.getTime(), at.getTime() + 100)
          })
        )
    })
  )

  it.effect("are looked for again once a season has rated enough matches", () =>
    undone(
      Effect.gen(function* () {
        const sql = yield* PgClient.PgClient
        const look = yield* sweep
        yield* look
        yield* sql`DELETE FROM rival_tally`
        const rated = (more: number) =>
          sql`UPDATE season SET head = jsonb_set(head, '{rated}', to_jsonb((head->>'rated')::int + ${more}::int)) WHERE id = ${season}`
        yield* rated(NEW_MATCHES_MIN - 1)
        assert.strictEqual(yield* look, 0)
        yield* rated(1)
        assert.isAbove(yield* look, 0)
        assert.lengthOf(yield* storedFor, 1)
      })
    )
  )

  it.effect("are counted by one node at a time", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`DELETE FROM rival_tally`
      const [counting, counted] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const elsewhere = Effect.andThen(
        lockNamed(sql, "rivals"),
        Effect.andThen(Deferred.succeed(counting, undefined), Deferred.await(counted))
      )
      const node = yield* Effect.forkChild(sql.withTransaction(elsewhere))
      yield* Deferred.await(counting)
      const look = yield* sweep
      assert.strictEqual(yield* look, 0)
      assert.deepStrictEqual(yield* storedFor, [])
      yield* Deferred.succeed(counted, undefined)
      yield* Fiber.join(node)
      assert.isAbove(yield* look, 0)
      assert.lengthOf(yield* storedFor, 1)
    })
  )

  it.effect("and its record on boards likewise: stored once, counted on from there, and anew once a match was voided", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const first = yield* onMaps
      const played = yield* sql<{ readonly map_id: string; readonly matches: number }>`
        SELECT m.map_id, count(*)::int AS matches FROM seat x JOIN match m ON m.id = x.match_id
        WHERE x.model_id = ${model} AND x.season_id = ${season} AND x.made_mu IS NOT NULL GROUP BY 1`
      assert.sameDeepMembers(
        first.map(({ map_id, matches }) => ({ map_id, matches })),
        [...played]
      )
      const [stored] = yield* sql<{ readonly counted_to: Date }>`SELECT counted_to FROM map_tally WHERE version_id = ${version}`
      assert.deepStrictEqual(yield* onMaps, first)
      yield* sql
        .withTransaction(
          Effect.gen(function* () {
            yield* sql`UPDATE seat SET made_mu = NULL WHERE version_id = ${version} AND ended_at < ${stored!.counted_to}`
            assert.deepStrictEqual(yield* onMaps, first, "what was counted is not read again")
            yield* sql`UPDATE season SET head = head || '{"voided": 1}' WHERE id = ${season}`
            assert.isBelow(total(yield* onMaps), total(first), "now it is")
            return yield* Effect.fail("undone" as const)
          })
        )
        .pipe(Effect.catch((error) => (error === "undone" ? Effect.void : Effect.die(error))))
    })
  )

  it.effect("with one other are found from whichever of the two has played less, whoever is named first", () =>
    Effect.gen(function* () {
      const other = id("model", 50)
      const [one, reversed] = [yield* met(model, other), yield* met(other, model)]
      assert.deepStrictEqual(one.list, reversed.list)
      assert.isAbove(one.list.total, 5)
      assert.strictEqual(one.rows, reversed.rows)
      assert.isBelow(one.rows, 10_000, "from the busier of them it is 35,000")
    })
  )
})
