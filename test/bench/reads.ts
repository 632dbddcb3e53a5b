/**
 * The cost of reads over big tables, beside the same rows selected by hand-written SQL on a bare connection
 * of the same driver: a ladder of 10,000 entries at several places, and lists of 1,000,000 matches by every
 * sort and filter of section 4.4 of the contract, alone and together, first page and a deep one. Then the
 * same over a tenth of the entries and a part of the matches, which shows what grows. The season is also
 * claimed, as by a node that takes it over. The service's read is the whole of it below the HTTP layer, the
 * season's record included; nothing is answered from a cache.
 *
 *   node test/bench/reads.ts [matches, 1000000] [entries, 10000] [questions, a regular expression] [of how many matches the part is one, 10]
 *
 * DATABASES=URL,URL takes two databases that are there, the part first, instead of making them.
 *
 * Bars: no read takes more than 3 times its hand-written SQL, and none grows with tables that it does not
 * page through. A read that goes through what it pages over (a deep page, a filter that few matches fit, all
 * matches of a side) may grow: it is shown with its growth, and so is that of its hand-written SQL.
 *
 * Every first page has a bar of its own, whatever it goes through: at most twice its figure at the part, read again. The
 * last lines name each that takes longer, and each that takes longer for the first who asks.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import * as Database from "@agon/server/database/Database.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer, Redacted } from "effect"
import { insertRows, seasonId } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"
import { type Measured, measure, type Stand, timesOf } from "./reads/measure.ts"
import { type Question, questionsOf } from "./reads/questions.ts"
import { tallied } from "./reads/tallied.ts"

const [matches = "1000000", entries = "10000", only = "", part = "10"] = process.argv.slice(2)
const FULL = { matches: Number(matches), entries: Number(entries) }
const TENTH = 10
const RATIO_BAR = 3
/** Ten times the rows; figures that do not depend on them differ by the machine's noise alone. */
const GROWTH_BAR = 2

const reads = Layer.merge(Matches.layer.pipe(Layer.provide(Layer.mock(Replays, {}))), Leaderboards.layer).pipe(
  Layer.provideMerge(Seasons.layer)
)

/** One connection, with the limits and costs of the service's. The other side's has no limits. */
const connection = (url: Redacted.Redacted) => Database.layerPools({ url, request_connections: 1, season_connections: 1 })

interface Row {
  readonly question: Question
  readonly full: Measured
  readonly tenth: Measured
}

const CLAIMS = 5

/**
 * The time that a node takes to take the season over: its state is read, and none of its matches.
 * Milliseconds, the first claim and the median.
 */
const claims = (store: SeasonStore["Service"]) =>
  Effect.gen(function* () {
    const took: Array<number> = []
    for (let n = 0; n < CLAIMS; n++) {
      const began = performance.now()
      yield* store.claim(seasonId(1))
      took.push(performance.now() - began)
    }
    return { first_ms: took[0]!, ...timesOf(took) }
  })

const made = (size: typeof FULL) =>
  Effect.gen(function* () {
    const url = yield* Postgres.url({ migrate: true })
    const began = performance.now()
    yield* Effect.andThen(
      Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, size)),
      tallied
    ).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    console.log(`${size.matches} matches and ${size.entries} entries were made in ${((performance.now() - began) / 1000).toFixed(0)} s`)
    return url
  })

/** A database of this size, or one that is there, with its readers. */
const stand = (size: typeof FULL, there: string | undefined) =>
  Effect.gen(function* () {
    const url = there === undefined ? yield* made(size) : Redacted.make(there)
    const store = yield* Effect.provide(SeasonStore, yield* Layer.build(SeasonStorePg.layer.pipe(Layer.provide(connection(url)))))
    const { first_ms, p50_ms } = yield* claims(store)
    console.log(`a claim of the season: the first ${ms(first_ms)} ms, the median of ${CLAIMS} ${ms(p50_ms)} ms`)
    const bare = yield* Effect.provide(PgClient.PgClient, yield* Layer.build(PgClient.layer({ url, maxConnections: 1 })))
    return { bare, reads: yield* Layer.build(reads.pipe(Layer.provide(connection(url)))) } satisfies Stand
  })

const measureAll = Effect.gen(function* () {
  const tenth = { matches: FULL.matches / Number(part), entries: FULL.entries / TENTH }
  const there = process.env["DATABASES"]?.split(",") ?? []
  const [small, large] = [yield* stand(tenth, there[0]), yield* stand(FULL, there[1])]
  const smaller = questionsOf(tenth)
  const missed: Array<string> = []
  const rows: Array<Row> = []
  console.log(HEAD)
  for (const [i, question] of questionsOf(FULL).entries()) {
    if (!new RegExp(only).test(question.name)) continue
    const [ofTenth, ofFull] = yield* measure([
      { stand: small, question: smaller[i]! },
      { stand: large, question }
    ])
    const row = { question, full: ofFull!, tenth: ofTenth! }
    rows.push(row)
    missed.push(...report(row))
  }
  return { missed, rows }
}).pipe(Effect.scoped)

const ms = (figure: number) => figure.toFixed(figure < 10 ? 2 : 0).padStart(6)
const times = ({ p50_ms, p99_ms }: Measured["ours"]) => `${ms(p50_ms)} ${ms(p99_ms)}`

const HEAD = `
${" ".repeat(39)} from      ours, ms   by hand, ms   first  times    x more rows
${"read".padEnd(38)}cursor   p50    p99    p50    p99     read  by hand  ours  by hand`

/** Prints the line of a question, and answers the bars that it misses. */
const report = ({ full, question, tenth }: Row): ReadonlyArray<string> => {
  const ratio = full.ours.p50_ms / full.hand.p50_ms
  const growth = full.ours.p50_ms / tenth.ours.p50_ms
  const grown = full.hand.p50_ms / tenth.hand.p50_ms
  const failed = [
    ...(full.refused > 0 ? [`${full.refused} refused`] : []),
    ...(ratio > RATIO_BAR ? ["costs too much"] : []),
    ...(!question.scales && growth > GROWTH_BAR ? ["grows"] : [])
  ]
  const figures = [ratio.toFixed(2).padStart(8), growth.toFixed(1).padStart(6), grown.toFixed(1).padStart(7)].join("")
  const line = `${question.name.padEnd(38)}${String(question.cursor).padStart(6)} ${times(full.ours)} ${times(full.hand)}  ${ms(full.first_ms)} ${figures}`
  console.log(`${line}  ${failed.join(", ")}`)
  return failed.length === 0 ? [] : [`${question.name} from ${question.cursor}: ${failed.join(", ")}`]
}

/** A first page by its figures at the part and in full, in order of how much more it takes. */
const firstPages = (rows: ReadonlyArray<Row>, figure: (measured: Measured) => number): ReadonlyArray<string> =>
  rows
    .filter(({ question }) => question.cursor === 0)
    .map(({ full, question, tenth }) => ({ name: question.name, from: figure(tenth), to: figure(full), rows: [tenth.rows, full.rows] }))
    .filter(({ from, to }) => to > GROWTH_BAR * from)
    .toSorted((a, b) => b.to / b.from - a.to / a.from)
    .map(({ from, name, rows, to }) => {
      const pages = rows.map((each) => each.toFixed(1)).join(" and ")
      return `  ${name.padEnd(38)}${ms(from)} ms, ${ms(to)} ms, ${(to / from).toFixed(1)} times; rows ${pages}`
    })

const concludeFirst = (rows: ReadonlyArray<Row>) => {
  const pages = rows.filter(({ question }) => question.cursor === 0).length
  for (const [what, figure] of [
    ["read again", ({ ours }: Measured) => ours.p50_ms],
    ["read by the first who asks", ({ first_ms }: Measured) => first_ms]
  ] as const) {
    const over = firstPages(rows, figure)
    console.log(
      `\nfirst pages ${what}: ${over.length} of ${pages} over ${GROWTH_BAR} times their figure at ${FULL.matches / Number(part)} matches`
    )
    for (const one of over) console.log(one)
  }
}

const conclude = (missed: ReadonlyArray<string>) => {
  console.log(
    `\nratio at most ${RATIO_BAR}, growth at most ${GROWTH_BAR} where nothing is gone through: ${missed.length === 0 ? "reached" : "MISSED"}`
  )
  for (const one of missed) console.log(`  ${one}`)
}

Effect.runPromise(measureAll).then(
  ({ missed, rows }) => {
    conclude(missed)
    concludeFirst(rows)
    process.exit(0)
  },
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  }
)
