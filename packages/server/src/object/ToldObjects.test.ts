import { assert, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Option } from "effect"
import { TestClock } from "effect/testing"
import { ObjectStore, ObjectsUnavailable, ObjectTooLarge } from "./ObjectStore.ts"
import * as ToldObjects from "./ToldObjects.ts"

const key = "replays/match.hash"
const away = new ObjectsUnavailable({ operation: "get", key, detail: "ECONNREFUSED" })

/** A store of which only `get` is asked, and the lines that it logs. */
const storeWhose = (get: (typeof ObjectStore)["Service"]["get"]) =>
  Effect.gen(function* () {
    const beneath = Layer.succeed(ObjectStore, { get } as (typeof ObjectStore)["Service"])
    const store = Context.get(yield* Layer.build(Layer.provide(ToldObjects.layer, beneath)), ObjectStore)
    const lines: Array<unknown> = []
    const logger = Logger.layer([Logger.make(({ message }) => void lines.push(message))])
    return { lines, get: Effect.provide(store.get({ key, max_bytes: 1 }), logger) }
  })

it.effect("a store that fails is told once a minute for each fault, with the fault", () =>
  Effect.gen(function* () {
    const { get, lines } = yield* storeWhose(() => Effect.fail(away))
    const line = { operation: "get", key, detail: "ECONNREFUSED" }
    for (let i = 0; i < 5; i++) assert.strictEqual(yield* Effect.flip(get), away)
    assert.deepStrictEqual(lines, [["the object store failed", line]])
    yield* TestClock.adjust("1 minute")
    yield* Effect.flip(get)
    assert.deepStrictEqual(lines.slice(1), [["the object store failed", { ...line, left_out: 4 }]])
  })
)

it.effect("a store that hangs is told before it is given up, once a minute for all who wait", () =>
  Effect.gen(function* () {
    const { get, lines } = yield* storeWhose(() => Effect.never)
    const waiting = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(get))
    yield* TestClock.adjust("19 seconds")
    assert.isEmpty(lines)
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(lines, [["the object store takes long", { operation: "get", key }]])
    yield* Fiber.interruptAll(waiting)
  })
)

it.effect("nothing is told of an object that is found in time, is missing, or is longer than was asked for", () =>
  Effect.gen(function* () {
    const tooLarge = new ObjectTooLarge({ key, max_bytes: 1 })
    for (const answer of [Effect.succeed(Option.some(new Uint8Array(1))), Effect.succeedNone, Effect.fail(tooLarge)]) {
      const { get, lines } = yield* storeWhose(() => Effect.delay(answer, "10 seconds"))
      const asked = yield* Effect.forkChild(Effect.exit(get))
      yield* TestClock.adjust("10 seconds")
      yield* Fiber.join(asked)
      yield* TestClock.adjust("1 minute")
      assert.isEmpty(lines)
    }
  })
)
