import { spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, assert, describe, it } from "vitest"
import { makeFolder } from "./makeFolder.ts"

const root = mkdtempSync(join(tmpdir(), "agon-folder-"))
afterAll(() => rmSync(root, { recursive: true }))

describe("a folder", () => {
  it("is made with those above it, and may be there already", () => {
    const path = join(root, "a/b/c")
    makeFolder(path, 0o700)
    makeFolder(path)
    assert.deepStrictEqual(
      [join(root, "a"), path].map((made) => statSync(made).mode & 0o777),
      [0o700, 0o700]
    )
  })

  it("is not made where a file is, nor below one, nor where a link leads nowhere", () => {
    mkdirSync(join(root, "d"))
    writeFileSync(join(root, "d/file"), "")
    symlinkSync(join(root, "nowhere/at/all"), join(root, "d/link"))
    for (const [path, code] of [
      ["d/file", "EEXIST"],
      ["d/file/below", "ENOTDIR"],
      ["d/link", "EEXIST"]
    ] as const)
      assert.throws(() => makeFolder(join(root, path)), code, path)
  })
})

describe.skipIf(process.platform !== "linux")("a folder under /proc", () => {
  it("is not made, which is found out at once", () => {
    const module = fileURLToPath(new URL("./makeFolder.ts", import.meta.url))
    const program = `import { makeFolder } from ${JSON.stringify(module)}; makeFolder("/proc/agon/data")`
    // A process of its own, as it would never end.
    const { status, stderr } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8", timeout: 60_000 })
    assert.strictEqual(status, 1)
    assert.match(stderr, /ENOENT: no such file or directory, mkdir '\/proc\/agon'/)
  }, 70_000)
})
