/** The snakes models, weakest first, as measured over 200 matches against the next on boards of 7x7 and of 11x11. */
import type { Design } from "../Entry.ts"
import { nibbler, randomSafe, straightOn, upFirst, wanderer } from "./simple.ts"
import { claimant, mindful, roomy, settler, sniffer, sovereign } from "./spreading.ts"

export const snakesDesigns: ReadonlyArray<Design> = [
  { name: "straight-on", description: "Walks straight on, into whatever is there.", graph: straightOn },
  { name: "up-first", description: "The first safe move of up, right, down, left.", graph: upFirst },
  { name: "random-safe", description: "A safe move by a hash of what it sees.", graph: randomSafe },
  {
    name: "wanderer",
    description: "Remembers its trail and goes where it has not been lately.",
    memory: { flat: 4, cell: 1 },
    graph: wanderer
  },
  { name: "roomy", description: "Where most cells are within reach; forgets to eat.", graph: roomy },
  { name: "nibbler", description: "Food within five cells as the crow flies.", graph: nibbler },
  { name: "sniffer", description: "Nearest food by the way around walls and bodies.", graph: sniffer },
  { name: "mindful", description: "Food, if the way leads to room enough for its length.", graph: mindful },
  { name: "settler", description: "Food, room, and no head-on that it would not win.", graph: settler },
  { name: "claimant", description: "As settler; only room that it reaches before its rivals counts.", graph: claimant },
  { name: "sovereign", description: "As claimant; it also takes room away from its rivals.", graph: sovereign }
]
