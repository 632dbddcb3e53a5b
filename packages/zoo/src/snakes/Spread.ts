/**
 * Spreading: how convolutions find a way around walls and bodies.
 *
 * A map holds 1 in every cell reached so far. One step is a cross-shaped 3x3 convolution, which adds the four
 * neighbours of each reached cell, and a Min with the map of free cells, which stops at walls and bodies and
 * clips counts to 0 and 1. After t steps the map shows the cells within t turns. The sum of the maps of all
 * steps is `steps + 1 - distance` where reached and 0 elsewhere: nearness.
 *
 * Each of the four moves spreads in its own channel. Bodies are taken as they are, except for tails that
 * leave in this turn: opening cells in the turn in which they are left was tried and lost matches. `rivals`
 * adds a channel for those as long or longer and one for the shorter; a cell is claimed by a move that gets
 * there before the longer and not after the shorter. Comparing arrivals is enough, and spreading need not
 * stop at a border: the first at a cell is also first on the whole path there.
 */
import { add, clip, concat, conv, highest, max, min, mul, slice, sub, sum, total } from "../graph/Arithmetic.ts"
import type { Value } from "../graph/Graph.ts"
import { beside, cross, moves, occupancy, type Sight } from "./Sight.ts"

export interface SpreadOptions {
  readonly steps: number
  readonly rivals: boolean
}

export interface Spread {
  /** [N,4]: cells within reach after each move. */
  readonly space: Value
  /** [N,4,H,W]: `steps + 1 - distance`, the cell moved to being at distance 1; 0 where never reached. */
  readonly nearness: Value
  /** [N,4]: cells claimed by each move; null without rivals. */
  readonly claim: Value | null
}

/**
 * [N,2,H,W]: where the longer and the shorter rivals can be after their first step, since our
 * first step is the move itself.
 */
const rivalsAhead = (sight: Sight, free: Value): Value => {
  const { g } = sight
  const longer = beside(g, sight.strong)
  const shorter = beside(g, sub(g, sight.heads, sight.strong))
  return min(g, concat(g, [longer, shorter], 1), free)
}

export const spread = (sight: Sight, options: SpreadOptions): Spread => {
  const { g } = sight
  const free = clip(g, sub(g, 2, mul(g, occupancy(sight), 64)), 0, 1)
  const starts = options.rivals ? [sight.steps, rivalsAhead(sight, free)] : [sight.steps]
  const channels = moves + (options.rivals ? 2 : 0)
  const kernel = Float32Array.from({ length: channels * 9 }, (_, at) => cross(1)[at % 9]!)
  let state = starts.length === 1 ? starts[0]! : concat(g, starts, 1)
  const states = [state]
  for (let turn = 2; turn <= options.steps; turn++) {
    state = min(g, conv(g, state, kernel, [channels, 1, 3, 3], channels), free)
    states.push(state)
  }
  const arrivals = sum(g, states)
  if (!options.rivals) return { space: total(g, state), nearness: arrivals, claim: null }
  const nearness = slice(g, arrivals, 0, moves, 1)
  const longer = slice(g, arrivals, moves, moves + 1, 1)
  const shorter = slice(g, arrivals, moves + 1, moves + 2, 1)
  const ours = clip(g, sub(g, nearness, max(g, longer, add(g, shorter, -1))), 0, 1)
  return { space: total(g, slice(g, state, 0, moves, 1)), nearness, claim: total(g, ours) }
}

/** [N,4]: how near the nearest food is after each move, `steps` for food on the cell itself, 0 for none in reach. */
export const foodNearness = (sight: Sight, nearness: Value): Value => highest(sight.g, mul(sight.g, nearness, sight.food))
