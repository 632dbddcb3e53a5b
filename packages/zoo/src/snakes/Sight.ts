/**
 * A snakes model's inputs, and lookups at the four cells that it may move to.
 *
 * A convolution pads with zeros, so it sees no wrapped edge. The cells to move to are therefore found on a
 * board extended by its opposite rows and columns. On a wrapped board that is correct; elsewhere planes 8 to
 * 11, the only ones that distinguish a wrapped edge from a real one, rule out the moves over the edge.
 */
import { add, clip, concat, highest, mul, slice, total } from "../graph/Arithmetic.ts"
import { Graph, type Value } from "../graph/Graph.ts"

export const planes = 12
export const moves = 4

/** Row and column steps of the moves: up, right, down, left. */
export const steps = [
  [-1, 0],
  [0, 1],
  [1, 0],
  [0, -1]
] as const

export interface Sight {
  readonly g: Graph
  readonly obs: Value
  /** [N,1,H,W] each, as docs/games.md#what-a-snake-sees numbers them. */
  readonly head: Value
  readonly body: Value
  readonly heads: Value
  readonly strong: Value
  readonly others: Value
  readonly food: Value
  readonly wall: Value
  /** [N,1], 0 to 1. */
  readonly health: Value
  /** [N,4], 1 where the move meets nothing. */
  readonly safe: Value
  /** [N,4,H,W], the cell that each move leads to, over the edge too, safe or not. */
  readonly targets: Value
  /** The same without the unsafe ones. */
  readonly steps: Value
}

/** Puts the last row before the first and the first after the last, and the same with columns. */
const around = (g: Graph, map: Value): Value => {
  const far = Number.MAX_SAFE_INTEGER
  const rows = concat(g, [slice(g, map, -1, far, 2), map, slice(g, map, 0, 1, 2)], 2)
  return concat(g, [slice(g, rows, -1, far, 3), rows, slice(g, rows, 0, 1, 3)], 3)
}

/** Four one-hot kernels that carry a cell's value one step on in each direction. */
const stepKernel = (): Float32Array => {
  const kernel = new Float32Array(moves * 9)
  steps.forEach(([row, col], move) => {
    kernel[move * 9 + (1 - row) * 3 + (1 - col)] = 1
  })
  return kernel
}

export const look = (name: string): Sight => {
  const g = new Graph(name)
  const obs = g.input("obs", ["N", planes, "H", "W"])
  const plane = (from: number, to = from + 1) => slice(g, obs, from, to, 1)
  const head = plane(0)
  const open = plane(8, 12)
  const targets = g.node("Conv", [around(g, head), g.floats(stepKernel(), [moves, 1, 3, 3])])
  return {
    g,
    obs,
    head,
    body: plane(1),
    heads: plane(2),
    strong: plane(3),
    others: plane(4),
    food: plane(5),
    wall: plane(6),
    health: highest(g, plane(7)),
    safe: highest(g, open),
    targets,
    steps: mul(g, targets, open)
  }
}

/** [N,1,H,W] or [N,4,H,W] to [N,4]: the map's value where each move leads; 0 for unsafe moves. */
export const ahead = (sight: Sight, map: Value): Value => total(sight.g, mul(sight.g, sight.steps, map))

/** The four cells beside a cell and, with `centre`, the cell itself. */
export const cross = (centre: number): ReadonlyArray<number> => [0, 1, 0, 1, centre, 1, 0, 1, 0]

/** [N,1,H,W]: how many of the cells beside each cell hold a one, over the edge too. */
export const beside = (g: Graph, map: Value): Value => g.node("Conv", [around(g, map), g.floats(cross(0), [1, 1, 3, 3])])

/** [N,4]: rivals as long or longer that could step onto the cell at the same time. Such a meeting is lost. */
export const threats = (sight: Sight): Value => ahead(sight, beside(sight.g, sight.strong))

/** [N,1,H,W]: turns until a cell is free, over 64, at most 1. A wall counts as 1. */
export const occupancy = (sight: Sight): Value => clip(sight.g, sight.g.node("Max", [sight.body, sight.others, sight.wall]), 0, 1)

/** [N,1]: own length; the head's cell is the one that stays longest, as long as the whole body. */
export const length = (sight: Sight): Value => mul(sight.g, highest(sight.g, sight.body), 64)

/** Ends the model. Unsafe moves stay below all others but keep their order among themselves. */
export const decide = (sight: Sight, score: Value): Graph => {
  sight.g.output("logits", ["N", moves], add(sight.g, score, mul(sight.g, sight.safe, SAFE_BONUS)))
  return sight.g
}
/** Above any score and small enough that float32 still tells scores apart by 1/2000. */
const SAFE_BONUS = 4096
