/**
 * The cost of removing a season: by `scripts/remove-season` out of one table of matches, and by detaching and
 * dropping its partition where matches and seats are partitioned by season; and what partitions cost the
 * service's reads and a season's commits, with 4 and with 400.
 *
 *   node test/bench/removal.ts [matches, 1250000, of which a fifth is removed] [entries, 10000] [partitions, 400; 0: without that copy]
 *
 * Reads and commits are those of the service, on copies of one database, in turn. Planning is what EXPLAIN
 * says of a statement by hand.
 */
import "effect/schema/SchemaJITCompiler/enable"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import * as Database from "@agon/server/database/Database.ts"
import type { Asked } from "@agon/server/match/list/listing.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { LIMITS, remove } from "@agon/server/removal/remove.ts"
import { find } from "@agon/server/removal/season.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Fiber, Layer, Redacted } from "effect"
import { insertRows, id as rowId, seasonId } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"
import * as SeasonCommits from "../support/SeasonCommits.ts"
import { submit } from "../support/SeasonScript.ts"
import { nodeCpu_us } from "./play/cpu.ts"
import { timesOf } from "./reads/measure.ts"
import { connected, copyOf, divide, partition } from "./removal/partitions.ts"

const [matches = "1250000", entries = "10000", partitions = "400"] = process.argv.slice(2)
const SIZE = { matches: Number(matches), entries: Number(entries) }
const REMOVED = 2 // the number of the closed season `last`
const SEASONS = [1, 2, 3, 4].map(seasonId).concat(SeasonCommits.season)
const TIMES = 200
const WARM = 20

const say = (text: string) => Effect.sync(() => console.log(text))

const writtenMb = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql`SELECT pg_stat_force_next_flush()`
  const [row] = yield* sql<{
    readonly mb: number
  }>`SELECT (wal_bytes / 1048576)::float8 AS mb FROM pg_stat_get_backend_wal(pg_backend_pid())`
  return row!.mb
})

/** Wall time, and the CPU and write-ahead log of the connection's process: others may be at work. */
const spent = <E, R>(what: string, run: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const [row] = yield* sql<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
    const [mb, cpu, began] = [yield* writtenMb, nodeCpu_us(row!.pid), performance.now()]
    yield* run
    const [took_s, cpu_s] = [(performance.now() - began) / 1_000, (nodeCpu_us(row!.pid) - cpu) / 1e6]
    const log = ((yield* writtenMb) - mb).toFixed(1)
    yield* say(`${what.padEnd(58)}${took_s.toFixed(2).padStart(9)} s ${cpu_s.toFixed(2).padStart(8)} s CPU ${log.padStart(9)} MB log`)
  })

const one = (url: string) => Database.layerPools({ url: Redacted.make(url), request_connections: 1, season_connections: 1 })

interface Stand {
  readonly name: string
  readonly url: string
}

/** For as long as the scope. */
const bareOf = ({ url }: Stand) =>
  Effect.flatMap(Layer.build(connected(url)), (context) => Effect.provideContext(PgClient.PgClient, context))

const readsOf = ({ url }: Stand) =>
  Matches.layer.pipe(
    Layer.provide(Layer.mock(Replays, { urlOf: () => Effect.succeed("") })),
    Layer.provideMerge(Seasons.layer),
    Layer.provideMerge(one(url))
  )

const list = (query: Partial<Asked>) =>
  Effect.flatMap(Matches, (found) => found.list({ sort: "newest", limit: 25, cursor: 0, ...query } as Asked, null))

/** A model that plays in two of the seasons, and its matches. */
const MODEL = rowId("model", 77)

const READS: Readonly<Record<string, (ids: ReadonlyArray<string>, i: number) => Effect.Effect<unknown, any, Matches>>> = {
  "a match by its id": (ids, i) => Effect.flatMap(Matches, (found) => found.get(ids[i % ids.length]!, null)),
  "matches related to one": (ids, i) => Effect.flatMap(Matches, (found) => found.related(ids[i % ids.length]!, null)),
  "newest of a season": () => list({ season: "big" }),
  "newest of a model, in all seasons": () => list({ model: MODEL }),
  "newest of an owner, in all seasons": () => list({ owner: "owner38" })
}

/** Every read on every copy in turn: the median in ms. */
const reads = Effect.fnUntraced(function* (stands: ReadonlyArray<Stand>) {
  const ready = yield* Effect.forEach(stands, (stand) => Layer.build(readsOf(stand)))
  const sql = yield* bareOf(stands[0]!)
  const ids = (yield* sql<{
    readonly id: string
  }>`SELECT id FROM match WHERE status = 'rated' AND season_id = ${seasonId(1)} AND rated_n % 5000 = 0`).map(({ id }) => id)
  for (const [name, read] of Object.entries(READS)) {
    const took = stands.map((): Array<number> => [])
    for (let i = -WARM; i < TIMES; i++) {
      for (const [k, context] of ready.entries()) {
        const began = performance.now()
        yield* Effect.provideContext(read(ids, i + WARM), context)
        if (i >= 0) took[k]!.push(performance.now() - began)
      }
    }
    yield* line(
      name,
      took.map(timesOf).map(({ p50_ms }) => p50_ms)
    )
  }
})

const line = (name: string, figures: ReadonlyArray<number>) =>
  say(`${name.padEnd(40)}${figures.map((figure) => figure.toFixed(3).padStart(14)).join("")}`)

/** Statements about one match or side as somebody would write them, and what planning each takes. */
const BY_HAND: Readonly<Record<string, string>> = {
  "match by id": "SELECT * FROM match WHERE id = $id",
  "match by id and season": `SELECT * FROM match WHERE id = $id AND season_id = '${seasonId(1)}'`,
  "seats of a match": "SELECT * FROM seat WHERE match_id = $id ORDER BY seat",
  "newest of all seasons": "SELECT id FROM match WHERE status = 'rated' ORDER BY ended_at DESC, id DESC LIMIT 26",
  "matches of a version": `SELECT x.match_id FROM seat x JOIN match m ON m.id = x.match_id WHERE x.version_id = (SELECT id FROM version WHERE model_id = '${MODEL}' LIMIT 1) ORDER BY x.ended_at DESC LIMIT 26`
}

interface Explained {
  readonly "QUERY PLAN": ReadonlyArray<{ readonly "Planning Time": number; readonly "Execution Time": number }>
}

const planning = Effect.fnUntraced(function* (stands: ReadonlyArray<Stand>) {
  const bare = yield* Effect.forEach(stands, bareOf)
  const [row] = yield* bare[0]!<{ readonly id: string }>`SELECT id FROM match WHERE season_id = ${seasonId(1)} AND rated_n = 77`
  for (const [name, text] of Object.entries(BY_HAND)) {
    const plans = stands.map((): Array<number> => [])
    const runs = stands.map((): Array<number> => [])
    for (let i = -5; i < 40; i++) {
      for (const [k, sql] of bare.entries()) {
        const [said] = yield* sql.unsafe<Explained>(`EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${text.replace("$id", `'${row!.id}'`)}`)
        const plan = said!["QUERY PLAN"][0]!
        if (i >= 0) {
          plans[k]!.push(plan["Planning Time"])
          runs[k]!.push(plan["Execution Time"])
        }
      }
    }
    yield* line(
      `${name}: planning`,
      plans.map((all) => timesOf(all).p50_ms)
    )
    yield* line(
      `${name}: running`,
      runs.map((all) => timesOf(all).p50_ms)
    )
  }
})

/**
 * Leases and results of a small season as commits of its store: the median of a lease with its results, and
 * the CPU of the process of Postgres that writes them.
 */
const commits = Effect.fnUntraced(function* (stands: ReadonlyArray<Stand>) {
  const cycles = yield* Effect.forEach(stands, ({ url }) =>
    Effect.gen(function* () {
      const context = yield* Layer.build(SeasonStorePg.layer.pipe(Layer.provideMerge(one(url))))
      return yield* Effect.provideContext(playable, context)
    })
  )
  const took = stands.map((): Array<number> => [])
  const cpu = stands.map(() => 0)
  for (let i = -WARM; i < TIMES; i++) {
    for (const [k, { pid, play }] of cycles.entries()) {
      const [used, began] = [nodeCpu_us(pid), performance.now()]
      yield* play
      if (i < 0) continue
      took[k]!.push(performance.now() - began)
      cpu[k]! += nodeCpu_us(pid) - used
    }
  }
  yield* line(
    "commits: a lease and its results",
    took.map(timesOf).map(({ p50_ms }) => p50_ms)
  )
  yield* line(
    "the same, CPU of Postgres",
    cpu.map((us) => us / 1_000 / TIMES)
  )
  return cycles[0]!.play
})

const playable = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("UPDATE account SET username = 'many-' || username") // those of the season have the same
  const seasons = yield* Database.SeasonSql
  const [row] = yield* seasons<{ readonly pid: number }>`SELECT pg_backend_pid() AS pid`
  const { obey, play } = yield* SeasonCommits.beginBeside
  for (let n = 1; n <= 10; n++) yield* obey(submit(n))
  for (let i = 0; i < 20; i++) yield* play // admissions and trials first
  return { pid: row!.pid, play }
})

const bench = Effect.gen(function* () {
  const whole = Redacted.value(yield* Postgres.url({ migrate: true, durable: true }))
  yield* Effect.provide(
    Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, SIZE)),
    connected(whole)
  )
  const named = (name: string, url: string): Stand => ({ name, url })
  const few = yield* copyOf(whole, "few")
  yield* Effect.provide(divide(SEASONS, SEASONS.length), connected(few))
  const stands = [named("one table", whole), named(`${SEASONS.length} partitions`, few)]
  if (Number(partitions) > 0) {
    const many = yield* copyOf(whole, "many")
    yield* Effect.provide(divide(SEASONS, Number(partitions)), connected(many))
    stands.push(named(`${partitions} partitions`, many))
  }
  yield* say(`\n${"medians in ms".padEnd(40)}${stands.map(({ name }) => name.padStart(14)).join("")}`)
  yield* Effect.scoped(reads(stands))
  yield* Effect.scoped(planning(stands))
  const play = yield* commits(stands)
  yield* say(`\na season of ${SIZE.matches / 5} matches, of ${SIZE.matches}`)
  yield* removals(whole, few, play)
})

/** Runs it while another season plays; answers how long its leases with their results took. */
const beside = Effect.fnUntraced(function* <E, R, F>(run: Effect.Effect<unknown, E, R>, play: Effect.Effect<unknown, F>) {
  const running = yield* Effect.forkChild(run)
  const took: Array<number> = []
  while (running.pollUnsafe() === undefined) {
    const began = performance.now()
    yield* play
    took.push(performance.now() - began)
  }
  yield* Fiber.join(running)
  const { p50_ms, p99_ms } = timesOf(took)
  yield* say(
    `meanwhile ${took.length} leases with results of another season: median ${p50_ms.toFixed(2)} ms, p99 ${p99_ms.toFixed(2)} ms, most ${Math.max(...took).toFixed(2)} ms`
  )
})

/** By the command, and by its partitions; the command has the rest of the season to remove there as well. */
const removals = Effect.fnUntraced(function* (whole: string, few: string, play: Effect.Effect<unknown, unknown>) {
  const command = Effect.flatMap(find("snakes", "last"), ({ season }) => remove(season!))
  const limited = (url: string) =>
    PgClient.layer({ url: Redacted.make(url), maxConnections: 1, startupParameters: { ...LIMITS, ...Database.PLANNING } })
  yield* beside(Effect.provide(spent("scripts/remove-season", command), limited(whole)), play)
  const dropped = Effect.flatMap(PgClient.PgClient, (sql) =>
    Effect.forEach(["match", "seat"], (table) => {
      const name = partition(table, REMOVED)
      return Effect.andThen(sql.unsafe(`ALTER TABLE ${table} DETACH PARTITION ${name}`), sql.unsafe(`DROP TABLE ${name}`))
    })
  )
  yield* Effect.provide(spent("its two partitions are detached and dropped", dropped), connected(few))
  yield* Effect.provide(spent("scripts/remove-season for the rest of it", command), limited(few))
})

Effect.runPromise(Effect.scoped(bench)).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  }
)
