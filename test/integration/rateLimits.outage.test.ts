/** Rate limits when the Redis that nodes share dies, halts, refuses or was never there. */

import { type Limit, RateLimitStore } from "@agon/server/http/limit/RateLimitStore.ts"
import * as RateLimitStoreRedis from "@agon/server/http/limit/RateLimitStoreRedis.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Metric, Redacted } from "effect"
import { eventually } from "../support/eventually.ts"
import { missingRedis, Redis } from "../support/Redis.ts"
import { allowed } from "../support/slack.ts"
import { slow } from "../support/slow.ts"

const limit: Limit = { per_s: 0.01, burst: 5 }
/** Long enough that a busy machine is not taken for an outage; a test of slowness has its own. */
const ANSWER_MS = 3000

/** A node's store and what it logs, with Redis running or not. */
const node = Effect.fnUntraced(function* ({ answer_ms = ANSWER_MS, change = (url: string) => url, running = true } = {}) {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel} ${message}`))
  const redis = yield* Redis
  yield* running ? redis.start : redis.kill
  const url = Redacted.make(change(Redacted.value(redis.url)))
  const context = yield* Layer.build(Layer.provideMerge(RateLimitStoreRedis.layer({ url, answer_ms }), Logger.layer([logger])))
  const store = Context.get(context, RateLimitStore)
  const take = (bucket: string): Effect.Effect<number> =>
    Effect.suspend(() => {
      const wait_ms = store.takeUnsafe(bucket, limit)
      return typeof wait_ms === "number" ? Effect.succeed(wait_ms) : wait_ms
    })
  /** Whether a take asks nobody, and so waits for nobody. */
  const asksNobody = (bucket: string) => typeof store.takeUnsafe(bucket, limit) === "number"
  const got = (bucket: string) => Effect.map(Effect.replicateEffect(take(bucket), 10), (waits) => waits.filter((ms) => ms === 0).length)
  return { take, got, asksNobody, lines }
})

const figure = (name: string) =>
  Effect.map(Metric.snapshot, (all) => {
    const state = all.find(({ id }) => id === name)?.state as { readonly count?: number | bigint; readonly value?: number | bigint }
    return Number(state?.count ?? state?.value ?? 0)
  })
const alone = figure("agon_rate_limit_alone_total")
const isUp = Effect.map(figure("agon_rate_limit_redis_up"), (up) => up === 1)

const until = (condition: Effect.Effect<boolean>) => eventually("what an outage, or its end, brings about", condition)

const timed = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const began_ms = performance.now()
    return [yield* effect, performance.now() - began_ms] as const
  })

const missing = missingRedis()
describe.skipIf(missing !== undefined)(`rate limits in Redis${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(Redis.layer, { excludeTestServices: true })((it) => {
    it.effect("are shared by the nodes that share it, and its script may be forgotten", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* node(), yield* node()]
        const before = yield* alone // other tests of this process may have had no Redis
        assert.strictEqual(yield* one.got("shared"), 5)
        assert.strictEqual(yield* other.got("shared"), 0)
        yield* (yield* Redis).ask("SCRIPT FLUSH")
        assert.deepStrictEqual([yield* other.got("anew"), yield* one.got("anew")], [5, 0])
        assert.deepStrictEqual([yield* alone, one.lines, other.lines], [before, [], []])
      })
    )

    it.effect("go on in each node when it is killed in the middle, logged once, and are shared again when it is back", () =>
      Effect.gen(function* () {
        const redis = yield* Redis
        const [one, other] = [yield* node(), yield* node()]
        const before = yield* alone
        let [taken, slowest_ms] = [0, 0]
        const takeOne = Effect.suspend(() => {
          const n = ++taken
          const began_ms = performance.now()
          const done = Effect.sync(() => void (slowest_ms = Math.max(slowest_ms, performance.now() - began_ms)))
          return n === 1000 ? redis.kill : Effect.andThen(one.take(`stream-${n % 50}`), done)
        })
        const client = Effect.repeat(takeOne, { until: () => taken >= 5000 })
        yield* Effect.all(
          Array.from({ length: 20 }, () => client),
          { concurrency: "unbounded" }
        )
        assert.isBelow(slowest_ms, ANSWER_MS) // a connection that breaks is not waited for
        assert.isFalse(yield* isUp)
        assert.deepStrictEqual([yield* one.got("apart"), yield* other.got("apart")], [5, 5])
        assert.isAbove(yield* alone, before + 900)
        yield* Effect.sleep(1000) // several attempts to connect
        assert.deepStrictEqual([one.lines.length, other.lines.length], [1, 1])
        assert.match(one.lines[0]!, /^Warn Redis does not answer \(.+\): until it does, this node keeps rate limits by itself$/)

        yield* redis.start
        yield* until(Effect.sync(() => one.lines.length === 2 && other.lines.length === 2))
        assert.strictEqual(one.lines[1], "Info Redis answers again: rate limits are shared")
        assert.deepStrictEqual([yield* one.got("again"), yield* other.got("again")], [5, 0])
      })
    )

    it.effect("wait for one that halts no longer than once and briefly", () =>
      Effect.gen(function* () {
        const redis = yield* Redis
        const answer_ms = 400
        const one = yield* node({ answer_ms })
        yield* redis.halt
        const [waits, first_ms] = yield* timed(
          Effect.all(
            Array.from({ length: 30 }, () => one.take("halted")),
            { concurrency: "unbounded" }
          )
        )
        assert.strictEqual(waits.filter((ms) => ms === 0).length, 5)
        assert.isBelow(first_ms, allowed(5 * answer_ms)) // 30 of them one after another would take 30 times as long
        assert.isTrue(one.asksNobody("halted"))
        assert.strictEqual(one.lines.length, 1)
        assert.include(one.lines[0], `no answer in ${answer_ms} ms`)
        yield* Effect.sleep(slow ? 6000 : 300) // 6 s is longer than a silent connection is kept
        yield* redis.goOn
        yield* until(Effect.sync(() => one.lines.length === 2))
        const other = yield* node()
        assert.deepStrictEqual([yield* one.got("moving"), yield* other.got("moving")], [5, 0])
      })
    )

    it.effect("are not lost by a node that was busy itself for longer than it waits", () =>
      Effect.gen(function* () {
        const one = yield* node({ answer_ms: 500 })
        const fiber = yield* Effect.forkChild(one.take("busy"), { startImmediately: true })
        const until_ms = performance.now() + 1200
        while (performance.now() < until_ms); // nothing else runs
        assert.strictEqual(yield* Fiber.join(fiber), 0)
        assert.deepStrictEqual(one.lines, [])
      })
    )

    it.effect("do not come and go with one that answers but does not write", () =>
      Effect.gen(function* () {
        const { ask } = yield* Redis
        const one = yield* node()
        yield* ask("CONFIG SET maxmemory 1")
        assert.strictEqual(yield* one.got("full"), 5)
        yield* Effect.sleep(1200) // two probes
        assert.strictEqual(one.lines.length, 1)
        assert.match(one.lines[0]!, /OOM/)
        yield* ask("CONFIG SET maxmemory 0")
        yield* until(Effect.sync(() => one.lines.length === 2))
      })
    )

    it.effect("let a service start where it is not there or refuses us, and say nothing of its password", () =>
      Effect.gen(function* () {
        const redis = yield* Redis
        const starts = [yield* timed(node({ running: false })), yield* timed(node({ running: false }))] as const
        assert.isBelow(Math.min(...starts.map(([, ms]) => ms)), allowed(900)) // less than a connection may take
        const [one] = starts[0]
        assert.strictEqual(yield* one.got("early"), 5)
        assert.match(one.lines[0]!, /ECONNREFUSED/)
        yield* redis.start
        yield* until(Effect.sync(() => one.lines.length === 2))
        const refused = yield* node({ change: (url: string) => url.replace("//", "//user:se-cret@") })
        assert.strictEqual(yield* refused.got("refused"), 5)
        assert.match(refused.lines[0]!, /WRONGPASS/)
        assert.notInclude(refused.lines.join(), "se-cret")
      })
    )
  })
})
