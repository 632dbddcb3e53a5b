/** The scripts that become a program find a Node that runs it: that of the packages, else the system's, else they say so. */

import { spawn, spawnSync } from "node:child_process"
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it, vi } from "vitest"

const root = join(import.meta.dirname, "../..")
const home = realpathSync(mkdtempSync(join(tmpdir(), "agon-scripts-")))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const PROGRAMS = {
  start: "server/src/main.ts",
  runner: "runner/src/main.ts",
  site: "site/src/main.ts",
  backup: "server/src/backup/main.ts",
  restore: "server/src/backup/main.ts",
  doctor: "server/src/doctor/main.ts",
  "remove-season": "server/src/removal/main.ts"
}

const write = (path: string, text: string, mode = 0o644) => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
  chmodSync(path, mode)
}

/** A binary for another machine, as Linux finds it: its loader is not there. */
const FOREIGN = "#!/nowhere/ld-musl-x86_64.so.1\n"
/** A Node that says that it is older, and does not know TypeScript. */
const old = (version: string) => `#!/bin/bash
if [ "$1" = --version ]; then echo ${version}; exit; fi
if [[ "$1" == *.ts ]]; then echo 'TypeError [ERR_UNKNOWN_FILE_EXTENSION]: Unknown file extension ".ts"' >&2; exit 1; fi
exec "${process.execPath}" "$@"
`

/** A checkout whose packages are installed, with programs that say what they were given. */
const checkout = (own: string | undefined) => {
  const folder = mkdtempSync(join(home, "a checkout "))
  cpSync(join(root, "scripts"), join(folder, "scripts"), { recursive: true })
  for (const program of new Set(Object.values(PROGRAMS)))
    write(join(folder, "packages", program), "const rest: Array<string> = process.argv.slice(2)\nconsole.log(JSON.stringify(rest))\n")
  write(join(folder, "packages/package.json"), `{"type":"module"}`)
  for (const lock of ["package-lock.json", "node_modules/.package-lock.json"]) write(join(folder, lock), `{"packages":{}}`)
  if (own !== undefined) write(join(folder, "node_modules/.bin/node"), own, 0o755)
  return folder
}

const systemOf = (node: string | undefined) => {
  const folder = mkdtempSync(join(home, "bin "))
  if (node === undefined) symlinkSync(process.execPath, join(folder, "node"))
  else write(join(folder, "node"), node, 0o755)
  write(join(folder, "npm"), "#!/bin/sh\nexit 1\n", 0o755)
  return folder
}

const run = (folder: string, script: string, system: string) => {
  const env = { PATH: `${system}:/usr/bin:/bin` }
  const { status, stderr, stdout } = spawnSync(join(folder, "scripts", script), ["one", "two words"], { cwd: home, encoding: "utf8", env })
  return { status, stderr, stdout: stdout.trim() }
}

it.each([...Object.keys(PROGRAMS), "install"])("scripts/%s finds its checkout where the shell has a CDPATH", (script) => {
  const folder = checkout(FOREIGN)
  const env = { PATH: `${systemOf(undefined)}:/usr/bin:/bin`, CDPATH: `.:${root}` }
  const args = script === "install" ? ["--running"] : []
  const { status, stderr, stdout } = spawnSync(`scripts/${script}`, args, { cwd: folder, encoding: "utf8", env })
  assert.deepStrictEqual([status, stderr], [0, ""])
  assert.notInclude(stdout, folder)
})

/** Node before 20.11, as far as modules can tell. */
const WITHOUT_DIRNAME = `data:text/javascript,${encodeURIComponent(`import { registerHooks } from "node:module"
registerHooks({ load(url, context, next) {
  const loaded = next(url, context)
  return url.endsWith(".mjs") ? { ...loaded, source: "delete import.meta.dirname; " + loaded.source } : loaded
} })`)}`

it.each(["installed", "running", "slim"])(
  "scripts/%s.mjs finds its checkout on Node 20.0, whose modules are not told their folder",
  (script) => {
    const folder = checkout(undefined)
    const builds = join(folder, "node_modules/onnxruntime-web/dist")
    write(join(builds, "unused.mjs"), "")
    const args = ["--import", WITHOUT_DIRNAME, join(folder, "scripts", `${script}.mjs`)]
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: home, encoding: "utf8" })
    assert.deepStrictEqual([status, stderr], [0, ""])
    assert.strictEqual(existsSync(join(builds, "unused.mjs")), script !== "slim")
  }
)

describe.each(Object.keys(PROGRAMS))("scripts/%s", (script) => {
  const first = script === "backup" || script === "restore" ? [script] : []
  const becomes = { status: 0, stderr: "", stdout: JSON.stringify([...first, "one", "two words"]) }
  const ofPackages = `#!/bin/sh\nexec "${process.execPath}" "$@"\n`

  it("becomes its program on the Node of the packages, where the system has an older one", () => {
    assert.deepStrictEqual(run(checkout(ofPackages), script, systemOf(old("v20.20.2"))), becomes)
  })

  it("becomes its program on the system's, where the packages have one for another machine", () => {
    assert.deepStrictEqual(run(checkout(FOREIGN), script, systemOf(undefined)), becomes)
  })

  it.each([
    ["the packages have none and the system an older one", undefined, "v24.5.0"],
    ["neither will do", FOREIGN, "v20.20.2"]
  ])("says in a sentence that %s", (_, own, version) => {
    const { status, stderr, stdout } = run(checkout(own), script, systemOf(old(version)))
    assert.match(stderr, new RegExp(`^scripts/${script} needs Node 24.6 or later and found none for this machine, .*: install it\\n$`))
    assert.deepStrictEqual([status, stdout], [2, ""])
  })
})

/** npm as far as the script needs it: it takes a second, installs the lock's packages as its options say, and notes that it ran. */
const NPM = `#!/bin/bash
if [ "$1" = config ]; then echo "$CACHE"; exit; fi
echo "$npm_config_cache" > npm.cache
if [ -n "$npm_config_cache" ]; then echo kept > "$npm_config_cache/file"; fi
echo ran >> npm.runs
sleep 1
case "$*" in *--omit=dev*) held='"node_modules/one":{"version":"1.0.0"}' ;; *) held='"node_modules/one":{"version":"1.0.0"},"node_modules/two":{"version":"1.0.0"}' ;; esac
mkdir -p node_modules/one node_modules/two node_modules/onnxruntime-web/dist
echo "{\\"packages\\":{$held}}" > node_modules/.package-lock.json
`
const LOCK = `{"packages":{"node_modules/one":{"version":"1.0.0"},"node_modules/two":{"version":"1.0.0","dev":true}}}`
/** The installation asks it for its help, as the real one. */
const WAITS = "console.log('up')\nif (process.argv[2] !== '--help') setInterval(() => undefined, 1000)\n"

/** A checkout that lacks packages, with a Node of its own: a hard link, as checkouts that share their packages have. */
const lacking = () => {
  const folder = checkout(undefined)
  writeFileSync(join(folder, "package-lock.json"), LOCK)
  write(join(folder, "packages", PROGRAMS.start), WAITS)
  const node = join(folder, "node_modules/.bin/node")
  mkdirSync(dirname(node), { recursive: true })
  try {
    linkSync(process.execPath, node)
  } catch {
    copyFileSync(process.execPath, node) // its packages are on another disk
  }
  const bin = systemOf(undefined)
  write(join(bin, "npm"), NPM, 0o755)
  const env = { PATH: `${bin}:/usr/bin:/bin` }
  const runs = () => (existsSync(join(folder, "npm.runs")) ? readFileSync(join(folder, "npm.runs"), "utf8").trim().split("\n").length : 0)
  return { folder, node, env, runs }
}

const started = async (command: string, args: Array<string>, env: NodeJS.ProcessEnv) => {
  const child = spawn(command, args, { cwd: home, env, stdio: ["ignore", "pipe", "inherit"] })
  const ended = new Promise((resolve) => child.on("close", resolve))
  const up = new Promise<void>((resolve) => child.stdout.on("data", () => resolve()))
  const stop = () => {
    child.kill("SIGKILL")
    return ended
  }
  return { pid: child.pid, up, stop }
}

/** Without root no process can have a folder of its own at a path. */
const withoutNamespaces = spawnSync("unshare", ["--mount", "true"]).status !== 0

describe("scripts/install", () => {
  it("replaces nothing under a program of this checkout, and says which to stop; programs of other checkouts may run", async () => {
    const [here, other] = [lacking(), lacking()]
    const program = await started(here.node, [join(here.folder, "packages", PROGRAMS.start)], here.env)
    await program.up
    try {
      const refused = spawnSync(join(here.folder, "scripts/install"), [], { encoding: "utf8", env: here.env })
      const said = `scripts/install would take the packages of ${here.folder} from under what runs: stop process ${program.pid} (packages/server/src/main.ts) first\n`
      assert.deepStrictEqual([refused.status, refused.stderr, here.runs()], [1, said, 0])
      const beside = spawnSync(join(other.folder, "scripts/install"), [], { encoding: "utf8", env: other.env })
      assert.deepStrictEqual([beside.status, other.runs()], [0, 1])
    } finally {
      await program.stop()
    }
    assert.strictEqual(spawnSync(join(here.folder, "scripts/install"), [], { env: here.env }).status, 0)
    assert.strictEqual(here.runs(), 1)
  })

  it.skipIf(withoutNamespaces)("leaves a program alone that has another folder at the same path, as in a container", async () => {
    const [here, other] = [lacking(), lacking()]
    const program = join(here.folder, "packages", PROGRAMS.start)
    const words = ["--mount", "sh", "-c", 'mount --bind "$1" "$2" && exec "$3" "$4"', "sh", other.folder, here.folder, here.node, program]
    const contained = await started("unshare", words, here.env)
    await contained.up
    try {
      const install = spawnSync(join(here.folder, "scripts/install"), [], { encoding: "utf8", env: here.env })
      assert.deepStrictEqual([install.status, here.runs()], [0, 1], install.stderr)
      assert.isTrue(existsSync(join("/proc", String(contained.pid), "root", other.folder)), "it ran all the while")
    } finally {
      await contained.stop()
    }
  })

  it("takes nothing from a program where there are no packages, as in an image being built that sees the machine's service", async () => {
    const here = lacking()
    // The Node of the tests: a program of this checkout by its words alone.
    const program = await started(process.execPath, [join(here.folder, "packages", PROGRAMS.start)], here.env)
    await program.up
    try {
      const install = () => spawnSync(join(here.folder, "scripts/install"), [], { encoding: "utf8", env: here.env })
      assert.deepStrictEqual([install().status, here.runs()], [1, 0])
      rmSync(join(here.folder, "node_modules"), { recursive: true })
      const { status, stderr } = install()
      assert.deepStrictEqual([status, here.runs()], [0, 1], stderr)
    } finally {
      await program.stop()
    }
  })

  it("waits for another that installs, and refuses once that one has become the service", async () => {
    const { env, folder, runs } = lacking()
    const service = await started(join(folder, "scripts/start"), [], env)
    try {
      await vi.waitUntil(() => runs() === 1, 10_000)
      const { status, stderr } = spawnSync(join(folder, "scripts/install"), [], { encoding: "utf8", env })
      assert.strictEqual(status, 1)
      assert.include(stderr, `stop process ${service.pid} (`)
      assert.strictEqual(runs(), 1)
      await service.up
    } finally {
      await service.stop()
    }
  })

  it("gives npm a passing place where the user's home cannot be written, and leaves it npm's own elsewhere", () => {
    const file = join(mkdtempSync(join(home, "homes ")), "file")
    writeFileSync(file, "")
    for (const [cache, own] of [
      [join(dirname(file), "home/.npm"), true],
      [join(file, ".npm"), false]
    ] as const) {
      const { env, folder } = lacking()
      const { status, stderr } = spawnSync(join(folder, "scripts/install"), [], { encoding: "utf8", env: { ...env, CACHE: cache } })
      assert.strictEqual(status, 0, stderr)
      const used = readFileSync(join(folder, "npm.cache"), "utf8").trim()
      assert.strictEqual(used === "", own, used)
      assert.isFalse(used !== "" && existsSync(used), "nothing is left of it")
    }
  })

  it("installs once where two ask for the same at once", async () => {
    const { env, folder, runs } = lacking()
    const install = () =>
      new Promise((resolve) => spawn(join(folder, "scripts/install"), [], { env, stdio: "ignore" }).on("close", resolve))
    assert.deepStrictEqual([await Promise.all([install(), install()]), runs()], [[0, 0], 1])
  })
})
