/**
 * The files of the service of which a function runs for a request, by V8's count of calls, in a
 * service of its own in this process. The background is left out: a file counts if every one of
 * several requests goes through it.
 *
 *   node test/bench/requestFiles.ts
 *
 * The surroundings are common to all routes: the way from Node's event to the handler and back, sign-in, the
 * database's adapter, counters. The actor is what the season's mailbox leads to, and the object store counts
 * as one file. A cached read never reaches a handler: its files are the surroundings.
 */
import { Session } from "node:inspector/promises"
import type { MatchWork } from "@agon/api/runner/protocol.ts"
import { Effect } from "effect"
import { game, isMatch, keyed, report, seasonOf, uploaded } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const TIMES = 5
const SOURCES = "/packages/server/src/"
const SURROUNDINGS = /^(http|account|database|process|metric|config|node)\/|^[^/]*$/
const ACTOR = /^actor\/(?!(OpenSeasons|Parking|SeasonActors|asked)\.ts$)/
const STORE = /^object\//
const EXCEPT = /^(http\/gathered\.ts|http\/Lookups\.ts|http\/Cached\.ts|http\/ResponseCache\.ts|http\/twins\.ts)$/

const session = new Session()
session.connect()
await session.post("Profiler.enable")
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false })

/** The files of which a function has been called since the last look. */
const called = Effect.promise(async () => {
  const { result } = await session.post("Profiler.takePreciseCoverage")
  return new Set(
    result.flatMap(({ functions, url }) =>
      url.includes(SOURCES) && functions.some(({ ranges: [whole] }) => whole!.count > 0)
        ? [url.slice(url.indexOf(SOURCES) + SOURCES.length)]
        : []
    )
  )
})

/** Counts the request alone: neither its preparations nor the use of its answer. */
const count = Effect.fnUntraced(function* <A, B, E, R, E2, R2, E3, R3>(
  name: string,
  before: Effect.Effect<B, E3, R3>,
  request: (prepared: B) => Effect.Effect<A, E, R>,
  afterwards: (answer: A) => Effect.Effect<unknown, E2, R2>
) {
  let files: Set<string> | undefined
  for (let n = 0; n < TIMES; n++) {
    const prepared = yield* before
    yield* called
    const answer = yield* request(prepared)
    const now = yield* called
    yield* afterwards(answer)
    files = files === undefined ? now : files.intersection(now)
  }
  const all = [...files!].sort()
  const surrounds = (file: string) => SURROUNDINGS.test(file) && !EXCEPT.test(file)
  const own = all.filter((file) => !surrounds(file) && !ACTOR.test(file))
  const [around, actor] = [all.filter(surrounds), all.filter((file) => ACTOR.test(file))]
  const apart = own.filter((file) => !STORE.test(file))
  const files_n = apart.length + (apart.length < own.length ? 1 : 0)
  console.log(`\n${name}: ${files_n} files, ${around.length} of the surroundings, ${actor.length} of the actor`)
  for (const [kind, names] of Object.entries({ files: own, surroundings: around, actor })) console.log(`  ${kind}: ${names.join(", ")}`)
})

const main = Effect.gen(function* () {
  const { as, origin } = yield* Service.Service
  const fleet = yield* keyed("files")
  const { client } = fleet
  const here = yield* seasonOf("files", fleet, 2)
  const runner = yield* fleet.open(["match"])
  const lease = Effect.map(client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } }), ({ leases }) => leases.filter(isMatch)[0]!)
  const page = (query: string) =>
    Effect.promise(async () => {
      const answer = await fetch(`${origin}/v1/games/snakes/leaderboard?season=${here.slug}${query}`)
      await answer.text()
      if (!answer.ok) throw new Error(`status ${answer.status}`)
    })
  const nothing = Effect.void
  const forgotten = () => nothing
  yield* Effect.flatMap(lease, (work) => report(client, work))
  yield* page("")
  yield* count("a cached read", nothing, () => page(""), forgotten)
  let limit = 10
  yield* count("a miss", nothing, () => page(`&limit=${++limit}`), forgotten)
  const reported = (work: MatchWork) => report(client, work)
  yield* count("a lease", nothing, () => lease, reported)
  const finished = Effect.flatMap(lease, (work) => Effect.map(uploaded(work), (payload) => ({ lease: work.lease, payload })))
  yield* count("a result", finished, ({ lease, payload }) => client.runner.result({ params: { lease }, payload }), forgotten)
  let made = 0
  const hash = () => `sha256:${(++made).toString(16).padStart(64, "0")}`
  const competitor = Effect.gen(function* () {
    const person = yield* as(`competitor-${++made}`)
    const { id } = yield* person.model.createModel({ params: { game }, payload: { name: `model ${made}` } })
    return { person, payload: { game, season: here.slug, model: id, weights_hash: hash(), manifest_hash: hash() } }
  })
  yield* count("a submission", competitor, ({ payload, person }) => person.submission.submit({ payload }), forgotten)
  let year = 2_050
  const round = () => ({ kind: "round", games: 1, starts_at: `${++year}-01-01T00:00:00Z` }) as const
  yield* count("the plan of a round", nothing, () => fleet.admin.round.planRound({ params: here, payload: round() }), forgotten)
})

await Effect.runPromise(main.pipe(Effect.provide(Service.layer()), Effect.scoped))
process.exit(0)
