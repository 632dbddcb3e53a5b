import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hold } from "./simulation.ts"

/** AGON_SIM_SEEDS=200 for a long night, AGON_SIM_FROM to begin elsewhere, AGON_SIM_STEPS for longer runs. */
const SEEDS = Number(process.env["AGON_SIM_SEEDS"] ?? 20)
const FROM = Number(process.env["AGON_SIM_FROM"] ?? 1)
const STEPS = Number(process.env["AGON_SIM_STEPS"] ?? 2_000)

const totals: Record<string, number> = {}

describe(`${SEEDS} seeds of ${STEPS} steps keep every promise`, () => {
  for (let seed = FROM; seed < FROM + SEEDS; seed++) {
    it.live(`seed ${seed}`, () =>
      Effect.gen(function* () {
        const seen = yield* hold(seed, STEPS)
        for (const [what, n] of Object.entries(seen)) totals[what] = (totals[what] ?? 0) + n
        assert.isAbove(seen["rated"] ?? 0, STEPS / 20, "the seasons were played")
      })
    )
  }
})
it("has seen everything", () => {
  console.log(JSON.stringify(totals))
})
