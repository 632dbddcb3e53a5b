/** Models that find their way by spreading (Spread.ts). */
import { add, clip, min, mul, relu, sub } from "../graph/Arithmetic.ts"
import type { Graph, Value } from "../graph/Graph.ts"
import { type FieldOptions, field, type Pull } from "./Field.ts"
import { ahead, beside, decide, length, look, occupancy, threats } from "./Sight.ts"
import { foodNearness, spread } from "./Spread.ts"

/** Goes where there is most room; among equals to the cell with most free neighbours. Eats only in passing. */
export const roomy = (): Graph => {
  const sight = look("roomy")
  const { g } = sight
  const room = spread(sight, { steps: 20, rivals: false }).space
  const crowding = ahead(sight, beside(g, clip(g, mul(g, occupancy(sight), 64), 0, 1)))
  return decide(sight, sub(g, add(g, room, mul(g, ahead(sight, sight.food), 2)), mul(g, crowding, 0.2)))
}

/** The weights of a model's terms. A term of weight 0 is left out of the graph. */
interface Policy {
  /** How far it searches for paths and room, in turns. */
  readonly steps: number
  /** The gain for a step nearer to food, at full health and at zero health. */
  readonly food: readonly [full: number, starving: number]
  /** The loss for every cell that the room behind a move lacks for a body of its own length. */
  readonly cramped: number
  /** The loss for a head-on that it would not win, should the rival choose the same cell. */
  readonly threat: number
  /** The gain for every cell that it reaches before its rivals. */
  readonly claim: number
  /** The loss for every cell that its claim lacks for a body of its own length. */
  readonly besieged: number
  /** The resolution of the field that breaks ties between moves. */
  readonly field: FieldOptions
}

const policy = (name: string, weigh: Policy): Graph => {
  const sight = look(name)
  const { g } = sight
  const rivals = weigh.claim > 0 || weigh.besieged > 0
  const found = spread(sight, { steps: weigh.steps, rivals })
  const own = add(g, length(sight), 2)
  const reach = 2 * weigh.steps
  const appetite = add(g, mul(g, sub(g, 1, sight.health), weigh.food[1] - weigh.food[0]), weigh.food[0])
  const terms: ReadonlyArray<readonly [weight: number, term: () => Value]> = [
    [1, () => field(sight, weigh.field, surroundings)],
    [1, () => mul(g, foodNearness(sight, found.nearness), appetite)],
    [-weigh.cramped, () => lacking(g, own, reach, found.space)],
    [-weigh.threat, () => threats(sight)],
    [weigh.claim, () => found.claim!],
    [-weigh.besieged, () => lacking(g, own, reach, found.claim!)]
  ]
  const score = terms
    .filter(([weight]) => weight !== 0)
    .map(([weight, term]) => (weight === 1 ? term() : mul(g, term(), weight)))
    .reduce((sum, term) => add(g, sum, term))
  return decide(sight, score)
}

/** [N,4]: how many of the cells that a body needs are missing, counting at most as many as the search reaches. */
const lacking = (g: Graph, need: Value, reach: number, cells: Value): Value => relu(g, sub(g, min(g, need, reach), cells))

/** Small against a step nearer to food, so that it only breaks ties. */
const surroundings: Pull = (content, _before, after) => {
  const near = 1 / ((after + 1) * (after + 1))
  if (content.kind === "food") return (content.health < 0.5 ? 1 : 0.4) * near
  if (content.kind === "wall") return -0.05 * near
  if (content.kind === "threat") return -0.4 * near
  if (content.kind === "prey") return 0.2 * near
  if (content.kind === "body") return content.turns > after ? -0.1 * near : 0
  return 0
}

const snifferPolicy: Policy = {
  steps: 20,
  food: [1, 3],
  cramped: 0,
  threat: 0,
  claim: 0,
  besieged: 0,
  field: { radius: 12, turns: 1 }
}
const waryPolicy: Policy = { ...snifferPolicy, threat: 60, field: { radius: 24, turns: 4 } }
const settlerPolicy: Policy = { ...waryPolicy, cramped: 10, field: { radius: 24, turns: 24 } }
const sovereignPolicy: Policy = { ...settlerPolicy, besieged: 3, claim: 0.3, field: { radius: 24, turns: 64 } }

/** Goes to the nearest food by the path around the present walls and bodies. */
export const sniffer = (): Graph => policy("sniffer", snifferPolicy)

/** As the sniffer, but avoids head-ons that it would not win. */
export const wary = (): Graph => policy("wary", waryPolicy)

/** As the wary one, and goes only where there is room for its own length. */
export const settler = (): Graph => policy("settler", settlerPolicy)

/** As the settler, counting only room that it reaches before its rivals. */
export const sovereign = (): Graph => policy("sovereign", sovereignPolicy)
