/** A season's rules and weight classes in the document: with the bounds that the season enforces, and the defaults. */
import { BYTES_MAX, CELL_BYTES_MAX, RULE_BOUNDS } from "@agon/domain/season/Editing.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { ruleAt } from "../season/bounds.ts"

type Json = any

const integer = { type: "integer" }

/** An object by the paths of its numbers: `trial.matches` lies in the object `trial`. */
const nested = (numbers: ReadonlyArray<readonly [path: string, schema: Json]>): Json => {
  const root: Json = { type: "object", properties: {} }
  for (const [path, schema] of numbers) {
    const [outer, inner] = path.split(".") as [string, string | undefined]
    if (inner === undefined) root.properties[outer] = schema
    else (root.properties[outer] ??= { type: "object", properties: {} }).properties[inner] = schema
  }
  return root
}

/**
 * Any rule may be left out, and refusals name the rule at fault; the schema that reads a
 * body therefore takes any object.
 */
export const rulesPatch = (): Json =>
  nested(
    [...RULE_BOUNDS].map(([path, [minimum, maximum]]) => [path, { ...integer, minimum, maximum, default: ruleAt(DEFAULT_RULES, path) }])
  )

/** Bounds of counts that the schema leaves open, since their refusal names the class at fault. */
const classBounds: Readonly<Record<string, readonly [number, number]>> = {
  max_bytes: [1, BYTES_MAX],
  memory_flat_bytes: [0, BYTES_MAX],
  memory_cell_bytes: [0, CELL_BYTES_MAX]
}

/** Enters the bounds into a schema of rules, or of a weight class, in place. */
export const boundRules = ({ properties }: Json): void => {
  for (const [path, [minimum, maximum]] of RULE_BOUNDS) {
    const [outer, inner] = path.split(".") as [string, string | undefined]
    Object.assign(inner === undefined ? properties[outer] : properties[outer].properties[inner], { minimum, maximum })
  }
}

export const boundClass = ({ properties }: Json): void => {
  for (const [name, [minimum, maximum]] of Object.entries(classBounds)) Object.assign(properties[name], { minimum, maximum })
}
