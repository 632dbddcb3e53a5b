import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Parking } from "./Parking.ts"

/** As many wait, and most are never looked at. */
const CROWD = 2_000
const waiting = (kind = "any", seasons: ReadonlyArray<string> = ["s"], key?: string) => ({
  ...{ kind, serves: (season: string) => seasons.includes(season) },
  ...(key === undefined ? {} : { key })
})
const parked = (kind?: string, seasons?: ReadonlyArray<string>, since = 0) =>
  Effect.flatMap(Parking, (parking) =>
    Effect.tap(Effect.forkChild(Effect.as(parking.park(waiting(kind, seasons), since, 30_000), "woken")), () => TestClock.adjust(0))
  )
const parkedOf = (key: string) =>
  Effect.flatMap(Parking, (parking) =>
    Effect.tap(Effect.forkChild(Effect.as(parking.park(waiting("any", ["s"], key), 0, 30_000), "woken")), () => TestClock.adjust(0))
  )

/** Whether it has to ask, once it is known. */
const asks = (wait_ms: number) =>
  Effect.flatMap(Parking, (parking) => Effect.forkChild(parking.park(waiting(), parking.signal(), wait_ms), { startImmediately: true }))

describe("Parking", () => {
  it.effect("wakes one request for work that appears, and the next when that one was given some", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const [first, second] = [yield* parked(), yield* parked()]
      parking.wake("s")
      assert.strictEqual(yield* Fiber.join(first), "woken")
      assert.strictEqual(parking.size(), 1)
      parking.told("s", "any", parking.signal(), true)
      assert.strictEqual(yield* Fiber.join(second), "woken")
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("passes what one kind cannot do on to another kind, and asks no second of the same", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const players = [yield* parked("match"), yield* parked("match")]
      const examiner = yield* parked("admission")
      parking.wake("s")
      yield* Fiber.join(players[0]!)
      parking.told("s", "match", parking.signal(), false)
      assert.strictEqual(yield* Fiber.join(examiner), "woken")
      parking.told("s", "admission", parking.signal(), true)
      assert.strictEqual(parking.size(), 1)
      parking.wake("s") // new work wakes those too
      assert.strictEqual(yield* Fiber.join(players[1]!), "woken")
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("passes what is kept from one key on to the first of another key, and asks no second of the same", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const [first, same, other] = [yield* parkedOf("a"), yield* parkedOf("a"), yield* parkedOf("b")]
      const woken = () => [first, same, other].map((fiber) => fiber.pollUnsafe() !== undefined)
      parking.wake("s")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(woken(), [true, false, false])
      parking.told("s", "any", parking.signal(), false, "a")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(woken(), [true, false, true])
      parking.told("s", "any", parking.signal(), true, "b")
      const late = yield* parkedOf("b") // it asked before the signal
      assert.isDefined(late.pollUnsafe())
      assert.strictEqual(parking.size(), 1)
      parking.wake("s")
      yield* TestClock.adjust(0)
      assert.isTrue(woken()[1])
    }).pipe(Effect.provide(Parking.layer))
  )

  it.effect("asks three keys of a kind after a signal without work, and not each machine of a fleet that has a key for each", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      for (let n = 0; n < CROWD; n++) yield* Effect.forkChild(parking.park(waiting("any", ["s"], `key ${n}`), 0, 30_000))
      yield* TestClock.adjust(0)
      for (const asked of [3, 6]) {
        parking.wake("s")
        for (let n = asked - 3; n < asked + 2; n++) parking.told("s", "any", parking.signal(), false, `key ${n}`)
        yield* TestClock.adjust(0)
        assert.strictEqual(parking.size(), CROWD - asked)
      }
    }).pipe(Effect.provide(Parking.layer))
  )

  it.effect("keeps so many kinds that were given nothing, and lets one that it forgot ask once more", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      parking.wake("s")
      for (let n = 0; n <= 256; n++) parking.told("s", `kind ${n}`, parking.signal(), false)
      const last = yield* parked("kind 256")
      yield* parking.park(waiting("kind 0"), 0, 30_000) // else it would wait for ever: the test's clock stands still
      assert.strictEqual(parking.size(), 1)
      yield* Fiber.interrupt(last)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("forgets what was long ago of seasons that have ended meanwhile: their signals, and whom they gave nothing", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      parking.wake("s")
      parking.told("s", "any", parking.signal(), false, "key")
      assert.isTrue(parking.refused("s", "any", "key"))
      for (let n = 0; n < 4_096; n++) {
        parking.wake(`other ${n}`)
        parking.told(`other ${n}`, "any", parking.signal(), false, "key")
      }
      assert.isFalse(parking.refused("s", "any", "key"))
      const waits = yield* parked("another")
      assert.strictEqual(parking.size(), 1)
      yield* Fiber.interrupt(waits)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("knows for some seconds whom a season gave nothing, until its next signal, by kind and key", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const refused = () => ["key 1", "key 2"].map((key) => parking.refused("s", "any", key))
      parking.wake("s")
      assert.deepStrictEqual(refused(), [false, false])
      parking.told("s", "any", parking.signal(), false, "key 1")
      assert.deepStrictEqual(refused(), [true, false])
      assert.isFalse(parking.refused("s", "other", "key 1") || parking.refused("t", "any", "key 1"))
      yield* TestClock.adjust("5 seconds")
      assert.deepStrictEqual(refused(), [false, false])
      parking.told("s", "any", parking.signal(), false, "key 1")
      parking.wake("s")
      assert.deepStrictEqual(refused(), [false, false])
      const before = parking.signal() - 1
      parking.told("s", "any", before, false, "key 1") // it asked before the signal
      assert.deepStrictEqual(refused(), [false, false])
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("does not park a request that was signalled after it asked, nor wake one that serves another season", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const since = parking.signal()
      parking.wake("s")
      yield* parking.park(waiting(), since, 30_000)
      const other = yield* parked("any", ["t"])
      parking.wake("s")
      assert.strictEqual(parking.size(), 1)
      yield* TestClock.adjust("30 seconds")
      yield* Fiber.join(other)
      assert.strictEqual(parking.size(), 0)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("passes the wake of a request that does not ask on to the next", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const [first, second, third] = [yield* parked(), yield* parked(), yield* parked()]
      parking.wake("s")
      yield* Fiber.join(first)
      parking.passOn(waiting(), 0)
      assert.strictEqual(parking.size(), 1)
      yield* Fiber.join(second)
      parking.passOn(waiting("any", ["t"]), 0) // nobody parked serves that season
      assert.strictEqual(parking.size(), 1)
      parking.wake("s")
      yield* Fiber.join(third)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("finds whom to wake without looking at everybody who waits", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      let looks = 0
      const looking = { kind: "match", serves: () => ++looks > 0 }
      for (let n = 0; n < CROWD; n++) yield* Effect.forkChild(parking.park(looking, 0, 30_000))
      yield* TestClock.adjust(0)
      assert.strictEqual(parking.size(), CROWD)
      parking.wake("s")
      for (let n = 0; n < 10; n++) parking.told("s", "match", parking.signal(), true)
      parking.told("s", "match", parking.signal(), false)
      for (let n = 0; n < 100; n++) parking.told("t", "match", parking.signal(), true) // nobody waits for a signal of that season
      yield* TestClock.adjust(0)
      assert.strictEqual(parking.size(), CROWD - 11)
      assert.strictEqual(looks, 11)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("wakes of two kinds the request that parked first", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const fibers = [yield* parked("a"), yield* parked("b"), yield* parked("a"), yield* parked("b")]
      parking.wake("s")
      for (const fiber of fibers) {
        assert.strictEqual(yield* Fiber.join(fiber), "woken")
        parking.told("s", "c", parking.signal(), true)
      }
      assert.strictEqual(parking.size(), 0)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("wakes a request that asked before a signal though others that asked after it parked before", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      parking.wake("t") // the first signal
      const late = yield* parked("any", ["s"], 1)
      parking.wake("s")
      yield* Fiber.join(late)
      parking.told("s", "any", parking.signal(), false) // a request that is on its way to park had asked before
      const [after, before] = [yield* parked("any", ["s"], 2), yield* parked("any", ["s"], 0)]
      parking.wake("t")
      parking.told("t", "any", parking.signal(), true)
      assert.strictEqual(parking.size(), 2)
      parking.wake("s")
      assert.strictEqual(yield* Fiber.join(before), "woken")
      parking.told("s", "any", parking.signal(), true)
      assert.strictEqual(yield* Fiber.join(after), "woken")
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("does not park a request whose runner was stopped after it asked, and lets others wait", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      for (let n = 0; n < 1_000; n++) parking.stop(`runner-${n}`)
      yield* parking.park({ ...waiting(), runner: "runner-0" }, 0, 30_000)
      parking.stop("runner-1000") // the first is remembered no more
      yield* Effect.forkChild(parking.park({ ...waiting(), runner: "runner-0" }, 0, 30_000))
      yield* Effect.forkChild(parking.park({ ...waiting(), runner: "another" }, 0, 30_000))
      yield* TestClock.adjust(0)
      assert.strictEqual(parking.size(), 2)
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("tells a request to ask where it was woken, and not where its time ended", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const [short, long] = [yield* asks(30_000), yield* asks(60_000)]
      yield* TestClock.adjust(30_000)
      assert.isFalse(yield* Fiber.join(short))
      parking.wake("s")
      assert.isTrue(yield* Fiber.join(long))
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("loses no work that appears at the moment at which a request's time ends", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const wakes = Effect.forkChild(
        Effect.delay(
          Effect.sync(() => parking.wake("s")),
          30_000
        ),
        { startImmediately: true }
      )
      for (const wakesFirst of [true, false]) {
        if (wakesFirst) yield* wakes
        const [first, second] = [yield* asks(30_000), yield* asks(60_000)]
        if (!wakesFirst) yield* wakes
        yield* TestClock.adjust(30_000)
        if (!(yield* Fiber.join(first))) assert.isTrue(yield* Fiber.join(second))
        assert.strictEqual(parking.size(), wakesFirst ? 1 : 0)
        yield* Fiber.interrupt(second)
      }
    }).pipe(Effect.provide(Parking.layer))
  )
  it.effect("lets everybody go when the node stops, and nobody waits from then on", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      const waiting_now = [yield* parked("match"), yield* parked("admission", ["t"])]
      yield* parking.close
      for (const each of waiting_now) assert.strictEqual(yield* Fiber.join(each), "woken")
      yield* parking.park(waiting(), parking.signal(), 30_000)
      assert.deepStrictEqual([parking.size(), parking.isClosed()], [0, true])
    }).pipe(Effect.provide(Parking.layer))
  )

  it.effect("lets who has waited for seconds go before who comes, once a second at most", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      assert.isUndefined(parking.leaves("s"), "nobody waits")
      const [first, second] = [yield* parked(), yield* parked()]
      yield* TestClock.adjust("4 seconds")
      assert.isUndefined(parking.leaves("s"))
      yield* TestClock.adjust("1 second")
      assert.isUndefined(parking.leaves("other"))
      const signal = parking.leaves("s")!
      assert.strictEqual(yield* Fiber.join(first), "woken")
      assert.strictEqual(parking.leaves("s"), signal, "until it has asked")
      const comes = yield* parked("any", ["s"], signal - 1)
      assert.isUndefined(comes.pollUnsafe())
      parking.told("s", "any", parking.signal(), true)
      assert.isUndefined(parking.leaves("s"))
      assert.strictEqual(yield* Fiber.join(second), "woken")
      parking.told("s", "any", parking.signal(), true)
      assert.strictEqual(yield* Fiber.join(comes), "woken")
      yield* parked("any", ["s"], parking.signal())
      yield* TestClock.adjust("5 seconds")
      assert.isAbove(parking.leaves("s")!, signal)
    }).pipe(Effect.provide(Parking.layer))
  )

  it.effect("has others ask after half a second where who has waited for seconds does not", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      yield* parked()
      yield* TestClock.adjust("5 seconds")
      const comes = yield* parked("any", ["s"], parking.leaves("s")! - 1)
      yield* TestClock.adjust("499 millis")
      assert.isUndefined(comes.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.isDefined(comes.pollUnsafe())
      assert.isUndefined(parking.leaves("s"))
    }).pipe(Effect.provide(Parking.layer))
  )

  it.effect("asks a season again that gave nothing, and lets who has waited go first, also where the host's clock was set back", () =>
    Effect.gen(function* () {
      const parking = yield* Parking
      parking.wake("s")
      parking.told("s", "any", parking.signal(), false, "key")
      const waits = yield* parked("another", ["s"], parking.signal())
      yield* TestClock.setTime(-3_600_000)
      assert.isTrue(parking.refused("s", "any", "key"))
      yield* TestClock.adjust("5 seconds")
      assert.isFalse(parking.refused("s", "any", "key"))
      assert.isDefined(parking.leaves("s"))
      assert.strictEqual(yield* Fiber.join(waits), "woken")
    }).pipe(Effect.provide(Parking.layer))
  )
})
