/**
 * What reads cost over big tables, beside the same rows selected by hand-written SQL on a bare connection of the same driver:
 * a ladder of 10,000 entries at several places, and lists of 1,000,000 matches by every sort and filter of section 4.4 of the
 * contract, alone and together, first page and a deep one. Then the same over a tenth of the tables, which shows what grows.
 * The service's read is the whole of it below the HTTP layer, the season's record included; nothing is answered from a cache.
 *
 *   node test/bench/reads.ts [matches, 1000000] [entries, 10000] [questions, a regular expression]
 *
 * Bars: no read takes more than 3 times its hand-written SQL, and none grows with tables that it does not page through. A read
 * that goes through what it pages over (a deep page, a filter that few matches fit, all matches of a side) may grow: it is
 * shown with its growth, and so is that of its hand-written SQL.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, type Redacted } from "effect"
import * as Database from "@agon/server/database/Database.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import * as Postgres from "../support/Postgres.ts"
import { type Measured, measure } from "./reads/measure.ts"
import { type Question, questionsOf } from "./reads/questions.ts"
import { insertRows } from "../support/ManyRows.ts"

const [matches = "1000000", entries = "10000", only = ""] = process.argv.slice(2)
const FULL = { matches: Number(matches), entries: Number(entries) }
const TENTH = 10
const RATIO_BAR = 3
/** Ten times the rows; what does not depend on them moves by the machine's moods alone. */
const GROWTH_BAR = 2

const reads = Layer.merge(Matches.layer.pipe(Layer.provide(Layer.mock(Replays, {}))), Leaderboards.layer).pipe(
  Layer.provideMerge(Seasons.layer)
)

/** One connection, with the limits and costs of the service's, for each side. */
const connection = (url: Redacted.Redacted) => Database.pools({ url, request_connections: 1, season_connections: 1 })

interface Row {
  readonly question: Question
  readonly measured: Measured
}

const measureAll = (size: typeof FULL): Effect.Effect<ReadonlyArray<Row>> =>
  Effect.gen(function* () {
    const url = yield* Postgres.url({ migrate: true })
    const began = performance.now()
    yield* Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, size)).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 1 }).pipe(Layer.orDie))
    )
    console.log(`${size.matches} matches and ${size.entries} entries were made in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    const bare = yield* Effect.provide(PgClient.PgClient, yield* Layer.build(connection(url)))
    const asked = questionsOf(size).filter(({ name }) => new RegExp(only).test(name))
    return yield* Effect.forEach(asked, (question) =>
      Effect.map(measure(bare, question), (measured): Row => ({ question, measured }))
    ).pipe(Effect.provide(reads.pipe(Layer.provide(connection(url)))))
  }).pipe(Effect.scoped, Effect.orDie)

const ms = (figure: number) => figure.toFixed(figure < 10 ? 2 : 0).padStart(6)
const times = ({ p50_ms, p99_ms }: Measured["ours"]) => `${ms(p50_ms)} ${ms(p99_ms)}`

const report = (full: ReadonlyArray<Row>, tenth: ReadonlyArray<Row>) => {
  console.log(`\n${" ".repeat(38)}  from       ours, ms   by hand, ms   first   times    x more rows`)
  console.log(`${"read".padEnd(38)}cursor    p50    p99    p50    p99    read  by hand  ours  by hand`)
  const missed: Array<string> = []
  full.forEach(({ measured, question }, i) => {
    const small = tenth[i]!.measured
    const growth = measured.ours.p50_ms / small.ours.p50_ms
    const grown = measured.hand.p50_ms / small.hand.p50_ms
    const failed = [
      ...(measured.ratio > RATIO_BAR ? ["costs too much"] : []),
      ...(!question.scales && growth > GROWTH_BAR ? ["grows"] : [])
    ]
    if (failed.length > 0) missed.push(`${question.name} from ${question.cursor}: ${failed.join(", ")}`)
    console.log(
      `${question.name.padEnd(38)}${String(question.cursor).padStart(6)} ${times(measured.ours)} ${times(measured.hand)}  ${ms(measured.first_ms)} ` +
        `${measured.ratio.toFixed(2).padStart(7)} ${growth.toFixed(1).padStart(6)} ${grown.toFixed(1).padStart(6)}  ${failed.join(", ")}`
    )
  })
  console.log(
    `\nratio at most ${RATIO_BAR}, growth at most ${GROWTH_BAR} where nothing is gone through: ${missed.length === 0 ? "reached" : "MISSED"}`
  )
  for (const one of missed) console.log(`  ${one}`)
}

const tenth = { matches: FULL.matches / TENTH, entries: FULL.entries / TENTH }
const both = Effect.gen(function* () {
  const small = yield* measureAll(tenth)
  report(yield* measureAll(FULL), small)
})
Effect.runPromise(both).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  }
)
