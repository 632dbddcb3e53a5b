/** Starts that fail, which end one job and not the program that asked for them. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it, vi } from "@effect/vitest"
import { processPath } from "../places.ts"
import { type Command, commandsFor } from "./isolation.ts"
import { SandboxProcess } from "./Process.ts"
import { boundedByEvents } from "./testing/testBudget.ts"

boundedByEvents(vi)

const [plain] = commandsFor(processPath, "process")
const DEADLINE_MS = 60_000

const startOf = async (command: Command) => {
  const process = new SandboxProcess(command)
  const outcome = await process.ready(DEADLINE_MS)
  process.kill()
  assert.isFalse(process.alive)
  return outcome
}

describe("a sandbox process", () => {
  it("that the system refuses to start at once is not started, and says why", async () => {
    // Longer than the kernel takes an argument: one of the refusals that Node throws instead of telling as an event.
    const outcome = await startOf({ ...plain, args: [...plain.args, "x".repeat(1_000_000)] })
    assert.deepInclude(outcome, { kind: "unstarted" })
    if (outcome.kind === "unstarted") assert.match(outcome.detail, /E2BIG/)
  })

  it("whose program is gone has died", async () => {
    const outcome = await startOf({ ...plain, command: "/nowhere/bwrap" })
    assert.deepInclude(outcome, { kind: "died" })
  })

  it.skipIf(process.platform !== "linux")("is not started where the runner has no file left, and the runner goes on", async () => {
    const program = fileURLToPath(new URL("./testing/testNoFiles.ts", import.meta.url))
    const command = 'ulimit -n 64; exec "$0" --no-warnings "$@"'
    const { stdout } = await promisify(execFile)("/bin/sh", ["-c", command, process.execPath, program], { env: {} })
    const { first, second } = JSON.parse(stdout)
    assert.deepInclude(first, { kind: "unstarted" })
    assert.match(first.detail, /EMFILE/)
    assert.deepStrictEqual(second, { kind: "ready" })
  })
})
