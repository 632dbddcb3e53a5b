import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { choicesAt } from "@agon/engine/replay/choicesAt.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { zoo } from "@agon/zoo/zoo.ts"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { missingPython, python } from "../../../../test/support/python.ts"
import { agonHere } from "../testing/here.ts"
import { npzOf } from "./replay/npz.ts"

// The commands run models in processes of their own, which takes minutes on a busy machine.
vi.setConfig({ testTimeout: 900_000, hookTimeout: 900_000 })

const folder = mkdtempSync(join(tmpdir(), "agon-rerun-"))
const at = (name: string) => join(folder, name)
/** The first has memory, which its answer depends on. */
const MODELS = ["wanderer", "sniffer"] as const
const TURN = 7

/** The observations of the replay's seats in a turn, by the engine. */
const seenIn = (replay: Replay, turn: number): ReadonlyArray<ReadonlyArray<number>> => {
  const engine = engineOf(replay.game)!
  const { cols, planes, rows } = engine.spec(replay.board)
  const state = engine.init(replay.board, replay.seed, replay.rules)
  for (let now = 0; now < turn; now++) engine.step(state, choicesAt(replay, now))
  return replay.seats.map((_, seat) => {
    const observation = new Float32Array(planes * rows * cols)
    engine.observe(state, seat, observation)
    return Array.from(observation)
  })
}

const READ = `
import json, sys
import numpy
with numpy.load(sys.argv[1]) as arrays:
    print(json.dumps({name: [str(one.dtype), list(one.shape), one.ravel().tolist()] for name, one in arrays.items()}))
`

type Arrays = Readonly<Record<string, readonly [type: string, shape: ReadonlyArray<number>, values: ReadonlyArray<number>]>>

const readNpz = async (file: string): Promise<Arrays> => {
  const { output, status } = await python(["-c", READ, file])
  assert.strictEqual(status, 0, output)
  return JSON.parse(output)
}

const without = missingPython()

describe("agon rerun", () => {
  let replay: Replay
  beforeAll(async () => {
    mkdirSync(at("models"))
    for (const name of MODELS) {
      const { manifest, weights } = zoo.find((entry) => entry.name === name)!.build()
      writeFileSync(at(`models/${name}.onnx`), weights)
      writeFileSync(at(`models/${name}.json`), manifest)
    }
    writeFileSync(at("board"), JSON.stringify(boardsOf("snakes").find(({ players }) => players === 2)))
    const models = MODELS.map((name) => at(`models/${name}.onnx`))
    const args = ["play", "--game", "snakes", "--board", at("board"), "--seed", "6", "--max-turns", "30", "--replay", at("replay")]
    const { err, status } = await agonHere([...args, ...models])
    assert.strictEqual(status, 0, err)
    replay = JSON.parse(readFileSync(at("replay"), "utf8"))
    assert.isAbove(replay.turns, TURN + 1, "the match is long enough to look into")
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it("finds the recorded actions in the logits of every model, from the first turn to the last", async () => {
    for (const turn of [0, TURN, replay.turns - 1]) {
      const args = ["rerun", at("replay"), "--turn", String(turn), "--weights", at("models"), "--out", at("turn.npz"), "--json"]
      const { err, out, status } = await agonHere(args)
      assert.strictEqual(status, 0, err)
      const { arrays, seats } = JSON.parse(out)
      const expected = replay.moves[turn]!.flatMap((move, seat) => (move === null ? [] : [{ seat, recorded: move, chosen: move }]))
      assert.deepStrictEqual(seats, expected)
      assert.include(
        arrays.map(({ name }: { name: string }) => name),
        "seat0_logits"
      )
    }
  })

  it.skipIf(without !== undefined)(`writes arrays that numpy reads${without === undefined ? "" : `: ${without}`}`, async () => {
    const args = ["rerun", at("replay"), "--turn", String(TURN), "--weights", at("models"), "--out", at("read.npz")]
    const { err, status } = await agonHere(args)
    assert.strictEqual(status, 0, err)
    const arrays = await readNpz(at("read.npz"))
    const { actions, cols, planes, rows } = engineOf("snakes")!.spec(replay.board)
    assert.deepStrictEqual(arrays["turn"], ["int32", [], [TURN]])
    for (const [seat, seen] of seenIn(replay, TURN).entries()) {
      assert.deepStrictEqual(arrays[`seat${seat}_observation`], ["float32", [planes, rows, cols], seen])
      const [type, shape, logits] = arrays[`seat${seat}_logits`]!
      assert.deepStrictEqual([type, shape], ["float32", [actions]])
      assert.strictEqual(logits.indexOf(Math.max(...logits)), replay.moves[TURN]![seat] ?? -1)
      assert.deepStrictEqual(arrays[`seat${seat}_action`], ["int32", [], [replay.moves[TURN]![seat] ?? -1]])
      assert.deepStrictEqual(arrays[`seat${seat}_legal`]?.slice(0, 2), ["uint8", [actions]])
    }
    const memories = Object.entries(arrays).filter(([name]) => name.startsWith("seat0_memory"))
    assert.isTrue(memories.some(([, [, , values]]) => values.some((value) => value !== 0)))
  })

  it.skipIf(without !== undefined)("writes arrays of every type and of no or several axes so that numpy reads them", async () => {
    const arrays = [
      { name: "one", shape: [], values: Float32Array.of(0.5) },
      { name: "none", shape: [0], values: new Uint8Array() },
      { name: "cube", shape: [2, 3, 2], values: Int32Array.from({ length: 12 }, (_, n) => n - 5) },
      { name: "row", shape: [3], values: Float32Array.of(0, -0, Infinity).subarray(1) }
    ]
    writeFileSync(at("all.npz"), npzOf(arrays.map((array) => (array.name === "row" ? { ...array, shape: [2] } : array))))
    const { output, status } = await python(["-c", READ.replaceAll("tolist()", "astype(str).tolist()"), at("all.npz")])
    assert.strictEqual(status, 0, output)
    assert.deepStrictEqual(JSON.parse(output), {
      one: ["float32", [], ["0.5"]],
      none: ["uint8", [0], []],
      cube: ["int32", [2, 3, 2], Array.from({ length: 12 }, (_, n) => String(n - 5))],
      row: ["float32", [2], ["-0.0", "inf"]]
    })
  })

  it("has observations alone where it has no models, and says in a sentence what cannot be looked at", async () => {
    const seen = await agonHere(["rerun", at("replay"), "--turn", "1", "--out", at("seen.npz"), "--json"])
    assert.strictEqual(seen.status, 0, seen.err)
    assert.notInclude(seen.out, "logits")
    const before = readdirSync(folder)
    const cases = [
      [["--turn", String(replay.turns)], new RegExp(`^agon: --turn must be from 0 to ${replay.turns - 1}: .*\\n$`)],
      [["--turn", "0", "--weights", folder, "--out", at("no/such")], /^agon: \S+no\/such cannot be written\.\n$/]
    ] as const
    for (const [args, said] of cases) {
      const { err, out, status } = await agonHere(["rerun", at("replay"), ...args])
      assert.deepStrictEqual([status, out], [2, ""])
      assert.match(err, said)
    }
    assert.deepStrictEqual(readdirSync(folder), before)
  })
})
