import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { gathered } from "./gathered.ts"

/** Reads that wait until they are released, and the keys that each was asked for. */
const makeReads = Effect.gen(function* () {
  const reads: Array<{ readonly keys: ReadonlyArray<string>; readonly rows: Deferred.Deferred<ReadonlyMap<string, number>> }> = []
  const get = yield* gathered((keys) =>
    Effect.suspend(() => {
      const read = { keys, rows: Deferred.makeUnsafe<ReadonlyMap<string, number>>() }
      reads.push(read)
      return Deferred.await(read.rows)
    })
  )
  const asked = (...keys: ReadonlyArray<string>) => Effect.forEach(keys, (key) => Effect.forkChild(get(key), { startImmediately: true }))
  const begun = (n: number) => Effect.repeat(Effect.yieldNow, { until: () => reads.length >= n })
  const finish = (n: number, rows: Record<string, number>) => Deferred.succeed(reads[n]!.rows, new Map(Object.entries(rows)))
  return { reads, get, asked, begun, finish }
})

it.effect("those who ask in one turn are answered by one read, each with its own row or none", () =>
  Effect.gen(function* () {
    const { asked, begun, finish, reads } = yield* makeReads
    const fibers = yield* asked("a", "b", "a", "none")
    yield* begun(1)
    assert.deepStrictEqual(reads[0]!.keys, ["a", "b", "none"])
    yield* finish(0, { a: 1, b: 2 })
    assert.deepStrictEqual(yield* Fiber.joinAll(fibers), [1, 2, 1, undefined])
    assert.strictEqual(reads.length, 1)
  })
)

it.effect("who asks while a read is under way is answered by the next, which begins after the question", () =>
  Effect.gen(function* () {
    const { asked, begun, finish, reads } = yield* makeReads
    const early = yield* asked("a")
    yield* begun(1)
    const late = yield* asked("a", "b")
    yield* Effect.yieldNow
    assert.strictEqual(reads.length, 1)
    yield* finish(0, { a: 1 })
    assert.deepStrictEqual(yield* Fiber.joinAll(early), [1])
    yield* begun(2)
    assert.deepStrictEqual(reads[1]!.keys, ["a", "b"])
    yield* finish(1, { b: 2 }) // `a` was deleted meanwhile
    assert.deepStrictEqual(yield* Fiber.joinAll(late), [undefined, 2])
  })
)

it.effect("a read that fails is the failure of those whom it would have answered; the next goes its way", () =>
  Effect.gen(function* () {
    let broken = true
    const get = yield* gathered((keys) => (broken ? Effect.die("away") : Effect.succeed(new Map(keys.map((key) => [key, 1])))))
    const [first, second] = yield* Effect.all([Effect.exit(get("a")), Effect.exit(get("b"))], { concurrency: 2 })
    assert.deepStrictEqual([first._tag, second._tag], ["Failure", "Failure"])
    broken = false
    assert.strictEqual(yield* get("a"), 1)
  })
)

it.effect("who goes away ends nothing for those who wait for the same", () =>
  Effect.gen(function* () {
    const { asked, begun, finish } = yield* makeReads
    const [gone, stays] = yield* asked("a", "a")
    yield* begun(1)
    yield* Fiber.interrupt(gone!)
    yield* finish(0, { a: 1 })
    assert.strictEqual(yield* Fiber.join(stays!), 1)
  })
)

it.effect("a crowd of strangers is read in parts", () =>
  Effect.gen(function* () {
    const sizes: Array<number> = []
    const get = yield* gathered((keys) => {
      sizes.push(keys.length)
      return Effect.succeed(new Map(keys.map((key) => [key, key])))
    })
    const keys = Array.from({ length: 600 }, (_, i) => `${i}`)
    assert.deepStrictEqual(yield* Effect.forEach(keys, get, { concurrency: "unbounded" }), keys)
    assert.deepStrictEqual(sizes, [256, 256, 88])
  })
)
