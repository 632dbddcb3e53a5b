/** The scripts that become a program find a Node that runs it: that of the packages, else the system's, else they say so. */

import { spawnSync } from "node:child_process"
import { chmodSync, cpSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"

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
