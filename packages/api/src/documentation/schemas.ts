/** Adapts the document's schemas to other generators: plain names, open objects, and only real bounds. */

import { errorMeanings } from "../errorMeanings.ts"
import { SLUG, SLUG_LENGTH_MAX } from "../Wire.ts"
import { describeSchemas } from "./describeSchemas.ts"
import { boundClass, boundRules, rulesPatch } from "./rules.ts"

type Json = any

/** The prefix of a reference to a component. */
const PREFIX = "#/components/schemas/"

/** Any JSON to the schema that reads it, since the engine refuses an invalid one; a caller sends and gets an object. */
const boardFile = {
  type: "object",
  required: ["format", "map_id", "players", "rows", "cols"],
  properties: {
    format: { type: "string" },
    map_id: { type: "string", pattern: SLUG.source, maxLength: SLUG_LENGTH_MAX },
    players: { type: "integer", minimum: 2, maximum: 8 },
    rows: { type: "integer", minimum: 4, maximum: 25 },
    cols: { type: "integer", minimum: 4, maximum: 25 }
  },
  additionalProperties: true,
  description: "A board as the game's engine reads it: the keys that boards of every game have, and beside them those of the game's format."
}

/** Schemas that accept more than is valid, so that the refusal comes from the code that knows the fault. */
const restated: Readonly<Record<string, () => Json>> = {
  BoardFile: () => structuredClone(boardFile),
  SentBoard: () => structuredClone(boardFile),
  RulesPatch: rulesPatch
}

/** Schemas that read otherwise what has the same form: the document knows one. */
const RENAMED: ReadonlyArray<readonly [string, string]> = [["SentBoard", "BoardFile"]]

/** The limits of the number type itself are not a bound. */
const isNoBound = (value: unknown) => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER

export const mendSchemas = (document: Json): void => {
  const { schemas } = document.components
  const names = newNames(schemas)
  for (const [name, restate] of Object.entries(restated)) if (schemas[name] !== undefined) schemas[name] = restate()
  document.components.schemas = Object.fromEntries(
    Object.entries<Json>(schemas)
      .map(([name, schema]): [string, Json] => [names.get(name) ?? name, isProblem(schema) ? wholeProblem(schema) : schema])
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
  walk(document, (node) => {
    if (typeof node.$ref === "string") node.$ref = `${PREFIX}${names.get(node.$ref.slice(PREFIX.length)) ?? node.$ref.slice(PREFIX.length)}`
    // Keys that the service does not know are ignored, and an answer may get new ones.
    if (node.additionalProperties === false) delete node.additionalProperties
    if (node.not?.type === "null") replace(node, { type: "object", description: "An empty object.", additionalProperties: true })
    if (node.anyOf?.some(isAnything)) replace(node, { ...node, anyOf: undefined })
    if (node.allOf?.every(isBound)) replace(node, Object.assign({}, node, ...node.allOf, { allOf: undefined }))
    if (isNoBound(node.maximum)) delete node.maximum
    if (isNoBound(node.minimum)) delete node.minimum
    if (node.properties?.memory_cell_bytes !== undefined) boundClass(node)
  })
  if (schemas.Rules !== undefined) boundRules(schemas.Rules)
  describeSchemas(document, isProblem)
}

/** Any JSON, including null. */
const isAnything = (branch: Json) => Object.keys(branch).length === 0

/** A bound stated beside a type; it can be moved into the type. */
const isBound = (part: Json) => part.$ref === undefined && part.type === undefined && part.properties === undefined

/** A struct without fields is any non-null value to the library, and an empty object to its callers. */
const replace = (node: Json, by: Json) => {
  for (const key of Object.keys(node)) delete node[key]
  for (const [key, value] of Object.entries(by)) if (value !== undefined) node[key] = value
}

const walk = (node: Json, visit: (node: Json) => void): void => {
  if (typeof node !== "object" || node === null) return
  visit(node)
  for (const part of Object.values(node)) walk(part, visit)
}

const codeOf = (schema: Json): string | undefined => (schema.properties?.type === undefined ? undefined : schema.properties.code?.enum?.[0])
const isProblem = (schema: Json) => codeOf(schema) !== undefined

const pascal = (code: string) => code.replace(/(^|_)(\w)/g, (_, _bar, letter: string) => letter.toUpperCase())

/**
 * `unknown_seasonEncoded` is the problem UnknownSeason, `SubmittedEncoded` simply Submitted. A schema keeps
 * its name where the new one is taken.
 */
const newNames = (schemas: Json): ReadonlyMap<string, string> =>
  new Map([
    ...RENAMED,
    ...Object.entries<Json>(schemas).flatMap(([name, schema]) => {
      const code = codeOf(schema)
      const better = code === undefined ? name.replace(/Encoded$/, "") : pascal(code)
      return better === name || better in schemas ? [] : [[name, better] as const]
    })
  ])

/** Every problem has all of its members; the library makes those that a class fixes optional for readers. */
const wholeProblem = ({ properties, ...schema }: Json): Json => ({
  ...schema,
  description: errorMeanings[properties.code.enum[0]],
  properties: { ...properties, status: { ...properties.status, type: "integer" } },
  required: Object.keys(properties).filter((name) => name !== "instance")
})
