/**
 * Keys whose leases come to nothing: they run out, are given back as soon as they are taken, or the runner says that it could not play
 * the match or examine the model. Broken or hostile runners keep the season's entries from playing, and fail their matches, which three
 * failed attempts do: three keys that cannot reach the bucket would fail thousands an hour. A result of the key makes good for one such
 * lease. Once too many have not been made good for, the key has one lease of the season at a time, and none for half a minute after the
 * last of them, until results come again: a machine that lost its power is back after a few.
 *
 * Where nobody else has brought a result within a day, or all who have are such keys, none is kept back from matches: there is nobody to
 * leave them to. So it is with verdicts and examinations: who plays matches may examine nothing.
 */
import { LEASE_AGAIN_MS, type Leased } from "../Lease.ts"
import type { State } from "../State.ts"
import { heardExaminers, heardKeys } from "./HeardKeys.ts"

type Kind = "match" | "review"

/** So many more leases of a key may come to nothing than it brings results. */
export const LAPSES_FREE = 8
/** More are not held against it: it has made good for the rest after as many results as it has too many. */
export const LAPSES_MAX = 16
/** Keeps the season's head small; who has more keys than this is not one that broke. */
const KEYS_MAX = 64
/** A lease that is given back before it is so old was not worked on. */
const AT_ONCE_MS = 5_000

const countOf = ({ lapsed }: State, key: string): number => lapsed.find((each) => each.key === key)?.n ?? 0

/** Whether more of its leases came to nothing than results made good for. */
export const lapsesOften = (state: State, key: string): boolean => countOf(state, key) > LAPSES_FREE

/** A lease of the key ran out, or it could do nothing with it. */
export const noteLapse = (state: State, key: string, kind: Kind): void => {
  const others = state.lapsed.filter((each) => each.key !== key)
  const n = countOf(state, key) + 1
  state.lapsed = [...others, { key, n: Math.min(LAPSES_MAX, n), at: state.now }].slice(-KEYS_MAX)
  state.writes.head = true
  if (n === LAPSES_FREE + 1 && isReplaceable(state, key, kind)) state.writes.keptBack.push(key)
}

/** Whether somebody else has done such work within a day, and is not such a key itself. */
const isReplaceable = (state: State, key: string, kind: Kind): boolean =>
  (kind === "match" ? heardKeys(state) : heardExaminers(state)).some((each) => each !== key && !lapsesOften(state, each))

/** A runner gives this work back. */
export const noteReturn = (state: State, work: Leased): void => {
  if (state.now < work.leased_at! + AT_ONCE_MS) noteLapse(state, work.key!, kindOf(work))
}

export const kindOf = (work: Leased): Kind => ("versions" in work ? "match" : "review")

/** The key brought a result, or judged a model. */
export const makeGood = (state: State, key: string): void => {
  if (countOf(state, key) === 0) return
  state.lapsed = state.lapsed.map((each) => (each.key === key ? { ...each, n: each.n - 1 } : each)).filter(({ n }) => n > 0)
  state.writes.head = true
}

/** Whether the key is given no work of this kind now. */
export const isKeptBack = (state: State, key: string, kind: Kind): boolean => {
  const lapsed = state.lapsed.find((each) => each.key === key)
  if (lapsed === undefined || lapsed.n <= LAPSES_FREE || !isReplaceable(state, key, kind)) return false
  return state.now < lapsed.at + LEASE_AGAIN_MS || holdsOne(state.live, key) || holdsOne(state.reviews, key)
}

const holdsOne = (works: State["live"] | State["reviews"], key: string): boolean => {
  for (const work of works.values()) if (work.until !== null && work.key === key) return true
  return false
}
