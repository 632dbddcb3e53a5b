import type { Command } from "@agon/domain/season/Command.ts"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Fiber, Logger, Schedule } from "effect"
import { TestClock } from "effect/testing"
import * as HostClock from "../../../../test/support/HostClock.ts"
import * as MemoryStore from "../../../../test/support/MemoryStore.ts"
import { board, id, lease, report, settings, submit } from "../../../../test/support/SeasonScript.ts"
import { Standstill } from "../process/Standstill.ts"
import * as Mailbox from "./Mailbox.ts"
import * as SeasonActor from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import { SeasonStore } from "./SeasonStore.ts"

type Store = SeasonStore["Service"]
const SEASON = id("season", 1)
const YEAR_MS = 31_536_000_000
const HOUR_MS = 3_600_000

/** A season whose host comes and goes, with a clock of its own; `wrap` may spoil its store. */
const hosted = Effect.fnUntraced(function* (wrap: (store: Store) => Store = (store) => store) {
  yield* TestClock.setTime(10_000_000)
  const memory: MemoryStore.Memory = new Map()
  MemoryStore.createSeason(memory, SEASON, settings())
  const database = yield* HostClock.make
  const store = yield* SeasonStore.pipe(Effect.provide(MemoryStore.layer(memory)), Effect.provideService(Clock.Clock, database.clock))
  const host = yield* HostClock.make
  const mailbox = yield* Mailbox.make(SEASON)
  const actor = SeasonActor.supervised(mailbox).pipe(
    Effect.provideService(SeasonStore, wrap(store)),
    Effect.provide([SeasonEvents.layerSilent, Standstill.layer, Logger.layer([])]),
    Effect.provideService(Clock.Clock, host.clock)
  )
  let fiber = yield* Effect.forkChild(actor)
  yield* TestClock.adjust(0)
  return {
    ask: <C extends Command>(command: C) => Mailbox.ask(mailbox, command),
    askAll: (...commands: ReadonlyArray<Command>) => Mailbox.askAll(mailbox, commands),
    database,
    host,
    mailbox,
    row: () => memory.get(SEASON)!,
    /** This process and its runners get no turn, while the clocks of the host and of the database go on. */
    stands: (ms: number) =>
      Effect.sync(() => {
        host.ahead_ms += ms
        database.ahead_ms += ms
      }),
    away: Effect.fnUntraced(function* (duration: `${number} seconds`) {
      yield* Fiber.interrupt(fiber)
      yield* TestClock.adjust(duration)
      fiber = yield* Effect.forkChild(actor)
      yield* TestClock.adjust(0)
    })
  }
})

describe("a season that was away", () => {
  it.effect("takes no lease and no review for it: a candidate outlives five absences of 31 s", () =>
    Effect.gen(function* () {
      const { ask, away, row } = yield* hosted()
      yield* ask(submit(1))
      const [review] = yield* ask(lease())
      for (let n = 0; n < 5; n++) yield* away("31 seconds")
      assert.deepInclude(row().versions.get(id("version", 1)), { status: "testing", phase: "review", admit_failures: 0 })
      assert.deepStrictEqual(yield* ask(report(review!)), { accepted: true })
      assert.strictEqual(row().versions.get(id("version", 1))!.phase, "trial")
    })
  )

  it.effect("gives a lease as long as a new one from its return, and no longer", () =>
    Effect.gen(function* () {
      const { askAll, ask, away, row } = yield* hosted()
      yield* askAll(...board("plain"), submit(1))
      yield* ask(report((yield* ask(lease()))[0]!))
      yield* ask(lease())
      const live = () => [...row().live.values()].map(({ losses, until }) => [losses, until])
      yield* TestClock.adjust("20 seconds")
      yield* away("40 seconds")
      assert.deepInclude(live(), [0, (yield* Clock.currentTimeMillis) + 30_000])
      yield* TestClock.adjust("30 seconds")
      assert.deepInclude(live(), [1, null])
    })
  )

  it.effect("gives an upload what was left of its window", () =>
    Effect.gen(function* () {
      const { ask, away, row } = yield* hosted()
      yield* ask(submit(1, { files: null }))
      yield* away("3600 seconds")
      const { upload_until } = row().versions.get(id("version", 1))!
      assert.strictEqual(upload_until, (yield* Clock.currentTimeMillis) + 1_800_000)
      yield* TestClock.adjust("1800 seconds")
      assert.strictEqual(row().versions.get(id("version", 1))!.reject_reason, "upload_expired")
    })
  )
})

describe("a season whose process stood still", () => {
  it.effect("takes no lease for it: a match outlives five times of 40 s, and ends with what was left of its lease", () =>
    Effect.gen(function* () {
      const { ask, askAll, row, stands } = yield* hosted()
      yield* askAll(...board("plain"), submit(1))
      yield* ask(report((yield* ask(lease()))[0]!))
      const [work] = yield* ask(lease())
      const live = () => [...row().live.values()].map(({ losses, until }) => [losses, until])
      for (let n = 0; n < 5; n++) {
        yield* stands(40_000)
        const [beat] = yield* ask({ _tag: "Heartbeat", key: id("key", 1), leases: [work!.lease] })
        assert.notProperty(beat, "lost")
        yield* TestClock.adjust("20 seconds")
      }
      assert.deepStrictEqual(
        live().map(([losses]) => losses),
        [0]
      )
      yield* TestClock.adjust("11 seconds")
      assert.deepStrictEqual(live(), [[1, null]], "nobody renews it any more")
    })
  )

  it.effect("for an hour, as where its machine slept, gives leases and uploads as much longer", () =>
    Effect.gen(function* () {
      const { ask, row, stands } = yield* hosted()
      yield* ask(submit(1))
      yield* ask(submit(2, { files: null }))
      const [review] = yield* ask(lease())
      const { upload_until } = row().versions.get(id("version", 2))!
      yield* stands(HOUR_MS)
      yield* ask({ _tag: "Tick" }) // the host's clock is believed once the database has shown the same
      assert.deepStrictEqual(yield* ask(report(review!)), { accepted: true })
      assert.strictEqual(row().versions.get(id("version", 1))!.admit_failures, 0)
      assert.closeTo(row().versions.get(id("version", 2))!.upload_until!, upload_until! + HOUR_MS, 1_000)
    })
  )
})

describe("a machine that sleeps, and its timers with it", () => {
  it.effect("begins a round that was due meanwhile within a minute, though nobody asks the season", () =>
    Effect.gen(function* () {
      const { ask, row, stands } = yield* hosted()
      const starts_at = (yield* Clock.currentTimeMillis) + 2 * HOUR_MS
      yield* ask({ _tag: "PlanRound", kind: "round", games: 10, starts_at })
      yield* TestClock.adjust("10 seconds")
      yield* stands(3 * HOUR_MS)
      yield* TestClock.adjust("61 seconds")
      assert.strictEqual(row().head.round, 1)
    })
  )
})

describe("a host whose clock is a year ahead", () => {
  it.effect("is not believed, and is again when it is right", () =>
    Effect.gen(function* () {
      const { ask, host, row } = yield* hosted()
      yield* ask(submit(1))
      host.ahead_ms = YEAR_MS
      yield* ask(submit(2))
      yield* TestClock.adjust("5 seconds")
      yield* ask(submit(3))
      assert.strictEqual(row().head.now, yield* Clock.currentTimeMillis)
      host.ahead_ms = 50_000 // within the minute
      yield* ask(submit(4))
      assert.strictEqual(row().head.now, (yield* Clock.currentTimeMillis) + 50_000)
    })
  )

  it.effect("is not believed at a claim, and a time that one left behind is put right", () =>
    Effect.gen(function* () {
      const { ask, away, host, row } = yield* hosted()
      yield* ask(submit(1))
      row().head = { ...row().head, now: (yield* Clock.currentTimeMillis) + YEAR_MS }
      host.ahead_ms = YEAR_MS
      yield* away("1 seconds")
      yield* ask(submit(2))
      assert.strictEqual(row().head.now, yield* Clock.currentTimeMillis)
    })
  )
})

describe("a clock that goes back an hour", () => {
  /** A match is leased, the clocks go back, and another is leased by a runner that is never heard of again. */
  const lost = (...back: ReadonlyArray<"database" | "host">) =>
    Effect.gen(function* () {
      const at = yield* hosted()
      const { ask, askAll, row } = at
      yield* askAll(...board("plain"), submit(1))
      const [review] = yield* ask(lease())
      for (const which of back) at[which].ahead_ms = -HOUR_MS
      yield* TestClock.adjust("1 seconds")
      const told = Mailbox.ask(at.mailbox, report(review!)).pipe(Effect.retry({ times: 5, schedule: Schedule.spaced("1 seconds") }))
      const telling = yield* Effect.forkChild(told)
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(yield* Fiber.join(telling), { accepted: true })
      yield* ask(lease())
      assert.lengthOf(row().live, 1)
      yield* TestClock.adjust("31 seconds")
      assert.deepStrictEqual(
        [...row().live.values()].map(({ losses, until }) => [losses, until]),
        [[1, null]],
        "its lease has run out"
      )
      return { ...at, now: (yield* Clock.currentTimeMillis) - (back.includes("database") ? HOUR_MS : 0) }
    })

  it.effect("of the host and the database: the season goes back with them", () =>
    Effect.gen(function* () {
      const { now, row } = yield* lost("host", "database")
      assert.closeTo(row().head.now, now, 2_000)
    })
  )

  it.effect("of the database alone: the season goes back with it", () =>
    Effect.gen(function* () {
      const { now, row } = yield* lost("database")
      assert.closeTo(row().head.now, now, 2_000)
    })
  )
})

describe("a host whose clock is behind the season's", () => {
  /** A runner takes a match and is never heard of again; 35 s later the match is queued again, and the season's time goes on. */
  const goesOn = (at: Effect.Success<ReturnType<typeof hosted>>) =>
    Effect.gen(function* () {
      yield* at.ask(lease())
      const began = at.row().head.now
      yield* TestClock.adjust("35 seconds")
      assert.deepStrictEqual(
        [...at.row().live.values()].map(({ losses, until }) => [losses, until]),
        [[1, null]],
        "its lease has run out"
      )
      assert.closeTo(at.row().head.now, began + 30_000, 2_000)
      return at.row().head.now - (yield* Clock.currentTimeMillis)
    })
  const playing = Effect.gen(function* () {
    const at = yield* hosted()
    yield* at.askAll(...board("plain"), submit(1))
    yield* at.ask(report((yield* at.ask(lease()))[0]!))
    return at
  })

  for (const [behind, by_ms] of [
    ["40 s", 40_000],
    ["a day", 24 * HOUR_MS]
  ] as const) {
    it.effect(`by ${behind} takes it from another and goes on with it`, () =>
      Effect.gen(function* () {
        const at = yield* playing
        at.host.ahead_ms = -by_ms
        yield* at.away("1 seconds")
        assert.closeTo(yield* goesOn(at), 0, 7_000)
      })
    )
  }

  it.effect("since it was set back an hour goes on, in the midst of play", () =>
    Effect.gen(function* () {
      const at = yield* playing
      at.host.ahead_ms = -HOUR_MS
      assert.closeTo(yield* goesOn(at), 0, 7_000)
    })
  )

  it.effect("goes on no faster than time passes where the database's clock is a day ahead", () =>
    Effect.gen(function* () {
      const at = yield* playing
      at.database.ahead_ms = 24 * HOUR_MS
      at.host.ahead_ms = -40_000
      yield* at.away("1 seconds")
      assert.closeTo(yield* goesOn(at), 0, 7_000)
    })
  )
})

describe("an interruption that is not ours", () => {
  for (const at of ["claim", "commit"] as const) {
    it.effect(`at a ${at} costs a reload, not the season`, () =>
      Effect.gen(function* () {
        let struck = 0
        const strike = Effect.suspend(() => (struck++ === 0 ? Effect.interrupt : Effect.void))
        const { ask, row } = yield* hosted((store) => ({
          ...store,
          claim: (season) => (at === "claim" ? Effect.andThen(strike, store.claim(season)) : store.claim(season)),
          commit: (fence, state) => (at === "commit" ? Effect.andThen(strike, store.commit(fence, state)) : store.commit(fence, state))
        }))
        if (at === "commit") assert.strictEqual((yield* Effect.flip(ask(submit(1))))._tag, "Unavailable")
        yield* TestClock.adjust("2 seconds")
        yield* ask(submit(1))
        assert.strictEqual(row().epoch, at === "claim" ? 1 : 2)
      })
    )
  }
})
