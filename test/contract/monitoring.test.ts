/** Monitoring: the table of metrics, the alerts and the dashboard name what the service tells, and nothing else. */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"

const root = join(import.meta.dirname, "../..")
const monitoring = join(root, "scripts/monitoring")
const textOf = (path: string) => readFileSync(join(root, path), "utf8")

const SEASON_GAUGES = /one\("(\w+)"/g
const namesIn = (text: string): ReadonlySet<string> => new Set(text.match(/\bagon_[a-z_]+/g) ?? [])
/** Series of a histogram. */
const withoutSuffix = (name: string) => name.replace(/_(bucket|sum|count)$/, "")

/** Names in the source that stand where metrics are made. */
const told = new Set(
  globSync("packages/server/src/**/*.ts", { cwd: root }).flatMap((path) => {
    const text = textOf(path)
    const made = [
      ...text.matchAll(/(?:Metric\.(?:counter|gauge|histogram)|byLabel)\(\s*"(agon_\w+)"|name: "(agon_\w+)"|one\("(agon_\w+)"/g)
    ]
    const ofSeasons = path.endsWith("SeasonMetrics.ts")
      ? [...text.matchAll(SEASON_GAUGES)].map(([, figure]) => `agon_season_${figure}`)
      : []
    return [...made.map(([, a, b, c]) => (a ?? b ?? c)!), ...ofSeasons]
  })
)

describe("metrics", () => {
  it("are all in the operator's table, and the table has no other", () => {
    const table = textOf("docs/operating.md").split("\n## Metrics\n")[1]!.split("\n## ")[0]!
    assert.isAbove(told.size, 30)
    assert.deepStrictEqual([...namesIn(table)].sort(), [...told].sort())
  })

  it("are those of the alerts and of the dashboard", () => {
    for (const file of ["alerts.yml", "alerts.test.yml", "dashboard.json"]) {
      const text = readFileSync(join(monitoring, file), "utf8")
      const names = [...namesIn(text)].map(withoutSuffix)
      assert.isNotEmpty(names)
      assert.deepStrictEqual(
        names.filter((name) => !told.has(name)),
        [],
        file
      )
    }
  })
})

const PROMTOOL = "/usr/bin/promtool"
describe.skipIf(!existsSync(PROMTOOL))("promtool (of Debian's prometheus)", () => {
  const run = (...args: ReadonlyArray<string>) => spawnSync(PROMTOOL, args, { cwd: monitoring, encoding: "utf8" })

  it.for([
    ["check", "config", "prometheus.yml"],
    ["test", "rules", "alerts.test.yml"]
  ])("finds nothing wrong: %s %s", (args) => {
    const { status, stderr, stdout } = run(...args)
    assert.strictEqual(status, 0, stdout + stderr)
  })

  it("reads every query of the dashboard", () => {
    const { panels } = JSON.parse(readFileSync(join(monitoring, "dashboard.json"), "utf8"))
    const queries: ReadonlyArray<string> = panels.flatMap(({ targets }: any) => targets.map(({ expr }: any) => expr))
    assert.isAbove(queries.length, 16)
    const groups = [{ name: "dashboard", rules: queries.map((expr, i) => ({ record: `query_${i}`, expr })) }]
    const folder = mkdtempSync(join(tmpdir(), "dashboard-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const rules = join(folder, "rules.json")
    writeFileSync(rules, JSON.stringify({ groups }))
    const { status, stderr, stdout } = run("check", "rules", rules)
    assert.strictEqual(status, 0, stdout + stderr)
  })
})
