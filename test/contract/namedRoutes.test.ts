/** Every route that the starter kit or a README names is one that the API has, by its method, parameters and query. */
import { readdirSync, readFileSync } from "node:fs"
import { join, relative, resolve } from "node:path"
import { Api } from "@agon/api/Api.ts"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { type Operation, operationsOf } from "../support/Operations.ts"

const root = resolve(import.meta.dirname, "../..")
const pagesIn = (folder: string) => readdirSync(join(root, folder)).flatMap((name) => (name.endsWith(".md") ? [join(folder, name)] : []))
const pages = ["", "docs", "packages/zoo/docs", ...readdirSync(join(root, "packages")).map((name) => join("packages", name))].flatMap(
  pagesIn
)
const operations = operationsOf(OpenApi.fromApi(Api))

interface Named {
  /** Undefined in prose that names a path alone. */
  readonly method: string | undefined
  readonly path: string
  readonly query: ReadonlyArray<string>
}

const METHODS = "GET|HEAD|POST|PUT|PATCH|DELETE"
const named = new RegExp(`(?:(${METHODS}) |\\$AGON|localhost:8080|\`|"|\\s|\\(|^)(/v1/[^\\s\`"'|,;]+)`, "gm")
/** A command of curl ends where the next begins; one that sends data is a POST. */
const command = /curl [^\n]*?(?=curl |\n|$)/g

const routeOf = (text: string, method: string | undefined): Named => {
  const [path, query = ""] = text.replace(/[.)]+$/, "").split("?")
  return { method, path: path!, query: query === "" ? [] : query.split("&").map((pair) => pair.split("=")[0]!) }
}

const routesIn = (page: string): ReadonlyArray<Named> => {
  const commands = [...page.matchAll(command)].flatMap(([text]) =>
    [...text.matchAll(named)].map(([, , path]) => routeOf(path!, / -d | --data/.test(text) ? "POST" : "GET"))
  )
  return [...commands, ...[...page.replace(command, "").matchAll(named)].map(([, method, path]) => routeOf(path!, method))]
}

/** `{slug}` and `<slug>` stand for the parameter of that name alone, anything else for whatever it is the value of. */
const stands = (segment: string, of: string): boolean => {
  const placeholder = /^[{<](\w+)[}>]$/.exec(segment)
  if (placeholder !== null) return of === `{${placeholder[1]}}`
  return segment === of || of.startsWith("{")
}

const leadsTo =
  ({ method, path, query }: Named) =>
  (operation: Operation): boolean => {
    const [segments, others] = [path.split("/"), operation.path.split("/")]
    return (
      (method === undefined || operation.method === method) &&
      segments.length === others.length &&
      segments.every((segment, i) => stands(segment, others[i]!)) &&
      query.every((name) => operation.query.includes(name))
    )
  }

const lost = (page: string) =>
  routesIn(page)
    .filter((route) => !operations.some(leadsTo(route)))
    .map(({ method, path, query }) => `${method ?? ""} ${path} ${query.join()}`.trim())

describe("the routes that documents name", () => {
  it("are those of the API", () => {
    const faults = pages.flatMap((page) => lost(readFileSync(join(root, page), "utf8")).map((route) => `${relative(root, page)}: ${route}`))
    assert.deepStrictEqual(faults, [])
  })

  it("are found in prose, tables and commands, and by another parameter, method or query they lead nowhere", () => {
    const kit = pagesIn("packages/zoo/docs").flatMap((page) => routesIn(readFileSync(join(root, page), "utf8")))
    assert.isAtLeast(kit.length, 12)
    const right = [
      "`GET /v1/games/{game}/seasons/{slug}`, and (`/v1/auth/<provider>`).",
      'curl -s -d "{}" "$AGON/v1/submissions" $(curl -s "$AGON/v1/games/snakes/submission?model=$MODEL")'
    ]
    for (const text of right) assert.deepStrictEqual([routesIn(text).length, lost(text)], [2, []])
    const wrong = "`GET /v1/games/{game}/seasons/{season}` `PUT /v1/me` `/v1/nothing` `GET /v1/games/snakes/submission?modell=x`"
    assert.deepStrictEqual(lost(wrong), [
      "GET /v1/games/{game}/seasons/{season}",
      "PUT /v1/me",
      "/v1/nothing",
      "GET /v1/games/snakes/submission modell"
    ])
  })
})
