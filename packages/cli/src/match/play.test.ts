import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { boardsOf } from "@agon/engine/registry.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { agonHere } from "../testing/here.ts"

// The commands run models in processes of their own, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 900_000 })

const folder = mkdtempSync(join(tmpdir(), "agon-play-"))
const at = (name: string) => join(folder, name)

describe("the numbers of agon's flags", () => {
  beforeAll(() => {
    const { manifest, weights } = zoo.find(({ name }) => name === "nibbler")!.build()
    writeFileSync(at("a.onnx"), weights)
    writeFileSync(at("a.json"), manifest)
    writeFileSync(at("board"), JSON.stringify(boardsOf("snakes").find(({ players }) => players === 2)))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  const play = (...flags: ReadonlyArray<string>) =>
    agonHere(["play", "--game", "snakes", "--board", at("board"), "--replay", at("replay"), ...flags, at("a.onnx"), at("a.onnx")])

  it("are refused with their range where no match has such rules, and nothing is written", async () => {
    for (const [flag, values, range] of [
      ["seed", [2 ** 32], "0 to 4294967295"],
      ["max-turns", [-1, 6000], "1 to 5000"],
      ["strike-limit", [101], "1 to 100"],
      ["infer-us-max", [0], "1 to 1000000"]
    ] as const)
      for (const value of values) {
        const { err, out, status } = await play(`--${flag}`, String(value))
        assert.deepStrictEqual([status, out, err], [2, "", `agon: --${flag} must be from ${range}.\n`])
      }
    assert.isFalse(existsSync(at("replay")))
    const { err, status } = await agonHere(["examine", at("a.onnx"), "--game", "snakes", "--infer-us-max", "1000001"])
    assert.deepStrictEqual([status, err], [2, "agon: --infer-us-max must be from 1 to 1000000.\n"])
  })

  it("may be as large as those of a replay, which verifies", async () => {
    const played = await play("--max-turns", "5000", "--strike-limit", "100", "--seed", String(2 ** 32 - 1))
    assert.strictEqual(played.status, 0, played.err)
    const verified = await agonHere(["verify", at("replay")])
    assert.strictEqual(verified.status, 0, verified.out)
    for (const cap of [-1, 2 ** 32 + 1]) {
      const { err, status } = await agonHere(["verify", at("replay"), "--weights", folder, "--memory-cap-bytes", String(cap)])
      assert.deepStrictEqual([status, err], [2, "agon: --memory-cap-bytes must be from 1 to 4294967296.\n"])
    }
  })
})
