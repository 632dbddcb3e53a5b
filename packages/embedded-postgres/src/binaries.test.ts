import { execFileSync } from "node:child_process"
import { chmodSync, cpSync, existsSync, lstatSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, assert, describe, it } from "vitest"
import { candidates, find } from "./binaries.ts"
import { serverUser } from "./serverUser.ts"
import { isRoot } from "./testing/LaunchedService.ts"

const home = mkdtempSync(join(tmpdir(), "agon-binaries-"))
chmodSync(home, 0o755)
afterAll(() => rmSync(home, { recursive: true, force: true }))

const embedded = candidates().flatMap((one) => ("native" in one ? [one.native] : []))[0]!
const listed: ReadonlyArray<{ target: string }> = JSON.parse(readFileSync(join(embedded, "pg-symlinks.json"), "utf8"))
const user = serverUser()

/** The package as `npm ci --ignore-scripts` leaves it: no library has its link. */
const withoutLinks = (folder: string) => {
  const native = join(folder, "native")
  mkdirSync(folder)
  cpSync(embedded, native, { recursive: true, verbatimSymlinks: true })
  cpSync(join(embedded, "../package.json"), join(folder, "package.json"))
  for (const { target } of listed) rmSync(join(folder, target), { force: true })
  return native
}

const search = (native: string, spare: ReadonlyArray<string>) =>
  Effect.runPromise(Effect.result(find({ name: "kept", user, spare, candidates: [{ native }] })))

describe.runIf(process.platform === "linux")("Postgres's programs", () => {
  it("missing library links are made in place", async () => {
    const native = withoutLinks(join(home, "linkless"))
    const found = await search(native, [])
    assert.isTrue(found._tag === "Success" && found.success.bin === join(native, "bin") && found.success.major === 18)
    for (const { target } of listed) assert.isTrue(lstatSync(join(native, "..", target)).isSymbolicLink(), target)
  })

  it.runIf(isRoot)("are copied, once, where the server's user cannot reach them, and a copy that others may write is not run", async () => {
    const closed = join(home, "closed")
    const native = withoutLinks(closed)
    chmodSync(closed, 0o700) // as below /root
    const spare = join(home, "spare")
    mkdirSync(spare)
    assert.strictEqual((await search(native, []))._tag, "Failure")
    const first = await search(native, [spare])
    assert.isTrue(first._tag === "Success" && first.success.bin.startsWith(spare))
    if (first._tag === "Failure") return
    const made = statSync(join(first.success.bin, "postgres")).ino
    assert.isFalse(existsSync(join(first.success.bin, "../lib/libpgport.a")), "what only compilers need stays behind")
    const second = await search(native, [spare])
    assert.isTrue(second._tag === "Success" && statSync(join(second.success.bin, "postgres")).ino === made)
    chmodSync(join(first.success.bin, ".."), 0o777)
    assert.strictEqual((await search(native, [spare]))._tag, "Failure")
  })

  it.runIf(isRoot)("are copied so that the server's user reads them where they were installed with a umask of 077", async () => {
    const closed = join(home, "umask")
    const native = withoutLinks(closed)
    execFileSync("chmod", ["-R", "go-rwx", closed])
    const spare = join(home, "spare of umask")
    mkdirSync(spare)
    const found = await search(native, [spare])
    assert.isTrue(found._tag === "Success" && found.success.bin.startsWith(spare), JSON.stringify(found))
    assert.strictEqual((await search(native, [spare]))._tag, "Success", "the copy is found again")
    assert.strictEqual(statSync(join(native, "bin/postgres")).mode & 0o777, 0o700, "the package stays closed")
  })

  it.each([`a "quoted" word`, "$HOME", "`id`", "back\\slash"])("are copied where a shell would read another path: %s", async (name) => {
    const native = withoutLinks(join(home, name))
    const refused = await search(native, [])
    assert.include(refused._tag === "Failure" ? refused.failure.message : "", `initdb does not run in ${native}`)
    const spare = mkdtempSync(join(home, "plain-"))
    chmodSync(spare, 0o755)
    const found = await search(native, [join(home, name), spare])
    assert.isTrue(found._tag === "Success" && found.success.bin.startsWith(spare), JSON.stringify(found))
  })

  it("their absence is one line that says which are wanted", async () => {
    const nothing = await search(join(home, "nowhere"), [])
    assert.match(
      nothing._tag === "Failure" ? nothing.failure.message : "",
      /^Postgres 15 or later was not found or does not run( as user \w+)?$/
    )
  })
})
