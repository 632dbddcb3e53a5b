/** Each rule of `npm run tidy` against a small repository that breaks it once, and a clean one that it must pass. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { tidy } from "../../scripts/tidy/tidy.ts"
import { clean, type Files, floorCases, http, lines, manifest, otherCases } from "./tidyCases.ts"
import { exportCases, withoutUnusedExports } from "./tidyExportCases.ts"

const roots: Array<string> = []
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true, force: true })
})

/** A test that takes all exports of the files. */
const userOf = (paths: ReadonlyArray<string>): Files => {
  const lines = paths.filter((path) => /(?<!\.test)\.ts$/.test(path)).map((path, n) => `import * as n${n} from "../${path}"\nvoid n${n}\n`)
  return { "test/user.test.ts": lines.join("") }
}

/** The files beside the clean ones. Nobody has to look for users of their exports, but where `used` is false. */
function plant(files: Files, used = true): string {
  const root = mkdtempSync(join(tmpdir(), "tidy-"))
  roots.push(root)
  const user = userOf(Object.keys({ ...clean, ...(used ? files : {}) }))
  for (const [path, text] of Object.entries({ ...clean, ...user, ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

const findings = (files: Files, used = true) =>
  tidy(plant(files, used)).findings.map(({ file, line, rule, message }) => `${file}:${line} ${rule}: ${message}`)

/** Exactly the planted violation is found, at its place, in words that hold `says`. */
function assertFound(files: Files, place: string, says: string, used = true) {
  const found = findings(files, used)
  assert.strictEqual(found.length, 1, found.join("\n"))
  assert.include(found[0], `${place}:`)
  assert.include(found[0], says)
}

describe("tidy", () => {
  it("passes a tree that keeps every rule", () => {
    assert.deepStrictEqual(findings({}), [])
  })

  for (const [title, files, place, says] of [...floorCases, ...otherCases]) {
    it(`reports ${title}`, () => assertFound(files, place, says))
  }

  for (const [title, files, place, says] of exportCases) {
    it(`reports ${title}`, () => assertFound(files, place, says, false))
  }

  it("passes exports that another file takes by any way, types that others name, and what is published", () => {
    assert.deepStrictEqual(findings(withoutUnusedExports, false), [])
  })

  it("reports programs that import each other, and the cycle that they make", () => {
    const found = findings({
      "packages/server/package.json": manifest("server", { "@agon/api": "0.1.0", "@agon/cli": "0.1.0", pg: "8.23.1" }),
      "packages/cli/package.json": manifest("cli", { "@agon/server": "0.1.0" }),
      "packages/server/src/http/Edge.ts": `import { a } from "@agon/cli/Command.ts"\nexport const b = a\n`,
      "packages/cli/src/Command.ts": `import type { b } from "@agon/server/http/Edge.ts"\nexport const a = (of: typeof b) => of\n`
    })
    for (const place of ["packages/server/package.json:5", "packages/cli/package.json:4", `${http}:1`, "packages/cli/src/Command.ts:1"]) {
      assert.isTrue(
        found.some((finding) => finding.startsWith(`${place} floor:`) && finding.includes("programs")),
        place
      )
    }
    assert.isTrue(found.some((finding) => finding.includes("cycle between packages: cli -> server -> cli")))
    assert.isTrue(found.some((finding) => finding.includes("cycle between files: packages/cli/src/Command.ts -> ")))
  })

  it("counts the files over the aim of 200 lines without failing", () => {
    const report = tidy(plant({ [http]: lines(201) }))
    assert.strictEqual(report.longFiles, 1)
    assert.deepStrictEqual(report.findings, [])
  })

  it("reads what git tracks or would track, and nothing that it ignores", () => {
    const root = plant({
      ".gitignore": "*.log.ts\n",
      "packages/server/src/a.log.ts": "console.log(1)\n",
      "packages/server/src/b.ts": "console.log(1)\n"
    })
    execFileSync("git", ["init", "-q", root])
    assert.deepStrictEqual(
      tidy(root).findings.map((finding) => finding.file),
      ["packages/server/src/b.ts"]
    )
  })

  it("answers by its exit status: 0 clean, 1 findings, 2 could not run", () => {
    const run = (root: string) =>
      spawnSync(process.execPath, [join(import.meta.dirname, "../../scripts/tidy.ts"), root], { encoding: "utf8" })
    assert.strictEqual(run(plant({})).status, 0)
    const found = run(plant({ [http]: "console.log(1)\n" }))
    assert.strictEqual(found.status, 1)
    assert.match(found.stdout, /^packages\/server\/src\/http\/Edge.ts:1 {2}banned-call {2}console/)
    assert.strictEqual(run(join(plant({}), "nowhere")).status, 2)
  })
})
