/** Prints a simulation's figures: a table, and a plot of tau against matches played. */
import type { Summary } from "./simulation.ts"

const COLUMN = 8

export const tableOf = (summaries: ReadonlyArray<Summary>): string => {
  const looks = looksOf(summaries)
  const head = [
    "pairing",
    ...looks.map((n) => `tau@${n}`),
    ...looks.map((n) => `rmse@${n}`),
    "1s",
    "2s",
    "rank",
    "spread",
    "starved",
    "us/match"
  ]
  const rows = summaries.map((each) => [
    each.name,
    ...looks.map((n) => each.tau[n]!.toFixed(3)),
    ...looks.map((n) => each.rmse[n]!.toFixed(1)),
    each.coverage_1s.toFixed(2),
    each.coverage_2s.toFixed(2),
    each.rank_coverage.toFixed(3),
    String(each.most_minus_least),
    String(each.starved),
    each.us_per_match.toFixed(1)
  ])
  return [head, ...rows]
    .map((cells) => cells.map((cell, i) => (i === 0 ? cell.padEnd(COLUMN) : cell.padStart(Math.max(COLUMN, head[i]!.length + 1)))).join(""))
    .join("\n")
}

const looksOf = (summaries: ReadonlyArray<Summary>): ReadonlyArray<string> => Object.keys(summaries[0]!.tau)

const ROWS = 14
const MARKS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
const CELL = 9

/** Tau upwards, matches per entry to the right. */
export const plotOf = (summaries: ReadonlyArray<Summary>): string => {
  const looks = looksOf(summaries)
  const values = summaries.flatMap(({ tau }) => looks.map((n) => tau[n]!))
  const low = Math.floor(Math.min(...values) * 20) / 20
  const high = Math.max(Math.ceil(Math.max(...values) * 20) / 20, low + 0.05)
  const rowOf = (value: number) => Math.round(((high - value) / (high - low)) * (ROWS - 1))
  const lines = Array.from({ length: ROWS }, (_, row) => {
    const label = (high - ((high - low) * row) / (ROWS - 1)).toFixed(3)
    const cells = looks.map((n) => marksOf(summaries.flatMap(({ tau }, i) => (rowOf(tau[n]!) === row ? [i] : []))))
    return `${label.padStart(6)} │${cells.map((cell) => cell.padStart(CELL)).join("")}`
  })
  const axis = `${"tau".padStart(6)} └${"─".repeat(CELL * looks.length)}`
  const games = `${" ".repeat(8)}${looks.map((n) => n.padStart(CELL)).join("")}  matches per entry`
  const legend = `${" ".repeat(8)}${summaries.map(({ name }, i) => `${MARKS[i]} ${name}`).join("  ")}`
  return [...lines, axis, games, legend].join("\n")
}

const marksOf = (which: ReadonlyArray<number>): string => which.map((i) => MARKS[i]).join("")
