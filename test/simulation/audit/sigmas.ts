/** The deviations that the ratings of a round start with, by ladder. */
import type { Head } from "@agon/domain/season/Head.ts"

export type Starts = Head["starts"]

const ORDER = ["nano", "micro", "mini", "small", "large", "open"]
const FIRST = ORDER.map(() => 200)

export const sigmasIn = (starts: Starts, round: number): ReadonlyArray<number> =>
  starts.filter((each) => each.round <= round).at(-1)?.sigmas ?? FIRST

export const startIn = (starts: Starts, round: number, ladder: string): number => sigmasIn(starts, round)[ORDER.indexOf(ladder)]!
