/**
 * How reads grow with a season: each of questions.ts over 100,000 matches and over many more of the same
 * 2,000 entries, in turn. The service forgets all that it keeps before each question: the first answer is that of a
 * new process, the others find what it has kept. A visitor's statements have their usual limits; a refused
 * read is repeated until it is answered, and the first figure is the time up to then.
 *
 *   node test/bench/growth.ts [matches, 10000000] [questions, a regular expression]
 *
 * DATABASES=URL,URL takes two databases that are there instead of making them.
 */
import "effect/schema/SchemaJITCompiler/enable"
import { loadavg } from "node:os"
import { Accounts } from "@agon/server/account/Accounts.ts"
import { Words } from "@agon/server/account/Words.ts"
import { Users } from "@agon/server/admin/Users.ts"
import { Boards } from "@agon/server/board/Boards.ts"
import { Comments } from "@agon/server/comment/Comments.ts"
import { Moderation } from "@agon/server/comment/Moderation.ts"
import { Threads } from "@agon/server/comment/Threads.ts"
import { CurrentCallerClass } from "@agon/server/database/CallerClass.ts"
import * as Database from "@agon/server/database/Database.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Leaderboards } from "@agon/server/leaderboard/Leaderboards.ts"
import { Matches } from "@agon/server/match/Matches.ts"
import { Replays } from "@agon/server/match/Replays.ts"
import { Models } from "@agon/server/model/Models.ts"
import { RunnerKeys } from "@agon/server/runner/key/RunnerKeys.ts"
import { Coincidences } from "@agon/server/season/Coincidences.ts"
import { OwnerChecks } from "@agon/server/season/OwnerChecks.ts"
import { Seasons } from "@agon/server/season/Seasons.ts"
import { Versions } from "@agon/server/version/Versions.ts"
import { PgClient } from "@effect/sql-pg"
import { type Context, Effect, Layer, Redacted } from "effect"
import { insertRows, seasonId } from "../support/ManyRows.ts"
import * as Postgres from "../support/Postgres.ts"
import { type Question, questionsOf, type Some } from "./growth/questions.ts"
import { tallied } from "./reads/tallied.ts"

const [matches = "10000000", only = ""] = process.argv.slice(2)
const ENTRIES = 2_000
const SIZES = [100_000, Number(matches)] as const
const BAR = 2
/** A read this short is as long as the machine's moods. */
const SHORT_MS = 5
const TIMES = 15
const LONGEST_MS = 1_500
const PATIENCE_MS = 120_000

const aside = Layer.mergeAll(Words.layer, ResponseCache.layer)
const services = Layer.mergeAll(
  Models.layer.pipe(Layer.provide(Versions.layer)),
  Matches.layer.pipe(Layer.provide(Layer.mock(Replays, { urlOf: () => Effect.succeed("") }))),
  Users.layer.pipe(Layer.provide([Layer.mock(OwnerChecks, {}), Layer.mock(RunnerKeys, {})])),
  ...[Accounts.layer, Boards.layer, Coincidences.layer, Comments.layer, Leaderboards.layer, Moderation.layer, Threads.layer]
).pipe(Layer.provideMerge(Seasons.layer), Layer.provide(aside))

type Stand = Context.Context<Layer.Success<ReturnType<typeof Database.layerPools>>>

const made = (size: number) =>
  Effect.gen(function* () {
    const url = yield* Postgres.url({ migrate: true })
    yield* Effect.andThen(
      Effect.flatMap(PgClient.PgClient, (sql) => insertRows(sql, { matches: size, entries: ENTRIES })),
      tallied
    ).pipe(Effect.provide(PgClient.layer({ url, maxConnections: 1 })))
    return url
  })
const there = process.env["DATABASES"]?.split(",").map((url) => Redacted.make(url))

const someOf = (stand: Stand) =>
  Effect.provideContext(
    Effect.flatMap(PgClient.PgClient, (sql) =>
      sql.unsafe<Some>(
        `SELECT (SELECT id FROM match WHERE season_id = $1::uuid AND status = 'rated' AND map_id = 'old' ORDER BY ended_at LIMIT 1) AS early,
        (SELECT id FROM match WHERE season_id = $1::uuid AND status = 'rated' ORDER BY ended_at DESC OFFSET 20 LIMIT 1) AS late`,
        [seasonId(1)]
      )
    ),
    stand
  ).pipe(Effect.map((rows) => rows[0]!))

interface Figures {
  readonly first_ms: number
  readonly warm_ms: number
  readonly refused: number
}

/** The time of an answer, or of a refusal. */
const once = (ask: Question["ask"], reads: Context.Context<any>) =>
  Effect.gen(function* () {
    const began = performance.now()
    const exit = yield* Effect.exit(Effect.provideContext(ask as Effect.Effect<unknown>, reads)).pipe(
      Effect.provideService(CurrentCallerClass, "anonymous")
    )
    return { ms: performance.now() - began, answered: exit._tag === "Success", exit }
  })

const put = (stand: Stand, { ask }: Question): Effect.Effect<Figures> =>
  Effect.gen(function* () {
    const reads = yield* Layer.build(Layer.fresh(services)).pipe(Effect.provideContext(stand))
    let [first_ms, refused] = [0, 0]
    for (;;) {
      const { answered, exit, ms } = yield* once(ask, reads)
      first_ms += ms
      if (answered) break
      if (process.env["SHOW"]) console.log(String((exit as any).cause?.reasons?.[0]?.error ?? (exit as any).cause?.reasons?.[0]?.defect))
      refused++
      if (first_ms > PATIENCE_MS || refused > 30) break
      yield* Effect.sleep("50 millis")
      first_ms += 50
    }
    const took: Array<number> = []
    const began = performance.now()
    for (let n = 0; n < TIMES && (n < 3 || performance.now() - began < LONGEST_MS); n++) {
      const { answered, ms } = yield* once(ask, reads)
      if (!answered) refused++
      took.push(ms)
    }
    return { first_ms, warm_ms: took.toSorted((a, b) => a - b)[Math.floor(took.length / 2)]!, refused }
  }).pipe(Effect.scoped) as Effect.Effect<Figures>

const ms = (figure: number) => figure.toFixed(figure < 10 ? 2 : 0).padStart(7)
const times = (small: number, large: number) => (large / small).toFixed(1).padStart(6)
const isSlow = (small: number, large: number) => large > BAR * small && large > SHORT_MS

const measured = Effect.gen(function* () {
  const urls = there ?? [yield* made(SIZES[0]), yield* made(SIZES[1])]
  const stands = yield* Effect.forEach(urls, (url) =>
    Layer.build(Database.layerPools({ url, request_connections: 2, season_connections: 1 }))
  )
  const questions = yield* Effect.forEach(stands, (stand) => Effect.map(someOf(stand), questionsOf))
  console.log(
    `${SIZES.join(" and ")} matches of ${ENTRIES} entries; load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`
  )
  console.log(`${"read".padEnd(58)}   warm, ms          x   first, ms         x`)
  for (const [i, question] of questions[0]!.entries()) {
    if (!new RegExp(only).test(question.name)) continue
    const small = yield* put(stands[0]!, question)
    const large = yield* put(stands[1]!, questions[1]![i]!)
    const again = yield* put(stands[0]!, question)
    const [warm, first] = [Math.max(small.warm_ms, again.warm_ms), Math.max(small.first_ms, again.first_ms)]
    const said = [
      ...(isSlow(warm, large.warm_ms) ? ["WARM"] : []),
      ...(isSlow(first, large.first_ms) ? ["first"] : []),
      ...(large.refused + small.refused > 0 ? [`${small.refused}/${large.refused} refused`] : [])
    ]
    console.log(
      `${question.name.padEnd(58)}${ms(warm)}${ms(large.warm_ms)}${times(warm, large.warm_ms)} ${ms(first)}${ms(large.first_ms)}${times(first, large.first_ms)}  ${said.join(", ")}`
    )
  }
  console.log(
    `load ${loadavg()
      .map((load) => load.toFixed(1))
      .join(", ")}`
  )
}).pipe(Effect.scoped)

Effect.runPromise(measured as Effect.Effect<void>).then(
  () => process.exit(0),
  (error: unknown) => {
    console.error(error)
    process.exit(1)
  }
)
