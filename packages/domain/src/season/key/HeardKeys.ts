/**
 * Runner keys that have brought results or verdicts within a day. Those with results alone are witnesses against an entry whose matches
 * fail (scheduler/Faults.ts). Only beside keys that do the same kind of work are keys kept back that bring none (Lapses.ts).
 */
import type { HeardKey } from "../Head.ts"
import type { Leased } from "../Lease.ts"
import type { State } from "../State.ts"

const DAY_MS = 86_400_000
/** Keys are written with the season's head, so a key's time is renewed at most once an hour. */
const KEY_NOTED_MS = 3_600_000
/** Keeps the season's head small. */
const KEYS_MAX = 16

/** The key played a match to its end; who calls writes the head. */
export const noteResult = (state: State, key: string): void => void (state.keys = noted(state, state.keys, key))

/** The key judged a model. */
export const noteVerdict = (state: State, key: string): void => {
  state.examiners = noted(state, state.examiners, key)
  state.writes.head = true
}

/** Nobody waits for the opinion of a key that is revoked; who calls writes the head. */
export const forgetExaminer = (state: State, key: string): void =>
  void (state.examiners = state.examiners.filter((each) => each.key !== key))

const noted = (state: State, keys: ReadonlyArray<HeardKey>, key: string): ReadonlyArray<HeardKey> => {
  const known = keys.find((each) => each.key === key)
  if (known !== undefined && state.now < known.at + KEY_NOTED_MS) return keys
  const others = keys.filter((each) => each.key !== key && isRecent(state, each))
  return [...others, { key, at: state.now }].slice(-KEYS_MAX)
}

export const heardKeys = (state: State): ReadonlyArray<string> => recent(state, state.keys)

export const heardExaminers = (state: State): ReadonlyArray<string> => recent(state, state.examiners)

/** Whether another key than these does such work: it is among those heard of, or holds a lease now. */
export const hasOther = (heard: ReadonlyArray<string>, works: ReadonlyMap<string, Leased>, than: ReadonlyArray<string>): boolean => {
  if (heard.some((key) => !than.includes(key))) return true
  for (const { key, until } of works.values()) if (until !== null && !than.includes(key!)) return true
  return false
}

/** Whether nobody but this holder plays matches: no other key has brought a result within a day, and no other runner holds a match now. */
export const playsAlone = (state: State, { key, runner }: Leased): boolean => {
  for (const match of state.live.values()) if (match.until !== null && match.runner !== runner) return false
  return heardKeys(state).every((each) => each === key)
}

const recent = (state: State, keys: ReadonlyArray<HeardKey>) => keys.filter((each) => isRecent(state, each)).map(({ key }) => key)

const isRecent = ({ now }: State, { at }: HeardKey): boolean => now < at + DAY_MS
