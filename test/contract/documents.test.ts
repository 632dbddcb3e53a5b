/** The documents are complete: whatever the API promises stands in docs/contract.md as it is promised. */

import { existsSync, globSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Api } from "@agon/api/Api.ts"
import { errorCatalogue } from "@agon/api/Errors.ts"
import { PERSONAL_PATHS } from "@agon/api/Visitor.ts"
import { RejectReason } from "@agon/api/version/RejectReason.ts"
import { type Rating, rated, SHOWN_AT } from "@agon/domain/rating/Rating.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { variables } from "@agon/server/config/environment.ts"
import { assert, describe, it } from "@effect/vitest"
import { OpenApi } from "effect/http-api"
import { type Row, routeOf, table } from "../support/RoutesTable.ts"

const read = (name: string) => readFileSync(new URL(`../../docs/${name}`, import.meta.url), "utf8")

/** The rows of a document's tables, cell by cell. */
const rowsOf = (text: string): ReadonlyArray<ReadonlyArray<string>> =>
  text
    .split("\n")
    .filter((line) => line.startsWith("| "))
    .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
    .map((cells) => cells.slice(1, -1))

const bare = (cell: string) => cell.replaceAll("`", "")
const code = (text: string) => `\`${text}\``
const who = (auth: Row["auth"]) => (auth === "probe" ? "platform admin" : auth.replace("-", " "))

const document: any = OpenApi.fromApi(Api)

/** `instance` is the library's; no problem of ours has one. */
const fieldsOf = ({ components }: any): ReadonlyArray<string> =>
  [...new Set(Object.values<any>(components.schemas).flatMap(({ properties = {} }) => Object.keys(properties)))].filter(
    (name) => name !== "instance"
  )

/** Members of a problem, which the table of errors has. */
const ofProblems = new Set(["type", "title", "code", "status"])

const wordsOf = (node: any): ReadonlyArray<string> => {
  if (typeof node !== "object" || node === null) return []
  const own = Array.isArray(node.enum) ? node.enum.filter((word: unknown) => typeof word === "string") : []
  return [
    ...own,
    ...Object.entries(node).flatMap(([key, value]: [string, any]) =>
      ofProblems.has(key) && value?.enum?.length === 1 ? [] : wordsOf(value)
    )
  ]
}

describe("docs/contract.md", () => {
  const contract = read("contract.md")
  const rows = rowsOf(contract)

  it("has every route once, with who may call it, its cache and its rate, and no other", () => {
    const documented = rows.filter(([route]) => /^`[A-Z]+ \/v1\//.test(route!)).map((row) => row.slice(0, 4))
    const promised = table.map((row) => [
      code(routeOf(row)),
      who(row.auth),
      row.cache === "shared" ? "shared" : "–",
      row.rate === "runner" ? "–" : row.rate
    ])
    const sorted = (list: ReadonlyArray<ReadonlyArray<string>>) => list.map((row) => row.join(" | ")).sort()
    assert.deepStrictEqual(sorted(documented), sorted(promised))
  })

  it("has every error with its status and the fields that it has besides, and no other", () => {
    const documented = rows
      .filter(([status, name]) => /^[45]\d\d$/.test(status!) && /^`[a-z_]+`$/.test(name!))
      .map(([status, name, , fields]) => `${status} ${name} ${fields}`)
    const promised = errorCatalogue().map(({ code: name, members, status }) => `${status} ${code(name)} ${members.map(code).join(", ")}`)
    assert.deepStrictEqual([...documented].sort(), [...promised].sort())
  })

  it("has every reason for which a version is rejected", () => {
    const documented = rows.flatMap(([reason, when]) =>
      RejectReason.literals.includes(bare(reason!) as never) && when !== "" ? [bare(reason!)] : []
    )
    assert.includeMembers(documented, [...RejectReason.literals])
  })

  it("has every field of the API and every word that a field may hold", () => {
    const missing = [...fieldsOf(document), ...wordsOf(document)].filter(
      (word) => !new RegExp(`(?<![\\w-])${word}(?![\\w-])`).test(contract)
    )
    assert.deepStrictEqual(missing, [])
  })

  it("has every rule with its default", () => {
    const documented = new Map(rows.map(([rule, value]) => [bare(rule!), value!.replaceAll(",", "")]))
    const flat = Object.entries(DEFAULT_RULES).flatMap(([name, value]) =>
      typeof value === "number"
        ? [[name, value] as const]
        : Object.entries(value).map(([inner, one]) => [`${name}.${inner}`, one as number] as const)
    )
    for (const [name, value] of flat) assert.strictEqual(documented.get(name), value === 2 * 1024 ** 3 ? "2 GiB" : String(value), name)
  })
})

/** Names of metrics as they stand in the sources, however many lines their making takes. */
const metricsIn = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
    .flatMap((name) => [...readFileSync(join(folder, name), "utf8").matchAll(/Metric\.\w+\(\s*"([a-z_]+)"/g)].map(([, metric]) => metric!))

const ROOT = join(import.meta.dirname, "../..")
const sources = globSync("packages/*/src/**/*.ts", { cwd: ROOT })
  .filter((path) => !path.endsWith(".test.ts"))
  .map((path) => readFileSync(join(ROOT, path), "utf8"))
  .join("\n")
/** In backticks. */
const quoted = (text: string) => [...text.matchAll(/`([^`\n]+)`/g)].map(([, said]) => said!)
/** Output of a program, as documents quote it: words in lower case, with … for the part that differs. */
const isSaid = (said: string) =>
  /^[a-z'][a-zA-Z',;: ()/.…-]+$/.test(said) &&
  said.split(" ").length >= 3 &&
  !/^(scripts|docker|nginx|node|npx|npm|buildah|systemctl|kill|promtool|agon) /.test(said)

describe("what documents quote", () => {
  it("is said by a program: lines of the log and refusals, in the operators' page and in the alerts", () => {
    const lines = [read("operating.md"), readFileSync(join(ROOT, "deploy/monitoring/alerts.yml"), "utf8")].flatMap(quoted).filter(isSaid)
    assert.isAbove(lines.length, 20)
    const said = (line: string) => line.split("…").every((part) => sources.includes(part.trim()))
    assert.deepStrictEqual(
      lines.filter((line) => !said(line)),
      []
    )
  })

  it("names no file that is not there", () => {
    const documents = ["README.md", "CONTRIBUTING.md", ...globSync("{docs,packages/*,examples/*,python/**,test/*}/*.md", { cwd: ROOT })]
    const named = documents.flatMap((document) =>
      quoted(readFileSync(join(ROOT, document), "utf8")).flatMap((text) => {
        const [, path] = /^(?:node |npx |bash )?((?:scripts|test|deploy|packages|docs|examples)\/[\w./-]+)(?= |$)/.exec(text) ?? []
        return path === undefined ? [] : [{ document, path }]
      })
    )
    assert.isAbove(named.length, 30)
    // The one that operators make.
    const isThere = (path: string) =>
      path === "deploy/.env" || existsSync(join(ROOT, path)) || globSync(`${path}*`, { cwd: ROOT }).length > 0
    assert.deepStrictEqual(
      named.filter(({ path }) => !isThere(path)),
      []
    )
  })
})

describe("docs/operating.md", () => {
  const page = read("operating.md")

  it("has every metric", () => {
    const metrics = metricsIn(join(import.meta.dirname, "../../packages/server/src"))
    assert.isAbove(metrics.length, 5)
    assert.deepStrictEqual(
      metrics.filter((metric) => !page.includes(`\`${metric}`)),
      []
    )
  })

  const documented = (from: string, to: string) =>
    rowsOf(page.slice(page.indexOf(`## ${from}\n`), page.indexOf(`## ${to}\n`)))
      .flatMap(([name]) => (/^`[A-Z0-9_]+`$/.test(name!) ? [bare(name!)] : []))
      .sort()

  it("has every variable of the service's environment once, and no other", () => {
    const names = Object.values(variables).map(({ name }) => name)
    assert.deepStrictEqual(documented("Configuration", "The site"), names.sort())
  })

  it("says below which paths the site gets a visitor's session", () => {
    const [, places] = /gets the session alone, and only below ([^.]+)\./.exec(page)!
    const documented = [...places!.matchAll(/(a season's\s)?`([^`]+)`/g)].map(
      ([, ofSeason, path]) => `${ofSeason === undefined ? "" : "/games/:game/seasons/:slug"}${path}`
    )
    assert.sameMembers(documented, [...PERSONAL_PATHS])
  })

  const namedIn = (path: string) => {
    const options = readFileSync(join(import.meta.dirname, "../..", path), "utf8")
    return [...new Set([...options.matchAll(/"((?:AGON|OTLP|LOG|PUBLIC)_[A-Z_]+)"/g)].map(([, name]) => name!))].sort()
  }

  it("has every variable of the site's environment once, and no other", () => {
    const names = namedIn("packages/site/src/Options.ts")
    assert.isAtLeast(names.length, 3)
    assert.deepStrictEqual(documented("The site", "Sign-in"), names)
  })

  it("has every variable of a runner's environment once, and no other", () => {
    const names = namedIn("packages/runner/src/runner/Options.ts")
    assert.isAtLeast(names.length, 3)
    assert.deepStrictEqual(documented("Runners", "Several nodes"), names)
  })
})

describe("docs/rating.md", () => {
  it("has an example that is rated as a match is", () => {
    const cells = (name: string) =>
      rowsOf(read("rating.md"))
        .find(([first]) => first === name)!
        .slice(1)
        .map(Number)
    const both = [cells("newcomer"), cells("opponent")]
    const before = both.map(([rating, deviation]): Rating => ({ mu: rating! - SHOWN_AT, sigma: deviation! }))
    rated(before, [1, 2]).forEach(({ mu, sigma }, i) => {
      assert.closeTo(mu + SHOWN_AT, both[i]![3]!, 0.05)
      assert.closeTo(sigma, both[i]![4]!, 0.05)
    })
  })
})
