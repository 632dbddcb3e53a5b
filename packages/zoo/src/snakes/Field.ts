/**
 * A field: the contribution of every cell of the board to each move, by its place relative to the head and
 * by its content. The weights are one table, [place x content][4 moves], looked up once a cell and summed;
 * it works on every board, and its size is set by how far it sees and how finely it tells bodies that
 * leave soon from those that stay.
 */
import { add, clip, mul, slice } from "../graph/Arithmetic.ts"
import type { Graph, Value } from "../graph/Graph.ts"
import { moves, type Sight, steps } from "./Sight.ts"

export interface FieldOptions {
  /** Cells farther off than this, in rows or columns, count as if they were this far. */
  readonly radius: number
  /** Bodies that stay longer than this many turns count as if they stayed this long. */
  readonly turns: number
}

/** The contents of a cell that the table distinguishes. */
export type Content =
  | { readonly kind: "nothing" | "prey" | "threat" | "wall" }
  | { readonly kind: "food"; readonly health: number }
  | { readonly kind: "body"; readonly turns: number }

/** The contribution to a move of a content that is `before` steps away now and `after` steps away after the move. */
export type Pull = (content: Content, before: number, after: number) => number

const HEALTH_STEPS = 8
const LONGEST_SIDE = 25

const contents = (turns: number): ReadonlyArray<Content> => [
  { kind: "nothing" },
  ...Array.from({ length: HEALTH_STEPS }, (_, step) => ({ kind: "food" as const, health: (step + 0.5) / HEALTH_STEPS })),
  ...Array.from({ length: turns }, (_, turn) => ({ kind: "body" as const, turns: turn + 1 })),
  ...Array.from({ length: turns }, (_, turn) => ({ kind: "body" as const, turns: turn + 1 })),
  { kind: "prey" },
  { kind: "threat" },
  { kind: "wall" }
]

/** [N,H,W]: the number of each cell's content in `contents`. Where several lie on one cell the last one counts. */
const contentNumbers = (sight: Sight, turns: number): Value => {
  const { g } = sight
  const body = (plane: Value, base: number) => {
    const stay = clip(g, mul(g, plane, 64), 0, turns)
    return add(g, stay, mul(g, clip(g, stay, 0, 1), base))
  }
  const full = mul(g, slice(g, sight.obs, 7, 8, 1), HEALTH_STEPS - 0.01)
  const food = mul(g, sight.food, add(g, g.node("Floor", [full]), 1))
  const own = body(sight.body, HEALTH_STEPS)
  const other = body(sight.others, HEALTH_STEPS + turns)
  const last = HEALTH_STEPS + 2 * turns
  const terms = [food, own, other, mul(g, sight.heads, last + 1), mul(g, sight.strong, last + 2), mul(g, sight.wall, last + 3)]
  return g.node("Squeeze", [g.node("Max", terms), g.ints([1])])
}

/** [N,H] or [N,W]: the distance of each row or column from the head's, clipped to the radius and counted from 0. */
const offsets = (sight: Sight, axis: 2 | 3, radius: number): Value => {
  const { g } = sight
  const side = g.node("Shape", [sight.obs], { start: axis, end: axis + 1 })
  const counted = g.floats(
    Array.from({ length: LONGEST_SIDE }, (_, index) => index),
    [LONGEST_SIDE]
  )
  const numbers = g.node("Slice", [counted, g.ints([0]), side, g.ints([0])])
  const occupied = g.node("ReduceSum", [sight.head, g.ints([1, axis === 2 ? 3 : 2])], { keepdims: 0 })
  const at = g.node("ReduceSum", [mul(g, occupied, numbers), g.ints([1])], { keepdims: 1 })
  return add(g, clip(g, g.node("Sub", [numbers, at]), -radius, radius), radius)
}

const table = (g: Graph, options: FieldOptions, pull: Pull): { readonly value: Value; readonly contents: number } => {
  const kinds = contents(options.turns)
  const side = 2 * options.radius + 1
  const weights = new Float32Array(side * side * kinds.length * moves)
  let at = 0
  for (let row = -options.radius; row <= options.radius; row++) {
    for (let col = -options.radius; col <= options.radius; col++) {
      const before = Math.abs(row) + Math.abs(col)
      for (const content of kinds) {
        for (const [down, right] of steps) {
          weights[at++] = before === 0 ? 0 : pull(content, before, Math.abs(row - down) + Math.abs(col - right))
        }
      }
    }
  }
  return { value: g.floats(weights, [side * side * kinds.length, moves]), contents: kinds.length }
}

/** [N,4]: the contribution of the whole board to each move. */
export const field = (sight: Sight, options: FieldOptions, pull: Pull): Value => {
  const { g } = sight
  const weights = table(g, options, pull)
  const rows = g.node("Unsqueeze", [offsets(sight, 2, options.radius), g.ints([2])])
  const cols = g.node("Unsqueeze", [offsets(sight, 3, options.radius), g.ints([1])])
  const places = add(g, mul(g, rows, 2 * options.radius + 1), cols)
  const index = add(g, mul(g, places, weights.contents), contentNumbers(sight, options.turns))
  const terms = g.node("Gather", [weights.value, g.node("Cast", [index], { to: 7 })], { axis: 0 })
  return g.node("ReduceSum", [terms, g.ints([1, 2])], { keepdims: 0 })
}
