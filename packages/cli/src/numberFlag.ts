import { RULE_BOUNDS } from "@agon/domain/season/Editing.ts"
import { Effect } from "effect"
import { Flag } from "effect/cli"
import { CouldNotRun } from "./Answer.ts"

/** A whole number with a default, which the help tells. */
export const numberFlag = (name: string, description: string, standard: number) =>
  Flag.Int(name).pipe(Flag.withDescription(`${description} (default: ${standard})`), Flag.withDefault(standard))

/** Fails with a sentence about a number that is out of its range. */
export const inRange = (name: string, value: number, least: number, most: number): Effect.Effect<void, CouldNotRun> =>
  value >= least && value <= most ? Effect.void : Effect.fail(new CouldNotRun({ message: `--${name} must be from ${least} to ${most}.` }))

const UINT32_MAX = 0xffff_ffff

export const checkSeed = (seed: number): Effect.Effect<void, CouldNotRun> => inRange("seed", seed, 0, UINT32_MAX)

const RULES = { "max-turns": "match.max_turns", "strike-limit": "match.strike_limit", "infer-us-max": "infer_us_max" } as const

/** A rule of a season as a flag gives it: what the service takes, and what a replay may name. */
export const checkRule = (name: keyof typeof RULES, value: number): Effect.Effect<void, CouldNotRun> =>
  inRange(name, value, ...RULE_BOUNDS.get(RULES[name])!)
