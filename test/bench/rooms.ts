/**
 * The rooms of a request: the files of the service of which a function runs for it, by V8's count of calls, in a service of its own in this
 * process. What happens in the background is left out: a room counts if every one of several requests goes through it.
 *
 *   node test/bench/rooms.ts
 *
 * The surroundings are what every route has: the way from Node's event to the handler and back, sign-in, the database's adapter, counters.
 * The actor is what the season's mailbox leads to. A cached read never reaches a handler: its rooms are the surroundings.
 */
import { Session } from "node:inspector/promises"
import { Effect } from "effect"
import { isMatch, keyed, report, seasonOf } from "../support/Referee.ts"
import * as Service from "../support/Service.ts"

const TIMES = 5
const SOURCES = "/packages/server/src/"
const SURROUNDINGS = /^(http|account|database|process|metric|config|node)\/|^[^/]*$/
const ACTOR = /^actor\/(?!(OpenSeasons|Parking|SeasonEntity|asked)\.ts$)/
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

/** Counts the request alone: not what it needs before it, nor what is done with its answer afterwards. */
const count = Effect.fnUntraced(function* <A, E, R, E2, R2>(
  name: string,
  request: Effect.Effect<A, E, R>,
  afterwards: (answer: A) => Effect.Effect<unknown, E2, R2>
) {
  let rooms: Set<string> | undefined
  for (let n = 0; n < TIMES; n++) {
    yield* called
    const answer = yield* request
    const now = yield* called
    yield* afterwards(answer)
    rooms = rooms === undefined ? now : rooms.intersection(now)
  }
  const all = [...rooms!].sort()
  const surrounds = (file: string) => SURROUNDINGS.test(file) && !EXCEPT.test(file)
  const own = all.filter((file) => !surrounds(file) && !ACTOR.test(file))
  const [around, actor] = [all.filter(surrounds), all.filter((file) => ACTOR.test(file))]
  console.log(`\n${name}: ${own.length} rooms, ${around.length} of the surroundings, ${actor.length} of the actor`)
  for (const [kind, files] of Object.entries({ rooms: own, surroundings: around, actor })) console.log(`  ${kind}: ${files.join(", ")}`)
})

const main = Effect.gen(function* () {
  const { origin } = yield* Service.Service
  const fleet = yield* keyed("rooms")
  const { client } = fleet
  const here = yield* seasonOf("rooms", fleet, 2)
  const runner = yield* fleet.open(["match"])
  const lease = Effect.map(client.runner.lease({ payload: { runner, max: 1, wait_s: 10 } }), ({ leases }) => leases.filter(isMatch)[0]!)
  const page = (query: string) =>
    Effect.promise(async () => {
      const answer = await fetch(`${origin}/v1/games/snakes/leaderboard?season=${here.slug}${query}`)
      await answer.text()
      if (!answer.ok) throw new Error(`status ${answer.status}`)
    })
  const nothing = Effect.void
  yield* Effect.flatMap(lease, (work) => report(client, work))
  yield* page("")
  yield* count("a cached read", page(""), () => nothing)
  let limit = 10
  yield* count(
    "a miss",
    Effect.suspend(() => page(`&limit=${++limit}`)),
    () => nothing
  )
  yield* count("a lease", lease, (work) => report(client, work))
})

await Effect.runPromise(main.pipe(Effect.provide(Service.layer()), Effect.scoped))
process.exit(0)
