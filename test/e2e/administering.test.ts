/**
 * docs/administering.md as somebody types it: its commands, in its order, in one shell,
 * against a service with a runner.
 */
import { execFileSync, spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { Browser, signIn } from "../support/Browser.ts"
import { freePort } from "../support/freePort.ts"
import { leftOut } from "../support/slow.ts"
import { cleanUp, newDirectory, type Service, start } from "./Service.ts"

const ROOT = join(import.meta.dirname, "../..")

/** The page's shell blocks, one after the other; other fences are not for this shell. */
const commands = [...readFileSync(join(ROOT, "docs/administering.md"), "utf8").matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(
  ([, block]) => block!
)

const lacks =
  leftOut("a page of commands, typed one by one: half a minute") ??
  ["curl", "jq"].find((program) => {
    try {
      execFileSync(program, ["--version"], { stdio: "ignore" })
      return false
    } catch {
      return true
    }
  })

interface Ran {
  readonly status: number | null
  /** The end of what it printed; each command is printed before it runs. */
  readonly said: string
}

const SAID_CHARACTERS_MAX = 5_000

/** Folders that the commands make with `mktemp` are the service's, and go with them. */
const run = (script: string, { directory, origin }: Service) =>
  new Promise<Ran>((resolve) => {
    const env = { ...process.env, TMPDIR: directory, AGON: origin }
    const shell = spawn("bash", ["-euxo", "pipefail", "-c", script], { cwd: ROOT, env })
    let said = ""
    const hear = (chunk: Buffer) => {
      said = (said + chunk.toString()).slice(-SAID_CHARACTERS_MAX)
    }
    shell.stdout.on("data", hear)
    shell.stderr.on("data", hear)
    shell.on("close", (status) => resolve({ status, said }))
  })

describe.skipIf(lacks !== undefined)(`docs/administering.md${lacks === undefined ? "" : `: ${lacks} is missing`}`, () => {
  afterAll(cleanUp)

  it("has commands that take a season from its creation to its podium", async () => {
    assert.isAbove(commands.length, 20)
    const service = await start({ directory: newDirectory(), port: await freePort(), runners: 2 })
    for (const login of ["grace", "mallory"]) await signIn(new Browser(), service.origin, login)
    const { said, status } = await run(commands.join("\n"), service)
    assert.strictEqual(status, 0, `${said}\n${service.log()}`)
    assert.include(said, '"frozen":true,"open":[]', "only baselines have played, and none of them takes a place")
  })
})
