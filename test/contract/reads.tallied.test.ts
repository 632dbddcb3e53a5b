/**
 * Totals of matches that are counted beside the season (match/list/TallySweep.ts): in a process that has
 * just started they are those of all its matches, while the season plays on and loses matches, and do
 * not go through what was counted.
 */
import { Boards } from "@agon/server/board/Boards.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { NEW_MATCHES_MIN, TallySweep } from "@agon/server/match/list/TallySweep.ts"
import { makeQueries } from "@agon/server/match/list/tallyQueries.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { blocked } from "../support/eventually.ts"
import { insertRows, seasonId } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const season = seasonId(1)

const filled = Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, { matches: 6_000, entries: 400 })))
const database = filled.pipe(Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 4 })))

/** Conditions of the totals, and the same as SQL. */
const filters: ReadonlyArray<readonly [Partial<Asked>, string]> = [
  [{ ladder: "nano" }, "ladder = 'nano'"],
  [{ ladder: "large" }, "ladder = 'large'"],
  [{ map: "board-3" }, "map_id = 'board-3'"],
  [{ map: "old" }, "map_id = 'old'"],
  [{ class: "micro" }, "classes & 2 <> 0"],
  [{ players_min: 4 }, "map_id IN (SELECT map_id FROM board b WHERE b.season_id = m.season_id AND players >= 4)"],
  [{ ladder: "open", map: "board-3", class: "nano" }, "ladder = 'open' AND map_id = 'board-3' AND classes & 1 <> 0"],
  [{ top: 1 }, "best_place <= 1"],
  [{ ladder: "open", top: 30 }, "ladder = 'open' AND best_place <= 30"],
  [{ top: 300 }, "best_place <= 300"],
  [{ map: "board-3", top: 30 }, "map_id = 'board-3' AND best_place <= 30"],
  [{ ladder: "nano", since: "2026-09-01T00:00:00Z" }, "ladder = 'nano' AND ended_at >= '2026-09-01T00:00:00Z'"]
]

/** The answers of a process that has just started. */
const totals = Effect.gen(function* () {
  const [matches, boards] = [yield* Matches, yield* Boards]
  const lists = yield* Effect.forEach(filters, ([filter]) =>
    matches.list({ season: "big", game: "snakes", sort: "newest", limit: 25, cursor: 0, ...filter } as Asked, null)
  )
  const { maps } = yield* boards.list(season, { enabled: false, boards: false })
  return [...lists.map(({ list }) => list.total), ...maps.map((board) => board.matches)]
}).pipe(
  Effect.provide(
    Layer.fresh(Layer.merge(Matches.layer.pipe(Layer.provide(Layer.mock(Replays, {}))), Boards.layer)).pipe(Layer.provide(Seasons.layer))
  ),
  Effect.scoped
)

/** By one statement each. */
const counted = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const of = (where: string) =>
    Effect.map(
      sql.unsafe<{ n: number }>(`SELECT count(*)::int AS n FROM match m WHERE season_id = $1::uuid AND status = 'rated' AND ${where}`, [
        season
      ]),
      ([row]) => row!.n
    )
  const boards = yield* sql<{ map_id: string }>`SELECT map_id FROM board WHERE season_id = ${season} ORDER BY ord`
  return yield* Effect.forEach([...filters.map(([, where]) => where), ...boards.map(({ map_id }) => `map_id = '${map_id}'`)], of)
})
const same = (when: string) =>
  Effect.flatMap(Effect.all([totals, counted]), ([answered, all]) => Effect.sync(() => assert.deepStrictEqual(answered, all, when)))

/** The sweep of a process that has just started. Its limit of time ends with it, in a test's transaction too. */
const sweep = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const { look } = yield* Effect.provide(TallySweep, Layer.fresh(TallySweep.layer))
  return yield* Effect.tap(look, sql`SELECT set_config('statement_timeout', '0', true)`)
})

const run = (statement: string) => Effect.flatMap(PgClient.PgClient, (sql) => sql.unsafe(statement, [season]))
const countedTo = Effect.map(
  run("SELECT counted_to FROM season_tally WHERE season_id = $1::uuid"),
  (rows) => (rows[0] as { counted_to: number } | undefined)?.counted_to
)

/** So many matches more, those of the lowest numbers again. */
const play = Effect.fnUntraced(function* (count: number) {
  const copy = (table: string, changes: string) => `INSERT INTO ${table} SELECT copy.* FROM next
    JOIN ${table} row ON row.${table === "match" ? "id" : "match_id"} = next.of CROSS JOIN LATERAL jsonb_populate_record(row, jsonb_build_object(${changes})) copy`
  const sql = yield* PgClient.PgClient
  yield* run(`CREATE TABLE next AS SELECT m.id AS of, gen_random_uuid() AS id, m.ended_at + interval '180 days' AS ended_at,
      m.rated_n + (s.head->>'rated')::int + coalesce((s.head->>'voided')::int, 0) AS n
    FROM season s JOIN match m ON m.season_id = s.id AND m.rated_n <= ${count} WHERE s.id = $1::uuid`)
  yield* sql.unsafe(copy("match", "'id', next.id, 'ended_at', next.ended_at, 'n', 1000000 + next.n, 'rated_n', next.n"))
  yield* sql.unsafe(copy("seat", "'match_id', next.id, 'ended_at', next.ended_at"))
  yield* sql`DROP TABLE next`
  yield* run(`UPDATE season SET head = jsonb_set(head, '{rated}', to_jsonb((head->>'rated')::int + ${count})) WHERE id = $1::uuid`)
})
/** As a season's commit does it. */
const voidOf = (
  number: number
) => `WITH gone AS (UPDATE match SET status = 'failed', rated_n = NULL WHERE season_id = $1::uuid AND rated_n = ${number})
  UPDATE season SET head = head || jsonb_build_object('rated', (head->>'rated')::int - 1, 'voided', coalesce((head->>'voided')::int, 0) + 1)
  WHERE id = $1::uuid`

/** Runs the effect and undoes its writes. */
const undone = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(PgClient.PgClient, (sql) =>
    sql
      .withTransaction(Effect.andThen(effect, Effect.fail("undone" as const)))
      .pipe(Effect.catch((error) => (error === "undone" ? Effect.void : Effect.die(error))))
  )

layer(database, { excludeTestServices: true })("totals that are counted beside a season", (it) => {
  it.effect("are those of all its matches, before it was counted and while it plays on and loses matches", () =>
    undone(
      Effect.gen(function* () {
        yield* same("nothing is counted")
        assert.isAbove(yield* sweep, 0)
        assert.isAbove((yield* countedTo)!, 3_000)
        yield* same("counted")
        assert.strictEqual(yield* sweep, 0, "nothing has come")
        yield* play(NEW_MATCHES_MIN - 1)
        assert.strictEqual(yield* sweep, 0, "little has come")
        yield* same("played on")
        yield* run(voidOf(17))
        yield* run(voidOf((yield* countedTo)! + 2))
        yield* same("voided, of those counted and of those not")
        yield* play(5)
        assert.strictEqual(yield* sweep, 1)
        yield* same("played on and counted")
        yield* run(voidOf(18))
        yield* same("voided again")
      })
    )
  )

  it.effect("do not go through what was counted", () =>
    undone(
      Effect.gen(function* () {
        yield* sweep
        const before = yield* totals
        const [few, many] = [filters.slice(0, 9), filters.slice(9)]
        yield* run(`UPDATE match SET status = 'cancelled' WHERE season_id = $1::uuid AND rated_n <= ${(yield* countedTo)!}`)
        const after = yield* totals
        assert.deepStrictEqual(after.slice(0, few.length), before.slice(0, few.length))
        assert.deepStrictEqual(
          after.slice(few.length, filters.length),
          many.map(() => 0)
        )
        assert.deepStrictEqual(after.slice(filters.length), before.slice(filters.length))
      })
    )
  )

  it.effect("have a match that is voided while it is counted once, whichever comes first", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const [holding, go] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const voiding = yield* Effect.forkChild(
        sql.withTransaction(run(voidOf(20)).pipe(Effect.andThen(Deferred.succeed(holding, undefined)), Effect.andThen(Deferred.await(go))))
      )
      yield* Deferred.await(holding)
      yield* sweep
      assert.isUndefined(yield* countedTo, "a sweep does not count what is being voided")
      yield* Deferred.succeed(go, undefined)
      yield* Fiber.join(voiding)
      yield* sweep
      yield* same("the void came first")

      yield* run("DELETE FROM season_tally WHERE season_id = $1::uuid")
      const queries = yield* makeQueries
      const [counting, end] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const count = queries
        .begin(season)
        .pipe(
          Effect.andThen(queries.advance({ season_id: season, numbers: 100 })),
          Effect.andThen(Deferred.succeed(counting, undefined)),
          Effect.andThen(Deferred.await(end))
        )
      const other = yield* Effect.forkChild(sql.withTransaction(count))
      yield* Deferred.await(counting)
      yield* sweep
      assert.isUndefined(yield* countedTo, "another node counts")
      const late = yield* Effect.forkChild(run(voidOf(21)))
      yield* blocked(1)
      yield* Deferred.succeed(end, undefined)
      yield* Effect.all([Fiber.join(other), Fiber.join(late)])
      assert.strictEqual(yield* countedTo, 100)
      yield* same("the void came while matches were counted")
      yield* sweep
      yield* same("and counted to the end")
    })
  )
})
