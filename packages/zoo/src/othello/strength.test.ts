import { engineOf } from "@agon/engine/registry.ts"
import { assert, describe, it } from "@effect/vitest"
import { infer, loadPlayer, playAll } from "../testing/Lockstep.ts"
import { zoo } from "../zoo.ts"

const engine = engineOf("othello")!
const rules = { max_turns: 500, strike_limit: 3 }
const ladder = zoo.filter(({ game }) => game === "othello")

const boardOf = (side: number) => {
  const file = { format: "othello-board/1", map_id: `open-${side}`, players: 2, rows: side, cols: side, blocked: [] }
  const checked = engine.checkBoard(file)
  if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
  return checked.board
}

describe("othello models", () => {
  it("grabber counts the discs that a placement turns, up to the edge and to blocked cells", async () => {
    const lines = ["O.X.OX", ".XXXXO", "#XXO..", "OXX.X.", "......", "......"]
    const text = lines.join("")
    const obs = new Float32Array(5 * 36)
    for (const [plane, mark] of ["O", "X", null, "#"].entries()) {
      for (let cell = 0; cell < 36; cell++) obs[plane * 36 + cell] = text[cell] === mark ? 1 : 0
    }
    const none = new Float32Array(0)
    const player = await loadPlayer(zoo.find(({ name }) => name === "grabber")!.build())
    const turned = await infer(player, obs, [1, 5, 6, 6], none, none)
    const at = (row: number, col: number) => turned[row * 6 + col]
    assert.strictEqual(at(1, 0), 4, "the whole of the second row up to the other end")
    assert.strictEqual(at(3, 3), 4, "two to the left, and two up and to the left")
    assert.strictEqual(at(4, 4), 0, "a line that no own disc ends")
  })

  for (const side of [6, 8]) {
    for (const [rank, stronger] of ladder.entries()) {
      const weaker = ladder[rank - 1]
      if (weaker === undefined) continue
      it(`${stronger.name} beats ${weaker.name} over 200 matches on ${side}x${side}`, async () => {
        const [low, high] = [await loadPlayer(weaker.build()), await loadPlayer(stronger.build())]
        const matches = Array.from({ length: 200 }, (_, index) => ({
          seed: 1000 + (index >> 1),
          players: index % 2 === 0 ? [low, high] : [high, low]
        }))
        const results = await playAll({ engine, board: boardOf(side), rules, matches })
        const own = (index: number) => (index % 2 === 0 ? 1 : 0)
        const wins = results.filter(({ ranks }, index) => ranks[own(index)]! < ranks[1 - own(index)]!).length
        const losses = results.filter(({ ranks }, index) => ranks[own(index)]! > ranks[1 - own(index)]!).length
        assert.isAbove(wins, losses)
      })
    }
  }
})
