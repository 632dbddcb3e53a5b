/** Runners' reports on the matches that they hold: an outcome or a fault. */
import { faultOf } from "../../match/Outcome.ts"
import { logged } from "../Audit.ts"
import type { MatchOutcome, Of, Receipt } from "../Command.ts"
import { playsAlone } from "../key/HeardKeys.ts"
import { lapsesOften, makeGood, noteLapse } from "../key/Lapses.ts"
import { type LadderState, ladderNamed, ladderOf } from "../Ladders.ts"
import { LEASE_AGAIN_MS, leaseStateOf, parseLease } from "../Lease.ts"
import type { Seat } from "../rating/LadderRating.ts"
import { rateOn } from "../rating/LadderRatings.ts"
import type { State } from "../State.ts"
import { clear, isAnswered } from "./Faults.ts"
import type { OpenMatch } from "./Match.ts"
import { end, unrated } from "./MatchEnd.ts"
import { changed } from "./OpenMatches.ts"
import { failTry } from "./Requeueing.ts"
import { isDoubtful, noteContradiction, playAgain } from "./StruckOut.ts"

export const reportMatch = (state: State, { denied, key, lease, outcome }: Of<"ReportMatch">): Receipt => {
  const match = held(state, lease, key)
  if ("accepted" in match) return match
  if (isAnswered(match)) return { accepted: true, answered: true } // the repeat of a fault, with another body
  const fault = faultOf(outcome.seats, match.versions.length, state.settings.rules.match.strike_limit)
  if (fault !== undefined) return { accepted: false, reason: "malformed", detail: fault }
  if (isDoubtful(state, match, key, outcome)) {
    playAgain(state, match, { key, runner: match.runner! }, outcome)
    return { accepted: true, answered: true }
  }
  if (denied === undefined) play(state, match, key, outcome)
  else deny(state, match, outcome, denied)
  return outcome.replay?.content === undefined ? { accepted: true } : { accepted: true, replay_kept: true }
}

/** The open match of a lease that still counts, or why it does not. */
const held = (state: State, lease: string, key: string): OpenMatch | Receipt => {
  const name = parseLease(lease)
  const match = name === undefined ? undefined : state.live.get(name.id)
  if (match === undefined) return { accepted: false, reason: "unknown" }
  const leaseState = leaseStateOf(match, name!.n, key)
  return leaseState === "held" ? match : { accepted: false, reason: leaseState }
}

const play = (state: State, match: OpenMatch, key: string, outcome: MatchOutcome): void => {
  const counts = match.ladder !== null && match.round === state.round
  const seats = counts ? rateSeats(state, match, outcome) : outcome.seats.map((seat, i) => unrated(match.versions[i]!, seat))
  noteContradiction(state, match, key, outcome)
  clear(state, match, key)
  makeGood(state, key)
  end(state, match, { ending: counts ? "rated" : "finished", outcome, seats })
}

/**
 * It ends as a voided match does (Voiding.ts), and was never rated: its entries are owed another. It was their turn, as in any match that
 * fails: otherwise the same few would be paired again for as long as their results are denied.
 */
const deny = (state: State, match: OpenMatch, outcome: MatchOutcome, denied: NonNullable<Of<"ReportMatch">["denied"]>): void => {
  const seats = outcome.seats.map((seat, i) => unrated(match.versions[i]!, { ...seat, rank: 0 }))
  end(state, match, { ending: "failed", fault_reason: "replay_mismatch", fault_detail: denied.detail, outcome, seats })
  logged(state, denied.audit)
}

/** A match of a class changes ratings on its own ladder and on open; a match of open only on open. */
const rateSeats = (state: State, match: OpenMatch, { seats }: MatchOutcome): ReadonlyArray<Seat> => {
  const ranks = seats.map((seat) => seat.rank)
  const forfeits = seats.map((seat) => seat.strikes >= state.settings.rules.match.strike_limit)
  const made = ladderOf(state, match)!
  const open = ladderNamed(state, "open")
  const ratings = ratingsOf(made, match)
  const places = ratings.map((rating) => made.ranks.placeOf(rating.mu))
  const moved = rateOn(state, made, { seats: ratings, ranks, forfeits, isMade: true })
  const movedOpen = made === open ? null : rateOn(state, open, { seats: ratingsOf(open, match), ranks, forfeits, isMade: false })
  state.rated++
  return seats.map(({ rank, score, strikes }, i) => ({
    version: match.versions[i]!,
    rank,
    score,
    strikes,
    place: places[i]!,
    made: moved[i]!,
    open: movedOpen === null ? null : movedOpen[i]!
  }))
}

const ratingsOf = (ladder: LadderState, match: OpenMatch) => match.versions.map((id) => ladder.ratings.get(id)!)

/**
 * The runner could not play it: the match is queued again for others, and fails where there are none. A machine that fails one match after
 * another may be what is at fault, so its matches are queued again all the same. A lease that ran out earlier was counted then.
 */
export const reportFault = (state: State, command: Of<"ReportFault">): Receipt => {
  const { detail, fault_reason, key, lease, version = null } = command
  const match = held(state, lease, key)
  if ("accepted" in match) return match
  if (version !== null && !match.versions.includes(version)) {
    return { accepted: false, reason: "malformed", detail: `Version ${version} does not play in this match.` }
  }
  if (isAnswered(match)) return { accepted: true }
  const failed = { n: match.lease_n, key, at: state.now, reason: fault_reason, version: fault_reason === "engine_fault" ? null : version }
  state.againEnd = Math.min(state.againEnd, state.now + LEASE_AGAIN_MS)
  if (match.until !== null) {
    noteLapse(state, key, "match")
    failTry(state, match, failed, { fault_detail: detail, isLast: playsAlone(state, match) && !lapsesOften(state, key) })
    return { accepted: true }
  }
  const others = match.tries.filter(({ n }) => n !== match.lease_n)
  if (others.length === match.tries.length) state.writes.failedTries.push(fault_reason)
  match.tries = [...others, failed]
  changed(state, match)
  return { accepted: true }
}
