import { setFlagsFromString } from "node:v8"
import { runInNewContext } from "node:vm"
import type { Command } from "@agon/domain/season/Command.ts"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Logger } from "effect"
import { TestClock } from "effect/testing"
import { eventually } from "../../../../test/support/eventually.ts"
import * as MemoryStore from "../../../../test/support/MemoryStore.ts"
import { board, id, lease, outcome, report, settings, submit } from "../../../../test/support/SeasonScript.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { type PublishedEvent, SeasonEvents } from "./SeasonEvents.ts"
import { SeasonStore, StoreFailed } from "./SeasonStore.ts"

type Store = SeasonStore["Service"]
const SEASON = id("season", 1)

interface Heard {
  readonly events: Array<PublishedEvent | "claimed">
  /** The effect that the listener runs on each event. */
  reaction: Effect.Effect<void>
}

/** A running season with two entries and one board; `wrap` may spoil its store. */
const start = Effect.fnUntraced(function* (wrap: (store: Store) => Store = (store) => store, ratings_per_s?: number) {
  yield* TestClock.setTime(2_000)
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, SEASON, settings())
  const store = yield* SeasonStore.pipe(Effect.provide(MemoryStore.layer(memory, ratings_per_s)))
  const heard: Heard = { events: [], reaction: Effect.void }
  const events = SeasonEvents.of({
    publish: (_, events) =>
      Effect.suspend(() => {
        heard.events.push(...events)
        return heard.reaction
      }),
    claimed: () => Effect.sync(() => void heard.events.push("claimed"))
  })
  const mailbox = yield* Mailbox.make(SEASON)
  const fiber = yield* SeasonActor.supervised(mailbox).pipe(
    Effect.provideService(SeasonStore, wrap(store)),
    Effect.provideService(SeasonEvents, events),
    Effect.provide(Logger.layer([])),
    Effect.forkChild
  )
  yield* TestClock.adjust(0)
  const ask = <C extends Command>(command: C) => Mailbox.ask(mailbox, command)
  yield* Mailbox.askAll(mailbox, [...board("plain"), submit(1), submit(2)])
  for (let work = yield* ask(lease({ max: 4 })); work.some(isPreliminary); work = yield* ask(lease({ max: 4 }))) {
    for (const each of work) yield* ask(isPreliminary(each) ? report(each) : { _tag: "Release", key: id("key", 1), lease: each.lease })
  }
  yield* ask({ _tag: "HoldOnly", runner: id("runner", 1), holds: [] }) // leases taken on the way go back
  const row = () => memory.get(SEASON)!
  const live = () => [...row().live.values()]
  return { ask, fiber, heard, live, mailbox, memory, row, store }
})
const refusing = (store: Store, when: () => boolean): Store => ({
  ...store,
  commit: (fence, state) => (when() ? Effect.fail(new StoreFailed({ season: SEASON, cause: "down" })) : store.commit(fence, state))
})
const slowed = (store: Store, when: () => boolean): Store => ({
  ...store,
  commit: (fence, state) => (when() ? Effect.andThen(Effect.sleep("1 second"), store.commit(fence, state)) : store.commit(fence, state))
})
const counted = (store: Store, count: () => void): Store => ({
  ...store,
  commit: (fence, state) => Effect.andThen(Effect.sync(count), store.commit(fence, state))
})
const isPreliminary = (work: { readonly kind: string; readonly is_trial?: boolean }) => work.kind === "admission" || work.is_trial === true
const countOf = (lease: string | undefined) => Number(lease?.split(".")[1])

describe("SeasonActor", () => {
  it.effect("takes a match back when its lease runs out, and fails it at the third loss", () =>
    Effect.gen(function* () {
      const { ask, live, row } = yield* start()
      let match = ""
      for (const loss of [1, 2, 3]) {
        const [leased] = yield* ask(lease())
        match = leased!.lease.split(".")[0]!
        yield* TestClock.adjust("29999 millis")
        assert.strictEqual(live()[0]?.losses, loss - 1)
        yield* TestClock.adjust("1 millis") // the actor wakes by itself, without an ask
      }
      assert.deepInclude(row().ended.get(match), { ending: "failed", fault_reason: "runner_lost" })
    })
  )

  it.effect("writes ratings that wait when their turn comes, though nobody asks, and tells whose they are", () =>
    Effect.gen(function* () {
      const { ask, heard, row } = yield* start((store) => store, 1)
      for (let n = 0; n < 3; n++) for (const work of yield* ask(lease())) yield* ask(report(work))
      const shown = () => [...row().ratings.values()].filter(({ ladder }) => ladder === "open").map(({ matches }) => matches)
      const kept = () => row().redo.size
      assert.isAbove(kept(), 0)
      assert.isBelow(Math.min(...shown()), 3)
      heard.events.length = 0
      yield* TestClock.adjust("6 seconds")
      assert.deepStrictEqual([kept(), ...shown()], [0, 3, 3])
      const told = heard.events.flatMap((event) => (event !== "claimed" && event._tag === "RatingsWritten" ? event.versions : []))
      assert.sameMembers([...new Set(told)], [id("version", 1), id("version", 2)])
    })
  )

  it.effect("lets go of the rows it was restored from", () =>
    Effect.gen(function* () {
      const claimed: Array<WeakRef<object>> = []
      const remembered = (store: Store): Store => ({
        ...store,
        claim: (season) => Effect.tap(store.claim(season), ({ snapshot }) => Effect.sync(() => void claimed.push(new WeakRef(snapshot))))
      })
      const { ask } = yield* start(remembered)
      assert.lengthOf(claimed, 1)
      setFlagsFromString("--expose-gc")
      const collect = runInNewContext("gc") as () => void
      const isGone = Effect.sync(() => {
        collect()
        return claimed[0]!.deref() === undefined
      })
      yield* eventually("nothing holds the rows", isGone)
      assert.lengthOf(yield* ask(lease()), 1) // it is still the same incarnation
      assert.lengthOf(claimed, 1)
    })
  )

  it.effect("answers a repeated result as it answered the first", () =>
    Effect.gen(function* () {
      const { ask, row, store } = yield* start()
      const [leased] = yield* ask(lease())
      const first = report(leased!)
      assert.deepStrictEqual(yield* ask(first), { accepted: true })
      const rated = row().head.rated
      // the machine forgets ended matches; the rows keep them
      assert.deepStrictEqual(yield* ask({ ...first, outcome: outcome(2, 1) } as typeof first), { accepted: false, reason: "unknown" })
      assert.deepStrictEqual(yield* store.answerOf(SEASON, leased!.lease, id("key", 1)), { accepted: true })
      assert.strictEqual(row().head.rated, rated)
    })
  )

  it.effect("refuses a late result once the match has gone to another runner", () =>
    Effect.gen(function* () {
      const { ask, row } = yield* start()
      const [first] = yield* ask(lease())
      yield* TestClock.adjust("30 seconds")
      const [second] = yield* ask(lease({ runner: id("runner", 2), key: id("key", 2) }))
      assert.strictEqual(countOf(second?.lease), countOf(first?.lease) + 1)
      const rated = row().head.rated
      assert.deepStrictEqual(yield* ask(report(first!)), { accepted: false, reason: "lost" })
      assert.strictEqual(row().head.rated, rated)
      assert.deepStrictEqual(yield* ask(report(second!, id("key", 2))), { accepted: true })
      assert.strictEqual(row().head.rated, rated + 1)
    })
  )

  it.effect("finishes a match of a round that is over, and counts it in none", () =>
    Effect.gen(function* () {
      const { ask, row } = yield* start()
      yield* ask({ _tag: "PlanRound", kind: "round", games: 2, starts_at: 12_000 })
      const [leased] = yield* ask(lease())
      const rated = row().head.rated
      yield* TestClock.adjust("10 seconds") // the clock starts the round
      assert.strictEqual(row().head.round, 1)
      assert.deepStrictEqual(yield* ask(report(leased!)), { accepted: true })
      assert.strictEqual(row().ended.get(leased!.lease.split(".")[0]!)?.ending, "finished")
      assert.strictEqual(row().head.rated, rated)
    })
  )

  it.effect("fails held replies when a commit fails, reloads, and goes on", () =>
    Effect.gen(function* () {
      let refuse = false
      const { ask, live, row } = yield* start((store) => refusing(store, () => refuse))
      const before = structuredClone(live())
      const epoch = row().epoch
      refuse = true
      const errors = yield* Effect.all([ask(lease()), ask(lease())].map(Effect.flip), { concurrency: "unbounded" })
      assert.deepStrictEqual(
        errors.map((error) => error._tag),
        ["Unavailable", "Unavailable"]
      )
      assert.deepStrictEqual(live(), before)
      refuse = false
      assert.deepInclude(yield* Effect.flip(ask(lease())), { reason: "the season is starting or moving" })
      yield* TestClock.adjust("50 millis") // the first backoff
      assert.lengthOf(yield* ask(lease()), 1)
      assert.strictEqual(row().epoch, epoch + 1)
    })
  )

  it.effect("reloads as soon as ever after it has been well for a while, however often it failed before", () =>
    Effect.gen(function* () {
      let refuse = false
      const { ask, row } = yield* start((store) => refusing(store, () => refuse))
      const epoch = row().epoch
      for (let failures = 1; failures <= 8; failures++) {
        refuse = true
        assert.strictEqual((yield* Effect.flip(ask(lease())))._tag, "Unavailable")
        refuse = false
        yield* TestClock.adjust("49 millis")
        assert.strictEqual(row().epoch, epoch + failures - 1, "it waits before it reloads")
        yield* TestClock.adjust("1 millis")
        assert.strictEqual(row().epoch, epoch + failures, "and after the eighth failure no longer than after the first")
        const works = yield* ask(lease())
        assert.lengthOf(works, 1)
        for (const work of works) yield* ask({ _tag: "Release", key: id("key", 1), lease: work.lease })
        yield* TestClock.adjust("1 hour")
      }
    })
  )

  it.effect("goes on from what was written when a commit landed that was reported as failed", () =>
    Effect.gen(function* () {
      let lie = false
      const { ask, live } = yield* start((store) => ({
        ...store,
        commit: (fence, state) =>
          store
            .commit(fence, state)
            .pipe(Effect.flatMap((next) => (lie ? Effect.fail(new StoreFailed({ season: SEASON, cause: "cut" })) : Effect.succeed(next))))
      }))
      lie = true
      assert.strictEqual((yield* Effect.flip(ask(lease())))._tag, "Unavailable")
      lie = false
      yield* TestClock.adjust("50 millis")
      assert.isAbove(live()[0]!.until!, 0) // leased, though its runner was never told
      assert.deepStrictEqual(yield* ask({ _tag: "HoldOnly", runner: id("runner", 1), holds: [] }), { returned: 1 })
      assert.lengthOf(yield* ask(lease()), 1)
    })
  )

  it.effect("a bug in the middle of a batch costs a reload, and nobody waits", () =>
    Effect.gen(function* () {
      const { ask, live } = yield* start()
      const before = structuredClone(live())
      const poison = { _tag: "Heartbeat", key: id("key", 1), leases: null } as unknown as Command
      const exits = yield* Effect.all([ask(lease()), ask(poison), ask(lease())].map(Effect.exit), { concurrency: "unbounded" })
      assert.isTrue(exits.every(Exit.isFailure))
      assert.deepStrictEqual(live(), before)
      yield* TestClock.adjust("50 millis")
      assert.lengthOf(yield* ask(lease()), 1)
    })
  )

  it.effect("stops without a write when another actor has claimed the season", () =>
    Effect.gen(function* () {
      const { ask, fiber, live, store } = yield* start()
      const before = structuredClone(live())
      yield* store.claim(SEASON)
      assert.strictEqual((yield* Effect.flip(ask(lease())))._tag, "Unavailable")
      assert.strictEqual((yield* Effect.flip(Fiber.join(fiber)))._tag, "Fenced")
      assert.deepStrictEqual(live(), before)
    })
  )

  it.effect("leaves nobody waiting when it is killed in the middle of a commit", () =>
    Effect.gen(function* () {
      let slow = false
      const { ask, fiber, mailbox } = yield* start((store) => slowed(store, () => slow))
      slow = true
      const inBatch = yield* Effect.forkChild(ask(lease()))
      yield* TestClock.adjust("10 millis")
      const inQueue = yield* Effect.forkChild(ask(lease()))
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(mailbox.held.size, 2)
      yield* Fiber.interrupt(fiber)
      for (const caller of [inBatch, inQueue]) assert.isTrue(Exit.isFailure(yield* Fiber.await(caller)))
      assert.strictEqual(mailbox.held.size, 0)
    })
  )

  it.effect("a command at the very instant of a deadline is neither lost nor doubled", () =>
    Effect.gen(function* () {
      const { ask, live } = yield* start()
      const [first] = yield* ask(lease())
      const caller = yield* Effect.forkChild(Effect.andThen(Effect.sleep("30 seconds"), ask(lease()))) // due when the lease is
      yield* TestClock.adjust("30 seconds")
      const [second] = yield* Fiber.join(caller)
      assert.strictEqual(countOf(second?.lease), countOf(first?.lease) + 1)
      assert.strictEqual(live()[0]?.losses, 1)
    })
  )

  it.effect("commands of one ask share a commit and are answered in order", () =>
    Effect.gen(function* () {
      let commits = 0
      const { ask, mailbox } = yield* start((store) => counted(store, () => commits++))
      const [leased] = yield* ask(lease())
      const before = commits
      const [receipt, next] = yield* Mailbox.askAll(mailbox, [report(leased!), lease()])
      assert.deepStrictEqual(receipt, { accepted: true })
      assert.lengthOf(next as ReadonlyArray<unknown>, 1)
      assert.strictEqual(commits, before + 1)
    })
  )

  it.effect("asks with megabytes of replays share a commit only as far as a few of these", () =>
    Effect.gen(function* () {
      let commits = 0
      const { mailbox } = yield* start((store) => counted(store, () => commits++))
      const content = "m".repeat(2 ** 19)
      const replay = { hash: "sha256:replay", bytes: content.length, content }
      const late: Command = { _tag: "ReportMatch", key: id("key", 1), lease: `${id("model", 9)}.1`, outcome: { ...outcome(2), replay } }
      const asks = Array.from(
        { length: 20 },
        (_, i): ReadonlyArray<Command> => [late, { _tag: "SwitchBoard", board: "plain", enabled: i % 2 === 1 }]
      )
      const before = commits
      yield* Effect.forEach(asks, (commands) => Mailbox.askAll(mailbox, commands), { concurrency: "unbounded" })
      assert.strictEqual(commits, before + 3, "eight of half a megabyte each")
    })
  )

  it.effect("answers what changes nothing without a commit", () =>
    Effect.gen(function* () {
      let commits = 0
      const { ask } = yield* start((store) => counted(store, () => commits++))
      const before = commits
      assert.deepStrictEqual(yield* ask(lease({ engine_digest: null })), [])
      assert.strictEqual(commits, before)
    })
  )
})

describe("SeasonActor and its listeners", () => {
  it.effect("tells what happened after the commit and before the reply", () =>
    Effect.gen(function* () {
      const { ask, heard, row } = yield* start()
      const [leased] = yield* ask(lease())
      const gate = yield* Deferred.make<void>()
      const rated = row().head.rated
      heard.reaction = Deferred.await(gate)
      const caller = yield* Effect.forkChild(ask(report(leased!)))
      yield* TestClock.adjust("10 millis")
      assert.strictEqual(row().head.rated, rated + 1)
      assert.include(
        heard.events.map((event) => (event === "claimed" ? event : event._tag)),
        "MatchRated"
      )
      assert.isUndefined(caller.pollUnsafe())
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Fiber.join(caller), { accepted: true })
    })
  )

  it.effect(
    "wakes nobody for work that was given away in the batch in which it appeared, nor while its ladders have all their matches",
    () =>
      Effect.gen(function* () {
        const { ask, heard, mailbox } = yield* start()
        const wakes = () => heard.events.filter((event) => event !== "claimed" && event._tag === "WorkAppeared").length
        let [leased] = yield* ask(lease({ max: 4 }))
        assert.deepStrictEqual(yield* ask(lease({ max: 4 })), [])
        const before = wakes()
        for (let n = 0; n < 3; n++) {
          const [accepted, works] = yield* Mailbox.askAll(mailbox, [report(leased!), lease({ max: 4 })])
          assert.deepStrictEqual(accepted, { accepted: true })
          ;[leased] = works as ReadonlyArray<typeof leased>
          assert.isDefined(leased)
        }
        assert.strictEqual(wakes(), before)
        yield* ask(report(leased!))
        assert.strictEqual(wakes(), before + 1)
      })
  )

  it.effect("a listener that dies or hangs takes nothing with it", () =>
    Effect.gen(function* () {
      const { ask, heard, row } = yield* start()
      const epoch = row().epoch
      for (const fault of [Effect.die(new Error("bug")), Effect.never]) {
        const [leased] = yield* ask(lease())
        heard.reaction = fault
        const caller = yield* Effect.forkChild(ask(report(leased!)))
        yield* TestClock.adjust(SeasonActor.TELL_TIMEOUT)
        assert.deepStrictEqual(yield* Fiber.join(caller), { accepted: true })
        heard.reaction = Effect.void
      }
      assert.strictEqual(row().epoch, epoch)
    })
  )

  it.effect("says at the start of every incarnation that anything may have changed", () =>
    Effect.gen(function* () {
      let refuse = false
      const { ask, heard } = yield* start((store) => refusing(store, () => refuse))
      assert.strictEqual(heard.events[0], "claimed")
      heard.events.length = 0
      refuse = true
      yield* Effect.flip(ask(lease()))
      refuse = false
      yield* TestClock.adjust("50 millis")
      assert.deepStrictEqual(heard.events, ["claimed"])
    })
  )
})

describe("SeasonActor of a season that closes", () => {
  it.effect("answers the close, then ends; whoever asks later hears that the season is closed", () =>
    Effect.gen(function* () {
      const { ask, fiber, row } = yield* start()
      yield* ask({ _tag: "CloseSeason" })
      yield* TestClock.adjust(0)
      assert.isNotNull(row().head.closed_at)
      yield* Fiber.join(fiber)
      assert.strictEqual((yield* Effect.flip(ask(lease())))._tag, "SeasonClosed")
    })
  )

  it.effect("a match that is being played has a minute", () =>
    Effect.gen(function* () {
      const { ask, fiber, live, row, store } = yield* start()
      const [leased] = yield* ask(lease())
      yield* ask({ _tag: "CloseSeason" })
      for (let beat = 0; beat < 5; beat++) {
        yield* TestClock.adjust("10 seconds")
        yield* ask({ _tag: "Heartbeat", key: id("key", 1), leases: [leased!.lease] })
      }
      assert.lengthOf(live(), 1)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual([live().length, row().head.phase], [0, "closed"])
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(yield* store.answerOf(SEASON, leased!.lease, id("key", 1)), { accepted: false, reason: "withdrawn" })
    })
  )

  it.effect("commands that arrive behind the close in the queue hear it too", () =>
    Effect.gen(function* () {
      let slow = false
      const { ask } = yield* start((store) => slowed(store, () => slow))
      slow = true
      const closing = yield* Effect.forkChild(ask({ _tag: "CloseSeason" }))
      yield* TestClock.adjust("10 millis")
      const behind = yield* Effect.forkChild(Effect.flip(ask(lease())))
      yield* TestClock.adjust("1 second")
      assert.property(yield* Fiber.join(closing), "close_requested_at")
      assert.strictEqual((yield* Fiber.join(behind))._tag, "SeasonClosed")
    })
  )

  it.effect("and so do those that come in its batch: nothing is done to a season once its podium is taken", () =>
    Effect.gen(function* () {
      const { ask, row } = yield* start()
      const off = { _tag: "SwitchBoard", board: "plain", enabled: false } as const
      const asks = [Effect.exit(ask({ _tag: "CloseSeason" })), Effect.exit(ask(off))] as const
      const [closed, late] = yield* Effect.all(asks, { concurrency: "unbounded" })
      assert.isTrue(Exit.isSuccess(closed))
      assert.isTrue(Exit.isFailure(late))
      assert.isTrue(row().boards.get("plain")!.enabled)
    })
  )

  it.effect("and those that come when its minute is over", () =>
    Effect.gen(function* () {
      let slow = false
      const { ask, row } = yield* start((store) => slowed(store, () => slow))
      const [leased] = yield* ask(lease())
      yield* ask({ _tag: "CloseSeason" })
      for (let beat = 0; beat < 5; beat++) {
        yield* TestClock.adjust("11 seconds")
        yield* Effect.forkChild(ask({ _tag: "Heartbeat", key: id("key", 1), leases: [leased!.lease] }))
      }
      yield* TestClock.adjust("4500 millis")
      slow = true
      yield* Effect.forkChild(ask({ _tag: "Heartbeat", key: id("key", 1), leases: [leased!.lease] })) // its commit outlasts the minute
      yield* TestClock.adjust("10 millis")
      const late = yield* Effect.forkChild(Effect.exit(ask({ _tag: "SwitchBoard", board: "plain", enabled: false })))
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(row().head.phase, "closed")
      assert.isTrue(Exit.isFailure(yield* Fiber.join(late)))
      assert.isTrue(row().boards.get("plain")!.enabled)
    })
  )
})

describe("Mailbox", () => {
  it.effect("refuses at once where the actor does not run, or is behind by the whole mailbox", () =>
    Effect.gen(function* () {
      const mailbox = yield* Mailbox.make(SEASON)
      assert.deepInclude(yield* Effect.flip(Mailbox.ask(mailbox, lease())), { reason: "the season is starting or moving" })
      yield* Mailbox.open(mailbox)
      for (let i = 0; i < Mailbox.CAPACITY; i++) yield* Effect.forkChild(Mailbox.ask(mailbox, lease()))
      yield* TestClock.adjust(0)
      assert.deepInclude(yield* Effect.flip(Mailbox.ask(mailbox, lease())), { reason: "the mailbox is full" })
      yield* Mailbox.shut(mailbox, "over")
      assert.strictEqual(mailbox.held.size, 0)
    })
  )
})
