/** What a reported result must agree with (docs/contract.md#results): its ranks follow from scores and forfeits. */

export interface SeatOutcome {
  readonly score: number
  readonly rank: number
  readonly strikes: number
}

/** 1 is best; equal scores share a rank (1, 2, 2, 4); forfeits come after all others, among themselves by score. */
export const ranksOf = (scores: ReadonlyArray<number>, forfeits: ReadonlyArray<boolean>): ReadonlyArray<number> =>
  scores.map((score, seat) => {
    const better = scores.filter((other, i) => (forfeits[i] === forfeits[seat] ? other > score : !forfeits[i]))
    return better.length + 1
  })

/** What is wrong with a result for a match of so many seats, in a sentence; none where it is sound. */
export const faultOf = (seats: ReadonlyArray<SeatOutcome>, expected: number, strike_limit: number): string | undefined => {
  if (seats.length !== expected) return `The match has ${expected} seats, the result ${seats.length}.`
  const ranks = ranksOf(
    seats.map((seat) => seat.score),
    seats.map((seat) => seat.strikes >= strike_limit)
  )
  const wrong = seats.findIndex((seat, i) => seat.rank !== ranks[i])
  return wrong < 0 ? undefined : `Seat ${wrong} has rank ${seats[wrong]!.rank}; by scores and forfeits it is ${ranks[wrong]}.`
}
