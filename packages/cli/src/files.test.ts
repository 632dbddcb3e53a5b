import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { afterAll, assert, describe, it, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { makeFolder } from "./files.ts"

const main = fileURLToPath(new URL("./main.ts", import.meta.url))
const root = mkdtempSync(join(tmpdir(), "agon-files-"))
afterAll(() => rmSync(root, { recursive: true }))

layer(NodeServices.layer)("a folder", (it) => {
  it.effect("is made with those above it, and may be there already", () =>
    Effect.gen(function* () {
      const path = join(root, "a/b/c")
      yield* makeFolder(path, 0o700)
      yield* makeFolder(path)
      assert.deepStrictEqual(
        [join(root, "a"), path].map((made) => statSync(made).mode & 0o777),
        [0o700, 0o700]
      )
    })
  )

  it.effect("is not made where a file is, nor below one", () =>
    Effect.gen(function* () {
      mkdirSync(join(root, "d"))
      writeFileSync(join(root, "d/file"), "")
      for (const path of ["d/file", "d/file/below"]) assert.isTrue(Exit.isFailure(yield* Effect.exit(makeFolder(join(root, path)))), path)
    })
  )
})

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
