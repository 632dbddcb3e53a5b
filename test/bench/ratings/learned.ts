/**
 * Ratings of a season that learns the spread of its field, which asks
 * domain/season/rating/Learning.ts when and by how much.
 */
import { initialRating, type Rating, rated, START } from "@agon/domain/rating/Rating.ts"
import { spreadOf } from "@agon/domain/rating/Spread.ts"
import { isAnother, untilNextLook } from "@agon/domain/season/rating/Learning.ts"
import { LOOK_MATCHES_MIN } from "@agon/domain/season/rating/Starts.ts"
import type { Match } from "./refit.ts"

/** To be asked before each match; answers ratings where other starts have been learned. */
export const learning = (entries: number) => {
  let start = START.sigma
  let look_at = LOOK_MATCHES_MIN
  return (log: ReadonlyArray<Match>): ReadonlyArray<Rating> | null => {
    if (log.length < look_at) return null
    look_at = log.length + untilNextLook(log.length)
    const spread = learned(log) ?? start
    if (!isAnother(spread, start)) return null
    start = spread
    return replayed(entries, log, start)
  }
}

const learned = (log: ReadonlyArray<Match>): number | null => {
  const looking = spreadOf(log.map(({ ranks, slots }) => ({ seats: slots, ranks })))
  for (;;) {
    const { done, value } = looking.next()
    if (done === true) return value
  }
}

const replayed = (entries: number, log: ReadonlyArray<Match>, start: number): ReadonlyArray<Rating> => {
  const ratings = Array.from({ length: entries }, () => initialRating(start))
  for (const { ranks, slots } of log) {
    const after = rated(
      slots.map((slot) => ratings[slot]!),
      ranks
    )
    slots.forEach((slot, i) => {
      ratings[slot] = after[i]!
    })
  }
  return ratings
}
