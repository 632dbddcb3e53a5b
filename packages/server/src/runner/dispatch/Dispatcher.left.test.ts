/** Lease requests that end before their answer: what they were given goes back, and what they said is not forgotten. */

import { assert, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { moving } from "../../actor/asked.ts"
import { LocalMailboxes } from "../../actor/LocalMailboxes.ts"
import { OpenSeasons } from "../../actor/OpenSeasons.ts"
import { Broadcast } from "../../node/Broadcast.ts"
import { Parking } from "../../parking/Parking.ts"
import { Holdings, NO_MATCH } from "../session/Holdings.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import type { LeasePayload } from "../work/LeasePayloads.ts"
import { ReplayAudits } from "../work/ReplayAudits.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { SeasonCalls } from "./SeasonCalls.ts"

const [first, second] = [1, 2].map((n) => `019a0000-0000-7000-8000-00000000000${n}`) as [string, string]
const engine = { game: "snakes", engine_digest: "e" }
const key = { id: "k", season_id: null }
const runner = { id: "r", key_id: "k", slots: 4, state: "active", accepts: ["match"], engines: [engine], runtime_version: "v" } as const
const payload = "{}" as LeasePayload
const heldIn = (season: string, lease: string) => ({ lease, runner: "r", key: "k", season, ...NO_MATCH })

interface Among {
  readonly holdings: Holdings
  /** How a season answers that is asked for work as the n-th. */
  readonly answers?: (n: number) => Effect.Effect<void, typeof moving>
  /** How audits are looked for, and which there are. */
  readonly audits?: Effect.Effect<ReadonlyArray<string>>
}

/** Two seasons that give one piece of work each. */
const among = ({ answers = () => Effect.void, audits = Effect.succeed([]), holdings }: Among) => {
  const [back, lost] = [[] as Array<string>, [] as Array<string>]
  let asked = 0
  const calls = Layer.mock(SeasonCalls, {
    holdings,
    caller: (key) => Effect.succeed({ key, runner, stays: true }),
    check: (_key, _runner, results) => Effect.succeed(results),
    ask: (_season, [command]) =>
      Effect.sync(() => {
        if (command?._tag === "HoldOnly") back.push(...command.among!)
        return [{ returned: 1 }]
      }),
    tell: (_caller, season, said) =>
      Effect.suspend(() => {
        const lease = `${season} ${++asked}`
        lost.push(...(said.lost?.leases ?? []))
        holdings.add(heldIn(season, lease))
        return Effect.as(answers(asked), { receipts: [], works: [payload], leases: [lease] })
      })
  })
  const seasons = [first, second].map((id) => ({ id, ...engine }))
  const open = Layer.mock(OpenSeasons, { list: () => seasons, get: (id) => seasons.find((season) => season.id === id) })
  const quiet = Layer.succeed(Broadcast, Broadcast.of({ tell: () => Effect.void, listen: () => Effect.void }))
  const others = Layer.mock(ReplayAudits, {
    lease: () => Effect.map(audits, (leases) => leases.map((lease) => ({ lease, payload }))),
    release: (_key, lease) => Effect.sync(() => back.push(lease) > 0)
  })
  const layer = Dispatcher.layer.pipe(
    Layer.provide([calls, open, quiet, others]),
    Layer.provide([Layer.succeed(KnownRuntimes, new Set(["v"])), Layer.succeed(LocalMailboxes, new Map())]),
    Layer.provideMerge(Parking.layer)
  )
  return { layer, back, lost }
}

it.effect("work that a season gave goes back where the request ends while the next season is asked, and so does an audit", () => {
  const [gate, holdings] = [Deferred.makeUnsafe<void>(), new Holdings()]
  holdings.know("r", [])
  const answers = (n: number) => (n === 1 ? Effect.void : Deferred.await(gate))
  const { back, layer } = among({ holdings, answers, audits: Effect.succeed(["audit 1"]) })
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const request = yield* Effect.forkChild(lease(key, { runner: "r", max: 3, wait_s: 0 }), { startImmediately: true })
    yield* TestClock.adjust(0)
    yield* Fiber.interrupt(request)
    yield* Deferred.succeed(gate, undefined)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(back.map((lease) => lease.slice(-1)).sort(), ["1", "1", "2"])
    assert.deepStrictEqual(holdings.of("r"), [])
  }).pipe(Effect.provide(layer))
})

it.effect("an audit goes back where the request fails, since a season did not hear of lost leases", () => {
  const holdings = new Holdings()
  holdings.know("r", [heldIn(first, "lost")])
  const { back, layer } = among({ holdings, answers: () => Effect.fail(moving), audits: Effect.succeed(["audit 1"]) })
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    yield* Effect.flip(lease(key, { runner: "r", max: 2, wait_s: 0, holds: [] }))
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(back, ["audit 1"])
  }).pipe(Effect.provide(layer))
})

it.effect("lost leases of a request that ends before their season was told are named by the next one", () => {
  const [gate, holdings] = [Deferred.makeUnsafe<void>(), new Holdings()]
  const know = () => holdings.know("r", [heldIn(first, "lost")])
  know()
  const { layer, lost } = among({ holdings, audits: Effect.as(Deferred.await(gate), []) })
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    const asks = lease(key, { runner: "r", max: 1, wait_s: 0, holds: [] })
    const request = yield* Effect.forkChild(asks, { startImmediately: true })
    yield* Fiber.interrupt(request)
    assert.deepStrictEqual([holdings.knows("r"), lost], [false, []])
    know() // as the rows say
    yield* Deferred.succeed(gate, undefined)
    yield* asks
    assert.deepStrictEqual([holdings.knows("r"), lost], [true, ["lost"]])
  }).pipe(Effect.provide(layer))
})
