import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { afterEach, assert, beforeEach, describe, it, vi } from "vitest"

const ROOT = join(import.meta.dirname, "../..")

/** The levels of a run with these variables alone. */
const levels = (variables: Readonly<Record<string, string>>) => {
  for (const name of ["AGON_SLOW", "AGON_CI", "CI"]) vi.stubEnv(name, variables[name] ?? "")
  vi.resetModules()
  return import("./slow.ts")
}

describe("a run of the tests", () => {
  beforeEach(() => void vi.spyOn(console, "log").mockImplementation(() => {}))
  afterEach(() => {
    vi.unstubAllEnvs()
    vi.restoreAllMocks()
  })

  it("leaves out what is long, says so, and tries a sample, which is never empty", async () => {
    const { inCi, leftOut, sample, slow } = await levels({})
    assert.deepStrictEqual([inCi, slow], [false, false])
    assert.strictEqual(leftOut("an hour"), "an hour; CI and scripts/test --ci run it")
    assert.deepStrictEqual(vi.mocked(console.log).mock.calls, [["skipped: an hour; CI and scripts/test --ci run it"]])
    assert.deepStrictEqual(sample([1, 2, 3, 4, 5, 6], 2), [1, 3, 5])
    assert.deepStrictEqual(sample(["one"]), ["one"])
  })

  it.each([{ CI: "true" }, { AGON_CI: "1" }, { AGON_SLOW: "1" }])("leaves out nothing that CI runs with %o", async (variables) => {
    const { inCi, leftOut, sample, slow } = await levels(variables)
    assert.deepStrictEqual([inCi, slow], [true, "AGON_SLOW" in variables])
    assert.isUndefined(leftOut("an hour"))
    assert.deepStrictEqual(vi.mocked(console.log).mock.calls, [])
    assert.deepStrictEqual(sample([1, 2, 3], 2), [1, 2, 3])
  })

  it("leaves out files that there are: each pattern of scripts/long-tests.txt finds one", () => {
    const patterns = readFileSync(join(ROOT, "scripts/long-tests.txt"), "utf8").replaceAll(/#.*/g, "").trim().split(/\s+/)
    const found = (pattern: string) =>
      globSync(pattern, { cwd: ROOT, exclude: ["**/node_modules/**"] }).some((file) => file.endsWith(".test.ts"))
    assert.isAbove(patterns.length, 5)
    assert.deepStrictEqual(
      patterns.filter((pattern) => !found(pattern)),
      []
    )
  })

  it("is asked for its level in one place", () => {
    const asking = globSync("{packages/*/src,test}/**/*.ts", { cwd: ROOT, exclude: ["**/node_modules/**"] }).filter((file) =>
      /process\.env(\.|\[")(AGON_SLOW|AGON_CI|CI)\b/.test(readFileSync(join(ROOT, file), "utf8"))
    )
    assert.deepStrictEqual(asking, [])
  })
})
