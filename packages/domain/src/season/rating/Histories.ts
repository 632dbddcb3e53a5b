/** The last means of an entry as they would be without some of its matches. */
import { START } from "../../rating/Rating.ts"
import type { Earlier, Mean } from "../Log.ts"
import type { State } from "../State.ts"
import type { Course } from "./Fold.ts"
import type { LadderRating } from "./LadderRating.ts"
import { HISTORY_KEPT, resetsBetween } from "./Resets.ts"

export interface Past {
  readonly course: Course
  readonly earlier: Earlier | undefined
  /** Matches in the history that no longer count. */
  readonly gone: ReadonlyArray<Pick<Mean, "n" | "round">>
}

/**
 * Newest first: matches, with the reset of each round between them. The means before the first match (where it joined,
 * and resets up to then) are taken from the old history.
 */
export const historyOf = (state: State, { history, round: latest }: LadderRating, { course, earlier, gone }: Past): Array<number> => {
  const due: Array<number> = []
  let round = latest // the last round whose start it has seen
  let known = 0 // places of the old history that are accounted for
  const matches: ReadonlyArray<Entry> = [...course.last, ...(earlier?.means ?? []), ...gone].sort((a, b) => b.n - a.n)
  for (const each of matches) {
    const zeros = resetsBetween(state.rounds, each.round, round)
    due.push(...Array.from({ length: zeros }, () => START.mu))
    round = each.round
    known += zeros + 1
    if (each.mu !== undefined) due.push(each.mu)
  }
  const before = history.slice(0, Math.max(0, history.length - known))
  const joined = course.seed ?? earlier?.seed ?? null
  const reset = joined === null ? 0 : resetsBetween(state.rounds, joined.round, round)
  const all = joined === null ? Math.max(1, before.length) : 1 + reset
  if (joined !== null && before.length === all) before[0] = joined.mu
  // Restores a mean that was dropped: where it joined, or a reset. For an entry that joined at
  // the start both are the same.
  while (before.length < all) before.unshift(before.length + 1 === all ? (joined?.mu ?? START.mu) : START.mu)
  return [...due, ...before.reverse()].slice(0, HISTORY_KEPT).reverse()
}

/** A match of a history; without a mean if it no longer counts. */
type Entry = Pick<Mean, "n" | "round"> & { readonly mu?: number }
