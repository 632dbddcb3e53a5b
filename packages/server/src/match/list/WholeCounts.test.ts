import { assert, layer } from "@effect/vitest"
import { Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import * as Postgres from "../../../../../test/support/Postgres.ts"
import { CurrentCallerClass } from "../../database/CallerClass.ts"
import { Caller, CurrentCaller } from "../../process/Caller.ts"
import { WholeCounts } from "./WholeCounts.ts"

/** A count that ends when it is told to, and says how often it was begun. */
const held = Effect.map(Deferred.make<number>(), (end) => {
  const one = { begun: 0, end }
  return Object.assign(one, {
    count: Effect.suspend(() =>
      Effect.andThen(
        Effect.sync(() => one.begun++),
        Deferred.await(end)
      )
    )
  })
})

const ofOneProcess = Effect.map(Layer.build(Layer.fresh(WholeCounts.layer)), Context.get(WholeCounts))

/** So that what was forked reaches its wait, the database's answers included. */
const until = (what: () => boolean): Effect.Effect<void> =>
  Effect.suspend(() =>
    what()
      ? Effect.void
      : Effect.andThen(
          Effect.promise(() => new Promise(setImmediate)),
          until(what)
        )
  )

layer(Postgres.layer())("a count of a whole season", (it) => {
  it.effect("runs once for all that ask, and goes on where one of them is gone or has waited for too long", () =>
    Effect.gen(function* () {
      const whole = yield* ofOneProcess
      const one = yield* held
      const asked = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(whole("a", one.count)))
      yield* until(() => one.begun === 1)
      yield* Fiber.interrupt(asked[0]!)
      yield* TestClock.adjust("4 seconds")
      assert.propertyVal(yield* Effect.flip(Fiber.join(asked[1]!)), "code", "unavailable")
      const next = yield* Effect.forkChild(whole("a", one.count))
      yield* Effect.yieldNow
      yield* Deferred.succeed(one.end, 7)
      assert.deepStrictEqual([yield* Fiber.join(next), one.begun], [7, 1])
      assert.deepStrictEqual([yield* whole("a", one.count), one.begun], [7, 2], "what is found is kept by others")
    })
  )

  it.effect("has a statement's time of its own and the service's connections, whoever asks", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const whole = yield* ofOneProcess
      const limits = Effect.all([Effect.orDie(sql<{ statement_timeout: string }>`SHOW statement_timeout`), CurrentCallerClass])
      const [rows, caller] = yield* Effect.provideService(whole("a", limits), CurrentCallerClass, "anonymous")
      assert.deepStrictEqual([rows[0]!.statement_timeout, caller], ["2min", "service"])
      assert.notStrictEqual((yield* sql<{ statement_timeout: string }>`SHOW statement_timeout`)[0]!.statement_timeout, "2min")
    })
  )

  it.effect("is one of two at once, and of sixty-four that wait; one more is refused at once", () =>
    Effect.gen(function* () {
      const whole = yield* ofOneProcess
      const all = yield* Effect.forEach(Array.from({ length: 64 }), () => held)
      for (const [i, { count }] of all.entries()) yield* Effect.forkChild(whole(`${i}`, count))
      yield* until(() => all.filter(({ begun }) => begun > 0).length === 2)
      assert.propertyVal(yield* Effect.flip(whole("64", Effect.succeed(0))), "code", "unavailable")
      for (const { end } of all) yield* Deferred.succeed(end, 1)
      yield* until(() => all.every(({ begun }) => begun === 1))
      assert.strictEqual(yield* whole("64", Effect.succeed(5)), 5)
    })
  )

  it.effect("has one turn and a quarter of the queue for each caller, and what another waits for as well has theirs", () =>
    Effect.gen(function* () {
      const whole = yield* ofOneProcess
      const of = <A, E>(name: string, effect: Effect.Effect<A, E>) => Effect.provideService(effect, CurrentCaller, new Caller(name))
      const all = yield* Effect.forEach(Array.from({ length: 16 }), () => held)
      for (const [i, { count }] of all.entries()) yield* Effect.forkChild(of("greedy", whole(`${i}`, count)))
      yield* until(() => all[0]!.begun === 1)
      assert.propertyVal(yield* Effect.flip(of("greedy", whole("16", Effect.succeed(0)))), "code", "unavailable")
      assert.strictEqual(yield* of("other", whole("other", Effect.succeed(3))), 3)
      assert.strictEqual(all.filter(({ begun }) => begun > 0).length, 1)
      const last = yield* Effect.forkChild(of("other", whole("15", Effect.succeed(0))))
      yield* until(() => all[15]!.begun === 1)
      yield* Deferred.succeed(all[15]!.end, 5)
      assert.strictEqual(yield* Fiber.join(last), 5)
      for (const { end } of all) yield* Deferred.succeed(end, 1)
      yield* until(() => all.every(({ begun }) => begun === 1))
    })
  )

  it.effect("that fails is begun anew", () =>
    Effect.gen(function* () {
      const whole = yield* ofOneProcess
      assert.isTrue(Exit.isFailure(yield* Effect.exit(whole("a", Effect.die("broken")))))
      assert.strictEqual(yield* whole("a", Effect.succeed(3)), 3)
    })
  )
})
