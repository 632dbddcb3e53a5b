/**
 * The deviations that ratings start with. A season begins with 200 on every ladder. Where its rules let it
 * learn how far its field lies apart, a ladder's start follows that: for the whole of the round in which it
 * was learned, and for the rounds after it.
 */
import { START } from "../../rating/Rating.ts"
import { LADDERS, type Ladder } from "../Rules.ts"

/** Matches of a round before the spread of its field is looked at for the first time. */
export const LOOK_MATCHES_MIN = 200

/** From a round on, until a later one has its own. */
export interface Starts {
  readonly round: number
  readonly sigmas: ReadonlyArray<number> // by ladder, in the order of LADDERS
}

/** A season's starts, as its row holds them. */
export interface SeasonStarts {
  starts: ReadonlyArray<Starts> // in the order of rounds; none: 200 everywhere
  learning: Starts | null // learned, and not in the ratings until the log has been folded with them
}

const FIRST: ReadonlyArray<number> = LADDERS.map(() => START.sigma)

export const sigmasIn = (starts: ReadonlyArray<Starts>, round: number): ReadonlyArray<number> =>
  starts.findLast((each) => each.round <= round)?.sigmas ?? FIRST

export const startIn = (starts: ReadonlyArray<Starts>, round: number, ladder: Ladder): number =>
  sigmasIn(starts, round)[LADDERS.indexOf(ladder)]!

/** Those that the next fold of the log is made with. */
export const startsDue = ({ learning, starts }: Readonly<SeasonStarts>): ReadonlyArray<Starts> => {
  if (learning === null) return starts
  return [...starts.filter(({ round }) => round < learning.round), learning, ...starts.filter(({ round }) => round > learning.round)]
}

export const sameStarts = (a: ReadonlyArray<Starts>, b: ReadonlyArray<Starts>): boolean =>
  a.length === b.length && a.every((one, i) => one.round === b[i]!.round && sameSigmas(one.sigmas, b[i]!.sigmas))

export const sameSigmas = (a: ReadonlyArray<number>, b: ReadonlyArray<number>): boolean => a.every((sigma, i) => sigma === b[i])

/** Whether the ratings are to be computed again from the log: a match was voided, or other starts were learned. */
export const awaitsFold = ({
  learning,
  voiding
}: Pick<SeasonStarts, "learning"> & { readonly voiding: ReadonlyMap<string, unknown> }): boolean => voiding.size > 0 || learning !== null
