/**
 * Bounds and defaults of a season's rules and classes, for those who write them: the service refuses the
 * rest (docs/contract.md#rules).
 */
import { BYTES_MAX, CELL_BYTES_MAX, RULE_BOUNDS } from "@agon/domain/season/Editing.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import type { Rules, WeightClass } from "./Rules.ts"

export interface RuleBounds {
  /** With a dot where the rule is within another: `match.max_turns`. */
  readonly path: string
  readonly least: number
  readonly most: number
  /** Where the rules leave it out. */
  readonly initial: number
}

/** The value of a rule at its path; 0 where rules leave it out. */
export const ruleAt = (rules: Rules, path: string): number =>
  (path.split(".").reduce<unknown>((at, name) => (at as Readonly<Record<string, unknown>>)[name], rules) as number | undefined) ?? 0

/** The bounds of every rule. */
export const ruleBounds: ReadonlyArray<RuleBounds> = [...RULE_BOUNDS].map(([path, [least, most]]) => ({
  path,
  least,
  most,
  initial: ruleAt(DEFAULT_RULES, path)
}))

/** The least and the most of each number of a weight class; `max_bytes` also grows from class to class. */
export const classBounds: Readonly<Record<keyof Omit<WeightClass, "class">, readonly [least: number, most: number]>> = {
  max_bytes: [1, BYTES_MAX],
  memory_flat_bytes: [0, BYTES_MAX],
  memory_cell_bytes: [0, CELL_BYTES_MAX]
}
