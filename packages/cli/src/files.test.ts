import { spawnSync } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))

/** A process of its own, as it would never end. */
const agon = (args: ReadonlyArray<string>) => {
  const { status, stderr } = spawnSync(process.execPath, [main, ...args], { encoding: "utf8", timeout: 120_000 })
  return { status, said: stderr.trim() }
}

describe.skipIf(process.platform !== "linux")("a folder that cannot be made, under /proc", () => {
  it("ends the command that writes there with a sentence", () => {
    const { said, status } = agon(["zoo", "--out", "/proc/agon"])
    assert.strictEqual(status, 2)
    assert.match(said, /\/proc\/agon\/\S+ cannot be written\.$/)
  }, 130_000)
})
