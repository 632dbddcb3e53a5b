/** Models that look one step ahead, or ignore obstacles. */
import { add, conv, fraction, max, mul, sub, total } from "../graph/Arithmetic.ts"
import type { Graph, Value } from "../graph/Graph.ts"
import { field, type Pull } from "./Field.ts"
import { ahead, beside, decide, look, moves, planes, type Sight } from "./Sight.ts"

/** The neck is the own segment beside the head that stays longest; straight on is away from it, whatever is there. */
export const straightOn = (): Graph => {
  const sight = look("straight-on")
  const { g } = sight
  const beside = total(g, mul(g, sight.targets, sight.body))
  g.output("logits", ["N", moves], g.node("Gather", [beside, g.ints([2, 3, 0, 1])], { axis: 1 }))
  return g
}

/** Weights of the hash: the low bits of a linear congruential generator, so that every build gives the same bytes. */
const scrambled = (count: number): Float32Array => {
  let state = 20_011
  return Float32Array.from({ length: count }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return (state >>> 8) / 2 ** 20 - 8
  })
}

/** [N,4] in [0, 1): a hash of the whole observation, another for every move. */
const hash = ({ g, obs }: Sight): Value => {
  const side = 5
  const mixed = fraction(g, conv(g, obs, scrambled(moves * planes * side * side), [moves, planes, side, side]))
  return fraction(g, mul(g, total(g, mixed), 7))
}

/** A move by a hash of the observation; safe moves get a large bonus, which does not always decide. */
export const careless = (): Graph => {
  const sight = look("careless")
  const { g } = sight
  g.output("logits", ["N", moves], add(g, hash(sight), mul(g, sight.safe, 0.75)))
  return g
}

/** A safe move chosen by a hash of the whole observation, so that its path differs from match to match. */
export const randomSafe = (): Graph => {
  const sight = look("random-safe")
  return decide(sight, hash(sight))
}

/**
 * Goes where it has not been: a trail in the cell memory fades by one part in thirty-two a turn, and the safe
 * move onto the faintest trail is taken. Where trails are equal it goes on as it last went, which the flat
 * memory holds. Food beside it attracts as much as its own fresh trail repels.
 */
export const wanderer = (): Graph => {
  const sight = look("wanderer")
  const { g } = sight
  const trail = g.input("memory_cell", ["N", 1, "H", "W"])
  const last = g.input("memory_flat", ["N", moves])
  const walked = max(g, mul(g, trail, 31 / 32), sight.head)
  const smell = add(g, ahead(sight, walked), mul(g, ahead(sight, beside(g, walked)), 0.25))
  const order = g.floats([0.003, 0.002, 0.001, 0], [1, moves])
  const drawn = add(g, ahead(sight, sight.food), add(g, mul(g, last, 0.05), order))
  const score = add(g, sub(g, drawn, smell), mul(g, sight.safe, 1000))
  const best = g.node("ReduceMax", [score], { axes: [1], keepdims: 1 })
  const chosen = g.node("Cast", [g.node("Equal", [score, best])], { to: 1 })
  g.output("logits", ["N", moves], score)
  g.output("memory_flat_out", ["N", moves], chosen)
  g.output("memory_cell_out", ["N", 1, "H", "W"], walked)
  return g
}

/** The nearer food is, the more it attracts; nothing else counts. */
const hunger: Pull = (content, _before, after) => (content.kind === "food" && after <= 4 ? 1 / ((after + 1) * (after + 1)) : 0)

/** Goes to food within four cells in a straight line, ignoring walls on the way, one safe step at a time. */
export const nibbler = (): Graph => {
  const sight = look("nibbler")
  return decide(sight, field(sight, { radius: 4, turns: 1 }, hunger))
}
