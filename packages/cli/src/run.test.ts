import { spawnSync } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

/** A process of its own, whose standard output is the file. */
const agonInto = (path: string) => {
  const out = openSync(path, "w")
  const { status, stderr } = spawnSync(process.execPath, [main, "--help"], {
    encoding: "utf8",
    stdio: ["ignore", out, "pipe"],
    timeout: 120_000
  })
  closeSync(out)
  return { status, stderr }
}

describe.skipIf(process.platform !== "linux")("a standard output that takes nothing", () => {
  it("ends a command with 2 and a sentence where the disk is full", () => {
    assert.deepStrictEqual(agonInto("/dev/full"), {
      status: 2,
      stderr: "agon: the standard output cannot be written: ENOSPC: no space left on device, write.\n"
    })
  }, 130_000)

  it("is no fault where all of it is thrown away", () => {
    assert.deepStrictEqual(agonInto("/dev/null"), { status: 0, stderr: "" })
  }, 130_000)

  it("is no fault where its reader has left", () => {
    const piped = `"$0" "$1" --help | true; echo "\${PIPESTATUS[0]}"`
    const { stderr, stdout } = spawnSync("bash", ["-c", piped, process.execPath, main], { encoding: "utf8", timeout: 120_000 })
    assert.deepStrictEqual([stdout, stderr], ["0\n", ""])
  }, 130_000)
})
