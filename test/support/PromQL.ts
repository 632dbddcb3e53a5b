/** Metrics and labels that the queries of deploy/monitoring ask for, and those that a scrape or the sources tell. */
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "yaml"

const ROOT = join(import.meta.dirname, "../..")
export const MONITORING = join(ROOT, "deploy/monitoring")
const fileOf = (name: string) => readFileSync(join(MONITORING, name), "utf8")

interface Alert {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}
export const alerts: ReadonlyArray<Alert> = parse(fileOf("alerts.yml")).groups.flatMap(({ rules }: any) => rules)

interface Panel {
  readonly id: number
  readonly title?: string
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
  readonly fieldConfig: { readonly defaults: { readonly unit?: string } }
  readonly targets: ReadonlyArray<{ readonly refId: string; readonly expr: string; readonly legendFormat?: string }>
}
export const panels: ReadonlyArray<Panel> = JSON.parse(fileOf("dashboard.json")).panels

/** Every query with the text that is filled from the labels of its result. */
export const queries: ReadonlyArray<{ readonly expr: string; readonly shown: string }> = [
  ...alerts.map(({ annotations, expr }) => ({ expr, shown: Object.values(annotations).join(" ") })),
  ...panels.flatMap(({ targets }) => targets.map(({ expr, legendFormat = "" }) => ({ expr, shown: legendFormat })))
]

/** Prometheus adds these to every series, and `le` is of the buckets of a histogram. */
const ADDED = ["instance", "job"]

interface Asked {
  readonly name: string
  /** Labels that are matched, with the value where it is one. */
  readonly matched: ReadonlyArray<readonly [label: string, value: string | undefined]>
  /** Labels that the result is grouped by or shown with. */
  readonly grouped: ReadonlyArray<string>
}

/** Enough of PromQL for our queries: promtool reads them whole. */
const asked = ({ expr, shown }: (typeof queries)[number]): ReadonlyArray<Asked> => {
  const by = [...expr.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, labels]) => labels!.split(",").map((label) => label.trim()))
  const filled = [...shown.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map(([, label]) => label!)
  return [...expr.matchAll(/\b(agon_\w+)(?:\{([^}]*)\})?/g)].map(([, name, inside = ""]) => {
    const matched = [...inside.matchAll(/(\w+)(=~|!~|!=|=)"([^"]*)"/g)].map(
      ([, label, sign, value]) => [label!, sign === "=" ? value : undefined] as const
    )
    const own = [...by, ...filled].filter((label) => !ADDED.includes(label) && !(label === "le" && name!.endsWith("_bucket")))
    return { name: name!, matched, grouped: own }
  })
}

/** A metric as it is told: the values that each of its labels has. */
type Told = ReadonlyMap<string, ReadonlySet<string>>

/** The metrics of a scrape, the series of a histogram each by its own name. */
const toldBy = (scrape: string): ReadonlyMap<string, Told> => {
  const told = new Map<string, Map<string, Set<string>>>()
  for (const line of scrape.split("\n")) {
    const [, name, inside = ""] = /^([a-z_]\w*)(?:\{(.*)\})? \S+$/.exec(line) ?? []
    if (name === undefined) continue
    const labels = told.get(name) ?? new Map<string, Set<string>>()
    told.set(name, labels)
    for (const [, label, value] of inside.matchAll(/(\w+)="([^"]*)"/g))
      labels.set(label!, (labels.get(label!) ?? new Set<string>()).add(value!))
  }
  return told
}

/**
 * Counters and the label that they have, from the sources: a service does not tell of
 * those that it has never counted.
 */
const countedBy: ReadonlyMap<string, string | undefined> = new Map(
  globSync("packages/server/src/**/*.ts", { cwd: ROOT }).flatMap((path) => {
    const made = readFileSync(join(ROOT, path), "utf8").matchAll(/(?:Metric\.counter\(\s*"(\w+)"|byLabel\(\s*"(\w+)",\s*"(\w+)")/g)
    return [...made].map(([, plain, labelled, label]) => [(plain ?? labelled)!, label] as const)
  })
)

/** A gauge tells every value of its labels, a counter those that were counted. */
const isGauge = (name: string) => !/_(total|bucket|sum|count)$/.test(name)

/** Labels and values of one metric that the queries name, and that a service with this scrape does not tell. */
const missing = (told: ReadonlyMap<string, Told>, { grouped, matched, name }: Asked): ReadonlyArray<string> => {
  const labels = told.get(name)
  if (labels === undefined && !countedBy.has(name)) return [`no ${name}`]
  const has = labels === undefined ? [countedBy.get(name)] : [...labels.keys()]
  const unlabelled = [...grouped, ...matched.map(([label]) => label)].filter((label) => !has.includes(label))
  const unvalued = matched.filter(([label, value]) => value !== undefined && isGauge(name) && labels?.get(label)?.has(value) === false)
  return [
    ...unlabelled.map((label) => `${name} has no label ${label}`),
    ...unvalued.map(([label, value]) => `${name} has no ${label}="${value}"`)
  ]
}

/** Compares a scrape with every query but those of metrics that such a service does not have. */
export const compared = (scrape: string, without: ReadonlyArray<string>) => {
  const told = toldBy(scrape)
  const all = queries.flatMap(asked).filter(({ name }) => !without.includes(name))
  const wrong = [...new Set(all.flatMap((one) => missing(told, one)))]
  return { wrong, found: new Set(all.flatMap(({ name }) => (told.has(name) ? [name] : []))) }
}
