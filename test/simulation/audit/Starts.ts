/**
 * The deviations that ratings start with: 200, or where the rules let a season learn them what it was told,
 * for the whole round once its ratings have been made anew, and for rounds that begin later. Kept apart from
 * the season's own: read from its rows alone.
 */
import { must } from "./Promise.ts"
import { type Starts, sigmasIn } from "./sigmas.ts"
import { LADDERS, type Window } from "./Window.ts"

/** The least difference for which ratings are made anew. */
const FACTOR = 1.15
/** From so many matches on the season may look at its field by itself. */
const MATCHES_MIN = 200

export const checkStarts = (window: Window): void => {
  const { before, now, rescaled } = window
  const [was, is] = [before.head, now.head]
  must(is.rescaled === was.rescaled + (rescaled === null ? 0 : 1), "ratings are made anew once for what was learned", was, is)
  const due = rescaled === null ? [...was.starts, ...adopted(window)] : withLearned(was.starts, was.learning!)
  must(text(is.starts) === text(due), "ratings start as was learned, from its round on", was, is)
  if (is.learning !== null && text(is.learning) !== text(was.learning)) checkLearned(window)
  const isGone = was.learning !== null && is.learning === null
  must(!isGone || rescaled !== null || is.phase === "closed", "what was learned is not forgotten", was, is)
}

/** A round that begins takes what was learned at once. */
const adopted = ({ before, now }: Window): Starts => {
  const { learning, round } = before.head
  const next = now.rounds.find(({ n, started_at }) => n > round && n <= now.head.round && started_at !== null)
  if (learning === null || next === undefined) return []
  const isThere = text(sigmasIn(before.head.starts, next.n)) === text(learning.sigmas) // a round before it has taken it
  return isThere ? [] : [{ ...learning, round: next.n }]
}

const withLearned = (starts: Starts, learned: Starts[number]): Starts =>
  [...starts.filter(({ round }) => round !== learned.round), learned].sort((a, b) => a.round - b.round)

const checkLearned = ({ now, recent }: Window): void => {
  const { learning, rated, round, starts, voided } = now.head
  must(now.settings.rules.learn_spread === 1, "a season learns where its rules say so", learning)
  must(learning!.round === round, "what is learned holds for the round that stands", learning, round)
  const before = sigmasIn(starts, round)
  const told = recent.flatMap((command) => (command._tag === "LearnStarts" && command.round === round ? [command.spreads] : []))
  const moved = LADDERS.filter((ladder, i) => {
    const sigma = learning!.sigmas[i]!
    if (sigma === before[i]) return false
    const itself = rated + voided >= MATCHES_MIN
    must(itself || told.some((spreads) => spreads[ladder] === sigma), "a start is one that was told", learning, told)
    must(Math.max(sigma / before[i]!, before[i]! / sigma) >= FACTOR * (1 - 1e-9), "a start moves by 15 % at least", learning, before)
    return true
  })
  must(moved.length > 0, "something was learned", learning, before)
}

const text = (value: unknown): string => JSON.stringify(value)
