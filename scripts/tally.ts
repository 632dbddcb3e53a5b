/**
 * Reads the report of a run of the tests (scripts/TestReport.ts) for scripts/test.
 *
 *   node scripts/tally.ts sum REPORT.json STATUS     prints `passed failed skipped`; STATUS is vitest's own exit status
 *   node scripts/tally.ts failures REPORT.json       prints each failure with its file and the head of its message
 *   node scripts/tally.ts files REPORT.json          prints the files to try again, a line each; none where a failure has no file
 */
import { readFileSync } from "node:fs"
import type { Failure, Report } from "./TestReport.ts"

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** So many lines of a message say where and why; the whole stands in the run's output. */
const MESSAGE_LINES = 12

/**
 * Each failed test, hook and file and each error outside of the tests counts as one failure, and so does a
 * run that fails without any: a leftover process, a runner that was killed and wrote no report.
 */
export function tally(text: string | undefined, status: number): Tally {
  const report = parse(text)
  const { failures, passed, skipped } = report ?? { passed: 0, skipped: 0, failures: [] }
  const unexplained = failures.length === 0 && (status !== 0 || report === undefined) ? 1 : 0
  return { passed, failed: failures.length + unexplained, skipped }
}

/** Each failure as it is told at the end of a run: the file and the test on a line, the head of its message below. */
export const failures = (text: string | undefined): ReadonlyArray<string> => (parse(text)?.failures ?? []).map(told)

/** The files that failed, each once. A failure that no file can be blamed for is not mended by trying files again. */
export function failedFiles(text: string | undefined): ReadonlyArray<string> {
  const files = (parse(text)?.failures ?? []).map(({ file }) => file)
  return files.includes("") ? [] : [...new Set(files)]
}

function told({ file, message, name }: Failure): string {
  const ours = message.split("\n").filter((line) => !/^\s+at .*(node_modules|node:|new Promise)/.test(line))
  const head = ours.slice(0, MESSAGE_LINES)
  return [file === "" ? name : `${file} > ${name}`, ...head.map((line) => `    ${line}`)].join("\n")
}

function parse(text: string | undefined): Report | undefined {
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Report)
  } catch {
    return undefined
  }
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

if (import.meta.main) {
  const [what = "sum", path = "", status = "1"] = process.argv.slice(2)
  const text = read(path)
  if (what === "failures") for (const failure of failures(text)) console.log(failure)
  else if (what === "files") for (const file of failedFiles(text)) console.log(file)
  else {
    const { passed, failed, skipped } = tally(text, Number(status))
    console.log(passed, failed, skipped)
  }
}
