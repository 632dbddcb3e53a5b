/**
 * Runner keys that have brought results within a day. They alone are witnesses against an entry whose matches fail (scheduler/Faults.ts), and
 * only beside them are keys kept back that bring none (Lapses.ts).
 */
import type { State } from "../State.ts"

const DAY_MS = 86_400_000
/** Keys are written with the season's head, so a key's time is renewed at most once an hour. */
const KEY_NOTED_MS = 3_600_000
/** Keeps the season's head small. */
const KEYS_MAX = 16

/** The key played a match to its end; who calls writes the head. */
export const noteResult = (state: State, key: string): void => {
  const noted = state.keys.find((each) => each.key === key)
  if (noted !== undefined && state.now < noted.at + KEY_NOTED_MS) return
  const others = state.keys.filter((each) => each.key !== key && isRecent(state, each))
  state.keys = [...others, { key, at: state.now }].slice(-KEYS_MAX)
}

export const heardKeys = (state: State): ReadonlyArray<string> => state.keys.filter((each) => isRecent(state, each)).map(({ key }) => key)

const isRecent = ({ now }: State, { at }: { readonly at: number }): boolean => now < at + DAY_MS
