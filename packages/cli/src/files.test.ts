import { execFile, spawnSync } from "node:child_process"
import { lstatSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { writeWhole } from "./files.ts"

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

describe.skipIf(process.platform === "win32")("a file that is written whole", () => {
  const folder = mkdtempSync(join(tmpdir(), "agon-files-"))
  afterAll(() => rmSync(folder, { recursive: true }))
  const write = (path: string) => Effect.runPromise(Effect.provide(writeWhole(path, "new"), NodeServices.layer))

  it("is the one that a link leads to, and the link stays", async () => {
    const [file, link] = [join(folder, "file"), join(folder, "link")]
    writeFileSync(file, "old")
    symlinkSync("file", link)
    await write(link)
    assert.deepStrictEqual([lstatSync(link).isSymbolicLink(), readFileSync(file, "utf8")], [true, "new"])
    assert.sameMembers(readdirSync(folder), ["file", "link"])
  })

  it("goes into a pipe, and its reader has it", async () => {
    const pipe = join(folder, "pipe")
    assert.strictEqual(spawnSync("mkfifo", [pipe]).status, 0)
    const read = new Promise<string>((resolve) => execFile("cat", [pipe], { timeout: 10_000 }, (_, out) => resolve(out)))
    await write(pipe)
    assert.deepStrictEqual([await read, lstatSync(pipe).isFIFO()], ["new", true])
  }, 20_000)

  it("goes into a device, which stays one", async () => {
    const link = join(folder, "null")
    symlinkSync("/dev/null", link)
    await write(link)
    assert.deepStrictEqual([lstatSync(link).isSymbolicLink(), lstatSync("/dev/null").isCharacterDevice()], [true, true])
  })
})
