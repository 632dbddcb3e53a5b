/** Which seasons a lease request asks, among seasons of which some are away, or have nothing to give. */

import { NotFound, Unavailable } from "@agon/api/Problem.ts"
import type { LeasedResult } from "@agon/api/runner/protocol.ts"
import { assert, it } from "@effect/vitest"
import { Deferred, type Duration, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { moving } from "../../actor/asked.ts"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import type { Mailbox } from "../../actor/Mailbox.ts"
import { OpenSeasons } from "../../actor/OpenSeasons.ts"
import { Broadcast } from "../../node/Broadcast.ts"
import { Parking } from "../../parking/Parking.ts"
import { HasPeers } from "../../process/HasPeers.ts"
import { Holdings, NO_MATCH } from "../session/Holdings.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import type { LeasePayload } from "../work/LeasePayloads.ts"
import { ReplayAudits } from "../work/ReplayAudits.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { SeasonCalls } from "./SeasonCalls.ts"

const [lost, other, third] = [1, 2, 3].map((n) => `019a0000-0000-7000-8000-00000000000${n}`) as [string, string, string]
const engine = { game: "snakes", engine_digest: "e" }
const key = { id: "k", season_id: null }
const runner = { id: "r", key_id: "k", slots: 4, state: "active", accepts: ["match"], engines: [engine], runtime_version: "v" } as const
const request = { runner: "r", max: 1, wait_s: 0 }
const resultOf = (season: string) => ({ lease: `${season} 1`, kind: "match" }) as unknown as LeasedResult
const payload = { kind: "match" } as unknown as LeasePayload

interface Told {
  readonly season: string
  readonly results: number
  readonly max: number
}

/**
 * A dispatcher over seasons with endless work, of which those that are away do not answer, and those that are
 * full give nothing; `home` live on its node, if there are others.
 */
const among = (
  away: Set<string>,
  asked: Array<string>,
  ids = [lost, other],
  home?: ReadonlyArray<string>,
  {
    full = new Set<string>(),
    told = [] as Array<Told>,
    stays = false,
    holdings = new Holdings(),
    answers = Effect.void,
    silence = undefined as Duration.Input | undefined,
    gone = new Set<string>()
  } = {}
) => {
  const seasons = ids.map((id) => ({ id, ...engine }))
  const calls = Layer.mock(SeasonCalls, {
    holdings,
    caller: (key, id) =>
      gone.has(id) ? Effect.fail(new NotFound({ detail: "" })) : Effect.succeed({ key, runner: { ...runner, id }, stays }),
    seasonOf: (lease) => Effect.succeed(lease === "never" ? undefined : lease.split(" ")[0]),
    check: (_key, _runner, results) => Effect.succeed(results),
    tell: (_, season, { max, results }) => {
      asked.push(season)
      told.push({ season, results: results.length, max })
      if (away.has(season)) return Effect.andThen(silence === undefined ? Effect.void : Effect.sleep(silence), Effect.fail(moving))
      const given = full.has(season) ? 0 : max
      const receipts = results.map(({ lease }) => ({ lease, accepted: true, reason: null }))
      return Effect.as(answers, { receipts, works: Array.from({ length: given }, () => payload), leases: [] })
    }
  })
  const open = Layer.mock(OpenSeasons, { list: () => seasons, get: (id) => seasons.find((season) => season.id === id) })
  const quiet = Layer.succeed(Broadcast, Broadcast.of({ tell: () => Effect.void, listen: () => Effect.void }))
  const others = Layer.mock(ReplayAudits, { lease: () => Effect.succeed([]) })
  const mailboxes = new Map((home ?? []).map((id) => [id, {} as Mailbox]))
  const node = [Layer.succeed(LocalMailboxes, mailboxes), Layer.succeed(HasPeers, home !== undefined)] as const
  const known = Layer.succeed(KnownRuntimes, new Set(["v"]))
  return Dispatcher.layer.pipe(
    Layer.provide([calls, open, quiet, others]),
    Layer.provide([known, ...node]),
    Layer.provideMerge(Parking.layer)
  )
}

it.effect("a season that is away fails no request while another has work, is not asked by each, and gets its share once it is back", () => {
  const [away, asked] = [new Set([lost]), [] as Array<string>]
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 50; n++) assert.lengthOf((yield* lease(key, request)).leases, 1)
    assert.lengthOf(
      asked.filter((season) => season === lost),
      1
    )
    away.clear()
    yield* TestClock.adjust("5 seconds")
    asked.length = 0
    for (let n = 0; n < 20; n++) yield* lease(key, request)
    assert.deepStrictEqual(new Set(asked), new Set([lost]), "what it missed is made up for")
  }).pipe(Effect.provide(among(away, asked)))
})

it.effect("a season that is back is asked also where the host's clock was set back meanwhile", () => {
  const [away, asked] = [new Set([lost]), [] as Array<string>]
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 5; n++) yield* lease(key, request)
    away.clear()
    yield* TestClock.setTime(-3_600_000)
    yield* TestClock.adjust("5 seconds")
    asked.length = 0
    for (let n = 0; n < 5; n++) yield* lease(key, request)
    assert.include(asked, lost)
  }).pipe(Effect.provide(among(away, asked)))
})

it.effect("where all seasons are away the request fails, so that the runner asks again soon", () =>
  Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    assert.instanceOf(yield* Effect.flip(lease(key, request)), Unavailable)
  }).pipe(Effect.provide(among(new Set([lost, other]), [])))
)

it.effect("a result for a season that is away fails the request, once all others have heard theirs and been asked for nothing", () => {
  const told: Array<Told> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const results = [resultOf(lost), resultOf(other), resultOf(third)]
    assert.instanceOf(yield* Effect.flip(lease(key, { ...request, results })), Unavailable)
    const heard = told.toSorted((a, b) => a.season.localeCompare(b.season)).map(({ results, season }) => [season, results])
    assert.deepStrictEqual(heard, [
      [lost, 1],
      [other, 1],
      [third, 1]
    ])
    assert.deepStrictEqual(
      told.filter(({ season }) => season !== lost).map(({ max }) => max),
      [0, 0]
    )
  }).pipe(Effect.provide(among(new Set([lost]), [], [lost, other, third], undefined, { told })))
})

it.effect("a result for work that has never existed is answered beside those of seasons, and where no work is asked for", () =>
  Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const never = { lease: "never", kind: "match" } as unknown as LeasedResult
    const unknown = { lease: "never", accepted: false, reason: "unknown" } as const
    assert.deepStrictEqual((yield* lease(key, { ...request, max: 0, results: [never] })).results, [unknown])
    const { leases, results } = yield* lease(key, { ...request, results: [never, resultOf(other)] })
    assert.deepStrictEqual(results, [unknown, { lease: resultOf(other).lease, accepted: true, reason: null }])
    assert.lengthOf(leases, 1)
  }).pipe(Effect.provide(among(new Set(), [])))
)

it.effect("seasons that do not answer for ten seconds hold back no result of another, nor each other", () => {
  const told: Array<Told> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const results = [resultOf(lost), resultOf(other), resultOf(third)]
    const asked = yield* Effect.forkChild(Effect.flip(lease(key, { ...request, results })), { startImmediately: true })
    yield* TestClock.adjust("10 seconds")
    assert.lengthOf(told, 3, "all but the one in turn at once, that one by then")
    assert.instanceOf(yield* Fiber.join(asked), Unavailable)
  }).pipe(Effect.provide(among(new Set([lost, other]), [], [third, lost, other], undefined, { told, silence: "10 seconds" })))
})

it.effect("a runner whose lost leases a season did not hear of is read from the rows again, so that they are named once more", () => {
  const holdings = new Holdings()
  const lease = `${lost}.1`
  holdings.know("r", [{ lease, runner: "r", key: "k", season: lost, ...NO_MATCH }])
  const away = new Set([lost])
  return Effect.gen(function* () {
    const dispatcher = yield* Dispatcher
    assert.instanceOf(yield* Effect.flip(dispatcher.lease(key, { ...request, holds: [] })), Unavailable)
    assert.isFalse(holdings.knows("r"))
    holdings.know("r", [{ lease, runner: "r", key: "k", season: lost, ...NO_MATCH }])
    away.clear()
    yield* dispatcher.lease(key, { ...request, holds: [] })
    assert.deepStrictEqual([holdings.knows("r"), holdings.of("r")], [true, []])
  }).pipe(Effect.provide(among(away, [], undefined, undefined, { holdings })))
})

it.effect("of the seasons of a lost node a request waits for one, and is served by its own node", () => {
  const asked: Array<string> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 40; n++) {
      asked.length = 0
      assert.lengthOf((yield* lease(key, request)).leases, 1)
      assert.include([1, 2], asked.length)
      assert.strictEqual(asked.at(-1), third)
    }
  }).pipe(Effect.provide(among(new Set([lost, other]), asked, [lost, other, third], [third])))
})

it.effect("in a busy fleet a season that is told a result is asked for work in the same message, also where another node has it", () => {
  const told: Array<Told> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    yield* TestClock.adjust("1 second")
    for (let n = 0; n < 200; n++) yield* lease(key, request)
    yield* TestClock.adjust("1 second")
    told.length = 0
    for (let n = 0; n < 50; n++) assert.lengthOf((yield* lease(key, { ...request, results: [resultOf(lost)] })).leases, 1)
    assert.deepStrictEqual(
      told,
      Array.from({ length: 50 }, () => ({ season: lost, results: 1, max: 1 }))
    )
  }).pipe(Effect.provide(among(new Set(), [], [lost, other, third], [other], { told })))
})

it.effect("in a busy fleet whose runners stay with their node the seasons of this node are played, in one message a match", () => {
  const told: Array<Told> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    yield* TestClock.adjust("1 second")
    for (let n = 0; n < 200; n++) yield* lease(key, { ...request, results: [resultOf(lost)] })
    yield* TestClock.adjust("1 second")
    let last = lost
    for (let n = 0; n < 60; n++) {
      if (n === 20) told.length = 0
      yield* lease(key, { ...request, results: [resultOf(last)] })
      last = told.findLast(({ max }) => max > 0)!.season
    }
    assert.deepStrictEqual(
      told,
      Array.from({ length: 40 }, () => ({ season: other, results: 1, max: 1 }))
    )
  }).pipe(Effect.provide(among(new Set(), [], [lost, other, third], [other], { told, stays: true })))
})

it.effect("where few matches are played the season that was served least is asked, and not the one that is told a result", () => {
  const told: Array<Told> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 100; n++) {
      yield* lease(key, { ...request, results: [resultOf(lost)] })
      yield* TestClock.adjust("1 minute")
    }
    const given = Map.groupBy(
      told.filter(({ max }) => max > 0),
      ({ season }) => season
    )
    for (const season of [lost, other]) assert.approximately(given.get(season)!.length, 50, 2, season)
  }).pipe(Effect.provide(among(new Set(), [], [lost, other], undefined, { told })))
})

it.effect("results do not ask seasons again that gave nothing a moment ago", () => {
  const [ids, told] = [Array.from({ length: 24 }, (_, n) => `019a0000-0000-7000-8000-0000000001${n + 10}`), [] as Array<Told>]
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 50; n++) for (const id of ids.slice(0, 2)) yield* lease(key, { ...request, results: [resultOf(id)] })
    assert.isAtMost(told.length, 100 + ids.length)
    told.length = 0
    yield* lease(key, request)
    assert.lengthOf(told, ids.length, "a request that neither waits nor brings results asks them all")
  }).pipe(Effect.provide(among(new Set(), [], ids, undefined, { told, full: new Set(ids) })))
})

it.effect("requests of one runner that are woken at once, and one that comes meanwhile, ask for no more than its free slots", () => {
  const [full, told, answers] = [new Set([lost]), [] as Array<Told>, Deferred.makeUnsafe<void>()]
  const gate = { open: true }
  const slow = Effect.suspend(() => (gate.open ? Effect.void : Deferred.await(answers)))
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const parking = yield* Parking
    const waits = lease(key, { ...request, max: 3, wait_s: 30 })
    const waiting = [yield* Effect.forkChild(waits), yield* Effect.forkChild(waits)]
    yield* TestClock.adjust(0)
    assert.strictEqual(parking.size(), 2)
    full.clear()
    gate.open = false
    told.length = 0
    for (const _ of waiting) parking.wake(lost)
    const comes = yield* Effect.forkChild(lease(key, { ...request, max: 3 }))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(
      told.map(({ max }) => max),
      [3, 1]
    )
    yield* Deferred.succeed(answers, undefined)
    const given = (yield* Effect.forEach([...waiting, comes], Fiber.join)).map(({ leases }) => leases.length)
    assert.sameMembers(given, [3, 1, 0])
    assert.lengthOf((yield* lease(key, { ...request, max: 4 })).leases, 4, "nothing is under way any more")
  }).pipe(Effect.provide(among(new Set(), [], [lost], undefined, { full, told, answers: slow })))
})

it.effect("a runner is asked for no more than its slots beside what it holds; what it reports ends with the request", () => {
  const [holdings, told] = [new Holdings(), [] as Array<Told>]
  holdings.know(
    "r",
    [1, 2, 3].map((n) => ({ lease: `${lost} ${n}`, runner: "r", key: "k", season: lost, ...NO_MATCH }))
  )
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    yield* lease(key, { ...request, max: 4 })
    yield* lease(key, { ...request, max: 4, results: [resultOf(lost)] })
    assert.deepStrictEqual(
      told.map(({ max }) => max),
      [1, 2]
    )
  }).pipe(Effect.provide(among(new Set(), [], [lost], undefined, { holdings, told })))
})

it.effect("work that a request was woken for goes to another that waits where its runner is not there any more", () => {
  const [full, gone] = [new Set([lost]), new Set<string>()]
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const parking = yield* Parking
    const waits = (runner: string) => Effect.forkChild(Effect.exit(lease(key, { runner, max: 1, wait_s: 30 })))
    const waiting = [yield* waits("r"), yield* waits("s")]
    yield* TestClock.adjust(0)
    assert.strictEqual(parking.size(), 2)
    full.clear()
    gone.add("r")
    parking.wake(lost)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(
      waiting.map((fiber) => fiber.pollUnsafe() !== undefined),
      [true, true]
    )
  }).pipe(Effect.provide(among(new Set(), [], [lost], undefined, { full, gone })))
})

it.effect("a season's key is given work of its season alone", () => {
  const asked: Array<string> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    yield* lease({ ...key, season_id: other }, { ...request, max: 4 })
    assert.deepStrictEqual([...new Set(asked)], [other])
  }).pipe(Effect.provide(among(new Set(), asked, [lost, other, third])))
})

it.effect("a request that is given nothing waits no longer where the host's clock was set back meanwhile", () =>
  Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const parking = yield* Parking
    const waiting = yield* Effect.forkChild(lease(key, { ...request, wait_s: 30 }))
    yield* TestClock.adjust("1 second")
    yield* TestClock.setTime(-3_600_000)
    parking.wake(lost)
    yield* TestClock.adjust(0)
    assert.strictEqual(parking.size(), 1, "it has asked again")
    yield* TestClock.adjust("29 seconds")
    assert.isDefined(waiting.pollUnsafe())
    assert.deepStrictEqual((yield* Fiber.join(waiting)).leases, [])
  }).pipe(Effect.provide(among(new Set(), [], [lost], undefined, { full: new Set([lost]) })))
)
