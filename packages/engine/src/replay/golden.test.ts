/**
 * Matches with known final states. If these constants change, the rules, a generator or the canonical form has changed, and
 * every stored replay fails verification.
 */
import { assert, describe, it } from "vitest"
import { othelloBoards } from "../othello/boards.ts"
import { engineOf } from "../registry.ts"
import { snakesBoards } from "../snakes/boards.ts"
import { record } from "./testing/recorded.ts"

const golden: ReadonlyArray<readonly [game: string, map_id: string, seed: number, turns: number, reason: string, state_sha256: string]> = [
  ["snakes", "open-7", 11, 25, "last_standing", "804b50600b55df051add031289dbea1a4674614df4945b043a33586db502074c"],
  ["snakes", "walled-9", 1011, 75, "last_standing", "162dbc56aa0a683d3a427f9021c220fe7dc509cbd778e387bdbe688ba6bd05a3"],
  ["snakes", "wrapped-9", 2011, 72, "forfeit", "a72b287474b3af0b23087960eb969891f0d50b0e8633ea3b0db553c60c3522c0"],
  ["snakes", "open-11", 3011, 38, "forfeit", "0082fa4c5c2a1192e2056dbf484a0354db832672bbf0accd6941e7ec24a7f127"],
  ["snakes", "walled-11", 4011, 72, "forfeit", "068080a1f78eec982ac8f4becbe5ac1fe7154a8ef50e3af5497b03e6a243c6ee"],
  ["snakes", "torus-15", 5011, 56, "last_standing", "bda7bc04fca40a6e35e6f2319318da86e1abdf6cb323d11b6a3ff04de9343892"],
  ["snakes", "tiles-18", 6011, 72, "forfeit", "2135e43efe8ccbf783707b13b3762aad82132e90f21e3058dfa88898a950b71f"],
  ["snakes", "arena-19", 7011, 93, "forfeit", "cc59740d80039642bb978fd458563a7974bb2c588db570f4fbc7bb268a6a218b"],
  ["othello", "classic-8", 8011, 56, "no_moves", "a6f71929c0591dc0af3ef13e0a797e3efcac9d1b05abf1d01c88dada5a4c85ee"],
  ["othello", "small-6", 9011, 28, "no_moves", "590bae056d83b065361e5ab9fc0549c85e318cd59aaf677a9c8937fe01478927"],
  ["othello", "holes-10", 10011, 84, "no_moves", "14d5e3029eecb8f3e4840425b44c02f0e49b2cc25274dc22e1cb12e87647d405"]
]

describe("the final state", () => {
  for (const [game, map_id, seed, turns, reason, state_sha256] of golden) {
    it(`of ${game} on ${map_id} with seed ${seed} has not changed`, () => {
      const board = [...snakesBoards, ...othelloBoards].find((one) => one.map_id === map_id)!
      const { replay } = record(engineOf(game)!, board, seed)
      assert.deepStrictEqual([replay.turns, replay.reason, replay.state_sha256], [turns, reason, state_sha256])
    })
  }

  it("is listed for every demonstration board", () => {
    assert.sameMembers(
      golden.map(([, map_id]) => map_id),
      [...snakesBoards, ...othelloBoards].map((board) => board.map_id)
    )
  })
})
