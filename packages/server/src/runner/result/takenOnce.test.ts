import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { ObjectsUnavailable, type VerifyResult } from "../../object/ObjectStore.ts"
import { makeTakenOnce } from "./takenOnce.ts"

const replay = { key: "incoming/lease", sha256: "a", max_bytes: 10, into: "replays/a" }

/** A store whose requests take twenty seconds, and answer what is next. */
const slowStore = (...answers: ReadonlyArray<VerifyResult | "away">) => {
  const asked = { times: 0 }
  const verify = Effect.fnUntraced(function* () {
    const answer = answers[asked.times++]!
    yield* Effect.sleep("20 seconds")
    return answer === "away" ? yield* new ObjectsUnavailable({ operation: "verify", key: replay.key, detail: "503" }) : answer
  })
  return { asked, verify }
}

it.effect("a replay for which a store takes longer than a runner waits is taken over once, and the next report has its verdict", () =>
  Effect.gen(function* () {
    const { asked, verify } = slowStore({ bytes: 5 }, { bytes: 5 })
    const taken = yield* makeTakenOnce(verify)
    const first = yield* Effect.forkChild(Effect.timeoutOption(taken(replay), "15 seconds"))
    yield* TestClock.adjust("15 seconds")
    assert.strictEqual((yield* Fiber.join(first))._tag, "None")
    const second = yield* Effect.forkChild(taken(replay))
    yield* TestClock.adjust("5 seconds")
    assert.deepStrictEqual(yield* Fiber.join(second), { bytes: 5 })
    yield* TestClock.adjust("30 seconds")
    assert.deepStrictEqual(yield* taken(replay), { bytes: 5 })
    assert.strictEqual(asked.times, 1)
    yield* TestClock.adjust("1 minute")
    const later = yield* Effect.forkChild(taken(replay))
    yield* TestClock.adjust("20 seconds")
    assert.deepStrictEqual([yield* Fiber.join(later), asked.times], [{ bytes: 5 }, 2])
  })
)

it.effect("a replay that was missing, another one or could not be looked at is looked at again", () =>
  Effect.gen(function* () {
    const { verify } = slowStore("missing", "away", "hash_mismatch", { bytes: 5 })
    const taken = yield* makeTakenOnce(verify)
    const outcome = Effect.gen(function* () {
      const looking = yield* Effect.forkChild(Effect.result(taken(replay)))
      yield* TestClock.adjust("20 seconds")
      const found = yield* Fiber.join(looking)
      return found._tag === "Success" ? found.success : found.failure.detail
    })
    assert.deepStrictEqual(
      [yield* outcome, yield* outcome, yield* outcome, yield* outcome],
      ["missing", "503", "hash_mismatch", { bytes: 5 }]
    )
  })
)

it.effect("replays of other leases, and another replay of the same one, are looked at by themselves", () =>
  Effect.gen(function* () {
    const waiting = yield* Deferred.make<VerifyResult>()
    const asked: Array<string> = []
    const taken = yield* makeTakenOnce(({ key, sha256 }) =>
      Effect.andThen(
        Effect.sync(() => asked.push(key + sha256)),
        Deferred.await(waiting)
      )
    )
    const others = [replay, { ...replay, sha256: "b" }, { ...replay, key: "incoming/other" }, replay]
    const all = yield* Effect.forkChild(Effect.forEach(others, taken, { concurrency: "unbounded" }))
    yield* TestClock.adjust("1 second")
    assert.deepStrictEqual(asked, ["incoming/leasea", "incoming/leaseb", "incoming/othera"])
    yield* Deferred.succeed(waiting, { bytes: 1 })
    assert.lengthOf(yield* Fiber.join(all), 4)
  })
)
