import { boardsOf } from "@agon/engine/registry.ts"
import type { Replay } from "@agon/engine/replay/Replay.ts"
import { assert, describe, it } from "@effect/vitest"
import { manifest } from "../admission/testing/testModels.ts"
import { lookDeadline_ms, tooLate } from "./deadlines.ts"
import { MOVE_DEADLINE_MS } from "./Match.ts"

const seat = { weights: new Uint8Array(), manifest: manifest(), memory_cap_bytes: 1 }
const board = boardsOf("snakes")[0]!
const rules = { max_turns: 100_000, strike_limit: 3 }
const lookAt = (turn: number, seats: number) =>
  lookDeadline_ms({ replay: { board, rules } as unknown as Replay, turn, seats: [...Array.from({ length: seats }, () => seat), null] })

describe("the deadline of a look at a match", () => {
  it("is enough for every model's slowest legal answer in every turn up to that one", () => {
    for (const [turn, seats] of [
      [0, 1],
      [400, 2],
      [1_000, 8]
    ] as const)
      assert.isAbove(lookAt(turn, seats), (turn + 1) * seats * MOVE_DEADLINE_MS)
  })

  it("is short for an early turn, none of the models' without models, and a day at most", () => {
    assert.isAtMost(lookAt(0, 2), 600_000)
    assert.strictEqual(lookAt(1_000, 0), 60_000)
    assert.strictEqual(lookAt(99_999, 8), 86_400_000)
  })

  it("is told in a sentence", () => {
    assert.strictEqual(
      tooLate("run the models up to this turn", lookAt(0, 0)),
      "The machine did not run the models up to this turn within 60 s."
    )
  })
})
