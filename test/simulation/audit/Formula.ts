/**
 * docs/rating.md#any-number-of-seats, written out term by term: for each seat q the set C_q of seats ranked no
 * better, A_q that tie with it, p_iq over C_q. For two seats it must agree with whatever short form the season uses.
 */
export interface Belief {
  readonly mu: number
  readonly v: number // variance
}

/** `sigma`: the deviation that ratings of the ladder start with. */
export const initialBelief = (sigma: number): Belief => ({ mu: 0, v: sigma * sigma })

export const after = (seats: ReadonlyArray<Belief>, ranks: ReadonlyArray<number>): ReadonlyArray<Belief> => {
  const s = 400 / Math.log(10)
  const mean = seats.reduce((sum, { v }) => sum + v, 0) / seats.length
  const c = Math.sqrt(s * s + (Math.PI / 8) * Math.min(seats.length, 4) * mean)
  const all = seats.map((_, i) => i)
  const term = (i: number, q: number): { omega: number; delta: number } => {
    const noBetter = all.filter((k) => ranks[k]! >= ranks[q]!)
    const ties = all.filter((k) => ranks[k] === ranks[q]).length
    const p = 1 / noBetter.reduce((sum, k) => sum + Math.exp((seats[k]!.mu - seats[i]!.mu) / c), 0)
    return { omega: ((i === q ? 1 : 0) - p) / ties, delta: (p * (1 - p)) / ties }
  }
  return seats.map(({ mu, v }, i) => {
    const terms = all.filter((q) => ranks[q]! <= ranks[i]!).map((q) => term(i, q))
    const omega = terms.reduce((sum, each) => sum + each.omega, 0)
    const delta = terms.reduce((sum, each) => sum + each.delta, 0)
    return { mu: mu + (v * omega) / c, v: v * Math.max(1 - (v * delta) / (c * c), 0.05) }
  })
}

/** A new version of a rated model starts from the old one's mean, with at least half of a newcomer's deviation. */
export const takenOver = ({ mu, v }: Belief, start: Belief): Belief => ({ mu, v: Math.max(v, start.v / 4) })
