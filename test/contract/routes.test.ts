import { assert, describe, it } from "@effect/vitest"
import { Context } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { readFileSync } from "node:fs"
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
import { Boundary, JsonBody, Rate, Shared } from "@agon/api/Boundary.ts"

/** What a row of routes.tsv says, and what an endpoint of the API says of itself, in the same words. */
interface Row {
  readonly auth: string
  readonly success: string
  readonly cache: string
  readonly rate: string
}

const table = new Map(
  readFileSync(new URL("routes.tsv", import.meta.url), "utf8")
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#") && !line.startsWith("method\t"))
    .map((line) => line.split("\t") as [string, string, string, string, string, string])
    .map(([method, path, auth, success, cache, rate]): [string, Row] => [`${method} ${path}`, { auth, success, cache, rate }])
)

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
const levelOf = ({ auth, ...row }: Row): Row => ({ ...row, auth: auth === "probe" ? "platform-admin" : auth })

/** `any`: the library's type of an API in general is one that no API in particular has. */
const rowsOf = (api: any) => {
  const rows = new Map<string, Row & { readonly faults: ReadonlyArray<string> }>()
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
        cache: own.includes(Shared) ? "shared" : "none",
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

describe("every route of the API", () => {
  const rows = rowsOf(Api)

  it("is one of the table, with its level, status, cache and rate class", () => {
    for (const [route, { faults, ...row }] of rows) {
      assert.deepStrictEqual({ route, ...row }, { route, ...levelOf(table.get(route)!) })
      assert.deepStrictEqual(faults, [], route)
    }
    assert.isAbove(rows.size, 35)
  })

  it("is refused by this check where its level or rate is another", () => {
    const wrong = HttpApi.make("wrong").add(
      HttpApiGroup.make("g").add(HttpApiEndpoint.post("x", "/v1/submissions", { success: HttpApiSchema.NoContent }))
    )
    assert.deepStrictEqual(
      [...rowsOf(wrong)],
      [["POST /v1/submissions", { auth: "public", success: "204", cache: "none", rate: "public", faults: ["has no Boundary"] }]]
    )
  })
})
