/** Entries that come back into play in a round: where they may stand. */
import type { LadderRating } from "@agon/domain/season/rating/LadderRating.ts"
import { LADDERS, type Window } from "./Window.ts"

/**
 * The most turns beside its games at which an entry comes back: with its games still owed, where others are by idle fill. Failed matches
 * are forgiven, but a match that it was still in may have failed since.
 */
export const heldBack = (
  { now: { ended, head, rounds } }: Window,
  { ladder, version }: Pick<LadderRating, "ladder" | "version">
): number => {
  if (head.round === 0) return 0
  const filled = head.clock[LADDERS.indexOf(ladder)]! - rounds.find(({ n }) => n === head.round)!.games
  const since = ended.filter((match) => match.ending === "failed" && match.ladder === ladder && match.versions.includes(version))
  return Math.max(0, filled) + since.length
}
