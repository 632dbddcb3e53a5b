/** What a runner does against a service that answers at once, too much, or not at all. */

import type { Client } from "@agon/api/Client.ts"
import { InvalidRequest, NotFound } from "@agon/api/Problem.ts"
import type { LeaseAnswer, OpenSession, Work } from "@agon/api/runner/protocol.ts"
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

/** Requests and works that begin in a second and a half, with works that never end. */
const counted = ({ heartbeat_s = 10, lease }: Ill) =>
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
    const worker = Worker.of({ work: () => Effect.andThen(count("works"), Effect.never), upload: () => Effect.void })
    const running = Effect.scoped(run({ runner } as unknown as Client, about, { finish_s: 0, hurry: Effect.void }))
    const fiber = yield* Effect.forkChild(Effect.provideService(running, Worker, worker))
    yield* Effect.sleep("1500 millis")
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
    it.live(which, () =>
      Effect.gen(function* () {
        const { leases, sessions, works } = yield* counted(service)
        assert.isAtLeast(leases, 2)
        assert.isAtMost(leases, FEW)
        assert.isAtMost(sessions, FEW)
        assert.isAtMost(works, 1)
      })
    )
  for (const heartbeat_s of [0, -5, 1e-9])
    it.live(`that wants a heartbeat every ${heartbeat_s} seconds`, () =>
      Effect.gen(function* () {
        const { heartbeats } = yield* counted({ heartbeat_s, lease: Effect.succeed(giving(work("a.1"))) })
        assert.strictEqual(heartbeats, 1)
      })
    )
})

it.live("a runner begins no more work than it has asked for", () =>
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
