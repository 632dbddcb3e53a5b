import { spawn } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const home = realpathSync(mkdtempSync(join(tmpdir(), "agon-start-")))
afterAll(() => rmSync(home, { recursive: true, force: true }))

/** The root's, and those of workspaces that need another version of something. */
const installedFolders = () => {
  const paths = Object.keys(JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")).packages)
  const owned = paths.flatMap((path) => /^(.*?)(?:^|\/)node_modules\//.exec(path)?.[1] ?? [])
  return [...new Set(owned)].map((owner) => join(owner, "node_modules"))
}

/** A checkout whose service only says what it was given, and ends when it is told to. */
const SERVICE = `
const say = (words: object) => console.log(JSON.stringify(words))
const timer = setInterval(() => undefined, 1000)
for (const name of ["SIGINT", "SIGTERM"]) process.on(name, () => { say({ name }); clearInterval(timer); process.exitCode = 7 })
say({ pid: process.pid, node: process.versions.node, cwd: process.cwd(), rest: process.argv.slice(2) })
`
const checkout = () => {
  const folder = join(home, "a checkout")
  for (const path of [
    "scripts/start",
    "scripts/node.bash",
    "scripts/install",
    "scripts/installed.mjs",
    "package.json",
    "package-lock.json"
  ])
    cpSync(join(root, path), join(folder, path))
  mkdirSync(join(folder, "packages/server/src"), { recursive: true })
  writeFileSync(join(folder, "packages/server/src/main.ts"), SERVICE)
  writeFileSync(join(folder, "packages/server/package.json"), `{"type":"module"}`)
  for (const path of installedFolders()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    symlinkSync(join(root, path), join(folder, path))
  }
  return folder
}

describe("scripts/start", () => {
  const folder = checkout()
  it.each(["SIGINT", "SIGTERM"] as const)("becomes the service on Node 24, where it was called, and %s reaches it", async (signal) => {
    const child = spawn(join(folder, "scripts/start"), ["one", "two words"], { cwd: home, stdio: "pipe" })
    let said = ""
    child.stdout.on("data", (chunk) => (said += chunk))
    child.stderr.on("data", (chunk) => (said += chunk))
    const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
    const up = new Promise<void>((resolve) => child.stdout.on("data", () => said.includes('"pid"') && resolve()))
    await Promise.race([up, ended.then((code) => assert.fail(`ended with ${code}: ${said}`))])
    child.kill(signal)
    assert.strictEqual(await ended, 7)
    const [first, last] = said
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line))
    assert.strictEqual(first.pid, child.pid, "it is the same process, so nothing stands between it and the signal")
    assert.match(first.node, /^2[4-9]\./)
    assert.deepStrictEqual([first.cwd, first.rest], [home, ["one", "two words"]])
    assert.deepStrictEqual(last, { name: signal })
  })

  it("goes on after a hangup that it was started to ignore, as by nohup", async () => {
    const child = spawn("bash", ["-c", `trap '' HUP; exec "$0"`, join(folder, "scripts/start")], { cwd: home, stdio: "pipe" })
    const ended = new Promise<unknown>((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)))
    await Promise.race([new Promise((resolve) => child.stdout.once("data", resolve)), ended])
    child.kill("SIGHUP")
    // One that does not ignore it ends before it hears anything else.
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, 300))])
    child.kill("SIGTERM")
    assert.strictEqual(await ended, 7)
  })
})
