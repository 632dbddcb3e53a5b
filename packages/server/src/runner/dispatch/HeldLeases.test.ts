import { Unavailable } from "@agon/api/Problem.ts"
import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { moving } from "../../actor/asked.ts"
import { Parking } from "../../parking/Parking.ts"
import { Holdings } from "../session/Holdings.ts"
import { Runners } from "../session/Runners.ts"
import { ReplayAudits } from "../work/ReplayAudits.ts"
import { HeldLeases } from "./HeldLeases.ts"
import { SeasonCalls } from "./SeasonCalls.ts"

const key = { id: "k", season_id: null }
const runner = { id: "r", key_id: "k", slots: 4, state: "active", accepts: [], engines: [], runtime_version: "v" } as const
const UNTIL = Date.parse("2026-01-01T00:01:00.000Z")

/** Seasons of which those that are away do not answer; each lease is named after its season. */
const among = (away: Set<string>, kept: Array<string>) => {
  const calls = Layer.mock(SeasonCalls, {
    holdings: new Holdings(),
    known: () => Effect.succeed({ key, runner, stays: false }),
    seasonOf: (lease) => Effect.succeed(lease.split(" ")[0]),
    ask: (season, [command]) => {
      if (away.has(season)) return Effect.fail(moving)
      const { leases } = command as unknown as { readonly leases: ReadonlyArray<string> }
      kept.push(...leases)
      return Effect.succeed([leases.map((lease) => ({ lease, until: UNTIL }))] as any)
    }
  })
  return HeldLeases.layer.pipe(
    Layer.provide([calls, Layer.mock(Runners, { here: () => true }), Layer.mock(ReplayAudits, {}), Parking.layer])
  )
}

it.effect("a heartbeat keeps the leases of all seasons but one that is away, for whose sake it is repeated", () => {
  const [away, kept] = [new Set(["a"]), [] as Array<string>]
  return Effect.gen(function* () {
    const { heartbeat } = yield* HeldLeases
    const leases = ["a 1", "b 1", "a 2", "c 1"]
    assert.instanceOf(yield* Effect.flip(heartbeat(key, "r", leases)), Unavailable)
    assert.deepStrictEqual(kept, ["b 1", "c 1"])
    away.clear()
    const { leases: beats } = yield* heartbeat(key, "r", leases)
    assert.deepStrictEqual(
      beats,
      leases.map((lease) => ({ lease, expires_at: "2026-01-01T00:01:00.000Z" }))
    )
  }).pipe(Effect.provide(among(away, kept)))
})
