import type { BoardFile } from "@agon/engine/Engine.ts"
import { engineOf } from "@agon/engine/registry.ts"
import { assert, describe, it } from "@effect/vitest"
import { sample } from "../../../../test/support/slow.ts"
import { loadPlayer, type Player, playAll } from "../testing/Lockstep.ts"
import { zoo } from "../zoo.ts"

const engine = engineOf("snakes")!
const rules = { max_turns: 150, strike_limit: 3 }

/** Two boards a size: spawns an even number of steps apart, where heads can meet, and an odd one, where they cannot. */
const boards = (side: number): ReadonlyArray<BoardFile> =>
  [side - 2, side - 3].map((col) => {
    const checked = engine.checkBoard({
      format: "snakes-board/1",
      map_id: `open-${side}-${col}`,
      players: 2,
      rows: side,
      cols: side,
      wrap: false,
      walls: [],
      spawns: [
        [1, 1],
        [side - 2, col]
      ],
      food: [
        [1, 3],
        [side - 2, col - 2]
      ],
      min_food: 1,
      food_chance: 15,
      max_turns: 1000
    })
    if (!checked.ok) throw new Error(JSON.stringify(checked.errors))
    return checked.board
  })

/** Wins and losses of `stronger` over `matches` matches, half on each board, each seed once from either seat. */
const contest = async (side: number, weaker: Player, stronger: Player, matches: number) => {
  let wins = 0
  let losses = 0
  for (const board of boards(side)) {
    const plan = Array.from({ length: matches / 2 }, (_, index) => ({
      seed: 1000 + (index >> 1),
      players: index % 2 === 0 ? [weaker, stronger] : [stronger, weaker]
    }))
    const results = await playAll({ engine, board, rules, matches: plan })
    results.forEach(({ ranks }, index) => {
      const own = index % 2 === 0 ? 1 : 0
      if (ranks[own]! < ranks[1 - own]!) wins += 1
      if (ranks[own]! > ranks[1 - own]!) losses += 1
    })
  }
  return { wins, losses, draws: matches - wins - losses }
}

/** A contest takes one to ten seconds on an idle core; other work on the machine must not fail it. */
const patience_ms = 300_000

const ladder = zoo.filter(({ game }) => game === "snakes")
const players = new Map(ladder.map((entry) => [entry.name, loadPlayer(entry.build())]))

describe("the order of the snakes models", () => {
  for (const side of sample([7, 11])) {
    for (const [rank, stronger] of ladder.entries()) {
      const weaker = ladder[rank - 1]
      if (weaker === undefined) continue
      it(
        `${stronger.name} beats ${weaker.name} over 200 matches on ${side}x${side}`,
        async () => {
          const counts = await contest(side, (await players.get(weaker.name))!, (await players.get(stronger.name))!, 200)
          if (process.env["AGON_PRINT"] !== undefined) console.log(side, stronger.name, "over", weaker.name, JSON.stringify(counts))
          assert.isAbove(counts.wins, counts.losses, JSON.stringify(counts))
        },
        patience_ms
      )
    }
  }
})
