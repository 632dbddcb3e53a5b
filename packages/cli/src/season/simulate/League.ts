/** Something that pairs and rates: ours, and the published pairings under the same rating. One match is in flight. */
import type { Rating } from "@agon/domain/rating/Rating.ts"
import type { Outcome } from "./Field.ts"

export interface League {
  /** Slots by seat. */
  readonly pair: () => ReadonlyArray<number>
  /** The outcome of what `pair` answered last. */
  readonly report: (outcome: Outcome) => void
  /** The slot has a new version. */
  readonly renew: (slot: number) => void
  readonly rating: (slot: number) => Readonly<Rating>
}
