/** Matches on a machine that has too little of something: its fault, for which no seat is struck. A model's cap is its own. */
import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { assert, describe, it, vi } from "@effect/vitest"
import { boundedByEvents } from "../worker/testing/testBudget.ts"

boundedByEvents(vi)

const program = fileURLToPath(new URL("./testing/testScarceMatch.ts", import.meta.url))
const GB_IN_KB = 1_048_576

const playing = async (limit: string, ...args: ReadonlyArray<string>): Promise<{ readonly fault?: string; readonly strikes?: unknown }> => {
  const command = `ulimit ${limit}; exec "$0" --no-warnings --expose-gc "$@"`
  const { stdout } = await promisify(execFile)("/bin/sh", ["-c", command, process.execPath, program, ...args], { env: {} })
  return JSON.parse(stdout)
}

describe.skipIf(process.platform !== "linux")("a match on a machine that has too few", () => {
  it("addresses for the instances of all seats is not played, and nobody is struck", async () => {
    // The process takes 10 GB of addresses, and each of eight instances sets 8 GB aside.
    const { fault, strikes } = await playing(`-v ${40 * GB_IN_KB}`, "8")
    assert.isUndefined(strikes, JSON.stringify(strikes))
    assert.match(fault!, /could not go on.*could not allocate memory/)
  })

  it("files for the thread that takes over after a timeout is not played, and that start costs no further strike", async () => {
    const { fault, strikes } = await playing("-n 64", "2", "files")
    assert.isUndefined(strikes, JSON.stringify(strikes))
    assert.match(fault!, /could not go on/)
  })

  it("bytes under the cap of one model alone strikes its seat in every turn", async () => {
    const { fault, strikes } = await playing("-n 1024", "2", "cap")
    assert.isUndefined(fault)
    assert.deepStrictEqual(
      strikes,
      [0, 1, 2].map((turn) => ({ turn, seat: 1, code: "crash" }))
    )
  })
})
