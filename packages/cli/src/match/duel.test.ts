import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { boardsOf } from "@agon/engine/registry.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { leftOut } from "../../../../test/support/slow.ts"
import { agonHere } from "../testing/here.ts"

// The commands play matches in processes of their own, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 900_000 })

const folder = mkdtempSync(join(tmpdir(), "agon-duel-"))
const at = (name: string) => join(folder, name)
const small = ["--board", at("board"), "--max-turns", "40"]
const [GOOD, BAD] = ["zoo:nibbler", "zoo:straight-on"]

describe("agon duel", () => {
  beforeAll(() => {
    const { manifest, weights } = zoo.find(({ name }) => name === "nibbler")!.build()
    writeFileSync(at("mine.onnx"), weights)
    writeFileSync(at("mine.json"), manifest)
    writeFileSync(at("broken.onnx"), weights)
    writeFileSync(at("broken.json"), "{}")
    writeFileSync(at("board"), JSON.stringify(boardsOf("snakes").find(({ players }) => players === 2)))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.skipIf(leftOut("it plays the same duels again and again: 10 s"))(
    "depends on the seed alone: neither on how many are played at once nor on who is named first",
    async () => {
      const duel = async (first: string, second: string, ...flags: ReadonlyArray<string>) => {
        const { err, out, status } = await agonHere(["duel", first, second, ...small, "--pairs", "3", "--json", ...flags])
        assert.strictEqual(status, 0, err)
        return JSON.parse(out)
      }
      const one = await duel(at("mine.onnx"), BAD, "--slots", "1", "--seed", "7")
      assert.deepStrictEqual([one.matches, one.game, one.sprt], [6, "snakes", null])
      assert.isAbove(one.score, 0.5)
      const again = await duel(at("mine.onnx"), BAD, "--slots", "3", "--seed", "7")
      assert.deepStrictEqual(again, one)
      const turned = await duel(BAD, GOOD, "--seed", "7")
      assert.deepStrictEqual([turned.pairs, turned.strikes], [[...one.pairs].reverse(), [...one.strikes].reverse()])
      assert.closeTo(turned.score, 1 - one.score, 1e-12)
    }
  )

  it("ends as soon as the sequential test decides: status 0 for the stronger model, 1 for the weaker", async () => {
    const test = (first: string, second: string) => agonHere(["duel", first, second, ...small, "--sprt", "-10", "150", "--pairs", "400"])
    const [stronger, weaker] = [await test(GOOD, BAD), await test(BAD, GOOD)]
    assert.deepStrictEqual([stronger.status, weaker.status], [0, 1], stronger.err + weaker.err)
    assert.match(stronger.out, /^sequential test of -10 against 150 Elo: stronger by more than -10 \(LLR \d\.\d\d\)$/m)
    assert.match(weaker.out, /: not stronger by 150 \(LLR -\d\.\d\d\)$/m)
    assert.isBelow(Number(/^(\d+) pairs/m.exec(stronger.out)?.[1]), 400)
  })

  it("shows progress and colours on a terminal, and neither elsewhere", async () => {
    const args = ["duel", GOOD, BAD, ...small, "--pairs", "1"]
    const terminal = await agonHere(args, { columns: 80 })
    assert.include(terminal.drawn, "pair 1 of 1: ")
    assert.include(terminal.out, "\x1b[1m")
    const plain = await agonHere(args, { columns: 80, environment: { NO_COLOR: "1" } })
    const elsewhere = await agonHere(args)
    assert.deepStrictEqual([elsewhere.drawn, elsewhere.out], ["", plain.out])
  })

  it("says in a sentence what cannot be played", async () => {
    const cases = [
      [["zoo:cobra", BAD], /^agon: The zoo has no cobra; its models are [a-z-]+(, [a-z-]+){12}\.\n$/],
      [[GOOD, "zoo:grabber"], /^agon: zoo:nibbler plays snakes, zoo:grabber plays othello\.\n$/],
      [[GOOD, at("none.onnx")], /^agon: \S+none\.onnx cannot be read\.\n$/],
      [[GOOD, at("broken.onnx")], /^agon: The manifest of \S+broken\.onnx: format is missing, must be "agon-manifest\/1"\.\n$/],
      [[GOOD, BAD, "--sprt", "20", "0"], /^agon: --sprt takes two Elo differences .*: --sprt 0 20\.\n$/],
      [[GOOD, BAD, "--pairs", "0"], /^agon: --pairs must be from 1 to 100000\.\n$/],
      [[GOOD, BAD, "--board", at("mine.json")], /^agon: \S+mine\.json: \S.*\.\n$/]
    ] as const
    for (const [args, said] of cases) {
      const { err, out, status } = await agonHere(["duel", ...args])
      assert.deepStrictEqual([status, out], [2, ""], args.join(" "))
      assert.match(err, said)
    }
  })
})
