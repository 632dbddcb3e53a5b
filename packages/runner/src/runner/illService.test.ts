/** A runner against a service that answers at once, too much, or not at all. */

import type { Client } from "@agon/api/Client.ts"
import { InvalidRequest, NotFound } from "@agon/api/Problem.ts"
import type { LeaseAnswer, LeaseRequest, OpenSession, Result, Work } from "@agon/api/runner/protocol.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { run } from "./Runner.ts"
import { makeUntilAnswered } from "./untilAnswered.ts"
import { Worker } from "./Worker.ts"

const SLOTS = 2
const about: OpenSession = { name: "one", runtime_version: "ort", engines: [], accepts: ["match"], slots: SLOTS }
const work = (lease: string) => ({ kind: "match", lease }) as Work
const giving = (...leases: ReadonlyArray<Work>): LeaseAnswer => ({ leases, results: [], drain: false })

interface Ill {
  readonly lease: Effect.Effect<LeaseAnswer, NotFound | InvalidRequest>
  readonly heartbeat_s?: number
}

/** In steps, between which the runner goes on: what it asks for at once it has asked by the next. */
const STEP_MS = 10

/** Requests and works that begin in a second and a half, with works that never end, or end otherwise. */
const counted = ({ heartbeat_s = 10, lease }: Ill, working: Effect.Effect<never> = Effect.never) =>
  Effect.gen(function* () {
    const counts = { sessions: 0, leases: 0, heartbeats: 0, works: 0 }
    const count = (what: keyof typeof counts) =>
      Effect.andThen(
        Effect.yieldNow,
        Effect.sync(() => void counts[what]++)
      )
    const runner = {
      openSession: () => Effect.as(count("sessions"), { runner: "r", heartbeat_s, lease_s: 30 }),
      closeSession: () => Effect.void,
      lease: () => Effect.andThen(count("leases"), lease),
      heartbeat: () => Effect.as(count("heartbeats"), { leases: [], drain: false })
    }
    const worker = Worker.of({ work: () => Effect.andThen(count("works"), working), upload: () => Effect.void })
    const running = Effect.scoped(run({ runner } as unknown as Client, about, { finish_s: 0, hurry: Effect.void }))
    const fiber = yield* Effect.forkChild(Effect.provideService(running, Worker, worker))
    for (let passed_ms = 0; passed_ms < 1_500; passed_ms += STEP_MS) yield* TestClock.adjust(STEP_MS)
    yield* Fiber.interrupt(fiber)
    return counts
  })

/** In a second and a half, with pauses that grow from a quarter of a second. */
const FEW = 8

describe("a service is not asked as fast as it answers", () => {
  const services: Readonly<Record<string, Ill>> = {
    "that gives nothing, without the wait that it was asked for": { lease: Effect.succeed(giving()) },
    "that opens sessions and does not know them": { lease: Effect.fail(new NotFound({ detail: "no such runner" })) },
    "that refuses every request for work": { lease: Effect.fail(new InvalidRequest({ detail: "max is missing", errors: [] })) },
    "that gives the same work again": { lease: Effect.succeed(giving(work("a.1"))) }
  }
  for (const [which, service] of Object.entries(services))
    it.effect(which, () =>
      Effect.gen(function* () {
        const { leases, sessions, works } = yield* counted(service)
        assert.isAtLeast(leases, 2)
        assert.isAtMost(leases, FEW)
        assert.isAtMost(sessions, FEW)
        assert.isAtMost(works, 1)
      })
    )
  for (const heartbeat_s of [0, -5, 1e-9])
    it.effect(`that wants a heartbeat every ${heartbeat_s} seconds`, () =>
      Effect.gen(function* () {
        const { heartbeats } = yield* counted({ heartbeat_s, lease: Effect.succeed(giving(work("a.1"))) })
        assert.strictEqual(heartbeats, 1)
      })
    )
})

it.effect("a runner begins no more work than it has asked for", () =>
  Effect.gen(function* () {
    const many = Array.from({ length: 1_000 }, (_, i) => work(`${i}.1`))
    const { leases, works } = yield* counted({ lease: Effect.succeed(giving(...many)) })
    assert.deepStrictEqual({ leases, works }, { leases: 1, works: SLOTS })
  })
)

it.effect("a call that is never answered is made again", () =>
  Effect.gen(function* () {
    let tries = 0
    const silent = Effect.suspend(() => (++tries > 2 ? Effect.succeed("answered") : Effect.never))
    const asking = yield* Effect.forkChild(makeUntilAnswered()("ask", silent))
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* Fiber.join(asking), "answered")
  })
)

/** A result with a replay in it, of which two fill a request. */
const large = { kind: "match", replay: { hash: "h", bytes: 100_000, inline: "x".repeat(100_000) } } as unknown as Result

it.effect("results that wait for the next request are held, so that the service does not take them back, and take their slots", () =>
  Effect.gen(function* () {
    const asked: Array<LeaseRequest> = []
    const given = ["1.1", "2.1", "3.1", "4.1"].map(work)
    const lease = ({ payload }: { readonly payload: LeaseRequest }) =>
      Effect.suspend(() => {
        asked.push(payload)
        if (asked.length > 1 && payload.results!.length === 0) return Effect.never
        const results = payload.results!.map(({ lease }) => ({ lease, accepted: true, reason: null }))
        return Effect.as(Effect.sleep("100 millis"), { leases: asked.length === 1 ? given : [], results, drain: false })
      })
    const runner = {
      openSession: () => Effect.succeed({ runner: "r", heartbeat_s: 10, lease_s: 30 }),
      closeSession: () => Effect.void,
      lease
    }
    const worker = Worker.of({ work: () => Effect.as(Effect.sleep("1 second"), large), upload: () => Effect.void })
    const running = Effect.scoped(run({ runner } as unknown as Client, { ...about, slots: 4 }, { finish_s: 0, hurry: Effect.void }))
    const fiber = yield* Effect.forkChild(Effect.provideService(running, Worker, worker))
    yield* TestClock.adjust("10 seconds")
    yield* Fiber.interrupt(fiber)
    const [, ...telling] = asked
    for (const { holds, max, results } of telling) {
      assert.isAtMost(max + holds!.length, 4, "no more than its slots")
      assert.isAtMost(results!.length, 1)
    }
    const untold = new Set(given.map(({ lease }) => lease))
    for (const { holds, results } of telling) {
      for (const { lease } of results!) untold.delete(lease)
      assert.sameMembers([...holds!], [...untold], "what is not told is held")
    }
    assert.strictEqual(untold.size, 0)
  })
)

it.effect("a heartbeat that hangs keeps none from its time", () =>
  Effect.gen(function* () {
    let beats = 0
    const runner = {
      openSession: () => Effect.succeed({ runner: "r", heartbeat_s: 10, lease_s: 30 }),
      closeSession: () => Effect.void,
      lease: () => Effect.suspend(() => (beats === 0 ? Effect.succeed(giving(work("1.1"))) : Effect.never)),
      heartbeat: () => Effect.suspend(() => (++beats === 2 ? Effect.never : Effect.succeed({ leases: [], drain: false })))
    }
    const worker = Worker.of({ work: () => Effect.never, upload: () => Effect.void })
    const running = Effect.scoped(run({ runner } as unknown as Client, { ...about, slots: 1 }, { finish_s: 0, hurry: Effect.void }))
    const fiber = yield* Effect.forkChild(Effect.provideService(running, Worker, worker))
    yield* TestClock.adjust("31 seconds")
    assert.strictEqual(beats, 3)
    yield* Fiber.interrupt(fiber)
  })
)

it.effect("work that comes to nothing at once is not asked for as fast", () =>
  Effect.gen(function* () {
    let n = 0
    const lease = Effect.sync(() => giving(work(`${++n}.1`)))
    const { leases } = yield* counted({ lease }, Effect.die("the sandbox cannot be started"))
    assert.isAtLeast(leases, 2)
    assert.isAtMost(leases, FEW)
  })
)
