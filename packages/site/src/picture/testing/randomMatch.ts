/** Positions for the tests of pictures. */
import { Mulberry32 } from "@agon/engine/Mulberry32.ts"
import type { OthelloBoard } from "@agon/engine/othello/Board.ts"
import { type Player, playMatch } from "@agon/engine/play.ts"
import { engineOf } from "@agon/engine/registry.ts"
import type { SnakesBoard } from "@agon/engine/snakes/Board.ts"

type Board = SnakesBoard | OthelloBoard

const gameOf = (format: string) => format.slice(0, format.indexOf("-"))

/** Every position of a match of random players. */
export const positions = (board: Board, seed: number): ReadonlyArray<unknown> => {
  const engine = engineOf(gameOf(board.format))!
  const random = new Mulberry32(seed)
  const player: Player = (_, legal) => {
    const actions = [...legal.keys()].filter((action) => legal[action] === 1)
    return actions[random.below(actions.length)]!
  }
  const views: Array<unknown> = []
  const step: typeof engine.step = (state, choices) => {
    engine.step(state, choices)
    views.push(engine.view(state))
  }
  playMatch({ ...engine, step }, board, seed, { max_turns: 60, strike_limit: 3 }, new Array(board.players).fill(player))
  return views
}
