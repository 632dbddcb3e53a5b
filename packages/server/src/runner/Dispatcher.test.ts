/** Which seasons a lease request asks, among seasons of which one is away. */

import { Unavailable } from "@agon/api/Problem.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { moving } from "../actor/asked.ts"
import { LocalMailboxes } from "../actor/LocalMailboxes.ts"
import type { Mailbox } from "../actor/Mailbox.ts"
import { OpenSeasons } from "../actor/OpenSeasons.ts"
import { Parking } from "../actor/Parking.ts"
import { Broadcast } from "../node/Broadcast.ts"
import { Dispatcher } from "./Dispatcher.ts"
import { Holdings } from "./Holdings.ts"
import { KnownRuntimes } from "./KnownRuntimes.ts"
import type { LeasePayload } from "./LeasePayloads.ts"
import { ReplayAudits } from "./ReplayAudits.ts"
import { SeasonCalls, SharesRunners } from "./SeasonCalls.ts"

const [lost, other, third] = [1, 2, 3].map((n) => `019a0000-0000-7000-8000-00000000000${n}`) as [string, string, string]
const engine = { game: "snakes", engine_digest: "e" }
const key = { id: "k", season_id: null }
const runner = { id: "r", key_id: "k", slots: 4, state: "active", accepts: ["match"], engines: [engine], runtime_version: "v" } as const
const request = { runner: "r", max: 1, wait_s: 0 }
const payload = { kind: "match" } as unknown as LeasePayload

/** A dispatcher over seasons with endless work, of which those that are away do not answer; `home` live on its node, if there are others. */
const among = (away: Set<string>, asked: Array<string>, ids = [lost, other], home?: ReadonlyArray<string>) => {
  const seasons = ids.map((id) => ({ id, ...engine }))
  const calls = Layer.mock(SeasonCalls, {
    holdings: new Holdings(),
    caller: () => Effect.succeed({ key, runner }),
    check: () => Effect.succeed([]),
    tell: (_, season, { max }) => {
      asked.push(season)
      return away.has(season) ? Effect.fail(moving) : Effect.succeed({ receipts: [], works: Array.from({ length: max }, () => payload) })
    }
  })
  const open = Layer.mock(OpenSeasons, { list: () => seasons, get: (id) => seasons.find((season) => season.id === id) })
  const quiet = Layer.succeed(Broadcast, Broadcast.of({ tell: () => Effect.void, listen: () => Effect.void }))
  const others = [Layer.mock(ReplayAudits, { lease: () => Effect.succeed([]) }), Parking.layer]
  const mailboxes = new Map((home ?? []).map((id) => [id, {} as Mailbox]))
  const node = [Layer.succeed(LocalMailboxes, mailboxes), Layer.succeed(SharesRunners, home !== undefined)] as const
  const known = Layer.succeed(KnownRuntimes, new Set(["v"]))
  return Dispatcher.layer.pipe(Layer.provide([calls, open, quiet, ...others]), Layer.provide([known, ...node]))
}

it.effect("a season that is away fails no request while another has work, is not asked by each, and gets its share once it is back", () => {
  const [away, asked] = [new Set([lost]), [] as Array<string>]
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 50; n++) assert.lengthOf((yield* lease(key, request)).leases, 1)
    assert.lengthOf(
      asked.filter((season) => season === lost),
      1
    )
    away.clear()
    yield* TestClock.adjust("5 seconds")
    asked.length = 0
    for (let n = 0; n < 20; n++) yield* lease(key, request)
    assert.deepStrictEqual(new Set(asked), new Set([lost]), "what it missed is made up for")
  }).pipe(Effect.provide(among(away, asked)))
})

it.effect("where all seasons are away the request fails, so that the runner asks again soon", () =>
  Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    assert.instanceOf(yield* Effect.flip(lease(key, request)), Unavailable)
  }).pipe(Effect.provide(among(new Set([lost, other]), [])))
)

it.effect("of the seasons of a lost node a request waits for one, and is served by its own node", () => {
  const asked: Array<string> = []
  return Effect.gen(function* () {
    const { lease } = yield* Dispatcher
    for (let n = 0; n < 40; n++) {
      asked.length = 0
      assert.lengthOf((yield* lease(key, request)).leases, 1)
      assert.include([1, 2], asked.length)
      assert.strictEqual(asked.at(-1), third)
    }
  }).pipe(Effect.provide(among(new Set([lost, other]), asked, [lost, other, third], [third])))
})
