/** The pairings that ours is compared with, by name. */
import { division } from "./division.ts"
import { halite } from "./halite.ts"
import { katago } from "./katago.ts"
import type { Pairing } from "./Pairing.ts"
import { random } from "./random.ts"
import { regular } from "./regular.ts"
import { swiss } from "./swiss.ts"

export const pairings: Readonly<Record<string, Pairing>> = { random, swiss, regular, division, halite, katago }
