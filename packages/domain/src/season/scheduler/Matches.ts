/** Matches from the queue to their end: leased, lost, given back, reported, withdrawn. */
import { faultOf, type SeatOutcome } from "../../match/Outcome.ts"
import { logged } from "../Audit.ts"
import type { MatchOutcome, Of, Receipt, Replies, Work } from "../Command.ts"
import { type LadderState, ladderNamed, ladderOf, release } from "../Ladders.ts"
import { beginLease, leaseName, leaseStateOf, parseLease, renewedUntil } from "../Lease.ts"
import { seedOf, uuidOf } from "../Random.ts"
import type { Ending, FaultReason, WithdrawnReason } from "../Reasons.ts"
import { isFinals } from "../Round.ts"
import { laddersRated, queueIndex } from "../Rules.ts"
import type { Seat } from "../rating/LadderRating.ts"
import { chargeFailed, letGo, rateOn } from "../rating/LadderRatings.ts"
import type { State } from "../State.ts"
import { blame, clear, isAnswered, suspectsOf } from "./Faults.ts"
import type { Board, Ended, OpenMatch } from "./Match.ts"
import { LEASE_AGAIN_MS, type Try } from "./Tries.ts"

/** A match fails after this many lost leases: it kills runners, or one of its files is not available. */
export const LOSSES_MAX = 3

interface Pairing {
  readonly ladder: OpenMatch["ladder"]
  readonly candidate: string | null
  readonly board: Board
  readonly versions: ReadonlyArray<string>
}

export const createMatch = (state: State, { board, candidate, ladder, versions }: Pairing): OpenMatch => {
  const n = ++state.matches
  board.used[queueIndex(ladder)]!++
  state.writes.boards.add(board.id)
  const seed = seedOf(state, n)
  const id = uuidOf(state, state.now, n)
  const round = ladder === null ? 0 : state.round
  const match: OpenMatch = {
    id,
    n,
    ladder,
    candidate,
    round,
    board: board.id,
    seed,
    versions,
    created_at: state.now,
    lease_n: 0,
    losses: 0,
    tries: [],
    runner: null,
    key: null,
    leased_at: null,
    until: null,
    released: false
  }
  state.live.set(id, match)
  state.writes.newLive.add(id)
  changed(state, match)
  return match
}

export const leaseMatch = (state: State, id: string, holder: Of<"LeaseWork">): Work => {
  const match = state.live.get(id)!
  const ladder = ladderOf(state, match)
  unqueue(state, match)
  if (ladder !== undefined) ladder.playing++
  const until = beginLease(state, match, holder)
  changed(state, match)
  return {
    kind: "match",
    lease: leaseName(id, match.lease_n),
    until,
    match: id,
    ladder: match.ladder,
    is_trial: match.ladder === null,
    is_finals: match.ladder !== null && isFinals(state),
    board: match.board,
    seed: match.seed,
    versions: match.versions,
    rules: state.settings.rules.match,
    infer_us_max: state.settings.rules.infer_us_max
  }
}

/** The open match of a lease that still counts, or why it does not. */
const held = (state: State, lease: string, key: string): OpenMatch | Receipt => {
  const name = parseLease(lease)
  const match = name === undefined ? undefined : state.live.get(name.id)
  if (match === undefined) return { accepted: false, reason: "unknown" }
  const leaseState = leaseStateOf(match, name!.n, key)
  return leaseState === "held" ? match : { accepted: false, reason: leaseState }
}

export const reportMatch = (state: State, { denied, key, lease, outcome }: Of<"ReportMatch">): Receipt => {
  const match = held(state, lease, key)
  if ("accepted" in match) return match
  if (isAnswered(match)) return { accepted: true } // the repeat of a fault, with another body
  const fault = faultOf(outcome.seats, match.versions.length, state.settings.rules.match.strike_limit)
  if (fault !== undefined) return { accepted: false, reason: "malformed", detail: fault }
  if (denied === undefined) play(state, match, key, outcome)
  else deny(state, match, outcome, denied)
  return outcome.replay?.content === undefined ? { accepted: true } : { accepted: true, replay_kept: true }
}

const play = (state: State, match: OpenMatch, key: string, outcome: MatchOutcome): void => {
  const counts = match.ladder !== null && match.round === state.round
  const seats = counts ? rateSeats(state, match, outcome) : outcome.seats.map((seat, i) => unrated(match.versions[i]!, seat))
  clear(state, match, key)
  end(state, match, { ending: counts ? "rated" : "finished", outcome, seats })
}

/** It ends as a voided match does (Voiding.ts), and was never rated: its entries are owed another. */
const deny = (state: State, match: OpenMatch, outcome: MatchOutcome, denied: NonNullable<Of<"ReportMatch">["denied"]>): void => {
  const seats = outcome.seats.map((seat, i) => unrated(match.versions[i]!, { ...seat, rank: 0 }))
  end(state, match, { ending: "failed", fault_reason: "replay_mismatch", fault_detail: denied.detail, outcome, seats })
  logged(state, denied.audit)
}

/**
 * The runner could not play it: the match is queued again for others. A lease that ran
 * out earlier was counted then.
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
    failTry(state, match, failed, { fault_detail: detail })
    return { accepted: true }
  }
  const others = match.tries.filter(({ n }) => n !== match.lease_n)
  if (others.length === match.tries.length) state.writes.failedTries.push(fault_reason)
  match.tries = [...others, failed]
  changed(state, match)
  return { accepted: true }
}

const NO_OUTCOME: SeatOutcome = { rank: 0, score: 0, strikes: 0 }

/** A seat of a match that changed no rating. */
const unrated = (version: string, { rank, score, strikes } = NO_OUTCOME): Seat => ({
  version,
  rank,
  score,
  strikes,
  place: null,
  made: null,
  open: null
})

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

/** Renews leases, each up to its longest life: then it runs out like one that nobody renews. */
export const heartbeat = (state: State, { key, leases }: Of<"Heartbeat">): Replies["Heartbeat"] =>
  leases.map((lease) => {
    const name = parseLease(lease)
    const work = name === undefined ? undefined : (state.live.get(name.id) ?? state.reviews.get(name.id))
    if (work === undefined || work.until === null || work.lease_n !== name!.n || work.key !== key) return { lease, lost: true }
    work.until = renewedUntil(state.settings.rules, work, state.now)
    if ("versions" in work) changed(state, work)
    else state.writes.reviews.add(work.version)
    return { lease, until: work.until }
  })

/** Queues a leased match again. A match given back by its runner costs no attempt. */
export const requeue = (state: State, match: OpenMatch): void => {
  const ladder = ladderOf(state, match)
  if (ladder !== undefined) ladder.playing--
  match.leased_at = null
  match.until = null
  const queue = ladder?.queue ?? state.trials
  queue.push(match.id)
  queue.sort((a, b) => state.live.get(a)!.n - state.live.get(b)!.n)
  changed(state, match)
  state.workAppeared = true
  const reason = mayNotStart(state, match)
  if (reason !== null) withdraw(state, match, reason)
}

export const loseMatch = (state: State, match: OpenMatch): void =>
  failTry(state, match, { n: match.lease_n, key: match.key!, at: state.now, reason: "runner_lost", version: null })

const failTry = (state: State, match: OpenMatch, failed: Try, more: Pick<End, "fault_detail"> = {}): void => {
  match.tries = [...match.tries, failed]
  state.writes.failedTries.push(failed.reason)
  if (++match.losses >= LOSSES_MAX) end(state, match, { ending: "failed", fault_reason: failed.reason, ...more })
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
  const fault = isAnswered(match) ? { fault_reason: match.tries.at(-1)!.reason } : {}
  end(state, match, { ending: "cancelled", withdrawn_reason: reason, successor, ...fault })
}

/** How a match ended. */
interface End {
  readonly ending: Ending
  readonly withdrawn_reason?: WithdrawnReason
  readonly successor?: number | null
  readonly fault_reason?: FaultReason
  readonly fault_detail?: string
  readonly outcome?: MatchOutcome
  readonly seats?: ReadonlyArray<Seat>
}

/** The only way out of `live`: the row moves to `match`, and its entries are free again. */
export const end = (state: State, match: OpenMatch, how: End): void => {
  const ladder = ladderOf(state, match)
  if (match.until === null) unqueue(state, match)
  else if (ladder !== undefined) ladder.playing--
  state.live.delete(match.id)
  state.writes.ended.push(endedRow(state, match, how))
  changed(state, match)
  const models: Array<string> = []
  for (const id of match.versions) {
    const model = state.versions_by_id.get(id)?.model
    if (model !== undefined) models.push(model)
  }
  if (how.ending === "failed" && how.outcome === undefined) {
    const suspects = suspectsOf(match)
    if (ladder !== undefined && match.round === state.round) chargeFailed(state, ladder, suspects)
    blame(state, match, suspects)
  }
  for (const id of match.versions) leaveSeat(state, ladder, match, id)
  state.workAppeared = true
  if (how.ending === "rated") {
    state.events.push({ _tag: "MatchRated", match: match.id, ladders: laddersRated(match.ladder!), versions: match.versions, models })
  } else state.events.push({ _tag: "MatchEnded", match: match.id, versions: match.versions, models })
  if (match.ladder === null) countTrial(state, match, how)
}

const leaveSeat = (state: State, ladder: LadderState | undefined, match: OpenMatch, id: string): void => {
  const rating = ladder?.ratings.get(id)
  if (rating !== undefined && match.round === state.round) release(ladder!, rating)
  const version = state.versions_by_id.get(id)
  if (version?.status === "superseded") letGo(state, version)
}

/** Adds the match to its candidate's trial. `settle` decides how the trial goes on. */
const countTrial = (state: State, match: OpenMatch, { ending, outcome }: End): void => {
  const candidate = state.versions_by_id.get(match.candidate!)
  if (candidate?.phase !== "trial") return
  const limit = state.settings.rules.match.strike_limit
  if (ending === "failed") candidate.trial_void++
  else if (outcome !== undefined) {
    candidate.trial_played++
    if (match.versions.some((id, seat) => id === candidate.id && outcome.seats[seat]!.strikes >= limit)) candidate.trial_failed++
  }
  state.writes.versions.add(candidate.id)
  state.movedTrials.add(candidate.id)
}

const endedRow = (state: State, match: OpenMatch, how: End): Ended => ({
  id: match.id,
  n: match.n,
  ladder: match.ladder,
  candidate: match.candidate,
  round: match.round,
  board: match.board,
  seed: match.seed,
  versions: match.versions,
  created_at: match.created_at,
  lease_n: match.lease_n,
  runner: match.runner,
  key: match.key,
  released: match.released,
  ending: how.ending,
  ended_at: state.now,
  rated_n: how.ending === "rated" ? state.rated + state.voided : null,
  withdrawn_reason: how.withdrawn_reason ?? null,
  successor: how.successor ?? null,
  fault_reason: how.fault_reason ?? null,
  fault_detail: how.fault_detail ?? null,
  reason: how.outcome?.reason ?? null,
  turns: how.outcome?.turns ?? null,
  played_ms: how.outcome === undefined ? null : playedMs(state, match, how.outcome),
  runtime_version: how.outcome?.runtime_version ?? null,
  state_sha256: how.outcome?.state_sha256 ?? null,
  replay_hash: how.outcome?.replay?.hash ?? null,
  replay_bytes: how.outcome?.replay?.bytes ?? null,
  replay_content: how.outcome?.replay?.content ?? null,
  seats: how.seats ?? match.versions.map((version) => unrated(version))
})

/**
 * No match was played for longer than it has existed. The start of its lease is no bound: it moves by the
 * time in which the season was away.
 */
const playedMs = ({ now }: State, { created_at }: OpenMatch, { played_ms }: MatchOutcome): number =>
  Math.min(played_ms, Math.max(0, Math.floor(now - created_at)))

const unqueue = (state: State, match: OpenMatch): void => {
  const ladder = ladderOf(state, match)
  if (ladder === undefined) state.trials = state.trials.filter((id) => id !== match.id)
  else if (ladder.queue[0] === match.id) ladder.queue.shift()
  else ladder.queue = ladder.queue.filter((id) => id !== match.id)
}

const changed = (state: State, { id }: OpenMatch): void => {
  state.writes.live.add(id)
}
