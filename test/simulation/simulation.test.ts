import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { hold, inMemory } from "./simulation.ts"

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

/** A promise that was never put to the test proves nothing. */
const EVERYTHING = [
  ...["rated", "finished", "runner_lost", "engine_fault"],
  ...["superseded", "board_disabled", "baseline_disabled", "season_closed", "round_reset"],
  ...["accepted", "lost", "released", "withdrawn", "malformed", "unknown"].map((answer) => `result ${answer}`),
  ...["entered", "superseded", "disabled", "rejected", "trial_failed", "too_large", "too_slow", "memory_over_class"].map(
    (end) => `version ${end}`
  ),
  ...["wrong_signature", "hash_mismatch", "upload_expired", "season_closed", "admission_unavailable"].map((reason) => `version ${reason}`),
  ...["reply lost", "unavailable", "faults", "twins", "seasons"]
]

it.skipIf(SEEDS * STEPS < 40_000)("between them they have seen everything that can happen", () => {
  for (const what of EVERYTHING) assert.isAbove(totals[what] ?? 0, 0, what)
})

it.live("the same seed plays the same season", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* inMemory(FROM, 500), yield* inMemory(FROM, 500))
  })
)
