/**
 * Pairs and rates: our season machine, or a published pairing with the same rating. One
 * match at a time is in flight.
 */
import type { Rating } from "@agon/domain/rating/Rating.ts"
import type { Outcome } from "./Field.ts"

export interface League {
  /** Slots by seat. */
  readonly pair: () => ReadonlyArray<number>
  /** The outcome of the match that `pair` answered last. */
  readonly report: (outcome: Outcome) => void
  /** The slot has a new version. */
  readonly renew: (slot: number) => void
  readonly rating: (slot: number) => Readonly<Rating>
}
