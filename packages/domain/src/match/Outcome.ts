/** Checks on a reported result (docs/contract.md#results): its ranks must follow from its scores and forfeits. */

export interface SeatOutcome {
  readonly score: number
  readonly rank: number
  readonly strikes: number
}

/** 1 is best. Equal scores share a rank (1, 2, 2, 4). Forfeits rank after all others, by score among themselves. */
export const ranksOf = (scores: ReadonlyArray<number>, forfeits: ReadonlyArray<boolean>): ReadonlyArray<number> =>
  scores.map((score, seat) => {
    let rank = 1
    for (let i = 0; i < scores.length; i++) if (forfeits[i] === forfeits[seat] ? scores[i]! > score : !forfeits[i]) rank++
    return rank
  })

/** One sentence saying what is wrong with a result for a match of `expected` seats; undefined if it is valid. */
export const faultOf = (seats: ReadonlyArray<SeatOutcome>, expected: number, strike_limit: number): string | undefined => {
  if (seats.length !== expected) return `The match has ${expected} seats, the result ${seats.length}.`
  const ranks = ranksOf(
    seats.map((seat) => seat.score),
    seats.map((seat) => seat.strikes >= strike_limit)
  )
  const wrong = seats.findIndex((seat, i) => seat.rank !== ranks[i])
  return wrong < 0 ? undefined : `Seat ${wrong} has rank ${seats[wrong]!.rank}; by scores and forfeits it is ${ranks[wrong]}.`
}
