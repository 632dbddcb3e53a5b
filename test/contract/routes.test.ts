/**
 * The API against the table of routes, by its own reflection; that each route answers so
 * as well, roles.test.ts shows.
 */

import { Api } from "@agon/api/Api.ts"
import {
  MatchOwner,
  ModelOwner,
  OptionalSession,
  PlatformAdmin,
  RunnerKey,
  SeasonAdmin,
  Session,
  VersionOwner
} from "@agon/api/Authorization.ts"
import { Boundary, Cached, JsonBody, Rate } from "@agon/api/Boundary.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { type Row, routeOf, rowsOf, table } from "../support/RoutesTable.ts"

/** A row of routes.tsv and an endpoint of the API, in the same words. */
type Promised = Pick<Row, "success" | "cache" | "rate"> & { readonly auth: string }

const levels = new Map<unknown, string>([
  [Session, "session"],
  [OptionalSession, "optional"],
  [PlatformAdmin, "platform-admin"],
  [SeasonAdmin, "season-admin"],
  [ModelOwner, "owner"],
  [VersionOwner, "owner"],
  [MatchOwner, "owner"],
  [RunnerKey, "runner"]
])

/** POST answers 200 besides where the same thing is asked for twice; the table names the first. */
const alsoAnswers = new Map([
  ["POST /v1/submissions", "200"],
  ["POST /v1/submissions/reenter", "200"]
])

/** The console's own level is what its probe asks about. */
const promisedBy = ({ auth, cache, rate, success }: Row): Promised => ({
  auth: auth === "probe" ? "platform-admin" : auth,
  cache,
  rate,
  success
})

/** `any`: the library's type of an API in general is one that no API in particular has. */
const endpointsOf = (api: any) => {
  const rows = new Map<string, Promised & { readonly faults: ReadonlyArray<string> }>()
  HttpApi.reflect(api as HttpApi.Top, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, middleware, successes }) => {
      const route = `${endpoint.method} ${endpoint.path.replace(/:(\w+)/g, "{$1}")}`
      const own: ReadonlyArray<unknown> = [...middleware]
      const found = own.flatMap((one) => levels.get(one) ?? [])
      const statuses = [...successes.keys()].map(String).filter((status) => status !== alsoAnswers.get(route))
      rows.set(route, {
        auth: found.length === 0 ? "public" : found.join("+"),
        success: statuses.join("+"),
        cache: own.includes(Cached) ? "shared" : "none",
        rate: Context.get(endpoint.annotations, Rate),
        faults: [
          ...(own.includes(Boundary) ? [] : ["has no Boundary"]),
          ...(endpoint.payload.size > 0 && !own.includes(JsonBody) ? ["takes a body and has no JsonBody"] : [])
        ]
      })
    }
  })
  return rows
}

/**
 * Where an API and the table part: rows without a route, routes without a row, and what one
 * says that the other does not.
 */
const differences = (api: any, rows: ReadonlyArray<Row>): ReadonlyArray<string> => {
  const endpoints = endpointsOf(api)
  const known = new Set(rows.map(routeOf))
  const unlisted = [...endpoints.keys()].filter((route) => !known.has(route)).map((route) => `${route} is in no row`)
  const differing = rows.flatMap((row) => {
    const route = routeOf(row)
    const endpoint = endpoints.get(route)
    if (endpoint === undefined) return [`${route} is missing`]
    const promised = promisedBy(row)
    const wrong = (["auth", "success", "cache", "rate"] as const).filter((key) => endpoint[key] !== promised[key])
    return [
      ...wrong.map((key) => `${route} has ${key} ${endpoint[key]}, not ${promised[key]}`),
      ...endpoint.faults.map((fault) => `${route} ${fault}`)
    ]
  })
  return [...unlisted, ...differing]
}

describe("the API", () => {
  it("has every route of the table, each with its level, status, cache and rate class, and no other", () => {
    assert.deepStrictEqual(differences(Api, table), [])
    assert.isAbove(table.length, 120)
  })

  it("is refused by this check where a route is missing, or another in anything", () => {
    const success = HttpApiSchema.NoContent
    const endpoints = [HttpApiEndpoint.post("x", "/v1/submissions", { success }), HttpApiEndpoint.get("y", "/v1/y", { success })] as const
    const wrong = HttpApi.make("wrong").add(HttpApiGroup.make("g").add(...endpoints))
    const rows = rowsOf("POST\t/v1/submissions\tsession\t201\tshared\twrite\t4.5\nGET\t/v1/me\tsession\t200\tnone\tread\t4.1")
    assert.deepStrictEqual(differences(wrong, rows), [
      "GET /v1/y is in no row",
      "POST /v1/submissions has auth public, not session",
      "POST /v1/submissions has success 204, not 201",
      "POST /v1/submissions has cache none, not shared",
      "POST /v1/submissions has rate public, not write",
      "POST /v1/submissions has no Boundary",
      "GET /v1/me is missing"
    ])
  })
})
