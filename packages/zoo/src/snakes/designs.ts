/** The snakes models, weakest first, as measured over 200 matches against the next on boards of 7x7 and of 11x11. */
import type { Design } from "../Entry.ts"
import { careless, nibbler, randomSafe, straightOn, wanderer } from "./simple.ts"
import { roomy, settler, sniffer, sovereign, wary } from "./spreading.ts"

export const snakesDesigns: ReadonlyArray<Design> = [
  { name: "straight-on", description: "Walks straight on, into whatever is there.", graph: straightOn },
  { name: "careless", description: "Any move by a hash of what it sees, a safe one most of the time.", graph: careless },
  { name: "random-safe", description: "A safe move by a hash of what it sees.", graph: randomSafe },
  {
    name: "wanderer",
    description: "Remembers its trail and goes where it has not been lately; eats in passing.",
    memory: { flat: 4, cell: 1 },
    graph: wanderer
  },
  { name: "nibbler", description: "Food within four cells as the crow flies.", graph: nibbler },
  { name: "roomy", description: "Where most cells are within reach; eats in passing.", graph: roomy },
  { name: "sniffer", description: "Nearest food by the way around walls and bodies.", graph: sniffer },
  { name: "wary", description: "As sniffer, and no head-on that it would not win.", graph: wary },
  { name: "settler", description: "As wary, and only where there is room for its length.", graph: settler },
  { name: "sovereign", description: "As settler; it wants that room where no rival arrives before it.", graph: sovereign }
]
