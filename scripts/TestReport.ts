/**
 * Vitest's reporter of scripts/test: writes what a run came to as JSON to the file that
 * AGON_TEST_REPORT names. It tells what vitest's own JSON leaves out: why a hook of a suite failed, and
 * errors that belong to no test.
 */
import { writeFileSync } from "node:fs"
import { relative } from "node:path"
import type { Reporter, SerializedError, TestModule } from "vitest/node"

export interface Failure {
  /** From the root of the checkout; empty where no file can be named. */
  readonly file: string
  /** The test or suite by its full name, or the file as a whole. */
  readonly name: string
  readonly message: string
}

export interface Report {
  readonly passed: number
  readonly skipped: number
  readonly failures: ReadonlyArray<Failure>
}

export const WHOLE_FILE = "the file as a whole"

const told = (errors: ReadonlyArray<SerializedError>): string =>
  errors
    .map(({ cause, message, name, stack }) => {
      const text = stack ?? `${name ?? "Error"}: ${message}`
      return typeof cause?.message === "string" ? `${cause.message}\n${text}` : text
    })
    .join("\n")

const failuresOf = (module: TestModule): ReadonlyArray<Failure> => {
  const file = relative(process.cwd(), module.moduleId)
  const of = (name: string, errors: ReadonlyArray<SerializedError>): ReadonlyArray<Failure> =>
    errors.length === 0 ? [] : [{ file, name, message: told(errors) }]
  const tests = [...module.children.allTests("failed")]
  const found = [
    ...of(WHOLE_FILE, module.errors()),
    ...[...module.children.allSuites()].flatMap((suite) => of(`${suite.fullName}: before or after its tests`, suite.errors())),
    ...tests.map((test) => ({ file, name: test.fullName, message: told(test.result().errors ?? []) }))
  ]
  return found.length > 0 || module.ok() ? found : [{ file, name: WHOLE_FILE, message: "it failed, and vitest does not say why" }]
}

/** The file whose process the error came from, where vitest knows it. */
const placeOf = ({ VITEST_TEST_PATH: path }: SerializedError): string => (typeof path === "string" ? relative(process.cwd(), path) : "")

/** A file that did not come to its end: its worker was killed, crashed, or never had a turn. */
const isCutOff = (module: TestModule): boolean => ["queued", "pending"].includes(module.state())

/** Vitest tells of a worker's end as an error of its own. */
const isEndOfWorker = ({ cause }: SerializedError): boolean => /^Worker exited unexpectedly/.test(String(cause?.message))

const reportOf = (modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): Report => {
  const tests = modules.flatMap((module) => [...module.children.allTests()])
  const count = (state: string) => tests.filter((test) => test.result().state === state).length
  const failures = modules.flatMap(failuresOf)
  const ends = unhandled.filter(isEndOfWorker)
  const message = `it did not come to its end\n${told(ends)}`
  const cutOff = modules.filter(isCutOff).map((module) => ({ file: relative(process.cwd(), module.moduleId), name: WHOLE_FILE, message }))
  const others = (cutOff.length > 0 ? unhandled.filter((error) => !isEndOfWorker(error)) : unhandled).map((error) => ({
    file: placeOf(error),
    name: "an error outside of the tests",
    message: told([error])
  }))
  return { passed: count("passed"), skipped: count("skipped"), failures: [...failures, ...cutOff, ...others] }
}

export default class TestReport implements Reporter {
  onTestRunEnd(modules: ReadonlyArray<TestModule>, unhandled: ReadonlyArray<SerializedError>): void {
    const path = process.env["AGON_TEST_REPORT"]
    if (path !== undefined) writeFileSync(path, JSON.stringify(reportOf(modules, unhandled)))
  }
}
