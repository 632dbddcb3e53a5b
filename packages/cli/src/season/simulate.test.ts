import { execFile } from "node:child_process"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"

const main = fileURLToPath(new URL("../main.ts", import.meta.url))
const agon = (...args: ReadonlyArray<string>) =>
  new Promise<{ readonly status: number; readonly out: string; readonly err: string }>((resolve) => {
    const child = execFile(process.execPath, [main, ...args], (_, out, err) => resolve({ status: child.exitCode ?? -1, out, err }))
  })

describe("agon simulate", () => {
  it("prints JSON with our pairing first and every published pairing after it", async () => {
    const { out, status } = await agon("simulate", "--entries", "20", "--games", "12", "--seeds", "2", "--json")
    assert.strictEqual(status, 0)
    const { pairings } = JSON.parse(out)
    assert.deepStrictEqual(
      pairings.map(({ name }: { name: string }) => name),
      ["agon", "random", "swiss", "regular", "division", "halite", "katago"]
    )
    for (const each of pairings) {
      const coverages = ["coverage_1s", "coverage_2s", "rank_coverage"]
      assert.hasAllKeys(each, ["name", "tau", "rmse", ...coverages, "most_minus_least", "starved", "us_per_match"])
      assert.hasAllKeys(each.tau, ["10", "12"])
      assert.isAbove(each.us_per_match, 0)
    }
  })
  it("plays one pairing alone, and prints a table and a plot", async () => {
    const { out, status } = await agon("simulate", "--entries", "10", "--games", "4", "--seeds", "1", "--pairing", "agon")
    assert.strictEqual(status, 0)
    assert.match(out, /tau@4/)
    assert.match(out, /A agon/)
    assert.notMatch(out, /random/)
  })
  it("exits with 2 and an explanation for options that cannot be played", async () => {
    for (const wrong of [
      ["--entries", "0"],
      ["--pairing", "chance"],
      ["--seats", "8", "--entries", "7"],
      ["--entries", "2", "--field", "crasher"],
      ["--draws", "2"],
      ["--seeds", "many"]
    ]) {
      const { err, out, status } = await agon("simulate", "--games", "1", "--seeds", "1", ...wrong)
      assert.strictEqual(status, 2, wrong.join(" "))
      assert.match(out + err, new RegExp(wrong[0]!.slice(2)))
    }
  })
})
