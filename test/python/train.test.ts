/**
 * examples/train in short: a policy learns for half a minute, is exported and examined, and
 * is measured against the zoo.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "vitest"
import { missingPython, missingTorch, python, run } from "../support/python.ts"
import { leftOut } from "../support/slow.ts"

const missing = leftOut("three policies are trained: two minutes") ?? missingPython()
const folder = mkdtempSync(join(tmpdir(), "agon-train-"))
const RIVALS = ["straight-on", "random-safe"]

/** Of 100 matches against each of the two, with the interval. */
const gauntlet = async (model: string) => {
  const { status, output } = await run(process.execPath, [
    "examples/train/gauntlet.ts",
    ...["--json", "--matches", "100", "--rivals", RIVALS.join(",")],
    join(folder, `${model}.onnx`)
  ])
  assert.strictEqual(status, 0, output)
  const scores = output
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { rival: string; won: number; low: number; high: number })
  return RIVALS.map((name) => scores.find(({ rival }) => rival === name)!)
}

describe.skipIf(missing !== undefined)(`the example of training${missing === undefined ? "" : ` (${missing})`}`, () => {
  afterAll(() => rmSync(folder, { recursive: true }))

  it("refuses before it trains what it could not do behind it", async () => {
    for (const [argument, value, says] of [
      ["--matches", "10", "takes 0 or a multiple of 4"],
      ["--minutes", "0", "takes more than 0"]
    ] as const) {
      const { output, status } = await python(["examples/train/train.py", argument, value, "--out", join(folder, "refused")])
      assert.deepStrictEqual([status, existsSync(join(folder, "refused"))], [2, false], output)
      assert.include(output, `argument ${argument}: ${says}`)
    }
  })

  it("trains a policy from nothing that is admitted, and that plays better than it began", async () => {
    const given = ["--stages", "30", "--processes", "1", "--checkpoints", "1", "--matches", "0", "--seed", "1", "--out", folder]
    const { status, output } = await python(["examples/train/train.py", ...given])
    assert.strictEqual(status, 0, output)
    assert.match(output, /^admitted: 21895 parameters/m)
    const before = await gauntlet("stage-0")
    const after = await gauntlet("trained")
    for (const [index, rival] of RIVALS.entries())
      assert.isAbove(after[index]!.low, before[index]!.high, `${rival}: ${JSON.stringify([before[index], after[index]])}`)
    assert.isAbove(after[0]!.low, 0.5, JSON.stringify(after[0]))
  })

  it("trains an othello policy from nothing that is admitted, and that beats random play clearly", async () => {
    const { output, status } = await python(["examples/train/othello.py", "--stages", "20", "--curve", "0", "--seed", "1", "--out", folder])
    assert.strictEqual(status, 0, output)
    assert.match(output, /^admitted: \d+ parameters/m)
    const [before, after] = [...output.matchAll(/^random play .* \(95 %: (\d+) to (\d+)\) of 200 matches$/gm)].map(([, low, high]) => ({
      low,
      high
    }))
    assert.isAbove(Number(after!.low), Math.max(50, Number(before!.high)), output)
  })

  const torch = missingTorch()
  it.skipIf(torch !== undefined)(
    `trains with PyTorch a policy that its own export writes and that is admitted (${torch ?? "1.13"})`,
    async () => {
      const given = ["--stages", "8", "--matches", "0", "--seed", "1", "--out", folder]
      const { output, status } = await python(["examples/train/torch_policy.py", ...given])
      assert.strictEqual(status, 0, output)
      assert.match(output, /^admitted: 13151 parameters/m)
      const [straightOn] = await gauntlet("torch")
      assert.isAbove(straightOn!.low, 0.5, JSON.stringify(straightOn))
    }
  )
})
