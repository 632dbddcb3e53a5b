import { spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, it } from "vitest"
import { goBeforeOthers } from "./outOfMemory.ts"

const MODULE = join(import.meta.dirname, "outOfMemory.ts")
const SCORE = "/proc/self/oom_score_adj"

it.skipIf(!existsSync(SCORE) || readFileSync(SCORE, "utf8").trim() !== "0")(
  "a runner goes before others, and what it starts with it",
  () => {
    const program = `import { goBeforeOthers } from ${JSON.stringify(MODULE)}
    import { execFileSync } from "node:child_process"
    goBeforeOthers()
    process.stdout.write(execFileSync("cat", ["${SCORE}"]))`
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", program], { encoding: "utf8" })
    assert.strictEqual(stdout.trim(), "500")
    assert.strictEqual(readFileSync(SCORE, "utf8").trim(), "0")
  }
)

it("a score that somebody has set stays, and a system without one is no fault", () => {
  const folder = mkdtempSync(join(tmpdir(), "agon-score-"))
  const score = join(folder, "score")
  goBeforeOthers(score)
  assert.isFalse(existsSync(score))
  writeFileSync(score, "-900\n")
  goBeforeOthers(score)
  assert.strictEqual(readFileSync(score, "utf8"), "-900\n")
  rmSync(folder, { recursive: true })
})
