import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { TestClock } from "effect/testing"
import { brokenOffAnywhere } from "../../../../../test/support/brokenOff.ts"
import { isRateFault } from "../Fault.ts"
import { CurrentReading } from "../Reads.ts"
import { rendered } from "../Rendered.ts"
import { makePageCache } from "./PageCache.ts"
import { Crowded, OF_ONE_VISITOR_MAX, UNDER_WAY_MAX } from "./PagesUnderWay.ts"

const cacheOf = Effect.map(Effect.scope, (scope) =>
  makePageCache<never>(
    HttpClient.make(() => Effect.die(new Error("nothing is asked for"))),
    scope,
    isRateFault
  )
)

/** Beside whatever a visitor has under way. */
const together = <A, E>(asks: ReadonlyArray<Effect.Effect<A, E>>) =>
  Effect.forEach(asks, (ask) => Effect.forkChild(Effect.flip(ask), { startImmediately: true }))

const PAGE = Effect.sync(() => rendered("a page"))

it.effect("beyond so many pages under way the next is refused with 503, and no more wait; then pages are made again", () =>
  Effect.gen(function* () {
    const cache = yield* cacheOf
    const free = yield* Deferred.make<void>()
    const slow = Effect.andThen(Deferred.await(free), PAGE)
    const asks = Array.from({ length: UNDER_WAY_MAX }, (_, i) => cache.get(`/${i}`, `visitor ${i}`, slow))
    yield* together(asks)
    const refused = yield* Effect.flip(cache.get("/next", "another", slow))
    assert.deepStrictEqual(refused, new Crowded({ status: 503 }))
    yield* Deferred.succeed(free, undefined)
    yield* cache.get(`/${UNDER_WAY_MAX - 1}`, "another", PAGE) // waits for the last of them
    assert.strictEqual(String((yield* cache.get("/next", "another", PAGE)).page.body), "a page")
  })
)

it.effect("a visitor who left goes on counting until the page is made, so that coming again and again gets nobody more", () =>
  Effect.gen(function* () {
    const cache = yield* cacheOf
    const free = yield* Deferred.make<void>()
    const slow = Effect.andThen(Deferred.await(free), PAGE)
    for (const fiber of yield* together(Array.from({ length: OF_ONE_VISITOR_MAX }, (_, i) => cache.get(`/${i}`, "one", slow)))) {
      yield* Fiber.interrupt(fiber)
    }
    assert.deepStrictEqual(yield* Effect.flip(cache.get("/next", "one", slow)), new Crowded({ status: 429 }))
    assert.strictEqual(String((yield* cache.get("/next", "another", PAGE)).page.body), "a page")
    yield* Deferred.succeed(free, undefined)
    yield* cache.get(`/${OF_ONE_VISITOR_MAX - 1}`, "another", PAGE)
    assert.strictEqual(String((yield* cache.get("/after", "one", PAGE)).page.body), "a page")
  })
)

it.effect("a visitor who leaves at any moment leaves nobody behind who waits for a page that nobody makes", () =>
  Effect.gen(function* () {
    const steps = yield* brokenOffAnywhere(
      cacheOf,
      (cache) => cache.get("/", "one", PAGE),
      (cache) => Effect.map(cache.get("/", "another", PAGE), ({ page }) => assert.strictEqual(String(page.body), "a page"))
    )
    assert.isAbove(steps, 5)
  })
)

it.effect("a page comes with the reads that it was made of, also where another is kept at its address by then", () =>
  Effect.gen(function* () {
    const cache = yield* cacheOf
    const gates = yield* Effect.all([Deferred.make<void>(), Deferred.make<void>()])
    let begun = 0
    const over = (tag: string) =>
      Effect.gen(function* () {
        begun++
        yield* Deferred.await(gates[1])
        const { reads } = (yield* CurrentReading)!
        reads.push({ request: HttpClientRequest.get("http://service.test/v1/games"), etag: tag })
        return rendered(tag)
      })
    // Whoever waited for a page that was refused for another's rate asks for it on their own account.
    const refused = Effect.andThen(Deferred.await(gates[0]), Effect.fail(new Crowded({ status: 429 })))
    const first = yield* Effect.forkChild(Effect.flip(cache.get("/", "first", refused as Effect.Effect<never>)), { startImmediately: true })
    const asked = yield* Effect.forEach(["old", "new"], (tag) =>
      Effect.forkChild(cache.get("/", tag, over(tag)), { startImmediately: true })
    )
    yield* Deferred.succeed(gates[0], undefined)
    yield* Fiber.join(first)
    while (begun < asked.length) yield* Effect.yieldNow
    yield* Deferred.succeed(gates[1], undefined)
    const made = yield* Effect.forEach(asked, Fiber.join)
    assert.deepStrictEqual(
      made.map(({ page, reads }) => [String(page.body), reads.map(({ etag }) => etag)]),
      [
        ["old", ["old"]],
        ["new", ["new"]]
      ]
    )
  })
)

it.effect("a page that was confirmed later than now is asked for again: a clock that was set back keeps no page", () =>
  Effect.gen(function* () {
    const cache = yield* cacheOf
    let made = 0
    const page = Effect.map(CurrentReading, (reading) => {
      made++
      reading!.reads.push({ request: HttpClientRequest.get("http://service.test/v1/games"), etag: undefined })
      return rendered("a page")
    })
    yield* TestClock.setTime(3_600_000)
    assert.strictEqual((yield* cache.get("/", "one", page)).fresh_ms, 1_000)
    yield* TestClock.setTime(3_600_400)
    assert.strictEqual((yield* cache.get("/", "one", page)).fresh_ms, 600)
    assert.strictEqual(made, 1)
    yield* TestClock.setTime(3_570_000)
    assert.strictEqual((yield* cache.get("/", "one", page)).fresh_ms, 1_000)
    assert.strictEqual(made, 2)
  })
)

it.effect("whoever asks for page after page displaces their own, and none that several people read", () =>
  Effect.gen(function* () {
    const cache = yield* cacheOf
    let made = 0
    const page = Effect.sync(() => {
      made++
      return rendered("x".repeat(100_000))
    })
    yield* cache.get("/read", "one", page)
    yield* cache.get("/read", "another", page)
    yield* cache.get("/read once", "one", page)
    assert.strictEqual(made, 2)
    for (let i = 0; i < 300; i++) yield* cache.get(`/${i}`, "hostile", page)
    made = 0
    yield* cache.get("/read", "one", page)
    assert.strictEqual(made, 0)
    yield* cache.get("/read once", "one", page)
    assert.strictEqual(made, 1)
  })
)

it.effect("of one visitor's pages the ones that were shown last are kept", () =>
  Effect.gen(function* () {
    const cache = yield* cacheOf
    let made = 0
    const page = Effect.sync(() => {
      made++
      return rendered("x".repeat(100_000))
    })
    yield* cache.get("/again", "one", page)
    for (let i = 0; i < 200; i++) {
      yield* cache.get(`/${i}`, "one", page)
      yield* cache.get("/again", "one", page)
    }
    assert.strictEqual(made, 201)
  })
)
