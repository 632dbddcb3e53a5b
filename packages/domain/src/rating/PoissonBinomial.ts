/**
 * The number of independent events that happen, each with a chance of its own. `shares` has the probability of each number
 * from 0 to `events`, and room for one more; one more event with chance `p` is added to it. Begins as 1, 0, 0, …
 */
export const addEvent = (shares: Float64Array, events: number, p: number): void => {
  const q = 1 - p
  for (let k = events + 1; k > 0; k--) shares[k] = shares[k]! * q + shares[k - 1]! * p
  shares[0]! *= q
}
