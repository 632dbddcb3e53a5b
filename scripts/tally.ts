/**
 * Sums vitest's JSON report for scripts/test.
 *
 *   node scripts/tally.ts sum REPORT.json STATUS     prints `passed failed skipped`; STATUS is vitest's own exit status
 *   node scripts/tally.ts failures REPORT.json       prints each failed test with its file and the head of its message
 *   node scripts/tally.ts files REPORT.json          prints the files with a failed test, a line each
 */
import { readFileSync } from "node:fs"
import { relative } from "node:path"

interface Report {
  readonly testResults: ReadonlyArray<FileResult>
}

interface FileResult {
  readonly name: string
  readonly status: string
  /** Why a file failed as a whole. */
  readonly message?: string
  readonly assertionResults: ReadonlyArray<{
    readonly status: string
    readonly fullName?: string
    readonly failureMessages?: ReadonlyArray<string>
  }>
}

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/** So many lines of a message say where and why; the whole stands in the run's output. */
const MESSAGE_LINES = 12

/**
 * A file that fails as a whole (it does not load, a hook throws) counts as one failure, and so does a run that fails
 * without any failed test: an unhandled error, a leftover process, a runner that was killed and wrote no report.
 */
export function tally(text: string | undefined, status: number): Tally {
  const report = parse(text)
  const results = report?.testResults ?? []
  const count = (...states: ReadonlyArray<string>) =>
    results.reduce((sum, file) => sum + file.assertionResults.filter((test) => states.includes(test.status)).length, 0)
  const failed = count("failed") + results.filter(failedAsWhole).length
  const unexplained = failed === 0 && (status !== 0 || report === undefined) ? 1 : 0
  return { passed: count("passed"), failed: failed + unexplained, skipped: count("skipped", "pending", "todo", "disabled") }
}

/** Each failure as it is told at the end of a run: the file and the test on a line, the head of its message below. */
export function failures(text: string | undefined): ReadonlyArray<string> {
  return failedFiles(text).flatMap((file) =>
    failedAsWhole(file)
      ? [told(file.name, "the file as a whole", file.message)]
      : file.assertionResults
          .filter((test) => test.status === "failed")
          .map((test) => told(file.name, test.fullName ?? "", test.failureMessages?.join("\n")))
  )
}

/** The files with a failed test, as vitest named them. */
export function failedFiles(text: string | undefined): ReadonlyArray<FileResult> {
  const results = parse(text)?.testResults ?? []
  return results.filter((file) => file.status === "failed" || file.assertionResults.some((test) => test.status === "failed"))
}

const failedAsWhole = (file: FileResult) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed")

function told(file: string, test: string, message = ""): string {
  const ours = message.split("\n").filter((line) => !/^\s+at .*(node_modules|node:|new Promise)/.test(line))
  const head = ours.slice(0, MESSAGE_LINES)
  return [`${relative(process.cwd(), file)} > ${test}`, ...head.map((line) => `    ${line}`)].join("\n")
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
  else if (what === "files") for (const file of failedFiles(text)) console.log(relative(process.cwd(), file.name))
  else {
    const { passed, failed, skipped } = tally(text, Number(status))
    console.log(passed, failed, skipped)
  }
}
