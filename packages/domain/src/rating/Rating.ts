/**
 * Ratings: a mean and a deviation per entry and ladder, in Elo points; people are shown 1500 + mean
 * (docs/rating.md#the-model). A Bradley-Terry-Luce update with Gaussian belief: for two seats the logistic of
 * a difference widened by both deviations, for more the Plackett-Luce form with ties of Weng and Lin, which
 * for two seats is the same line.
 */

export interface Rating {
  mu: number
  sigma: number
}

export const START: Readonly<Rating> = { mu: 0, sigma: 200 }
export const SHOWN_AT = 1500

/** One match leaves at least this share of a rating's variance. */
const VARIANCE_KEPT_MIN = 0.05
/**
 * A new version of a rated model takes over the mean, with at least this share of the deviation of a
 * newcomer: worth about 15 games.
 */
const TAKEN_OVER_SHARE_MIN = 0.5
/** A rating with a larger deviation is provisional, whatever the number of matches. */
const PROVISIONAL_SIGMA = 100

const S = 400 / Math.LN10
const SPREAD = Math.PI / 8

const variance = (rating: Readonly<Rating>): number => rating.sigma * rating.sigma

/** The scale of a match: that of the logistic, widened by the uncertainty of the seats. */
const scaleOf = (seats: ReadonlyArray<Readonly<Rating>>): number => {
  let sum = 0
  for (const seat of seats) sum += variance(seat)
  return Math.sqrt(S * S + (SPREAD * Math.min(seats.length, 4) * sum) / seats.length)
}

/** Probability that `a` beats `b`. The same number predicts a match and weighs its result. */
export const expected = (a: Readonly<Rating>, b: Readonly<Rating>): number => 1 / (1 + Math.exp((b.mu - a.mu) / scaleOf([a, b])))

/**
 * The ratings after a match. `ranks`: 1 is best, equal is a tie; one per seat. Every seat is rated on the ratings as
 * they were before the match, so the order of the seats does not matter.
 */
export const rated = (seats: ReadonlyArray<Readonly<Rating>>, ranks: ReadonlyArray<number>): ReadonlyArray<Rating> => {
  const c = scaleOf(seats)
  const best = seats.reduce((most, seat) => Math.max(most, seat.mu), -Infinity)
  const strength = seats.map((seat) => Math.exp((seat.mu - best) / c))
  const omega = seats.map(() => 0)
  const delta = seats.map(() => 0)
  for (let q = 0; q < seats.length; q++) {
    let sum = 0 // of the strengths of the seats that did no better than q
    let ties = 0
    for (let i = 0; i < seats.length; i++) {
      if (ranks[i]! >= ranks[q]!) sum += strength[i]!
      if (ranks[i] === ranks[q]) ties++
    }
    for (let i = 0; i < seats.length; i++) {
      if (ranks[i]! < ranks[q]!) continue
      const p = strength[i]! / sum
      omega[i]! += ((i === q ? 1 : 0) - p) / ties
      delta[i]! += (p * (1 - p)) / ties
    }
  }
  return seats.map((seat, i) => {
    const v = variance(seat)
    return {
      mu: seat.mu + (v * omega[i]!) / c,
      sigma: Math.sqrt(v * Math.max(1 - (v * delta[i]!) / (c * c), VARIANCE_KEPT_MIN))
    }
  })
}

/** The rating of a newcomer to a field whose strengths have this deviation. */
export const initialRating = (spread: number): Rating => ({ mu: START.mu, sigma: spread })

/** `spread`: the deviation of a newcomer. */
export const takenOver = (old: Readonly<Rating>, spread = START.sigma): Rating => ({
  mu: old.mu,
  sigma: Math.max(old.sigma, spread * TAKEN_OVER_SHARE_MIN)
})

/**
 * The logarithm of the chance that the ratings gave to the outcome of a match, from before it: at most 0.
 * `ranks` as in `rated`, which moves the means along its slope. A tie counts as the mean of its orders.
 */
export const foreseen = (seats: ReadonlyArray<Readonly<Rating>>, ranks: ReadonlyArray<number>): number => {
  const c = scaleOf(seats)
  let sum = 0
  for (let q = 0; q < seats.length; q++) {
    let others = 0 // of the strengths of the seats that did no better than q, against q's
    let ties = 0
    for (let i = 0; i < seats.length; i++) {
      if (ranks[i]! >= ranks[q]!) others += Math.exp((seats[i]!.mu - seats[q]!.mu) / c)
      if (ranks[i] === ranks[q]) ties++
    }
    sum -= Math.log(others) / ties
  }
  return sum
}

export const isProvisional = (rating: Readonly<Rating>, since_reset: number, provisional_matches: number): boolean =>
  rating.sigma > PROVISIONAL_SIGMA || since_reset < provisional_matches
