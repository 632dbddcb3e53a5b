/** The programs start on code that an earlier start has compiled: Node says of each file whether V8 took it. */
import { spawnSync } from "node:child_process"
import { join } from "node:path"
import { assert, it } from "vitest"

const root = join(import.meta.dirname, "../..")
const help = (program: string, environment: Readonly<Record<string, string>> = {}) =>
  spawnSync(process.execPath, [join(root, `packages/${program}/src/main.ts`), "--help"], {
    env: { PATH: process.env["PATH"], ...environment },
    encoding: "utf8",
    timeout: 60_000
  })

it.for(["server", "site", "runner"])("what a start has compiled the next one reads: %s", (program) => {
  assert.strictEqual(help(program).status, 0)
  const { stderr } = help(program, { NODE_DEBUG_NATIVE: "COMPILE_CACHE" })
  const accepted = stderr.split("\n").filter((line) => line.endsWith("was accepted, keeping the in-memory entry"))
  assert.isTrue(
    accepted.some((line) => line.includes(`/packages/${program}/src/run.ts `)),
    `${accepted.length} files were taken`
  )
  assert.isAbove(accepted.length, 100)
  assert.notInclude(stderr, "was rejected")
})
