import { Api } from "@agon/api/Api.ts"
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect, Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"

const members = ["type", "title", "status", "detail", "code"]

/** Faults in the refusals of a document: none, for an API whose every route declares its problems. */
const faults = (document: any): Array<string> => {
  const found: Array<string> = []
  const resolve = (schema: any): any => (schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)])
  for (const [path, methods] of Object.entries<any>(document.paths)) {
    for (const [method, operation] of Object.entries<any>(methods)) {
      const route = `${method.toUpperCase()} ${path}`
      const refusals = Object.entries<any>(operation.responses).filter(([status]) => status >= "400")
      if (refusals.length === 0) found.push(`${route} declares no problem`)
      const needs = operation.security?.length > 0 && operation.security.every((one: object) => Object.keys(one).length > 0)
      if (needs && operation.responses["401"] === undefined) found.push(`${route} takes a credential and declares no 401`)
      for (const [status, { content = {} }] of refusals) {
        const schema = resolve(content["application/problem+json"]?.schema)
        if (schema === undefined) found.push(`${route} ${status} is no problem+json`)
        for (const one of (schema?.anyOf ?? [schema]).map(resolve)) {
          if (one?.properties?._tag !== undefined) found.push(`${route} ${status} shows _tag`)
          if (!members.every((member) => member in (one?.properties ?? {}))) found.push(`${route} ${status} lacks a member`)
          if (String(one?.properties?.status?.enum) !== status) found.push(`${route} ${status} holds another status`)
        }
      }
    }
  }
  return found
}

const document = OpenApi.fromApi(Api) as any
const resolve = (schema: any): any => (schema?.$ref === undefined ? schema : document.components.schemas[schema.$ref.split("/").at(-1)])
const operations = Object.entries<any>(document.paths).flatMap(([path, methods]) =>
  Object.entries<any>(methods).map(([method, operation]): readonly [string, any] => [`${method.toUpperCase()} ${path}`, operation])
)

const isObject = ({ type }: any) => type === "object"
/** A name, several of the named, or so small an object that it needs none: what a generator makes a good type of. */
const isNamed = (schema: any): boolean => {
  if (schema.$ref !== undefined || schema.type === "null") return true
  if (schema.type === "array") return isNamed(schema.items)
  if (schema.anyOf !== undefined) return schema.anyOf.every(isNamed)
  return isObject(schema) && Object.values(schema.properties ?? {}).every((one) => !isObject(one))
}

describe("the OpenAPI document", () => {
  it("declares for every route its problems, each under its status, with all five members", () => {
    assert.deepStrictEqual(faults(document), [])
  })

  it.effect("is one by the published schema of OpenAPI 3.1, and a document with a slip in it is none", () =>
    Effect.gen(function* () {
      const judged = yield* Effect.promise(() => new Validator().validate(structuredClone(document)))
      assert.deepStrictEqual(judged, { valid: true })
      const slip = { ...structuredClone(document), info: { title: "no version" } }
      assert.isFalse((yield* Effect.promise(() => new Validator().validate(slip))).valid)
    })
  )

  it("says of every operation what it does and for whom, under a name of its own", () => {
    for (const [route, { description, operationId, parameters = [], summary }] of operations) {
      assert.isString(summary, `${route} has no line in summaries.ts`)
      assert.match(description, /rate/, route)
      assert.match(operationId, /^[a-z][A-Za-z]+$/, route)
      for (const { description, in: place, name } of parameters) assert.isString(description, `${route}: ${place} ${name} has no meaning`)
    }
    for (const { description, name } of document.tags) assert.isString(description, name)
    const names = operations.map(([, { operationId }]) => operationId)
    assert.strictEqual(new Set(names).size, names.length)
  })

  it("has a name for what every operation takes and answers", () => {
    for (const [route, { requestBody, responses }] of operations) {
      const bodies = [requestBody, ...Object.values<any>(responses)].flatMap((one) => Object.values<any>(one?.content ?? {}))
      for (const { schema } of bodies) assert.isTrue(isNamed(schema), `${route}: ${JSON.stringify(schema).slice(0, 200)}`)
    }
    assert.deepStrictEqual(
      Object.keys(document.components.schemas).filter((name) => !/^[A-Z][A-Za-z]+$/.test(name) || name.endsWith("Encoded")),
      []
    )
  })

  it("shows figures as figures, with their bounds and defaults, and leaves no member of a refusal to chance", () => {
    const { parameters } = document.paths["/v1/matches"].get
    const schemaOf = (name: string) => parameters.find((one: any) => one.name === name).schema
    assert.deepStrictEqual(schemaOf("limit"), { type: "integer", minimum: 1, default: 25 })
    assert.deepStrictEqual(schemaOf("top"), { type: "integer", minimum: 1, maximum: 1000 })
    assert.deepStrictEqual(schemaOf("cursor"), { type: "string", default: "0" })
    assert.deepInclude(schemaOf("sort"), { default: "newest" })
    assert.sameMembers(document.components.schemas.RateLimited.required, [...members, "retry_after_ms"])
    assert.notInclude(JSON.stringify(document), "9007199254740991")
  })

  it("shows a session as optional on members' reads, and there alone", () => {
    for (const [path, methods] of Object.entries<any>(document.paths)) {
      for (const { security } of Object.values<any>(methods)) {
        const optional = security.some((one: object) => Object.keys(one).length === 0)
        assert.strictEqual(optional, path.startsWith("/v1/private/"), path)
      }
    }
  })

  it("is refused when a route declares none", () => {
    const bare = HttpApi.make("bare").add(HttpApiGroup.make("g").add(HttpApiEndpoint.get("x", "/x", { success: Schema.String })))
    assert.deepStrictEqual(faults(OpenApi.fromApi(bare)), ["GET /x declares no problem"])
  })

  it("speaks of bodies only where a route takes one", () => {
    for (const [path, methods] of Object.entries<any>(document.paths)) {
      for (const [method, { requestBody, responses }] of Object.entries<any>(methods)) {
        for (const status of ["413", "415"])
          assert.strictEqual(status in responses, requestBody !== undefined, `${method} ${path} ${status}`)
      }
    }
  })

  it("lists every refusal of a submission under its status", () => {
    const { responses } = document.paths["/v1/submissions"].post
    const codes = (status: string) =>
      responses[status].content["application/problem+json"].schema.anyOf
        .map((schema: any) => resolve(schema).properties.code.enum[0])
        .sort()
    assert.deepStrictEqual(Object.keys(responses).sort(), [
      "200",
      "201",
      "400",
      "401",
      "403",
      "404",
      "409",
      "413",
      "415",
      "422",
      "429",
      "500",
      "503",
      "507"
    ])
    assert.deepStrictEqual(codes("409"), [
      "candidate_in_flight",
      "cooldown",
      "model_cap_reached",
      "model_retired",
      "not_eligible",
      "season_closed",
      "season_not_open",
      "version_cap_reached",
      "weights_already_entered"
    ])
    assert.deepStrictEqual(codes("404"), ["not_found", "unknown_game", "unknown_model", "unknown_season"])
  })
})
