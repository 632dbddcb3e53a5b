/**
 * A candidate that reaches the strike limit in a trial match is rejected, and no other machine can deny a timeout: it is what the runner
 * measured. So where another key has brought results within a day, or plays a match now, the first such result of a trial is put aside. The
 * match is played again, for five minutes by other keys alone, and its second result counts. Where this one is sound, the log names the runner
 * of the first. Once a failure is confirmed, the candidate's further ones count at once.
 */
import { writtenItself } from "../Audit.ts"
import type { MatchOutcome } from "../Command.ts"
import { hasOther, heardKeys } from "../key/HeardKeys.ts"
import { makeGood } from "../key/Lapses.ts"
import { OPINION_MS } from "../Lease.ts"
import type { State } from "../State.ts"
import type { OpenMatch } from "./Match.ts"
import { changed } from "./OpenMatches.ts"
import { requeue } from "./Requeueing.ts"
import { STRUCK_OUT, type Try } from "./Tries.ts"

/** Whether this result is to be confirmed by another key. */
export const isDoubtful = (state: State, match: OpenMatch, key: string, outcome: MatchOutcome): boolean => {
  if (match.candidate === null || !isStruckOut(state, match, outcome) || firstOf(match) !== undefined) return false
  return state.versions_by_id.get(match.candidate)?.trial_failed === 0 && hasOther(heardKeys(state), state.live, [key])
}

/** Puts the result aside. */
export const playAgain = (state: State, match: OpenMatch, { key, runner }: Holder, { replay }: MatchOutcome): void => {
  const others = match.tries.filter(({ n }) => n !== match.lease_n) // its lease may have run out before
  const aside: Try = { n: match.lease_n, key, at: state.now, reason: STRUCK_OUT, version: null, runner, replay: replay?.hash ?? null }
  match.tries = [...others, aside]
  state.againEnd = Math.min(state.againEnd, state.now + OPINION_MS)
  makeGood(state, key)
  if (match.until === null) changed(state, match)
  else requeue(state, match)
}

interface Holder {
  readonly key: string
  readonly runner: string
}

/** The match has its result: the log names the runner whose result was put aside, where another key did not confirm it. */
export const noteContradiction = (state: State, match: OpenMatch, key: string, outcome: MatchOutcome): void => {
  const first = firstOf(match)
  if (first === undefined || first.key === key || isStruckOut(state, match, outcome)) return
  writtenItself(state, "runner.doubt", first.runner!, match.n, {
    key: first.key,
    match: match.id,
    replay: first.replay,
    detail: "The candidate reached the strike limit under its key, and not under another, in the same trial match."
  })
}

const firstOf = ({ tries }: OpenMatch) => tries.find(({ reason }) => reason === STRUCK_OUT)

const isStruckOut = ({ settings }: State, { candidate, versions }: OpenMatch, { seats }: MatchOutcome): boolean =>
  versions.some((id, seat) => id === candidate && seats[seat]!.strikes >= settings.rules.match.strike_limit)
