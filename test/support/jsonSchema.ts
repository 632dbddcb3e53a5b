/**
 * The part of JSON Schema 2020-12 that our schemas use. A keyword that it does not know is an error, so a schema cannot
 * say more than is checked.
 */
type Schema = Readonly<Record<string, any>>

const ANNOTATIONS = new Set(["$schema", "$id", "title", "description", "examples"])

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null && !Array.isArray(value)

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  object: isObject,
  string: (value) => typeof value === "string",
  integer: Number.isInteger
}

/** A keyword bears only on values of its own type; the others pass. */
const keywords: Readonly<Record<string, (given: any, value: unknown, schema: Schema) => boolean>> = {
  type: (type, value) => types[type]!(value),
  const: (expected, value) => value === expected,
  minimum: (least, value) => typeof value !== "number" || value >= least,
  maximum: (most, value) => typeof value !== "number" || value <= most,
  maxLength: (most, value) => typeof value !== "string" || [...value].length <= most,
  pattern: (pattern, value) => typeof value !== "string" || new RegExp(pattern, "u").test(value),
  required: (keys: ReadonlyArray<string>, value) => !isObject(value) || keys.every((key) => Object.hasOwn(value, key)),
  properties: (parts: Schema, value) =>
    !isObject(value) || Object.entries(parts).every(([key, part]) => !Object.hasOwn(value, key) || satisfies(part, value[key])),
  additionalProperties: (allowed, value, { properties = {} }) =>
    allowed !== false || !isObject(value) || Object.keys(value).every((key) => Object.hasOwn(properties, key))
}

export const satisfies = (schema: Schema, value: unknown): boolean =>
  Object.entries(schema).every(([keyword, given]) => {
    if (ANNOTATIONS.has(keyword)) return true
    const check = keywords[keyword]
    if (check === undefined) throw new Error(`the keyword ${keyword} is not checked here`)
    return check(given, value, schema)
  })
