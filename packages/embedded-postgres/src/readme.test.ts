/**
 * The example of the README runs as it stands there, in a project of its own, and runs
 * again on the data that it made.
 */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it, onTestFinished } from "vitest"
import { HANGS_AFTER_MS } from "../../../test/support/hangs.ts"

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8")
const example = /^```ts\n(.*?)^```$/ms.exec(readme)![1]!

it("the README's example keeps its notes from one run to the next", () => {
  const project = mkdtempSync(join(tmpdir(), "embedded-postgres-"))
  onTestFinished(() => rmSync(project, { recursive: true, force: true }))
  symlinkSync(join(import.meta.dirname, "../../../node_modules"), join(project, "node_modules"))
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }))
  writeFileSync(join(project, "notes.ts"), example)
  const run = () => execFileSync(process.execPath, ["notes.ts"], { cwd: project, encoding: "utf8", timeout: HANGS_AFTER_MS })
  assert.match(run(), /^1 notes$/m)
  assert.match(run(), /^2 notes$/m)
})
