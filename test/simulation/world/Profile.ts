/** The kind of season: its rules, its people, its boards, how long it lasts. */
import { DEFAULT_RULES, type Settings } from "@agon/domain/season/Rules.ts"
import { id, settings } from "../../support/SeasonScript.ts"
import type { Chance } from "./Chance.ts"
import * as Sickness from "./Sickness.ts"

export interface Profile {
  readonly season: string
  readonly settings: Settings
  readonly owners: ReadonlyArray<string>
  readonly modelsEach: number
  readonly baselines: ReadonlyArray<string> // models
  readonly boards: ReadonlyArray<{ readonly id: string; readonly players: number }>
  /** Steps until it is brought to its end. */
  readonly incarnation_steps: number
  /** Faults of store and host a step, lost replies a call. */
  readonly trouble: number
  /** Share of steps in which somebody examines results. */
  readonly examined: number
  readonly finals: boolean
  readonly sick: Sickness.Sick
}

/** Weights that fit the first two classes, and one that fits none. */
export const SIZES = [500, 900, 1_500, 3_000] as const
export const TOO_LARGE = 10_000_000

const CLASSES = (["nano", "micro", "mini", "small", "large", "open"] as const).map((name, i) => ({
  class: name,
  max_bytes: 1_000 * 4 ** i,
  memory_flat_bytes: 256,
  memory_cell_bytes: 16
}))

export const draw = (chance: Chance, n: number, now: number): Profile => {
  const players = chance.pick([[2], [2], [2, 2], [2, 2, 3], [2, 4], [3], [2, 3, 4]])
  const opens = chance.in(0.25) ? now + chance.between(60_000, 300_000) : now
  return {
    season: id("season", n),
    settings: settings({
      submissions_open_at: opens,
      submissions_close_at: chance.in(0.2) ? opens + chance.between(600_000, 6_000_000) : opens + 1e10,
      rules: {
        ...DEFAULT_RULES,
        max_models_per_owner: 2,
        max_versions_per_model: chance.pick([3, 8, 50]),
        cooldown_s: chance.pick([0, 0, 30, 600]),
        trial: { matches: chance.pick([1, 2, 3]) },
        match: { max_turns: 500, strike_limit: chance.pick([1, 3]) },
        upload_window_s: chance.pick([60, 1_800]),
        ...(n % 5 === 0 ? {} : { learn_spread: 1 })
      },
      weight_classes: CLASSES,
      fleet: chance.in(0.8) ? { matches: "both", admissions: "both" } : { matches: "own", admissions: "platform" },
      fill: { enabled: chance.in(0.25), max_per_hour: chance.pick([null, 3, 20]) }
    }),
    owners: Array.from({ length: chance.between(3, 9) }, (_, i) => id("owner", i + 1)),
    modelsEach: 3,
    baselines: Array.from({ length: chance.between(0, 3) }, (_, i) => id("model", 9001 + i)),
    boards: players.map((players, i) => ({ id: `b${i}`, players })),
    incarnation_steps: chance.between(100, 600),
    trouble: chance.pick([0, 0.03, 0.06]),
    examined: chance.pick([0, 0.01, 0.03]),
    finals: chance.in(0.4),
    sick: Sickness.draw(chance)
  }
}
