import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { Caller, CurrentCaller } from "./Caller.ts"
import { type Bounds, makeShare } from "./Share.ts"

const shareOf = (bounds: Bounds) => {
  const { take, ...rest } = makeShare(bounds, () => "refused" as const)
  return { ...rest, take: take(Effect.interruptible) }
}
const share = () => shareOf({ places: 2, waiting: 3, wait: "5 seconds" })

describe("a share", () => {
  it.effect("has so many places, passes them on in the order of asking, and refuses at once who would be one too many", () =>
    Effect.gen(function* () {
      const { release, take } = share()
      const had: Array<number> = []
      yield* take
      yield* take
      const waiting = yield* Effect.forEach([1, 2, 3], (n) =>
        Effect.forkChild(
          Effect.andThen(
            take,
            Effect.sync(() => had.push(n))
          ),
          { startImmediately: true }
        )
      )
      assert.strictEqual(yield* Effect.flip(take), "refused")
      for (const [i, fiber] of waiting.entries()) {
        yield* release(undefined)
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(had, [1, 2, 3].slice(0, i + 1))
      }
    })
  )

  it.effect("is waited for so long", () =>
    Effect.gen(function* () {
      const { release, take } = share()
      yield* take
      yield* take
      const waiting = yield* Effect.forkChild(Effect.flip(take), { startImmediately: true })
      yield* TestClock.adjust("4999 millis")
      assert.isUndefined(waiting.pollUnsafe())
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* Fiber.join(waiting), "refused")
      yield* release(undefined)
      yield* take
      assert.strictEqual((yield* Effect.forkChild(take, { startImmediately: true })).pollUnsafe(), undefined, "who gave up has no place")
    })
  )

  it.effect("loses no place to those who go away, while they wait or as it is passed to them", () =>
    Effect.gen(function* () {
      const { release, take } = share()
      yield* take
      yield* take
      const [one, other] = yield* Effect.forEach([1, 2], () => Effect.forkChild(take, { startImmediately: true }))
      yield* Fiber.interrupt(one!)
      yield* release(undefined) // passes it to the other, which has not resumed yet
      yield* Fiber.interrupt(other!)
      if (Exit.isSuccess(yield* Fiber.await(other!))) yield* release(undefined) // it resumed before the interruption
      yield* release(undefined)
      yield* take
      yield* take
      assert.isUndefined((yield* Effect.forkChild(take, { startImmediately: true })).pollUnsafe())
    })
  )

  it.effect("is not waited for by those who have gone away, with a limit of the wait or without one", () =>
    Effect.gen(function* () {
      for (const wait of ["5 seconds", undefined] as const) {
        const { taken, use, waiting } = shareOf({ places: 1, waiting: 3, ...(wait && { wait }) })
        const holder = yield* Effect.forkChild(use(Effect.never), { startImmediately: true })
        const gone = yield* Effect.forkChild(use(Effect.void), { startImmediately: true })
        assert.deepStrictEqual([taken(), waiting()], [1, 1])
        yield* Fiber.interrupt(gone) // ends only where it leaves at once: nobody moves the clock
        assert.strictEqual(waiting(), 0)
        yield* Fiber.interrupt(holder)
        assert.strictEqual(taken(), 0)
        yield* use(Effect.void)
        assert.strictEqual(taken(), 0)
      }
    })
  )

  it.effect("is waited for by those who may not leave, and whoever holds it for a scope has it until then", () =>
    Effect.gen(function* () {
      const { hold, taken, use, waiting } = share()
      const holders = yield* Effect.forEach([1, 2], () =>
        Effect.forkChild(Effect.scoped(Effect.andThen(hold, Effect.never)), { startImmediately: true })
      )
      let had = false
      const told = Effect.sync(() => {
        had = true
      })
      const committed = yield* Effect.forkChild(Effect.uninterruptible(use(told)), { startImmediately: true })
      yield* Effect.forkChild(Fiber.interrupt(committed), { startImmediately: true })
      assert.deepStrictEqual([taken(), waiting(), had], [2, 1, false])
      yield* Fiber.interrupt(holders[0]!)
      yield* Fiber.await(committed)
      assert.deepStrictEqual([taken(), waiting(), had], [1, 0, true])
    })
  )

  const bounded = () => shareOf({ places: 3, waiting: 5, each: { places: 2, waiting: 3 } })
  const of = <A, E>(effect: Effect.Effect<A, E>, caller: Caller) => Effect.provideService(effect, CurrentCaller, caller)
  const start = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })
  const named = (name: string) => new Caller(name)

  it.effect("has a part for each caller, of the places and of the queue, and others find theirs free", () =>
    Effect.gen(function* () {
      const { release, take, taken, waiting } = bounded()
      for (const _ of [1, 2]) yield* of(take, named("greedy"))
      const queued = yield* Effect.forEach([1, 2, 3], () => start(of(take, named("greedy"))))
      assert.strictEqual(yield* Effect.flip(of(take, named("greedy"))), "refused")
      assert.deepStrictEqual([taken(), waiting()], [2, 3], "a place is left, for another")
      yield* of(take, named("other"))
      const late = yield* start(of(take, named("late")))
      yield* release("greedy")
      assert.strictEqual(yield* Fiber.join(late), "late", "who holds less comes first")
      assert.isUndefined(queued[0]!.pollUnsafe())
      yield* release("other")
      assert.strictEqual(yield* Fiber.join(queued[0]!), "greedy")
      assert.deepStrictEqual([taken(), waiting()], [3, 2])
    })
  )

  it.effect("has a place for what a greedy caller waits for once somebody else waits for it too", () =>
    Effect.gen(function* () {
      const { release, take, taken } = bounded()
      for (const _ of [1, 2]) yield* of(take, named("greedy"))
      const shared = named("greedy")
      const waiting = yield* start(of(take, shared))
      assert.isUndefined(waiting.pollUnsafe())
      shared.join(named("other"))
      const place = yield* Fiber.join(waiting)
      assert.deepStrictEqual([place, taken()], ["other", 3])
      yield* release(place)
      assert.strictEqual(taken(), 2)
    })
  )
})
