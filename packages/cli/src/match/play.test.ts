import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
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

describe("a match that a model cannot play", () => {
  const built = (name: string) => zoo.find((one) => one.name === name)!.build()
  const reversi = zoo.find(({ game }) => game === "othello")!.build()
  const board = (name: string) => {
    writeFileSync(at(name), JSON.stringify(boardsOf("snakes").find(({ players }) => players === 2)))
    return at(name)
  }
  const model = (name: string, weights: Uint8Array, manifest: Uint8Array) => {
    writeFileSync(at(`${name}.onnx`), weights)
    writeFileSync(at(`${name}.json`), manifest)
    return at(`${name}.onnx`)
  }
  beforeAll(() => mkdirSync(folder, { recursive: true }))
  afterAll(() => rmSync(folder, { recursive: true }))

  it("is not played where its manifest names another game", async () => {
    const { manifest, weights } = built("nibbler")
    const snake = model("snake", weights, manifest)
    const disc = model("disc", reversi.weights, reversi.manifest)
    const { err, out, status } = await agonHere(["play", "--game", "snakes", "--board", board("board"), snake, disc])
    assert.deepStrictEqual([status, out, err], [2, "", `agon: ${disc} plays othello, not snakes.\n`])
  })

  it("says which strikes it got and when, in the result and below each turn", async () => {
    const { manifest, weights } = built("nibbler")
    const snake = model("snake", weights, manifest)
    const disc = model("discs", reversi.weights, manifest)
    const flags = ["--strike-limit", "3", "--watch", "--game", "snakes", "--board", board("board")]
    const { err, out, status } = await agonHere(["play", ...flags, snake, disc])
    assert.strictEqual(status, 0, err)
    assert.match(out, /\d+\. \S+discs\.onnx {2}score \d+ {2}strikes 3 \(crash, turns 0, 1, 2\)$/m)
    assert.match(out, /\d+\. \S+snake\.onnx {2}score \d+$/m)
    const below = out.split("\n").filter((line) => line.startsWith("strike of "))
    assert.deepStrictEqual(
      below,
      [0, 1, 2].map((turn) => `strike of ${disc} in turn ${turn}: crash`)
    )
  })
})

describe("the numbers of agon's flags", () => {
  beforeAll(() => {
    mkdirSync(folder, { recursive: true })
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
