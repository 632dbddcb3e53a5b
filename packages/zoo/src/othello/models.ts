/**
 * Othello models. They give every cell a value; illegal cells are masked by the sandbox.
 *
 * Discs that a placement turns are counted by spreading along the eight lines at once, a channel each: an own
 * disc anchors a line; a disc of the other's beside an anchored cell is anchored one farther. Blocked cells
 * hold no discs, so lines end there as at the edge, where the convolution pads with zeros.
 */
import { add, clip, conv, fraction, mul, slice, sub, sum } from "../graph/Arithmetic.ts"
import { Graph, type Value } from "../graph/Graph.ts"

const planes = 5
const LONGEST_SIDE = 16
const lines = [
  [-1, -1],
  [-1, 0],
  [-1, 1],
  [0, -1],
  [0, 1],
  [1, -1],
  [1, 0],
  [1, 1]
] as const

interface View {
  readonly g: Graph
  readonly own: Value
  readonly other: Value
  readonly blocked: Value
}

const look = (name: string): View & { readonly obs: Value } => {
  const g = new Graph(name)
  const obs = g.input("obs", ["N", planes, "H", "W"])
  const plane = (at: number) => slice(g, obs, at, at + 1, 1)
  return { g, obs, own: plane(0), other: plane(1), blocked: plane(3) }
}

const decide = (g: Graph, value: Value): Graph => {
  g.output("logits", ["N", "A"], g.node("Flatten", [value], { axis: 1 }))
  return g
}

/** Reads for each line the cell that lies one on, [8][1][3][3]. */
const nextKernel = Float32Array.from(
  lines.flatMap(([down, right]) => Array.from({ length: 9 }, (_, at) => (at === (down + 1) * 3 + right + 1 ? 1 : 0)))
)

/** [N,1,H,W]: discs that a placement on each cell turns. */
const turned = ({ g, own, other }: View): Value => {
  const count = lines.length
  let anchored = conv(g, own, nextKernel, [count, 1, 3, 3])
  const gains: Array<Value> = []
  for (let length = 1; length <= LONGEST_SIDE - 2; length++) {
    anchored = conv(g, mul(g, anchored, other), nextKernel, [count, 1, 3, 3], count)
    gains.push(length === 1 ? anchored : mul(g, anchored, length))
  }
  return g.node("ReduceSum", [sum(g, gains), g.ints([1])], { keepdims: 1 })
}

/** How many of the four, or eight, cells beside each are on the board and free of what `map` marks. */
const besides = (g: Graph, map: Value, kernel: ReadonlyArray<number>): Value => conv(g, map, Float32Array.from(kernel), [1, 1, 3, 3])
const cross = [0, 1, 0, 1, 0, 1, 0, 1, 0]
const ring = [1, 1, 1, 1, 0, 1, 1, 1, 1]

/** Any legal cell, by a hash of the position. */
export const drifter = (): Graph => {
  const { g, obs } = look("drifter")
  const kernel = Float32Array.from({ length: planes * 25 }, (_, at) => ((at * 7919) % 1009) / 13)
  return decide(g, fraction(g, conv(g, fraction(g, conv(g, obs, kernel, [1, planes, 5, 5])), kernel.subarray(0, 25), [1, 1, 5, 5])))
}

/** Most discs this turn. */
export const grabber = (): Graph => {
  const view = look("grabber")
  return decide(view.g, turned(view))
}

/**
 * [N,1,H,W]: corners well above edges, edges above the middle, and cells beside a corner
 * that is still empty below all.
 */
const places = ({ g, own, other, blocked }: View): Value => {
  const open = sub(g, 1, blocked)
  const beside = besides(g, open, cross)
  const corner = mul(g, clip(g, sub(g, 3, beside), 0, 1), open)
  const edge = clip(g, sub(g, 4, beside), 0, 1)
  const emptyCorner = mul(g, corner, sub(g, 1, add(g, own, other)))
  const risky = mul(g, clip(g, besides(g, emptyCorner, ring), 0, 1), sub(g, 1, corner))
  return sub(g, add(g, mul(g, corner, 100), mul(g, edge, 10)), mul(g, risky, 50))
}

/** Corners, then edges; avoids cells beside an empty corner; among equals most discs. */
export const cornerer = (): Graph => {
  const view = look("cornerer")
  return decide(view.g, add(view.g, places(view), mul(view.g, turned(view), 0.1)))
}
