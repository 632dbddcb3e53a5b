/** The served OpenAPI document, walked: nothing in it is left for its reader to guess. */

import { Api } from "@agon/api/Api.ts"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"

type Json = any

interface Place {
  /** Where it lies, as `Season.maps.in_play` or `POST /v1/models body.name`. */
  readonly at: string
  /** The field that it is the schema of, or a part of that. */
  readonly name: string | undefined
  /** Whether it is the whole schema of the field. */
  readonly field: boolean
  readonly schema: Json
}

/** Every schema below this one, itself included. A reference is not followed: its component is walked by itself. */
function* placesOf(schema: Json, at: string, name?: string, field = false): Generator<Place> {
  yield { at, name, field, schema }
  for (const [key, one] of Object.entries<Json>(schema.properties ?? {})) yield* placesOf(one, `${at}.${key}`, key, true)
  for (const part of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])]) {
    if (typeof part === "object" && part !== null) yield* placesOf(part, at, name)
  }
}

const document = OpenApi.fromApi(Api) as Json
const operations = Object.entries<Json>(document.paths).flatMap(([path, methods]) =>
  Object.entries<Json>(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation }))
)
const bodyOf = ({ requestBody }: Json) => requestBody?.content["application/json"].schema
const contents = ({ requestBody, responses }: Json) =>
  [requestBody, ...Object.values<Json>(responses)].flatMap((one) => Object.values<Json>(one?.content ?? {}).map(({ schema }) => schema))

const places: ReadonlyArray<Place> = [
  ...Object.entries<Json>(document.components.schemas).flatMap(([name, schema]) => [...placesOf(schema, name)]),
  ...operations.flatMap(({ operation, route }) => contents(operation).flatMap((schema) => [...placesOf(schema, `${route} body`)]))
]

/** Components that some body leads to. */
const sent = (() => {
  const found = new Set<string>()
  const follow = (schema: Json): void => {
    for (const reference of JSON.stringify(schema).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (found.has(reference[1]!)) continue
      found.add(reference[1]!)
      follow(document.components.schemas[reference[1]!])
    }
  }
  for (const { operation } of operations) follow(bodyOf(operation) ?? {})
  return found
})()

const isSentence = (text: unknown) => typeof text === "string" && /^["`A-Z0-9].*\.$/s.test(text) && !text.startsWith("What")
const at = (wrong: ReadonlyArray<Place>) => wrong.map((place) => place.at)

/** Strings of one form, by the names of their fields. A name in the contract that means several things is left out. */
const forms: ReadonlyArray<readonly [names: RegExp, has: (schema: Json) => boolean]> = [
  [/^(\w+_at|cooldown_until|at)$/, ({ format }) => format === "date-time"],
  [/^(?!map_id|request_id)\w+_id$/, ({ format }) => format === "uuid"],
  [/^(\w+_)?hash$/, ({ pattern }) => pattern === "^sha256:[0-9a-f]{64}$"],
  [/^state_sha256$/, ({ pattern }) => pattern === "^[0-9a-f]{64}$"],
  [/^(\w+_)?url$/, ({ format }) => format === "uri"],
  [/^slug$/, ({ pattern }) => pattern !== undefined],
  [/^day$/, ({ format }) => format === "date"]
]

/** Numbers that have no upper bound, and two that are brought into their bounds, as their descriptions say. */
const WITHOUT_BOUNDS = ["max", "max_per_hour", "param_count", "wait_s"]

describe("the OpenAPI document", () => {
  it("says of every operation in a line and in sentences what it does, who may call it and how often", () => {
    for (const { operation, route } of operations) {
      const { description, summary } = operation
      assert.isTrue(
        typeof summary === "string" && /^[A-Z]/.test(summary) && !summary.startsWith("What"),
        `${route} has no line in summaries.ts`
      )
      const isDescribed = isSentence(description) && !/^(For |Counts against )/.test(description)
      assert.isTrue(isDescribed, `${route} has no line in descriptions.ts`)
      assert.match(description, /\. (For .*\. )+.*\brate\b/s, route)
    }
    for (const { description, name } of document.tags) assert.isTrue(isSentence(description), name)
  })

  it("describes every schema and every field", () => {
    const schemas = Object.entries<Json>(document.components.schemas)
    assert.deepStrictEqual(
      schemas.flatMap(([name, { description }]) => (isSentence(description) ? [] : [name])),
      [],
      "these have no line in schemaMeanings.ts, or errors none in errorMeanings.ts"
    )
    const fields = places.filter(({ field }) => field)
    assert.isAbove(fields.length, 1_000)
    assert.deepStrictEqual(
      at(fields.filter(({ schema }) => !isSentence(schema.description))),
      [],
      "these have no line in fields.ts or fieldsOfSchemas.ts"
    )
  })

  it("shows no bare object: each says its fields, or what lies under any key", () => {
    const bare = ({ additionalProperties, properties, type }: Json) =>
      type === "object" && properties === undefined && additionalProperties === undefined
    assert.deepStrictEqual(at(places.filter(({ schema }) => bare(schema))), [])
  })

  it("shows the form of dates, ids, hashes and addresses wherever they occur", () => {
    const strings = places.filter(({ schema }) => schema.type === "string" && schema.enum === undefined)
    for (const [names, has] of forms) {
      const named = strings.filter(({ name }) => name !== undefined && names.test(name))
      assert.isAbove(named.length, 0, String(names))
      assert.deepStrictEqual(at(named.filter(({ schema }) => !has(schema))), [], String(names))
    }
  })

  it("promises no form of what an answer repeats as it was asked for: a board to import may have any name", () => {
    const { imported, skipped } = document.components.schemas.ImportedBoards.properties
    assert.deepStrictEqual([imported.items.pattern, skipped.items.properties.map_id.pattern], [undefined, undefined])
  })

  it("shows the bounds of every number that a body may hold", () => {
    const asked = places.filter(({ at }) => at.includes(" body") || sent.has(at.split(".")[0]!))
    const numbers = asked.filter(({ schema }) => schema.type === "integer" || schema.type === "number")
    const open = ({ exclusiveMaximum, maximum = exclusiveMaximum, minimum }: Json) => maximum === undefined || minimum === undefined
    assert.isAbove(numbers.length, 30)
    const names = new Set(numbers.filter(({ schema }) => open(schema)).map(({ name }) => name))
    assert.deepStrictEqual([...names].sort(), WITHOUT_BOUNDS)
  })
})
