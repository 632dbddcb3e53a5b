/** The othello models, weakest first, as measured over 200 matches against the next on boards of 6x6 and of 8x8. */
import type { Design } from "../Entry.ts"
import { cornerer, drifter, grabber } from "./models.ts"

export const othelloDesigns: ReadonlyArray<Design> = [
  { name: "drifter", description: "Any legal cell, by a hash of the position.", graph: drifter },
  { name: "grabber", description: "Most discs now.", graph: grabber },
  { name: "cornerer", description: "Corners, then edges, never beside an empty corner if it can be helped.", graph: cornerer }
]
