/** Gives every schema of the document its description, every field its meaning, and strings their format in answers. */
import { SHA256, SLUG } from "../Wire.ts"
import { fields } from "./fields.ts"
import { fieldsOfSchemas } from "./fieldsOfSchemas.ts"
import { schemaMeanings } from "./schemaMeanings.ts"

type Json = any

/**
 * Patterns and formats added to strings in answers: values made by the service are not checked on their way
 * out, so their schemas lack them.
 */
const forms: ReadonlyArray<readonly [names: RegExp, form: object]> = [
  [/^(\w+_)?hash$/, { pattern: SHA256.source }],
  [/^state_sha256$/, { pattern: "^[0-9a-f]{64}$" }],
  [/^(slug|map_id)$/, { pattern: SLUG.source }],
  [/^(\w+_)?url$/, { format: "uri" }]
]

/** Names that an answer repeats as they were asked for: they may have any form. */
const repeated = new Set(["skipped.map_id"])

/** `place` is the schema or operation, followed by the fields that lead to this one. */
const meaningOf = (place: ReadonlyArray<string>, name: string): string | undefined =>
  fieldsOfSchemas[`${place.at(-1)}.${name}`] ?? fieldsOfSchemas[`${place[0]}.${name}`] ?? fields[name]

const formed = (schema: Json, form: object): Json => {
  if (schema.anyOf !== undefined) return { ...schema, anyOf: schema.anyOf.map((one: Json) => formed(one, form)) }
  return schema.type === "string" && schema.enum === undefined ? { ...form, ...schema } : schema
}

/** Describes the fields of a schema in place; references lead to schemas that are described by themselves. */
const describeFields = (schema: Json, place: ReadonlyArray<string>): void => {
  for (const [name, field] of Object.entries<Json>(schema.properties ?? {})) {
    const form = repeated.has(`${place.at(-1)}.${name}`) ? undefined : forms.find(([names]) => names.test(name))
    const description = field.description ?? meaningOf(place, name)
    schema.properties[name] = { ...formed(field, form?.[1] ?? {}), ...(description === undefined ? {} : { description }) }
    describeFields(schema.properties[name], [...place, name])
  }
  for (const part of [schema.items, schema.additionalProperties, ...(schema.anyOf ?? [])]) {
    if (typeof part === "object" && part !== null) describeFields(part, place)
  }
}

export const describeSchemas = (document: Json, isProblem: (schema: Json) => boolean): void => {
  for (const [name, schema] of Object.entries<Json>(document.components.schemas)) {
    schema.description ??= schemaMeanings[name]
    describeFields(schema, [isProblem(schema) ? "Problem" : name])
  }
  for (const operation of Object.values<Json>(document.paths).flatMap((methods) => Object.values<Json>(methods))) {
    for (const one of [operation.requestBody, ...Object.values<Json>(operation.responses)]) {
      for (const { schema } of Object.values<Json>(one?.content ?? {})) describeFields(schema, [operation.operationId])
    }
    for (const response of Object.values<Json>(operation.responses)) describeResponse(response)
  }
}

/** The library describes a successful response by its schema's name. */
const describeResponse = (response: Json): void => {
  const schema = response.content?.["application/json"]?.schema
  const [given] = schema?.anyOf ?? [schema]
  const name = (given?.$ref ?? given?.items?.$ref)?.split("/").at(-1)
  const meaning = schemaMeanings[name]
  if (meaning !== undefined) response.description = given.items === undefined ? meaning : `A list. ${meaning}`
}
