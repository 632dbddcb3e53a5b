/** The document's schemas as others' generators like them: plain names, open objects, and no more bounds than there are. */

import { errorMeanings } from "../errorMeanings.ts"

type Json = any

/** Where a reference to a component leads. */
const PREFIX = "#/components/schemas/"

/** Any JSON to the schema, since a refusal of it is the engine's; what a caller sends and gets is an object. */
const boardFile = { type: "object", additionalProperties: true, description: "A board as the game's engine reads it." }

/** What is not more than the range of the numbers themselves says nothing. */
const isNoBound = (value: unknown) => value === Number.MAX_SAFE_INTEGER || value === Number.MIN_SAFE_INTEGER

export const mendSchemas = (document: Json): void => {
  const { schemas } = document.components
  const names = newNames(schemas)
  if (schemas.BoardFile !== undefined) schemas.BoardFile = boardFile
  document.components.schemas = Object.fromEntries(
    Object.entries<Json>(schemas)
      .map(([name, schema]): [string, Json] => [names.get(name) ?? name, isProblem(schema) ? wholeProblem(schema) : schema])
      .sort(([a], [b]) => (a < b ? -1 : 1))
  )
  walk(document, (node) => {
    if (typeof node.$ref === "string") node.$ref = `${PREFIX}${names.get(node.$ref.slice(PREFIX.length)) ?? node.$ref.slice(PREFIX.length)}`
    // Keys that the service does not know are ignored, and an answer may get new ones.
    if (node.additionalProperties === false) delete node.additionalProperties
    if (node.not?.type === "null") replace(node, { type: "object" })
    if (isNoBound(node.maximum)) delete node.maximum
    if (isNoBound(node.minimum)) delete node.minimum
  })
}

/** A struct without fields is anything but null to the library, and to its callers an empty object. */
const replace = (node: Json, by: Json) => {
  for (const key of Object.keys(node)) delete node[key]
  Object.assign(node, by)
}

const walk = (node: Json, visit: (node: Json) => void): void => {
  if (typeof node !== "object" || node === null) return
  visit(node)
  for (const part of Object.values(node)) walk(part, visit)
}

const codeOf = (schema: Json): string | undefined => (schema.properties?.type === undefined ? undefined : schema.properties.code?.enum?.[0])
const isProblem = (schema: Json) => codeOf(schema) !== undefined

const pascal = (code: string) => code.replace(/(^|_)(\w)/g, (_, _bar, letter: string) => letter.toUpperCase())

/** `unknown_seasonEncoded` is the problem UnknownSeason, `SubmittedEncoded` simply Submitted. A name that is taken is left. */
const newNames = (schemas: Json): ReadonlyMap<string, string> =>
  new Map(
    Object.entries<Json>(schemas).flatMap(([name, schema]) => {
      const code = codeOf(schema)
      const better = code === undefined ? name.replace(/Encoded$/, "") : pascal(code)
      return better === name || better in schemas ? [] : [[name, better] as const]
    })
  )

/** Every problem says all of its members; the library lets a reader do without those that a class fixes. */
const wholeProblem = ({ properties, ...schema }: Json): Json => ({
  ...schema,
  description: errorMeanings[properties.code.enum[0]],
  properties: { ...properties, status: { ...properties.status, type: "integer" } },
  required: Object.keys(properties).filter((name) => name !== "instance")
})
