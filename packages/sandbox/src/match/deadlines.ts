/** How long a sandbox process may take for a match, or a look at one, before it is killed as one that hangs. */
import type { LookRequest } from "./look.ts"
import { AGAIN_FACTOR, LOAD_DEADLINE_MS, type MatchRequest, MOVE_DEADLINE_MS } from "./Match.ts"

/** A match may take this many times its processor time on the clock. */
const BUSY_FACTOR = 4
/** For all that is not a model's. */
const OWN_MS = 60_000
/** Cap of a deadline; a timer takes at most 24 days. */
const DAY_MS = 86_400_000

const busy_ms = (cpu_ms: number): number => Math.min(DAY_MS, OWN_MS + BUSY_FACTOR * cpu_ms)

/**
 * The longest possible match on a busy machine, with every move at its deadline. In a replayed match a move may take longer,
 * but only as often as the seat has strikes left.
 */
export const matchDeadline_ms = ({ rules, seats, move_deadline_ms = MOVE_DEADLINE_MS, timeouts }: MatchRequest): number => {
  const factor = timeouts === undefined ? 1 : AGAIN_FACTOR
  const late_ms = seats.length * rules.strike_limit * factor * ((seats.length + 1) * LOAD_DEADLINE_MS + move_deadline_ms)
  return busy_ms(rules.max_turns * seats.length * move_deadline_ms + late_ms)
}

/**
 * A look runs the models of every turn up to its own, as the match did; a model that crashes is loaded again, as often as it
 * has strikes. A model that hangs here and did not in the match is ended by this alone.
 */
export const lookDeadline_ms = ({ replay, seats, turn }: LookRequest): number => {
  const models = seats.filter((seat) => seat !== null).length
  return busy_ms(models * ((turn + 1) * MOVE_DEADLINE_MS + (1 + replay.rules.strike_limit) * LOAD_DEADLINE_MS))
}

/** The sentence of a machine that did not do it in time; `what` completes "The machine did not". */
export const tooLate = (what: string, deadline_ms: number): string =>
  `The machine did not ${what} within ${Math.round(deadline_ms / 1_000)} s.`
