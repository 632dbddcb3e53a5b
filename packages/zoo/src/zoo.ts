/** Every model of the zoo, game by game, the weakest of each game first. */
import { entriesOf, type ZooEntry } from "./Entry.ts"
import { othelloDesigns } from "./othello/designs.ts"
import { snakesDesigns } from "./snakes/designs.ts"

export type { ZooEntry } from "./Entry.ts"
export { demoWeightClasses } from "./weightClasses.ts"

export const zoo: ReadonlyArray<ZooEntry> = [...entriesOf("snakes", snakesDesigns), ...entriesOf("othello", othelloDesigns)]
