/**
 * Sums vitest's JSON report: prints `passed failed skipped` for scripts/test.
 *
 *   node scripts/tally.ts REPORT.json STATUS     STATUS is vitest's own exit status
 */
import { readFileSync } from "node:fs"

interface Report {
  readonly testResults: ReadonlyArray<{
    readonly name: string
    readonly status: string
    readonly assertionResults: ReadonlyArray<{ readonly status: string }>
  }>
}

export interface Tally {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

/**
 * A file that fails as a whole (it does not load, a hook throws) counts as one failure, and so does a run that fails
 * without any failed test: an unhandled error, a leftover process, a runner that was killed and wrote no report.
 */
export function tally(text: string | undefined, status: number): Tally {
  const report = parse(text)
  const results = report?.testResults ?? []
  const count = (...states: ReadonlyArray<string>) =>
    results.reduce((sum, file) => sum + file.assertionResults.filter((test) => states.includes(test.status)).length, 0)
  const failedFiles = results.filter((file) => file.status === "failed" && !file.assertionResults.some((test) => test.status === "failed"))
  const failed = count("failed") + failedFiles.length
  const unexplained = failed === 0 && (status !== 0 || report === undefined) ? 1 : 0
  return { passed: count("passed"), failed: failed + unexplained, skipped: count("skipped", "pending", "todo", "disabled") }
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
  const [path = "", status = "1"] = process.argv.slice(2)
  const { passed, failed, skipped } = tally(read(path), Number(status))
  console.log(passed, failed, skipped)
}
