/**
 * One suite over both stores of token buckets: in memory, where the test moves the clock, and in
 * a real Redis, where it waits.
 */

import { type Limit, RateLimitStore } from "@agon/server/http/limit/RateLimitStore.ts"
import { makeMemory } from "@agon/server/http/limit/RateLimitStoreMemory.ts"
import * as RateLimitStoreRedis from "@agon/server/http/limit/RateLimitStoreRedis.ts"
import { assert, describe, it, layer, type Vitest } from "@effect/vitest"
import { Clock, Context, Effect, Layer, Metric } from "effect"
import { TestClock } from "effect/testing"
import { missingRedis, Redis } from "../support/Redis.ts"

/** The surroundings of a store, as the suite needs them. */
class Bench extends Context.Service<
  Bench,
  {
    /** Lets at least this many milliseconds pass. */
    readonly pass: (ms: number) => Effect.Effect<void>
    readonly now_ms: Effect.Effect<number>
    /** Buckets that take room. */
    readonly kept: Effect.Effect<number>
    /** How long idle buckets may need to go. */
    readonly idle_ms: number
    /** How much of polite clients. */
    readonly clients: number
    /** So many of them at once; where the clock is the test's, one moves it. */
    readonly together: number
    readonly episodes: number
  }
>()("test/Bench") {}

const take = (bucket: string, limit: Limit) =>
  Effect.flatMap(RateLimitStore, (store) => {
    const wait_ms = store.takeUnsafe(bucket, limit)
    return typeof wait_ms === "number" ? Effect.succeed(wait_ms) : wait_ms
  })

/** Takes until it is refused; how many it got, and what it was told. */
const drain = Effect.fnUntraced(function* (bucket: string, limit: Limit) {
  for (let got = 0; ; got++) {
    const wait_ms = yield* take(bucket, limit)
    if (wait_ms > 0) return { got, wait_ms }
  }
})

/** Draws from 0 to 1; neighbouring seeds begin far apart. */
const random = (seed: number) => {
  let state = Math.imul(seed, 0x9e3779b1)
  return () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5) >>> 0
    return state / 4294967296
  }
}

/**
 * Sends when it likes, but having been refused waits as it was told. Dies where that did not
 * suffice, or where it got too much.
 */
const politeClient = Effect.fnUntraced(function* (seed: number) {
  const bench = yield* Bench
  const draw = random(seed)
  const limit = { per_s: 50 * 40 ** draw(), burst: 1 + Math.floor(20 * draw()) }
  const began_ms = yield* bench.now_ms
  let got = 0
  for (let episode = 0; episode < bench.episodes; episode++) {
    for (let sent = Math.ceil(2 * limit.burst * draw()); sent > 0; sent--) {
      const wait_ms = yield* take(`polite-${seed}`, limit)
      got += 1
      if (wait_ms === 0) continue
      yield* bench.pass(wait_ms)
      const again_ms = yield* take(`polite-${seed}`, limit)
      assert.strictEqual(again_ms, 0, `seed ${seed}: refused again after ${wait_ms} ms, ${JSON.stringify(limit)}`)
    }
    yield* bench.pass(Math.floor((2000 / limit.per_s) * draw()))
  }
  const elapsed_ms = (yield* bench.now_ms) - began_ms
  assert.isAtMost(got, limit.burst + (elapsed_ms * limit.per_s) / 1000 + 1, `seed ${seed}: more than ${JSON.stringify(limit)} allows`)
})

const slow: Limit = { per_s: 0.1, burst: 5 }

const conformance = (it: Vitest.MethodsNonLive<RateLimitStore | Bench>) => {
  it.effect("a full bucket lets its burst pass, and then says how long a token takes", () =>
    Effect.gen(function* () {
      const { got, wait_ms } = yield* drain("burst", slow)
      assert.strictEqual(got, 5)
      assert.isTrue(Number.isInteger(wait_ms) && wait_ms > 8000 && wait_ms <= 10_000, `${wait_ms} ms`)
    })
  )

  it.effect("waiting as told suffices", () =>
    Effect.gen(function* () {
      const bench = yield* Bench
      for (const limit of [
        { per_s: 30, burst: 3 },
        { per_s: 7, burst: 1 }
      ]) {
        const { wait_ms } = yield* drain(`told-${limit.per_s}`, limit)
        yield* bench.pass(wait_ms)
        assert.strictEqual(yield* take(`told-${limit.per_s}`, limit), 0)
      }
    })
  )

  it.effect("a bucket gains its rate", () =>
    Effect.gen(function* () {
      const bench = yield* Bench
      const limit = { per_s: 50, burst: 50 } // of a second, which the longest pause of this process may take
      yield* drain("rate", limit)
      const began_ms = yield* bench.now_ms
      let got = 0
      for (let i = 0; i < 20; i++) {
        yield* bench.pass(17)
        got += (yield* drain("rate", limit)).got
      }
      const due = ((yield* bench.now_ms) - began_ms) / 20
      assert.isTrue(Math.abs(got - due) <= 1.5, `${got} tokens where ${due} were due`)
    })
  )

  it.effect("a bucket that rests is full and no fuller", () =>
    Effect.gen(function* () {
      const bench = yield* Bench
      const limit = { per_s: 20, burst: 4 }
      yield* drain("rest", limit)
      yield* bench.pass(700)
      const began_ms = yield* bench.now_ms
      const { got } = yield* drain("rest", limit)
      assert.isAtLeast(got, 4)
      assert.isAtMost(got, 4 + ((yield* bench.now_ms) - began_ms) / 50 + 1)
    })
  )

  it.effect("a bucket that is half full is not forgotten", () =>
    Effect.gen(function* () {
      const bench = yield* Bench
      const limit = { per_s: 20, burst: 10 }
      yield* drain("half", limit)
      const began_ms = yield* bench.now_ms
      yield* bench.pass(350)
      const { got } = yield* drain("half", limit)
      assert.isAtLeast(got, 7)
      assert.isAtMost(got, ((yield* bench.now_ms) - began_ms) / 50 + 1)
    })
  )

  it.effect("buckets know nothing of one another", () =>
    Effect.gen(function* () {
      yield* drain("write:ada", slow)
      for (const other of ["write:bob", "read:ada", "write:ad", "write:ada:"]) assert.strictEqual((yield* drain(other, slow)).got, 5, other)
      assert.isAbove(yield* take("write:ada", slow), 0)
    })
  )

  it.effect("a hundred takes at once get the burst between them", () =>
    Effect.gen(function* () {
      const waits = yield* Effect.all(
        Array.from({ length: 100 }, () => take("crowd", { per_s: 0.1, burst: 10 })),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(waits.filter((wait_ms) => wait_ms === 0).length, 10)
    })
  )

  it.effect("where there is no limit everybody passes and nothing is kept", () =>
    Effect.gen(function* () {
      const { kept } = yield* Bench
      const before = yield* kept
      for (let i = 0; i < 50; i++) assert.strictEqual(yield* take(`free-${i}`, { per_s: Infinity, burst: Infinity }), 0)
      assert.isAtMost(yield* kept, before)
    })
  )

  it.effect("an idle bucket is dropped when it is full again", () =>
    Effect.gen(function* () {
      const { idle_ms, kept, pass } = yield* Bench
      const before = yield* kept
      const names = Array.from({ length: 500 }, (_, i) => `idle-${i}`)
      // A bucket is full again after 3 s: the first are not while the last are taken from.
      yield* Effect.forEach(names, (name) => take(name, { per_s: 1 / 3, burst: 5 }), { concurrency: 50, discard: true })
      assert.isAtLeast(yield* kept, 400)
      for (let tries = 0; tries < 40 && (yield* kept) > before + 5; tries++) {
        yield* pass(idle_ms)
        yield* take("other", { per_s: 1000, burst: 5 })
      }
      assert.isAtMost(yield* kept, before + 5)
    })
  )

  it.effect("who waits as told is never refused twice in a row, whatever the rate, the burst and the rhythm", () =>
    Effect.flatMap(Bench, ({ clients, together }) =>
      Effect.all(
        Array.from({ length: clients }, (_, i) => politeClient(i + 1)),
        { concurrency: together, discard: true }
      )
    )
  )
}

const memory = Layer.effectContext(
  Effect.map(Clock.Clock, (clock) => {
    const { sizeUnsafe, takeUnsafe } = makeMemory(clock)
    return Context.make(RateLimitStore, { takeUnsafe }).pipe(
      Context.add(Bench, {
        pass: TestClock.adjust,
        now_ms: Clock.currentTimeMillis,
        kept: Effect.sync(sizeUnsafe),
        idle_ms: 10_000,
        clients: 200,
        together: 1,
        episodes: 12
      })
    )
  })
)

const passed_ms = Effect.sync(() => performance.now())

/** A timer may fire a millisecond early. */
const passReally = (ms: number): Effect.Effect<void> =>
  Effect.gen(function* () {
    const until_ms = (yield* passed_ms) + ms
    for (;;) {
      const left_ms = until_ms - (yield* passed_ms)
      if (left_ms <= 0) return
      yield* Effect.sleep(Math.ceil(left_ms))
    }
  })

/** No take of the suite may be decided by this process, hence the patience. */
const redis = Layer.effect(
  Bench,
  Effect.map(Redis, ({ ask }) => ({
    pass: passReally,
    now_ms: passed_ms,
    kept: Effect.map(ask("DBSIZE"), (answer) => Number(answer.slice(1))),
    idle_ms: 100,
    clients: 40,
    together: 40,
    episodes: 4
  }))
).pipe(
  Layer.provideMerge(Layer.unwrap(Effect.map(Redis, ({ url }) => RateLimitStoreRedis.layer({ url, answer_ms: 20_000 })))),
  Layer.provideMerge(Redis.layer)
)

const aloneOf = Effect.map(Metric.snapshot, (all) => {
  const found = all.find(({ id }) => id === "agon_rate_limit_alone_total")
  return found === undefined ? 0 : Number((found.state as { readonly count: number | bigint }).count)
})

/** The count of the files before this one in this process. */
const aloneBefore = Effect.runSync(aloneOf)

layer(memory)("token buckets in memory", conformance)

const missing = missingRedis()
describe.skipIf(missing !== undefined)(`token buckets in Redis${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(redis, { excludeTestServices: true })((it) => {
    conformance(it)

    it.effect("a bucket further ahead than its burst, as after a clock was set back, is an empty one", () =>
      Effect.gen(function* () {
        const { ask } = yield* Redis
        yield* ask("SET agon:rate:odd 9000000000000000")
        const limit = { per_s: 10, burst: 5 }
        const wait_ms = yield* take("odd", limit)
        assert.isTrue(wait_ms > 0 && wait_ms <= 100, `${wait_ms} ms`)
        yield* passReally(wait_ms)
        assert.strictEqual(yield* take("odd", limit), 0)
      })
    )

    it.effect("every take was decided by Redis, and every key goes by itself", () =>
      Effect.gen(function* () {
        const { ask } = yield* Redis
        assert.strictEqual(yield* aloneOf, aloneBefore)
        const script =
          "for _, key in ipairs(redis.call('KEYS', '*')) do if redis.call('PTTL', key) < 0 then return key end end return 'none'"
        assert.strictEqual(yield* ask(`EVAL "${script}" 0`), "$4")
      })
    )
  })
})

describe("buckets in memory", () => {
  it.effect("are at most as many as there may be, of however many callers; those that stay are counted on", () =>
    Effect.gen(function* () {
      const { sizeUnsafe, takeUnsafe } = makeMemory(yield* Clock.Clock, 1000)
      for (let i = 0; i < 20_000; i++) {
        if (i % 100 === 0) takeUnsafe("stays", { per_s: 0.001, burst: 200 })
        takeUnsafe(`caller-${i}`, slow)
        assert.isAtMost(sizeUnsafe(), 1000)
      }
      assert.isAbove(takeUnsafe("stays", { per_s: 0.001, burst: 200 }), 0)
    })
  )

  it.effect("are kept until they are full, however many others come and go", () =>
    Effect.gen(function* () {
      const { takeUnsafe } = makeMemory(yield* Clock.Clock)
      const hourly = { per_s: 1 / 3600, burst: 1 }
      takeUnsafe("hourly", hourly)
      for (let minute = 1; minute < 60; minute++) {
        yield* TestClock.adjust("1 minute")
        takeUnsafe(`caller-${minute}`, slow)
      }
      assert.strictEqual(takeUnsafe("hourly", hourly), 60_000)
    })
  )

  it.effect("say no longer a wait than is needed", () =>
    Effect.gen(function* () {
      const { takeUnsafe } = makeMemory(yield* Clock.Clock)
      const limit = { per_s: 8, burst: 1 }
      assert.deepStrictEqual([takeUnsafe("a", limit), takeUnsafe("a", limit)], [0, 125])
      yield* TestClock.adjust(124)
      assert.strictEqual(takeUnsafe("a", limit), 1)
      yield* TestClock.adjust(1)
      assert.strictEqual(takeUnsafe("a", limit), 0)
    })
  )

  it.effect("shut nobody out when the clock is set back", () =>
    Effect.gen(function* () {
      const { takeUnsafe } = makeMemory(yield* Clock.Clock)
      yield* TestClock.setTime(3_600_000)
      takeUnsafe("a", slow)
      yield* TestClock.setTime(0)
      assert.strictEqual(takeUnsafe("a", slow), 10_000)
      yield* TestClock.adjust(10_000)
      assert.strictEqual(takeUnsafe("a", slow), 0)
    })
  )
})
