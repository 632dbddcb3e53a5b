/** Leased matches that come back to the queue, and those that do not: failed too often, or no longer to start. */
import { ladderOf } from "../Ladders.ts"
import type { WithdrawnReason } from "../Reasons.ts"
import type { State } from "../State.ts"
import { isAnswered } from "./Faults.ts"
import type { OpenMatch } from "./Match.ts"
import { type End, end } from "./MatchEnd.ts"
import { changed, unlease } from "./OpenMatches.ts"
import { type Failure, STRUCK_OUT, type Try } from "./Tries.ts"

/** A match fails after this many failed attempts: it kills runners, or one of its files is not available. */
export const LOSSES_MAX = 3

/** Queues a leased match again. A match given back by its runner costs no attempt. */
export const requeue = (state: State, match: OpenMatch): void => {
  unlease(state, match)
  match.leased_at = null
  match.until = null
  const ladder = ladderOf(state, match)
  const inOrder = (queue: Iterable<string>) => [...queue, match.id].sort((a, b) => state.live.get(a)!.n - state.live.get(b)!.n)
  if (ladder === undefined) state.trials = new Set(inOrder(state.trials))
  else ladder.queue = inOrder(ladder.queue)
  changed(state, match)
  state.workAppeared = true
  const reason = mayNotStart(state, match)
  if (reason !== null) withdraw(state, match, reason)
}

export const loseMatch = (state: State, match: OpenMatch): void =>
  failTry(state, match, { n: match.lease_n, key: match.key!, at: state.now, reason: "runner_lost", version: null })

/** `isLast`: there is nobody who could play it instead. */
export const failTry = (
  state: State,
  match: OpenMatch,
  failed: Try & { readonly reason: Failure },
  { isLast = false, ...more }: Pick<End, "fault_detail"> & { readonly isLast?: boolean } = {}
): void => {
  match.tries = [...match.tries, failed]
  state.writes.failedTries.push(failed.reason)
  if (++match.losses >= LOSSES_MAX || isLast) end(state, match, { ending: "failed", fault_reason: failed.reason, ...more })
  else requeue(state, match)
}

/** Checked whenever a match is in the queue, so that every queued match may start. */
const mayNotStart = (state: State, match: OpenMatch): { reason: WithdrawnReason; successor: number | null } | null => {
  if (state.phase !== "open") return { reason: "season_closed", successor: null }
  if (match.ladder !== null && match.round !== state.round) return { reason: "round_reset", successor: null }
  if (!state.boards.get(match.board)?.enabled) return { reason: "board_disabled", successor: null }
  for (const id of match.versions) {
    const version = state.versions_by_id.get(id)
    if (version === undefined) return { reason: "season_closed", successor: null } // a candidate rejected by the close or finals
    if (version.status === "superseded") return { reason: "superseded", successor: version.successor }
    if (version.phase === "suspended") return { reason: "suspended", successor: null }
    if (version.status === "disqualified") return { reason: version.disqualified ? "disqualified" : "owner_removed", successor: null }
    if (version.status === "disabled") return { reason: "baseline_disabled", successor: null }
  }
  return null
}

/** Withdraws matches that may no longer start, after boards, baselines, versions, rounds or the season have changed. */
export const withdrawQueued = (state: State): void => {
  for (const id of [...state.trials, ...state.ladders.flatMap(({ queue }) => queue)]) {
    const match = state.live.get(id)
    const reason = match === undefined ? null : mayNotStart(state, match)
    if (reason !== null) withdraw(state, match!, reason)
  }
}

/** The row keeps the fault, for answering the runner that reported the match unplayable. */
export const withdraw = (
  state: State,
  match: OpenMatch,
  { reason, successor }: { reason: WithdrawnReason; successor: number | null }
): void => {
  const reported = isAnswered(match) ? match.tries.at(-1)!.reason : STRUCK_OUT
  const fault = reported === STRUCK_OUT ? {} : { fault_reason: reported }
  end(state, match, { ending: "cancelled", withdrawn_reason: reason, successor, ...fault })
}
