import { randomBytes } from "node:crypto"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Exit, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { brokenOffAnywhere } from "../../../../../test/support/brokenOff.ts"
import * as HostClock from "../../../../../test/support/HostClock.ts"
import { matches, weightOf } from "./Entry.ts"
import { ResponseCache } from "./ResponseCache.ts"

const answer = (text: string, ...tags: ReadonlyArray<string>) => ({ text, contentType: "application/json", tags: new Set(tags) })
const HOUR_MS = 3_600_000

describe("ResponseCache", () => {
  it.effect("computes once for all who ask at the same time", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      let computed = 0
      const ask = cache.getOrCompute(
        "/a",
        Effect.andThen(
          Deferred.await(gate),
          Effect.sync(() => answer(String(++computed), "t"))
        )
      )
      const all = yield* Effect.forkChild(Effect.all([ask, ask, ask], { concurrency: "unbounded" }))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(
        (yield* Fiber.join(all)).map((entry) => entry.body.toString()),
        ["1", "1", "1"]
      )
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("does not keep what was computed while its tag was purged, nor let newcomers join it", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      const old = yield* Effect.forkChild(cache.getOrCompute("/a", Effect.as(Deferred.await(gate), answer("old", "t"))))
      yield* Effect.yieldNow
      yield* cache.purge("t")
      const young = yield* Effect.forkChild(cache.getOrCompute("/a", Effect.succeed(answer("new", "t"))))
      yield* Effect.yieldNow
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(old)).body.toString(), "old")
      assert.strictEqual((yield* Fiber.join(young)).body.toString(), "new")
      assert.strictEqual(cache.getUnsafe("/a")?.body.toString(), "new")
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("does not keep what was computed while everything was purged, nor anything while it is not told of purges", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      const old = yield* Effect.forkChild(cache.getOrCompute("/a", Effect.as(Deferred.await(gate), answer("old", "t"))))
      yield* Effect.yieldNow
      yield* cache.purgeAll
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(old)).body.toString(), "old")
      assert.isUndefined(cache.getUnsafe("/a"))
      const ask = cache.getOrCompute("/a", Effect.succeed(answer("new", "t")))
      yield* cache.keeping(false)
      assert.strictEqual((yield* ask).body.toString(), "new")
      assert.isUndefined(cache.getUnsafe("/a"))
      yield* cache.keeping(true)
      yield* ask
      assert.strictEqual(cache.getUnsafe("/a")?.body.toString(), "new")
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("is not kept for an hour more where the clock is set back an hour", () =>
    Effect.gen(function* () {
      const host = yield* HostClock.make
      yield* TestClock.setTime(2 * HOUR_MS)
      const cache = Context.get(yield* Layer.build(ResponseCache.layer).pipe(Effect.provideService(Clock.Clock, host.clock)), ResponseCache)
      yield* cache.getOrCompute("/a", Effect.succeed(answer("kept", "t")))
      assert.isDefined(cache.getUnsafe("/a"))
      host.ahead_ms = -HOUR_MS
      assert.isUndefined(cache.getUnsafe("/a"))
    })
  )

  it.effect("goes on for those who wait when the first caller hangs up", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      const ask = cache.getOrCompute("/a", Effect.as(Deferred.await(gate), answer("kept", "t")))
      const first = yield* Effect.forkChild(ask)
      yield* Effect.yieldNow
      const second = yield* Effect.forkChild(ask)
      yield* Effect.yieldNow
      const hungUp = yield* Effect.forkChild(Fiber.interrupt(first))
      yield* Deferred.succeed(gate, undefined)
      assert.strictEqual((yield* Fiber.join(second)).body.toString(), "kept")
      yield* Fiber.join(hungUp)
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("leaves nobody behind who waits for an answer that nobody computes, whenever a caller hangs up", () =>
    brokenOffAnywhere(
      Effect.map(Layer.build(ResponseCache.layer), Context.get(ResponseCache)),
      (cache) => cache.getOrCompute("/a", Effect.succeed(answer("first", "t"))),
      (cache) => cache.getOrCompute("/a", Effect.succeed(answer("second", "t")))
    )
  )

  it.effect("computes one at a time, and the last of all, while purges fall between those who ask", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      let [running, most, computed, written] = [0, 0, 0, 0]
      const ask = cache.getOrCompute(
        "/a",
        Effect.gen(function* () {
          most = Math.max(most, ++running)
          computed++
          const read = written
          for (let i = 0; i < 20; i++) yield* Effect.yieldNow
          running--
          return answer(String(read), "t")
        })
      )
      const waiting: Array<Fiber.Fiber<{ readonly body: Buffer }>> = []
      for (; written < 50; written++) {
        const since = written
        const one = Effect.tap(ask, ({ body }) => Effect.sync(() => assert.isAtLeast(Number(body.toString()), since)))
        waiting.push(yield* Effect.forkChild(one), yield* Effect.forkChild(one))
        yield* Effect.yieldNow
        yield* cache.purge(written % 2 === 0 ? "t" : "another")
      }
      for (const fiber of waiting) yield* Fiber.join(fiber)
      assert.strictEqual(most, 1)
      assert.isBelow(computed, 15, "of a hundred who asked")
      assert.strictEqual((yield* ask).body.toString(), "50")
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("is not kept from what it should keep by purges of what it does not show", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      const asking = yield* Effect.forkChild(cache.getOrCompute("/a", Effect.as(Deferred.await(gate), answer("a", "t"))))
      yield* Effect.yieldNow
      yield* cache.purge("another")
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(asking)
      assert.isDefined(cache.getUnsafe("/a"))
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("fails for all who wait where the computation fails, keeps nothing of it, and is computed by the next who asks", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const gate = yield* Deferred.make<void>()
      for (const failing of [Effect.fail("no"), Effect.die("no")]) {
        const ask = cache.getOrCompute("/a", Effect.andThen(Deferred.await(gate), failing as Effect.Effect<never, string>))
        const all = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(ask))
        yield* Effect.yieldNow
        yield* Deferred.succeed(gate, undefined)
        for (const fiber of all) assert.isTrue(Exit.isFailure(yield* Fiber.await(fiber)))
        assert.isUndefined(cache.getUnsafe("/a"))
      }
      assert.strictEqual((yield* cache.getOrCompute("/a", Effect.succeed(answer("yes", "t")))).body.toString(), "yes")
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("drops everything under a tag and nothing else, and everything there is", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const kept = () => ["/a", "/b", "/c"].filter((url) => cache.getUnsafe(url) !== undefined).join("")
      const fill = Effect.forEach(Object.entries({ "/a": ["x"], "/b": ["x", "y"], "/c": ["y", "z"] }), ([url, tags]) =>
        cache.getOrCompute(url, Effect.succeed(answer(url, ...tags)))
      )
      for (const [purge, left] of [
        [cache.purge("x"), "/c"],
        [cache.purge("y"), "/a"],
        [cache.purge("z", "none"), "/a/b"],
        [cache.purge(), "/a/b/c"],
        [cache.purge("*"), "/a/b/c"],
        [cache.purgeAll, ""]
      ] as const) {
        yield* fill
        yield* purge
        assert.strictEqual(kept(), left)
      }
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("keeps an answer for ten minutes, and one that the clock will change until then, and says so to caches further on", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const ask = (url: string, until_ms?: number) => cache.getOrCompute(url, Effect.succeed({ ...answer(url, "t"), until_ms }))
      const asked = [yield* ask("/a"), yield* ask("/b", 90_500), yield* ask("/c", 1_000_000), yield* ask("/d", 0)]
      assert.deepStrictEqual(
        asked.map(({ headers }) => headers["cache-control"]),
        ["600", "90", "600", "0"].map((life_s) => `public, max-age=0, s-maxage=${life_s}`)
      )
      const kept = () => ["/a", "/b", "/c", "/d"].filter((url) => cache.getUnsafe(url) !== undefined).join("")
      for (const [pause, left] of [
        [0, "/a/b/c"],
        [90_499, "/a/b/c"],
        [1, "/a/c"],
        [509_499, "/a/c"],
        [1, ""]
      ] as const) {
        yield* TestClock.adjust(pause)
        assert.strictEqual(kept(), left)
      }
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("stays under its bound by letting the oldest go", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const big = "x".repeat(8 * 1024 * 1024 - 2048)
      for (let i = 0; i < 10; i++) yield* cache.getOrCompute(`/${i}`, Effect.succeed(answer(big, "t")))
      assert.deepStrictEqual(
        [0, 1, 2, 9].map((i) => cache.getUnsafe(`/${i}`) !== undefined),
        [false, false, true, true]
      )
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("counts addresses and tags toward its bound, so that many small answers are bounded as well", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const urls = Array.from({ length: 5_000 }, (_, n) => `/${n}?${"x".repeat(15_000)}`)
      for (const url of urls) yield* cache.getOrCompute(url, Effect.succeed(answer("", "t")))
      const kept = urls.filter((url) => cache.getUnsafe(url) !== undefined)
      assert.isBelow(kept.length, (64 * 1024 * 1024) / 15_000)
      assert.strictEqual(kept.at(-1), urls.at(-1))
      const tags = Array.from({ length: 10_000 }, (_, n) => `t${n}`)
      for (let n = 0; n < 100; n++) yield* cache.getOrCompute(`/tags/${n}`, Effect.succeed(answer("", ...tags)))
      assert.isUndefined(cache.getUnsafe("/tags/0"))
      assert.isDefined(cache.getUnsafe("/tags/99"))
    }).pipe(Effect.provide(ResponseCache.layer))
  )
})

describe("what is kept beside an answer", () => {
  const long = "word ".repeat(1_000)

  it.effect("is its compressed form, made once for all who ask and counted toward the bound", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const entry = yield* cache.getOrCompute("/a", Effect.succeed(answer(long, "t")))
      const [one, other] = yield* Effect.all([cache.represent("/a", entry, "br"), cache.represent("/a", entry, "br")], {
        concurrency: "unbounded"
      })
      assert.strictEqual(one, other)
      assert.strictEqual(yield* cache.represent("/a", entry, "br"), one)
      assert.isBelow(one.body.length, long.length / 10)
      assert.strictEqual(one.headers["content-encoding"], "br")
      assert.strictEqual(one.etag, entry.etag.replace(/"$/, '-br"'))
      assert.strictEqual(weightOf("/a", entry) - weightOf("/a", { ...entry, coded: {} }), one.body.length)
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("pushes the oldest out as the answers themselves do", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const noise = () => randomBytes(4 * 1024 * 1024).toString("base64")
      const keep = (url: string) => cache.getOrCompute(url, Effect.succeed(answer(noise(), "t")))
      const entries = yield* Effect.forEach(
        Array.from({ length: 10 }, (_, i) => `/${i}`),
        keep
      )
      assert.isDefined(cache.getUnsafe("/0"), "ten are within the bound")
      for (const [i, entry] of entries.entries()) yield* cache.represent(`/${i}`, entry, "gzip")
      assert.isUndefined(cache.getUnsafe("/0"), "ten and their compressed forms are not")
      assert.isDefined(cache.getUnsafe("/9"))
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("hold the memory of their bytes and no more, which is what is counted", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      const entry = yield* cache.getOrCompute("/a", Effect.succeed(answer("answer ".repeat(1_000), "t")))
      const { body } = yield* cache.represent("/a", entry, "gzip")
      assert.isBelow(body.length, entry.body.length)
      for (const each of [entry.body, body]) assert.strictEqual(each.buffer.byteLength, each.length)
    }).pipe(Effect.provide(ResponseCache.layer))
  )

  it.effect("are other URLs of it, so many, of which the oldest are forgotten while its own stays", () =>
    Effect.gen(function* () {
      const cache = yield* ResponseCache
      yield* cache.getOrCompute("/a", Effect.succeed(answer("a", "t")))
      for (let i = 0; i < 20_000; i++) cache.alias(`/a?z=${i}`, "/a")
      assert.isUndefined(cache.getUnsafe("/a?z=0"))
      for (const url of ["/a", "/a?z=19999", "/a?z=10000"]) assert.strictEqual(cache.getUnsafe(url)?.body.toString(), "a", url)
      cache.alias(`/a?${"z".repeat(1_000)}`, "/a")
      assert.isUndefined(cache.getUnsafe(`/a?${"z".repeat(1_000)}`), "nor is a long one remembered")
      yield* cache.purge("t")
      assert.isUndefined(cache.getUnsafe("/a?z=19999"))
    }).pipe(Effect.provide(ResponseCache.layer))
  )
})

describe("If-None-Match", () => {
  const etag = '"abc"'

  it("names an answer by its tag, strong or weak, alone or among others, or by a star", () => {
    for (const coded of ['"abc-br"', 'W/"abc-gzip"']) assert.strictEqual(matches(`"x", ${coded}`, etag), coded.replace("W/", ""))
    for (const header of ['"abc"', 'W/"abc"', ' "abc" ', '"x", "abc"', '"x",W/"abc","y"', 'W/"x" , "abc",', "*", " * "]) {
      assert.isDefined(matches(header, etag), header)
    }
  })

  it("names none by anything else", () => {
    for (const header of [undefined, "", ",", "abc", '"ABC"', '"abc', 'abc"', '"abcd"', 'w/"abc"', 'W/W/"abc"', "**", '"*"', '"x", "y"']) {
      assert.isUndefined(matches(header, etag), header)
    }
  })
})
