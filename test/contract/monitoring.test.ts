/** Monitoring: the table of metrics, the alerts and the dashboard name what the service tells, and nothing else. */
import { spawnSync } from "node:child_process"
import { existsSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { parse } from "yaml"
import { alerts, MONITORING as monitoring, panels, queries } from "../support/PromQL.ts"

const root = join(import.meta.dirname, "../..")
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

describe("an alert", () => {
  const isSentence = (text: string | undefined) => /^[A-Z].* .*[.]$/.test(text ?? "")

  it.for(alerts.map((alert) => [alert.alert, alert] as const))("waits, has a severity and says what to do: %s", ([, alert]) => {
    assert.match(alert.for ?? "", /^\d+[mh]$/)
    assert.include(["page", "ticket"], alert.labels["severity"])
    assert.isNotEmpty(alert.annotations["summary"])
    assert.isTrue(isSentence(alert.annotations["description"]), alert.annotations["description"])
  })

  it("is made by its condition, and not without it, in the tests for promtool", () => {
    const cases: ReadonlyArray<any> = parse(readFileSync(join(monitoring, "alerts.test.yml"), "utf8")).tests.flatMap(
      (one: any) => one.alert_rule_test
    )
    const names = alerts.map(({ alert }) => alert).toSorted()
    const having = (made: boolean) => [...new Set(cases.filter((one) => one.exp_alerts.length > 0 === made).map((one) => one.alertname))]
    assert.deepStrictEqual(having(true).toSorted(), names)
    assert.deepStrictEqual(having(false).toSorted(), names)
  })

  it("stands in the operators' page by its name, in a row with what to do", () => {
    const tables = textOf("docs/operating.md").split("\n## What to do when\n")[1]!.split("\n## ")[0]!
    const rows = tables.split("\n").filter((line) => line.startsWith("| "))
    const signs = rows.filter((row) => row.split("|")[2]!.trim() !== "").map((row) => row.split("|")[1]!)
    const isThere = (name: string) => signs.some((sign) => sign.includes(`\`${name}\``))
    assert.deepStrictEqual(
      alerts.map(({ alert }) => alert).filter((name) => !isThere(name)),
      []
    )
  })

  it("has a name that no other has", () => {
    assert.isAbove(alerts.length, 10)
    assert.lengthOf(new Set(alerts.map(({ alert }) => alert)), alerts.length)
  })
})

describe("the dashboard", () => {
  it("has panels with title, unit and queries, side by side", () => {
    assert.isAbove(panels.length, 10)
    assert.lengthOf(new Set(panels.map(({ id }) => id)), panels.length)
    const cells = panels.flatMap(({ gridPos: { h, w, x, y } }) => {
      assert.isAtMost(x + w, 24)
      return Array.from({ length: h * w }, (_, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`)
    })
    assert.lengthOf(new Set(cells), cells.length, "no two panels overlap")
    for (const { fieldConfig, targets, title } of panels) {
      assert.isNotEmpty(title)
      assert.isNotEmpty(fieldConfig.defaults.unit, title)
      assert.isNotEmpty(targets, title)
      assert.lengthOf(new Set(targets.map(({ refId }) => refId)), targets.length, title)
    }
  })

  it("is where Grafana's own configuration looks for it", () => {
    const { providers } = parse(readFileSync(join(monitoring, "grafana.yml"), "utf8"))
    assert.deepStrictEqual(
      providers.map(({ options, type }: any) => [type, options.path]),
      [["file", "/opt/agon/deploy/monitoring"]]
    )
    const { datasources } = parse(readFileSync(join(monitoring, "grafana-datasource.yml"), "utf8"))
    assert.deepStrictEqual(
      datasources.map(({ isDefault, type }: any) => [type, isDefault]),
      [["prometheus", true]]
    )
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

  it("reads every query of the dashboard and the alerts", () => {
    assert.isAbove(queries.length, 30)
    const groups = [{ name: "dashboard", rules: queries.map(({ expr }, i) => ({ record: `query_${i}`, expr })) }]
    const folder = mkdtempSync(join(tmpdir(), "dashboard-"))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const rules = join(folder, "rules.json")
    writeFileSync(rules, JSON.stringify({ groups }))
    const { status, stderr, stdout } = run("check", "rules", rules)
    assert.strictEqual(status, 0, stdout + stderr)
  })
})
