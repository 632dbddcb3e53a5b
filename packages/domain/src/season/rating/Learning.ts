/**
 * A season learns how far its field lies apart (docs/rating.md#the-spread-of-a-field), where its rules say so.
 *
 *   matches of the round ≥ look_at ──▶ the log is looked at beside the season (Spread.ts) ──▶ LearnStarts
 *     ──differs by 15 % or more──▶ `learning` ──▶ the round's log is folded with the new starts ──▶ InstallFold
 *
 * Looks become rarer as the log grows: it says less that is new. A round that starts while the log is folded
 * takes the new starts at once.
 */
import type { Of, Replies } from "../Command.ts"
import { LADDERS } from "../Rules.ts"
import type { State } from "../State.ts"
import { LOOK_MATCHES_MIN, sameSigmas, sigmasIn, startsDue } from "./Starts.ts"

/** The next look comes when the round has grown by this share. */
const LOOK_GROWTH = 0.5
/** A look reads no more of the round than its first so many matches; there is none after it. */
export const LOOK_MATCHES_MAX = 100_000
/** Ratings are not computed again for a smaller difference. */
const DIFFERENCE_MIN = Math.log(1.15)

/** Matches from a look at so many to the next. */
export const untilNextLook = (matches: number): number => Math.max(LOOK_MATCHES_MIN, Math.ceil(matches * LOOK_GROWTH))

/** Whether the spread is so far from the start that ratings are computed again. */
export const isAnother = (spread: number, start: number): boolean => Math.abs(Math.log(spread / start)) >= DIFFERENCE_MIN

/** At most one look is under way: the ratings follow what it found before there is another. */
const mayLearn = ({ learning, phase, settings }: State): boolean =>
  settings.rules.learn_spread === 1 && phase === "open" && learning === null

export const isLookDue = (state: State): boolean => mayLearn(state) && state.look_at !== null && state.rated + state.voided >= state.look_at

export const learnStarts = (state: State, { played, round, spreads }: Of<"LearnStarts">): Replies["LearnStarts"] => {
  if (round !== state.round || !mayLearn(state)) return { learned: false }
  state.look_at = played >= LOOK_MATCHES_MAX ? null : state.rated + state.voided + untilNextLook(played)
  state.writes.head = true
  const before = sigmasIn(state.starts, round)
  const sigmas = before.map((sigma, ladder) => {
    const spread = spreads[LADDERS[ladder]!] ?? sigma
    return isAnother(spread, sigma) ? spread : sigma
  })
  if (sameSigmas(sigmas, before)) return { learned: false }
  state.learning = { round, sigmas }
  return { learned: true }
}

/**
 * A new round begins with what the season has learned, and learns anew. The log of the round before goes on
 * being folded: its seats may have been written with the new starts already.
 */
export const learnInRound = (state: State): void => {
  const sigmas = sigmasIn(startsDue(state), state.round)
  if (!sameSigmas(sigmas, sigmasIn(state.starts, state.round))) state.starts = [...state.starts, { round: state.round, sigmas }]
  state.look_at = state.rated + state.voided + LOOK_MATCHES_MIN
}
