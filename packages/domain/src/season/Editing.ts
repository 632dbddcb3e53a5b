/**
 * Edits of settings: an edit names what changes, the rest stays. The season merges it into the current settings when
 * its turn comes, so neither of two simultaneous edits is lost, and checks the outcome against the bounds of
 * docs/contract.md#rules.
 */
import { type Fill, type Fleet, LADDERS, type Rules, type Settings, type WeightClass } from "./Rules.ts"

/** The rules that an edit changes. */
export type RulesPatch = Partial<Omit<Rules, "match" | "trial">> & {
  readonly match?: Partial<Rules["match"]>
  readonly trial?: Partial<Rules["trial"]>
}

export type SettingsPatch = Partial<Omit<Settings, "rules" | "fleet" | "fill">> & {
  readonly rules?: RulesPatch
  readonly fleet?: Partial<Fleet>
  readonly fill?: Partial<Fill>
}

/** Whether two documents say the same. The order of their keys says nothing: the database has one of its own. */
export const isEqual = (one: unknown, other: unknown): boolean => JSON.stringify(one, inOrder) === JSON.stringify(other, inOrder)

const inOrder = (_key: string, value: unknown): unknown =>
  typeof value !== "object" || value === null || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Where a document is wrong, and how. */
export interface Fault {
  readonly path: string
  readonly message: string
}

/** Bounds of the numbers in the rules, by their path. */
export const RULE_BOUNDS: ReadonlyMap<string, readonly [number, number]> = new Map([
  ["max_models_per_owner", [1, 10_000]],
  ["max_versions_per_model", [1, 10_000]],
  ["cooldown_s", [0, 604_800]],
  ["note_max_length", [1, 2_000]],
  ["infer_us_max", [1, 1_000_000]],
  ["trial.matches", [1, 20]],
  ["match.max_turns", [1, 5_000]],
  ["match.strike_limit", [1, 100]],
  ["provisional_matches", [1, 1_000]],
  ["upload_window_s", [1, 86_400]],
  ["max_stored_bytes_per_owner", [1024 ** 2, 1024 ** 4]],
  ["learn_spread", [0, 1]]
])
const NESTED: ReadonlySet<string> = new Set(["match", "trial"])
/** No model of this service is larger. */
export const BYTES_MAX = 1024 ** 3
/** A thousand cells of this size still stay within the largest number that is stored. */
export const CELL_BYTES_MAX = 1024 ** 2

export const mergedRules = (rules: Rules, { match, trial, ...plain }: RulesPatch): Rules => ({
  ...rules,
  ...plain,
  match: { ...rules.match, ...match },
  trial: { ...rules.trial, ...trial }
})

export const merged = (settings: Settings, { fill, fleet, rules, ...plain }: SettingsPatch): Settings => ({
  ...settings,
  ...plain,
  rules: mergedRules(settings.rules, rules ?? {}),
  fleet: { ...settings.fleet, ...fleet },
  fill: { ...settings.fill, ...fill }
})

type Window = Pick<Settings, "submissions_open_at" | "submissions_close_at">

export const faultsOfWindow = ({ submissions_close_at, submissions_open_at }: Window): ReadonlyArray<Fault> =>
  submissions_close_at > submissions_open_at ? [] : [{ path: "submissions_close_at", message: "Submissions close after they open." }]

/** Why the settings are not valid after this edit. Settings that it does not touch are not checked. */
export const refusalOf = (after: Settings, patch: SettingsPatch) => {
  const { rules, weight_classes } = after
  const moved = patch.submissions_open_at !== undefined || patch.submissions_close_at !== undefined
  const window = moved ? faultsOfWindow(after) : []
  if (window.length > 0) return { refused: "invalid_request", errors: window } as const
  const errors = [
    ...(patch.rules === undefined ? [] : faultsOfRules(flattened({ ...rules }))),
    ...(patch.weight_classes === undefined ? [] : faultsOfClasses(weight_classes))
  ]
  return errors.length === 0 ? undefined : ({ refused: "rules_invalid", errors } as const)
}

type Read =
  | { readonly value: RulesPatch }
  | { readonly refused: "invalid_request" | "rules_invalid"; readonly errors: ReadonlyArray<Fault> }

/**
 * Reads the rules in a body. A wrong type is an invalid request; an unknown rule, or one out
 * of bounds, is invalid rules.
 */
export const rulesPatchOf = (body: Readonly<Record<string, unknown>>): Read => {
  const named = flattened(body)
  const wrongType = named.flatMap(([path, value]) => {
    if (NESTED.has(path)) return [{ path: `rules.${path}`, message: "It takes an object." }]
    return RULE_BOUNDS.has(path) && !Number.isInteger(value) ? [{ path: `rules.${path}`, message: "A rule is a whole number." }] : []
  })
  if (wrongType.length > 0) return { refused: "invalid_request", errors: wrongType }
  const errors = faultsOfRules(named as ReadonlyArray<readonly [string, number]>)
  return errors.length > 0 ? { refused: "rules_invalid", errors } : { value: body as RulesPatch }
}

const flattened = (rules: Readonly<Record<string, unknown>>): ReadonlyArray<readonly [string, unknown]> =>
  Object.entries(rules).flatMap(([key, value]): ReadonlyArray<readonly [string, unknown]> => {
    const holds = NESTED.has(key) && typeof value === "object" && value !== null && !Array.isArray(value)
    if (holds) return Object.entries(value).map(([inner, one]) => [`${key}.${inner}`, one] as const)
    return [[key.includes(".") ? JSON.stringify(key) : key, value]] // "match.max_turns" itself is no rule
  })

const faultsOfRules = (named: ReadonlyArray<readonly [string, unknown]>): ReadonlyArray<Fault> =>
  named.flatMap(([path, value]) => {
    const bounds = RULE_BOUNDS.get(path)
    if (bounds === undefined) return [{ path: `rules.${path}`, message: "There is no such rule." }]
    const [least, most] = bounds
    const within = (value as number) >= least && (value as number) <= most
    return within ? [] : [{ path: `rules.${path}`, message: `It takes ${least} to ${most}.` }]
  })

/** There must be all six classes, in order of size. */
export const faultsOfClasses = (classes: ReadonlyArray<WeightClass>): ReadonlyArray<Fault> => {
  if (LADDERS.some((ladder, i) => classes[i]?.class !== ladder) || classes.length !== LADDERS.length) {
    return [{ path: "weight_classes", message: `It takes the classes ${LADDERS.join(", ")}, in this order.` }]
  }
  const sizes = classes.flatMap(({ max_bytes }, i) =>
    max_bytes > (classes[i - 1]?.max_bytes ?? 0) && max_bytes <= BYTES_MAX
      ? []
      : [{ path: `weight_classes.${i}.max_bytes`, message: `It takes more than the class before, and at most ${BYTES_MAX}.` }]
  )
  return [...sizes, ...classes.flatMap(faultsOfMemory)]
}

const faultsOfMemory = ({ memory_cell_bytes, memory_flat_bytes }: WeightClass, i: number): ReadonlyArray<Fault> => [
  ...atMost(`weight_classes.${i}.memory_flat_bytes`, memory_flat_bytes, BYTES_MAX),
  ...atMost(`weight_classes.${i}.memory_cell_bytes`, memory_cell_bytes, CELL_BYTES_MAX)
]

const atMost = (path: string, value: number, most: number): ReadonlyArray<Fault> =>
  value <= most ? [] : [{ path, message: `It takes at most ${most}.` }]
