/** The last means of an entry once a match of its is voided: as they would be had it never been. */
import { START } from "../rating/Rating.ts"
import type { Log, Tail } from "./Log.ts"
import type { Course } from "./Rerating.ts"
import { HISTORY_KEPT, resetsBetween } from "./Resets.ts"
import type { Standing, State } from "./State.ts"

/** From the entry's matches, where the log has them; of others the means since the voided match are replaced. */
export const historyOf = (state: State, standing: Standing, course: Course, log: Log): Array<number> => {
  const { ladder, version } = standing
  const read = log.tails.find((tail) => tail.ladder === ladder && tail.version === version)
  if (read === undefined) return patched(standing, course, log)
  const matches = [...freshOf(state, standing), ...read.matches]
  const [newest] = matches
  const place = newest === undefined ? -1 : standing.history.lastIndexOf(newest.mu)
  const held = state.ladders.find((each) => each.ladder === ladder)!.standings.get(version) === standing
  // Resets since its newest match: one that was superseded has seen no more of them than its history tells.
  const since = held || place < 0 ? resetsBetween(state.rounds, newest?.round ?? 0, state.round) : standing.history.length - 1 - place
  return rebuilt(state, standing, { ...read, matches }, { course, log, since })
}

/** Matches of this batch have no rows yet; newest first. */
const freshOf = (state: State, { ladder, version }: Standing): Tail["matches"] =>
  state.writes.ended
    .flatMap(({ ladder: made, rated_n, round, seats }) => {
      const seat = rated_n === null ? undefined : seats.find((each) => each.version === version)
      const moved = made === ladder ? seat?.made : ladder === "open" ? seat?.open : null
      return moved == null ? [] : [{ rated_n: rated_n!, round, mu: moved.mu }]
    })
    .reverse()

interface Voiding {
  readonly course: Course
  readonly log: Log
  readonly since: number
}

/**
 * Newest first: matches, with the reset of each round between them. What comes before the first match, where it joined
 * and resets that it saw until then, is taken from the history as it was.
 */
const rebuilt = (state: State, { history }: Standing, tail: Tail, { course, log, since }: Voiding): Array<number> => {
  const { rated_n, round: voided } = log.match!
  const events: Array<number> = []
  let round: number | undefined
  let at = course.means.length
  let known = 0 // places of the old history that are accounted for
  for (const each of tail.matches) {
    const zeros = round === undefined ? since : resetsBetween(state.rounds, each.round, round)
    events.push(...Array.from({ length: zeros }, () => START.mu))
    round = each.round
    known += zeros + 1
    if (each.rated_n === rated_n) continue
    events.push(each.round === voided && each.rated_n > rated_n! ? course.means[--at]! : each.mu)
  }
  const before = history.slice(0, Math.max(0, history.length - known))
  const joined = course.seed ?? tail.seed
  const all = joined === null ? Math.max(1, before.length) : 1 + resetsBetween(state.rounds, joined.round, round ?? state.round)
  // A place that was dropped comes back: where it joined, or a reset. Of one that joined at the start both read the same.
  if (before.length < all) before.unshift(before.length + 1 === all ? (joined?.mu ?? START.mu) : START.mu)
  else if (joined !== null && before.length === all) before[0] = joined.mu
  return [...events, ...before.reverse()].slice(0, HISTORY_KEPT).reverse()
}

/** In the place of the means that it had since. The last of these tells where they stand, if they are still there. */
const patched = ({ history, version }: Standing, course: Course, { match }: Log): Array<number> => {
  const end = history.lastIndexOf(course.was.mu) + 1
  if (end === 0) return history
  const seated = match!.seats.some((seat) => seat.version === version)
  const dropped = course.means.length + (seated || course.seed !== undefined ? 1 : 0)
  const seed = course.seed === undefined ? [] : [course.seed.mu]
  const since = [...seed, ...course.means].slice(seated || end >= dropped ? 0 : dropped - end)
  return [...history.slice(0, Math.max(0, end - dropped)), ...since, ...history.slice(end)].slice(-HISTORY_KEPT)
}
