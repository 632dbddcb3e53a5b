/** Calls of runners that do not wait for the answer. */

import type { Result } from "@agon/api/runner/protocol.ts"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { Parking } from "../../parking/Parking.ts"
import { Holdings, NO_MATCH } from "../session/Holdings.ts"
import { Runners } from "../session/Runners.ts"
import { ReplayAudits } from "../work/ReplayAudits.ts"
import { HeldLeases } from "./HeldLeases.ts"
import { SeasonCalls } from "./SeasonCalls.ts"

const key = { id: "k", season_id: null }
const runner = { id: "r", key_id: "k", slots: 1, state: "active", accepts: [], engines: [], runtime_version: "v" } as const
const held = { lease: "l", runner: "r", key: "k", season: "s", ...NO_MATCH }

/** A season, and rows, that answer once `gate` is open. */
const behind = (gate: Deferred.Deferred<void>, done: Array<string>) => {
  const holdings = new Holdings()
  holdings.know("r", [held])
  const after = <A>(what: string, answer: A) =>
    Effect.andThen(
      Deferred.await(gate),
      Effect.sync(() => {
        done.push(what)
        return answer
      })
    )
  const calls = Layer.mock(SeasonCalls, {
    holdings,
    known: () => Effect.succeed({ key, runner, stays: true }),
    heldBy: () => Effect.succeed(holdings.of("r")),
    seasonOf: () => Effect.succeed("s"),
    check: (_key, _runner, results) => Effect.succeed(results),
    ask: (_season, [command]) => {
      const replies = {
        Release: { released: true, unknown: false },
        HoldOnly: { returned: 1 },
        Heartbeat: ["l", "of another"].map((lease) => ({ lease, lost: true as const }))
      }
      return after(command!._tag, [replies[command!._tag as keyof typeof replies]])
    },
    tell: () => after("result", { receipts: [{ lease: "l", accepted: true, reason: null }], works: [], leases: [] })
  })
  const runners = Layer.mock(Runners, { here: () => true, close: () => after("closed", undefined) })
  const layer = HeldLeases.layer.pipe(Layer.provide([calls, runners, Layer.mock(ReplayAudits, {}), Parking.layer]))
  return { holdings, layer }
}

/** The call ends before its answer, which comes then. */
const left = (call: (leases: HeldLeases["Service"]) => Effect.Effect<unknown, unknown>) => {
  const [gate, done] = [Deferred.makeUnsafe<void>(), [] as Array<string>]
  const { holdings, layer } = behind(gate, done)
  return Effect.gen(function* () {
    const fiber = yield* Effect.forkChild(call(yield* HeldLeases), { startImmediately: true })
    yield* Fiber.interrupt(fiber)
    yield* Deferred.succeed(gate, undefined)
    yield* TestClock.adjust(0)
    return { done, holdings }
  }).pipe(Effect.provide(layer))
}

it.effect("a lease that was given back is in no slot of a runner that did not wait for the answer", () =>
  Effect.gen(function* () {
    const { holdings } = yield* left(({ release }) => release(key, "l"))
    assert.deepStrictEqual(holdings.of("r"), [])
  })
)

it.effect("a runner that ends while its session is closed has given back what it held", () =>
  Effect.gen(function* () {
    const { done, holdings } = yield* left(({ close }) => close(key, "r"))
    assert.deepStrictEqual(done, ["closed", "HoldOnly"])
    assert.deepStrictEqual(holdings.of("r"), [])
  })
)

it.effect("a result of a runner that does not wait for the answer is heard to its end: a failure of its engine counts", () =>
  Effect.gen(function* () {
    const { done } = yield* left(({ result }) => result(key, "l", { kind: "match" } as Result))
    assert.deepStrictEqual(done, ["result"])
  })
)

it.effect("a lease that a heartbeat finds lost is in no slot of its runner, and one that another runner holds stays in its", () => {
  const gate = Deferred.makeUnsafe<void>()
  Deferred.doneUnsafe(gate, Effect.void)
  const { holdings, layer } = behind(gate, [])
  holdings.know("other", [{ ...held, lease: "of another", runner: "other" }])
  return Effect.gen(function* () {
    const { heartbeat } = yield* HeldLeases
    const { leases } = yield* heartbeat(key, "r", ["l", "of another"])
    assert.deepStrictEqual(
      leases,
      ["l", "of another"].map((lease) => ({ lease, lost: true }))
    )
    assert.deepStrictEqual([holdings.of("r").length, holdings.of("other").length], [0, 1])
  }).pipe(Effect.provide(layer))
})
