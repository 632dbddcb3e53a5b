/**
 * Keys under which leases run out. A broken or hostile runner that lets its leases run out keeps the season's entries from playing, and
 * three such attempts fail a match. A result of the key makes good for a lease that ran out. Once too many have not been made good for, the
 * key has one lease of the season at a time, until results come again: a machine that lost its power is back after a few.
 *
 * Where nobody else has brought a result within a day, no key is kept back: there is nobody to leave the work to.
 */
import type { State } from "../State.ts"
import { isHeard } from "./Faults.ts"

/** So many more leases than results may run out under a key. */
export const LAPSES_FREE = 8
/** More are not held against it: it has made good for the rest after as many results as it has too many. */
export const LAPSES_MAX = 16
const KEYS_MAX = 16

const countOf = ({ lapsed }: State, key: string): number => lapsed.find((each) => each.key === key)?.n ?? 0

const setCount = (state: State, key: string, n: number): void => {
  const others = state.lapsed.filter((each) => each.key !== key)
  state.lapsed = n === 0 ? others : [...others, { key, n }].slice(-KEYS_MAX)
  state.writes.head = true
}

/** A lease of the key ran out. */
export const noteLapse = (state: State, key: string): void => setCount(state, key, Math.min(LAPSES_MAX, countOf(state, key) + 1))

/** The key brought a result. */
export const makeGood = (state: State, key: string): void => {
  const n = countOf(state, key)
  if (n > 0) setCount(state, key, n - 1)
}

/** How many leases the key may be given now, of those that it asks for. */
export const givenAtMost = (state: State, key: string, max: number): number => {
  if (countOf(state, key) <= LAPSES_FREE || !state.keys.some((each) => each.key !== key && isHeard(state, each))) return max
  return holdsOne(state.live, key) || holdsOne(state.reviews, key) ? 0 : Math.min(max, 1)
}

const holdsOne = (works: State["live"] | State["reviews"], key: string): boolean => {
  for (const work of works.values()) if (work.until !== null && work.key === key) return true
  return false
}
