/** A runner with results that a lease request cannot bring. */

import type { Client } from "@agon/api/Client.ts"
import { InvalidRequest, Unavailable } from "@agon/api/Problem.ts"
import type { LeaseAnswer, LeasedResult, LeaseRequest, OpenSession, Result, Work } from "@agon/api/runner/protocol.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { run } from "./Runner.ts"
import { Worker } from "./Worker.ts"

const SLOTS = 3
const about: OpenSession = { name: "one", runtime_version: "ort", engines: [], accepts: ["match"], slots: SLOTS }
const isOf = (season: string) => (lease: string) => lease.startsWith(season)
const unavailable = Effect.fail(new Unavailable({ detail: "The season is away." }))
const malformed = Effect.fail(new InvalidRequest({ detail: "score is missing", errors: [] }))
const result = { kind: "match", turns: 3 } as unknown as Result

/** A service with endless work of season b, and one match of season a, that takes no results of a until it is back. */
const service = (refuses: Effect.Effect<never, Unavailable | InvalidRequest>) => {
  const seen = { asked: [] as Array<LeaseRequest>, beats: [] as Array<ReadonlyArray<string>>, told: [] as Array<string> }
  const is = { back: false, draining: false }
  let given = 0
  const refused = (lease: string) => isOf("a")(lease) && !is.back
  const lease = ({ payload }: { readonly payload: LeaseRequest }): Effect.Effect<LeaseAnswer, Unavailable | InvalidRequest> =>
    Effect.suspend(() => {
      seen.asked.push(payload)
      const leases = payload.results!.map((one: LeasedResult) => one.lease)
      if (leases.some(refused)) return refuses
      seen.told.push(...leases)
      const works = Array.from(
        { length: is.draining ? 0 : payload.max },
        () => ({ kind: "match", lease: given++ === 0 ? "a.1" : `b.${given}` }) as Work
      )
      const results = leases.map((each) => ({ lease: each, accepted: true, reason: null }))
      return Effect.as(Effect.sleep("100 millis"), { leases: works, results, drain: is.draining })
    })
  const runner = {
    openSession: () => Effect.succeed({ runner: "r", heartbeat_s: 10, lease_s: 30 }),
    closeSession: () => Effect.void,
    heartbeat: ({ payload: { leases } }: { readonly payload: { readonly leases: ReadonlyArray<string> } }) =>
      Effect.sync(() => {
        seen.beats.push(leases)
        return { leases: [], drain: false }
      }),
    lease,
    result: ({ params, payload }: { readonly params: { readonly lease: string }; readonly payload: Result }) =>
      Effect.suspend((): Effect.Effect<{ readonly accepted: true }, Unavailable | InvalidRequest> => {
        if (refused(params.lease)) return refuses
        seen.told.push("fault_reason" in payload ? `${params.lease} ${payload.fault_reason}` : params.lease)
        return Effect.succeed({ accepted: true })
      })
  }
  return { client: { runner } as unknown as Client, is, seen }
}

const started = (client: Client, finish_s = 0) => {
  const worker = Worker.of({ work: () => Effect.as(Effect.sleep("1 second"), result), upload: () => Effect.void })
  const running = Effect.scoped(run(client, about, { finish_s, hurry: Effect.never }))
  return Effect.forkChild(Effect.provideService(running, Worker, worker))
}

describe("a season that cannot take results for long", () => {
  it.effect("keeps no other from the runner, which holds the result and tells it once the season is back", () =>
    Effect.gen(function* () {
      const { client, is, seen } = service(unavailable)
      const running = yield* started(client)
      yield* TestClock.adjust("1 minute")
      const before = seen.told.length
      yield* TestClock.adjust("5 minutes")
      const played = seen.told.slice(before)
      assert.isAtLeast(played.length, 300, "on two slots, a second for each")
      assert.isFalse(seen.told.some(isOf("a")))
      for (const { holds, max, results } of seen.asked.slice(1)) {
        const held = [...holds!, ...results!.map(({ lease }) => lease)]
        assert.include(held, "a.1")
        assert.isAtMost(max + holds!.length, SLOTS)
      }
      for (const leases of seen.beats) assert.include(leases, "a.1")
      is.back = true
      yield* TestClock.adjust("10 seconds")
      assert.deepStrictEqual(seen.told.filter(isOf("a")), ["a.1"])
      assert.notInclude(seen.asked.at(-1)!.holds!, "a.1")
      yield* Fiber.interrupt(running)
    })
  )

  it.effect("fails a few lease requests, and none once its result is told by itself", () =>
    Effect.gen(function* () {
      const { client, seen } = service(unavailable)
      const running = yield* started(client)
      yield* TestClock.adjust("1 minute")
      assert.isAtMost(seen.asked.filter(({ results }) => results!.some(({ lease }) => lease === "a.1")).length, 10)
      yield* Fiber.interrupt(running)
    })
  )

  it.effect("is waited for by a runner that drains", () =>
    Effect.gen(function* () {
      const { client, is, seen } = service(unavailable)
      const running = yield* started(client)
      yield* TestClock.adjust("1 minute")
      is.draining = true
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(running.pollUnsafe())
      is.back = true
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(running.pollUnsafe())
      assert.deepStrictEqual(seen.told.filter(isOf("a")), ["a.1"])
    })
  )

  it.effect("is waited for by a runner that is stopped, as long as it has time", () =>
    Effect.gen(function* () {
      const { client, is, seen } = service(unavailable)
      const running = yield* started(client, 600)
      yield* TestClock.adjust("1 minute")
      const stopping = yield* Effect.forkChild(Fiber.interrupt(running))
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(stopping.pollUnsafe())
      is.back = true
      yield* TestClock.adjust("10 seconds")
      assert.isDefined(stopping.pollUnsafe())
      assert.deepStrictEqual(seen.told.filter(isOf("a")), ["a.1"])
    })
  )
})

it.effect("a result that is malformed is reported as failed, and blocks no other", () =>
  Effect.gen(function* () {
    const { client, is, seen } = service(malformed)
    const running = yield* started(client)
    const reported = client.runner.result
    Object.assign(client.runner, {
      result: (request: Parameters<typeof reported>[0]) => {
        is.back = "fault_reason" in (request.payload as object)
        return reported(request)
      }
    })
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(seen.told.filter(isOf("a")), ["a.1 engine_fault"])
    assert.isAtLeast(seen.told.length, 100)
    yield* Fiber.interrupt(running)
  })
)
