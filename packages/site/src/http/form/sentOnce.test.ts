import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { brokenOffAnywhere } from "../../../../../test/support/brokenOff.ts"
import type { Done, Shown } from "./Form.ts"
import { ADDED_MS, makeSentOnce, REMEMBERED_MAX, REMEMBERED_MS, type Sending, UNDER_WAY_MAX } from "./sentOnce.ts"

const textOf = (n: number) => `0e0e0e0e-0000-4000-8000-${n.toString(16).padStart(12, "0")}`
const sending = (n: number, change: Partial<Sending> = {}): Sending => ({
  session: "ada",
  address: "/me/comments",
  pairs: [
    ["form", "write"],
    ["once", textOf(n)],
    ["body", "Well played."]
  ],
  ...change
})

/** A site's memory, and a form whose calls are counted. */
const fixture = Effect.map(Effect.scope, (scope) => {
  const calls = { n: 0 }
  const work = Effect.sync((): Done => ({ to: `/${++calls.n}` }))
  return { calls, once: makeSentOnce(scope), work }
})

describe("a form that is sent twice", () => {
  it.effect("is taken once, and both are led to the same page, for a minute", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      const send = once(sending(1), work)
      assert.deepStrictEqual(yield* Effect.all([send, send], { concurrency: "unbounded" }), [{ to: "/1" }, { to: "/1" }])
      yield* TestClock.adjust(REMEMBERED_MS - 1)
      assert.deepStrictEqual(yield* send, { to: "/1" })
      assert.strictEqual(calls.n, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(yield* send, { to: "/2" })
    })
  )

  it.effect("is known for an hour where it adds something, such as a comment that is sent again from a page gone back to", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      const comment = once(sending(1, { adds: true }), work)
      yield* comment
      for (let n = 2; n < 2 * REMEMBERED_MAX; n++) yield* once(sending(n), work)
      const others = calls.n
      yield* TestClock.adjust(ADDED_MS - 1)
      assert.deepStrictEqual(yield* comment, { to: "/1" }, "whatever other forms are sent")
      assert.strictEqual(calls.n, others)
      yield* TestClock.adjust(1)
      yield* comment
      assert.strictEqual(calls.n, others + 1)
    })
  )

  it.effect("is known by its words alone where it adds something, since a page gone back to is loaded again", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      const comment = (n: number, change: Partial<Sending> = {}) => once(sending(n, { adds: true, ...change }), work)
      assert.deepStrictEqual([yield* comment(1), yield* comment(2)], [{ to: "/1" }, { to: "/1" }])
      yield* comment(3, { session: "bob" })
      yield* comment(3, { address: "/me/comments?match=1" })
      yield* comment(3, { pairs: [...sending(3).pairs.slice(0, 2), ["body", "Lost."]] })
      assert.strictEqual(calls.n, 4)
    })
  )

  it.effect("is another once the session has taken back what it added; another session's is not", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      const comment = (session: string) => once(sending(1, { adds: true, session }), work)
      const remove = once(sending(9, { takesBack: true }), work)
      yield* comment("ada")
      yield* comment("bob")
      yield* Effect.flip(once(sending(8, { takesBack: true }), Effect.fail("refused")))
      yield* comment("ada")
      assert.strictEqual(calls.n, 2)
      yield* remove
      yield* comment("bob")
      assert.strictEqual(calls.n, 3)
      assert.deepStrictEqual(yield* comment("ada"), { to: "/4" })
    })
  )

  it.effect("is another where the session, the address, a field or its own text is another, or where it has none", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      const { pairs } = sending(1)
      const others: ReadonlyArray<Sending> = [
        sending(1),
        sending(2),
        sending(1, { session: "bob" }),
        sending(1, { address: "/me/comments?match=1" }),
        sending(1, { pairs: [...pairs.slice(0, 2), ["body", "Lost."]] })
      ]
      for (const one of [...others, ...others]) yield* once(one, work)
      assert.strictEqual(calls.n, others.length)
      for (const text of [[], [["once", ""]], [["once", "x".repeat(36)]]] as const) {
        const bare = sending(1, { pairs: [["form", "write"], ...text] })
        yield* once(bare, work)
        yield* once(bare, work)
      }
      assert.strictEqual(calls.n, others.length + 6)
    })
  )

  it.effect("goes on where the first request is broken off, and the second one has its answer", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      const free = yield* Deferred.make<void>()
      const slow = once(sending(1), Effect.andThen(Deferred.await(free), work))
      const first = yield* Effect.forkChild(slow, { startImmediately: true })
      yield* Fiber.interrupt(first)
      const second = yield* Effect.forkChild(slow, { startImmediately: true })
      yield* Deferred.succeed(free, undefined)
      assert.deepStrictEqual(yield* Fiber.join(second), { to: "/1" })
      assert.strictEqual(calls.n, 1)
    })
  )

  it.effect("is taken whenever the first request was broken off", () =>
    brokenOffAnywhere(
      fixture,
      ({ once, work }) => once(sending(1), work),
      ({ once, work }) => Effect.map(once(sending(1), work), (answer) => assert.deepStrictEqual(answer, { to: "/1" }))
    )
  )

  it.effect("can be sent again where it was refused, or failed", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      assert.strictEqual(yield* Effect.flip(once(sending(1), Effect.fail("refused"))), "refused")
      assert.isTrue(Exit.isFailure(yield* Effect.exit(once(sending(1), Effect.die("broken")))))
      assert.deepStrictEqual(yield* once(sending(1), work), { to: "/1" })
      assert.deepStrictEqual(yield* once(sending(1), Effect.fail("late")), { to: "/1" })
      assert.strictEqual(calls.n, 1)
    })
  )

  it.effect("shows a secret again for which it was sent, and makes a long preview anew", () =>
    Effect.gen(function* () {
      const { once } = yield* fixture
      let made = 0
      const shows = (length: number) => Effect.sync((): Shown => ({ shown: `${++made}`.padEnd(length) }))
      assert.deepStrictEqual(
        [yield* once(sending(1), shows(50)), yield* once(sending(1), shows(50))],
        [{ shown: "1".padEnd(50) }, { shown: "1".padEnd(50) }]
      )
      yield* once(sending(2), shows(100_000))
      yield* once(sending(2), shows(100_000))
      assert.strictEqual(made, 3)
    })
  )

  it.effect("is remembered among so many, and the oldest is forgotten first; calls beside requests are bounded", () =>
    Effect.gen(function* () {
      const { calls, once, work } = yield* fixture
      for (let n = 0; n < REMEMBERED_MAX + 1; n++) yield* once(sending(n), work)
      yield* once(sending(1), work)
      assert.strictEqual(calls.n, REMEMBERED_MAX + 1)
      yield* once(sending(0), work)
      assert.strictEqual(calls.n, REMEMBERED_MAX + 2)
      const stuck = Array.from({ length: UNDER_WAY_MAX }, (_, n) => once(sending(n, { session: "eve" }), Effect.never))
      for (const fiber of yield* Effect.forEach(stuck, (one) => Effect.forkChild(one, { startImmediately: true })))
        yield* Fiber.interrupt(fiber)
      const next = sending(UNDER_WAY_MAX, { session: "eve" })
      yield* once(next, work)
      yield* once(next, work)
      assert.strictEqual(calls.n, REMEMBERED_MAX + 4)
    })
  )
})
