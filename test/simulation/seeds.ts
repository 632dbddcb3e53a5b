/**
 * The seeds of a test run, in as many parts as there are files of them: two files keep two cores busy. CI
 * runs seven times as many as elsewhere, at 3 s of a core each. AGON_SIM_SEEDS says how many, AGON_SIM_FROM
 * where to begin, AGON_SIM_STEPS how long each is; main.ts runs ten thousand.
 */
import { createRequire } from "node:module"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inCi } from "../support/slow.ts"
import { EVERYTHING } from "./everything.ts"

/** As Node runs it, not as vitest rewrites it: that takes a sixth more time, of which a seed has seconds. */
const { hold } = createRequire(import.meta.url)("./simulation.ts") as typeof import("./simulation.ts")

const SEEDS = Number(process.env["AGON_SIM_SEEDS"] ?? (inCi ? 200 : 28))
export const FROM = Number(process.env["AGON_SIM_FROM"] ?? 1)
const STEPS = Number(process.env["AGON_SIM_STEPS"] ?? 2_000)
const PARTS = 2
/** Fourteen seeds have seen everything. */
const ENOUGH_STEPS = 28_000

export const part = (which: number): void => {
  const seeds = Array.from({ length: SEEDS }, (_, i) => FROM + i).filter((seed) => (seed - FROM) % PARTS === which)
  const totals: Record<string, number> = {}
  describe(`${seeds.length} seeds of ${STEPS} steps keep every promise`, () => {
    for (const seed of seeds) {
      it.live(
        `seed ${seed}`,
        () =>
          Effect.gen(function* () {
            const seen = yield* hold(seed, STEPS)
            for (const [what, n] of Object.entries(seen)) totals[what] = (totals[what] ?? 0) + n
            assert.isAbove(seen["rated"] ?? 0, STEPS / 20, "the seasons were played")
          }),
        300_000
      )
    }
  })
  it.skipIf(seeds.length * STEPS < ENOUGH_STEPS)("between them they have seen everything that can happen", () => {
    assert.deepStrictEqual(
      EVERYTHING.filter((what) => !(totals[what]! > 0)),
      []
    )
  })
}
