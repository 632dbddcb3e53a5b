/**
 * The cost of the first read of a model's rivals in a process that has just started, for a model that sits in
 * every match of a season, before and after the sweep has counted; and what the sweep takes.
 *
 *   node test/bench/rivals.ts [matches of the season, 120000] [entries, 100]
 */
import "effect/schema/SchemaJITCompiler/enable"
import { Words } from "@agon/server/account/Words.ts"
import * as Database from "@agon/server/database/Database.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Models } from "@agon/server/model/Models.ts"
import { RivalSweep } from "@agon/server/model/RivalSweep.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { Versions } from "@agon/server/version/Versions.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { id, insertRows, seasonId, stagesOf, versionNumber } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"

const [matches = "120000", entries = "100"] = process.argv.slice(2)
const SIZE = { matches: Math.round(Number(matches) / stagesOf({ matches: 1, entries: 1 })[0]!.share), entries: Number(entries) }
const ROUNDS = 5
const season = seasonId(1)
const model = id("model", 1)
const version = id("version", versionNumber(1, 1))

/** The first entry has the first seat of every match. */
const fill = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* insertRows(sql, SIZE)
  yield* sql`DELETE FROM seat WHERE season_id = ${season} AND seat > 0 AND model_id = ${model}`
  yield* sql`UPDATE seat SET version_id = ${version}, model_id = ${model} WHERE season_id = ${season} AND seat = 0`
  yield* sql`UPDATE rating SET matches = (SELECT count(*) FROM seat x WHERE x.version_id = rating.version_id AND x.made_mu IS NOT NULL)
    WHERE season_id = ${season}`
  yield* sql.unsafe("VACUUM (ANALYZE) seat, rating")
})

const models = Layer.fresh(Models.layer).pipe(
  Layer.provide(Versions.layer),
  Layer.provide([Seasons.layer, Words.layer, ResponseCache.layer])
)

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const answer = yield* effect
    return [performance.now() - began, answer] as const
  })

/** In a service that has counted nothing itself, in ms; from the second on with the table's pages in memory. */
const firstReads = (what: string, before: Effect.Effect<unknown, unknown, PgClient.PgClient>) =>
  Effect.gen(function* () {
    const times: Array<number> = []
    for (let i = 0; i < ROUNDS; i++) {
      yield* before
      const { rivals } = yield* Effect.provide(Models, models)
      const [ms] = yield* timed(rivals(model, { limit: 100, cursor: 0 }, null))
      times.push(ms)
    }
    console.log(`${what}: ${times.map((ms) => ms.toFixed(1)).join(", ")} ms`)
  }).pipe(Effect.scoped)

const main = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const forget = sql`DELETE FROM rival_tally`
  const [{ n } = { n: 0 }] = yield* sql<{ readonly n: number }>`
    SELECT count(*)::int AS n FROM seat WHERE version_id = ${version} AND made_mu IS NOT NULL`
  console.log(`the model has ${n} matches that count, its season ${matches}`)
  yield* firstReads("a first read, nothing counted before", forget)
  yield* forget
  const { look } = yield* Effect.provide(RivalSweep, RivalSweep.layer)
  const [swept_ms, transactions] = yield* timed(look)
  console.log(`the sweep: ${transactions} transactions in ${(swept_ms / 1000).toFixed(1)} s with its pauses`)
  const [again_ms, more] = yield* timed(look)
  console.log(`the sweep again, with nothing to count: ${more} transactions in ${again_ms.toFixed(1)} ms`)
  yield* firstReads("a first read after the sweep", Effect.void)
}).pipe(Effect.scoped)

const url = await Effect.runPromise(Postgres.url({ migrate: true, durable: true }))
await Effect.runPromise(Effect.provide(fill, PgClient.layer({ url, maxConnections: 1 })))
await Effect.runPromise(Effect.provide(main, Database.layerPools({ url, request_connections: 2, season_connections: 1 })))
process.exit(0)
