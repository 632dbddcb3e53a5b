/** A season of owners of known strengths who meet at random, for tests of what stands out in its results. */
import { draw, type Source } from "../../../season/Random.ts"
import { normal } from "../../normal.ts"
import { type Rating, rated, START } from "../../Rating.ts"
import type { OwnedSeat } from "../OwnerPairs.ts"

export interface SeasonOptions {
  readonly entries: number
  readonly matches: number
  readonly seats: number
  /** Standard deviation of the strengths in points; owners 0 and 1 are of strength 0. */
  readonly spread: number
}

/**
 * `collude` may change how well each of a match did, more being better, by the numbers of those who sit in it; `add` gets
 * each match with the ratings from before it.
 */
export const playSeason = (
  seed: number,
  { entries, matches, seats, spread }: SeasonOptions,
  collude: (did: Array<number>, sitting: ReadonlyArray<number>, random: () => number) => void,
  add: (seats: ReadonlyArray<OwnedSeat>) => void
): void => {
  const source: Source = { hash: seed * 7_919 + 1, draws: 0 }
  const random = () => draw(source)
  const strengths = Array.from({ length: entries }, (_, i) => (i < 2 ? 0 : spread * normal(random)))
  const ratings: Array<Rating> = strengths.map(() => START)
  for (let n = 0; n < matches; n++) {
    const order = strengths.map((_, i) => ({ i, at: random() })).sort((a, b) => a.at - b.at)
    const sitting = order.slice(0, seats).map(({ i }) => i)
    const did = sitting.map((i) => strengths[i]! - (400 / Math.LN10) * Math.log(-Math.log(1 - random())))
    collude(did, sitting, random)
    const ranks = did.map((value) => 1 + did.filter((other) => other > value).length)
    add(sitting.map((i, at) => ({ owner: `owner ${i}`, rank: ranks[at]!, ...ratings[i]! })))
    const before = sitting.map((i) => ratings[i]!)
    rated(before, ranks).forEach((after, at) => {
      ratings[sitting[at]!] = after
    })
  }
}
