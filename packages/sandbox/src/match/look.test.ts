import { assert, layer, vi } from "@effect/vitest"
import { Effect } from "effect"
import { Arena } from "../Arena.ts"
import { board, floats, ints, linear, manifest, model, port, snakesInput } from "../admission/testing/testModels.ts"
import { boundedByEvents } from "../worker/testing/testBudget.ts"

boundedByEvents(vi)

const CAP_BYTES = 128 * 1_048_576
/** The snake begins in row 5 and goes up, so it is here in turn 2 alone. */
const STRUCK_ROW = 3

/**
 * Counts its answers in `memory_flat`: up while the count is below three, then right. With its head in this row it
 * gives its logits twice, by a size that depends on what it sees.
 */
const countingButIn = (row: number): Uint8Array => {
  const cells = 12 * board.rows * board.cols
  const inRow = Float32Array.from({ length: cells }, (_, at) =>
    at < board.rows * board.cols && Math.floor(at / board.cols) === row ? 1 : 0
  )
  return model({
    node: [
      { opType: "Add", input: ["memory_flat", "one"], output: ["memory_flat_out"] },
      { opType: "MatMul", input: ["memory_flat", "slope"], output: ["line"] },
      { opType: "Add", input: ["line", "bias"], output: ["moves"] },
      { opType: "Reshape", input: ["obs", "row"], output: ["seen"] },
      { opType: "MatMul", input: ["seen", "inRow"], output: ["isThere"] },
      { opType: "Add", input: ["isThere", "one"], output: ["times"] },
      { opType: "Reshape", input: ["times", "flat"], output: ["time"] },
      { opType: "Cast", input: ["time"], output: ["size"], attribute: [{ name: "to", type: 2, i: 7n }] },
      { opType: "Concat", input: ["size", "four"], output: ["shape"], attribute: [{ name: "axis", type: 2, i: 0n }] },
      { opType: "Expand", input: ["moves", "shape"], output: ["logits"] }
    ],
    initializer: [
      floats("one", [1], [1]),
      floats("slope", [1, 4], [0, 1, 0, 0]),
      floats("bias", [4], [2.5, 0, -9, -9]),
      floats("inRow", [cells, 1], inRow),
      ints("row", [1, -1]),
      ints("flat", [1]),
      ints("four", [4])
    ],
    input: [snakesInput, port("memory_flat", ["N", 1])],
    output: [port("logits", ["N", "A"]), port("memory_flat_out", ["N", 1])]
  })
}

layer(Arena.layer({ slots: 1 }), { excludeTestServices: true })("looking at a match", (it) => {
  it.effect("finds the memory that a model kept through a strike for its shape, and zeroed through a timeout", () =>
    Effect.gen(function* () {
      const arena = yield* Arena
      const seats = [
        { weights: countingButIn(STRUCK_ROW), manifest: manifest({ memory: { flat: 1, cell: 0 } }), memory_cap_bytes: CAP_BYTES },
        { weights: linear(), manifest: manifest(), memory_cap_bytes: CAP_BYTES }
      ]
      const request = { game: "snakes", board, seed: 7, rules: { max_turns: 10, strike_limit: 5 }, seats }
      const { replay } = yield* arena.play({ ...request, timeouts: [{ turn: 6, seat: 0 }] })
      assert.deepStrictEqual(
        replay.strikes.filter(({ seat }) => seat === 0),
        [
          { turn: 2, seat: 0, code: "shape" },
          { turn: 6, seat: 0, code: "timeout" }
        ]
      )
      const looks = yield* Effect.forEach(
        Array.from({ length: 8 }, (_, turn) => turn),
        (turn) => Effect.map(arena.look({ replay, turn, seats }), (looked) => looked.seats[0]!)
      )
      assert.deepStrictEqual(
        looks.map(({ memoryFlat }) => [...memoryFlat]),
        [[0], [1], [2], [2], [3], [4], [5], [0]]
      )
      for (const [turn, { chosen, recorded }] of looks.entries()) assert.strictEqual(chosen, recorded, `turn ${turn}`)
    })
  )
})
