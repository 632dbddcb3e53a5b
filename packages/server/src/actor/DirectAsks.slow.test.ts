import { assert, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { PeerAnswer } from "../node/AskServer.ts"
import { PeerAway, PeerLink } from "../node/PeerLink.ts"
import { makeDirectAsks } from "./DirectAsks.ts"

const commands = [{ _tag: "Tick" } as const]
const replies = JSON.stringify({ replies: [{}] })

/** Asks of one season whose host is learnt to be `a:1`, and later is where `world.host` says; `answer` is what the link does. */
const asking = Effect.fnUntraced(function* (answer: (address: string) => Effect.Effect<PeerAnswer, PeerAway>) {
  const world = { host: "a:1", by_cluster: 0, asked: [] as Array<string> }
  const link = {
    self: "me:1",
    ask: (address: string) =>
      Effect.suspend(() => {
        world.asked.push(address)
        return answer(address)
      })
  }
  const direct = yield* makeDirectAsks.pipe(Effect.provideService(PeerLink, link))
  const byCluster = Effect.sync(() => {
    world.by_cluster++
    return [{}] as never
  })
  const ask = direct(
    "s1",
    commands,
    byCluster,
    Effect.sync(() => world.host)
  )
  yield* ask
  yield* TestClock.adjust("1 second")
  assert.deepStrictEqual([world.by_cluster, world.asked], [1, []])
  return { world, ask }
})

it.effect("a host that is slow is not asked again by the cluster, and one that has taken the season over is found", () =>
  Effect.gen(function* () {
    const { ask, world } = yield* asking((address) => (address === "a:1" ? Effect.never : Effect.succeed({ status: 200, text: replies })))
    const asked = yield* Effect.forkChild(Effect.flip(ask))
    yield* TestClock.adjust("2900 millis")
    assert.isUndefined(asked.pollUnsafe())
    world.host = "b:1"
    yield* TestClock.adjust("100 millis")
    assert.deepInclude(yield* Fiber.join(asked), { _tag: "Unavailable", season: "s1" })
    yield* ask
    assert.deepStrictEqual([world.by_cluster, world.asked], [1, ["a:1", "b:1"]])
  }).pipe(Effect.scoped)
)

it.effect("a host is found also where this one's clock was set back since it was last asked for", () =>
  Effect.gen(function* () {
    const { ask, world } = yield* asking((address) => (address === "a:1" ? Effect.never : Effect.succeed({ status: 200, text: replies })))
    yield* TestClock.setTime(-3_600_000)
    yield* TestClock.adjust("1 second")
    const asked = yield* Effect.forkChild(Effect.flip(ask))
    world.host = "b:1"
    yield* TestClock.adjust("3 seconds")
    yield* Fiber.join(asked)
    const again = yield* Effect.forkChild(ask)
    yield* TestClock.adjust("1 second")
    assert.isDefined(again.pollUnsafe(), "the new host has answered")
    assert.deepStrictEqual([world.by_cluster, world.asked], [1, ["a:1", "b:1"]])
  }).pipe(Effect.scoped)
)

it.effect("a host that cannot be reached, or does not have the season, is forgotten, and the cluster asked", () =>
  Effect.gen(function* () {
    for (const answer of [
      (address: string) => Effect.fail(new PeerAway({ address, reason: "refused" })),
      () => Effect.succeed({ status: 404, text: "" })
    ]) {
      const { ask, world } = yield* asking(answer)
      yield* ask
      yield* ask
      assert.deepStrictEqual([world.by_cluster, world.asked], [3, ["a:1"]])
    }
  }).pipe(Effect.scoped)
)
