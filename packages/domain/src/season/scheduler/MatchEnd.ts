/** The end of a match, however it came: its row, its seats, its trial and the faults that it counts for. */
import type { SeatOutcome } from "../../match/Outcome.ts"
import type { MatchOutcome } from "../Command.ts"
import { type LadderState, ladderOf, release } from "../Ladders.ts"
import { matchLeaseMax_ms } from "../Lease.ts"
import type { Ending, FaultReason, WithdrawnReason } from "../Reasons.ts"
import { laddersRated } from "../Rules.ts"
import { letGo } from "../rating/LadderEntries.ts"
import type { Seat } from "../rating/LadderRating.ts"
import { chargeFailed } from "../rating/LadderRatings.ts"
import type { State } from "../State.ts"
import { blame, excuse, suspectsOf } from "./Faults.ts"
import type { Ended, OpenMatch } from "./Match.ts"
import { changed, unlease, unqueue } from "./OpenMatches.ts"

/** How a match ended. */
export interface End {
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
  else unlease(state, match)
  state.live.delete(match.id)
  state.writes.ended.push(endedRow(state, match, how))
  changed(state, match)
  const models: Array<string> = []
  for (const id of match.versions) {
    const model = state.versions_by_id.get(id)?.model
    if (model !== undefined) models.push(model)
  }
  if (how.ending === "failed") {
    const isDenied = how.outcome !== undefined
    const suspects = isDenied ? match.versions : suspectsOf(match)
    if (ladder !== undefined && match.round === state.round) chargeFailed(state, ladder, suspects)
    if (isDenied) excuse(state, match)
    else blame(state, match, suspects)
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

const NO_OUTCOME: SeatOutcome = { rank: 0, score: 0, strikes: 0 }

/** A seat of a match that changed no rating. */
export const unrated = (version: string, { rank, score, strikes } = NO_OUTCOME): Seat => ({
  version,
  rank,
  score,
  strikes,
  place: null,
  made: null,
  open: null
})

/**
 * No match was played for longer than it has existed. The start of its lease is no bound: it moves by the
 * time in which the season was away. One that was made by a clock that was ahead was played for no longer than a lease lasts.
 */
const playedMs = ({ now, settings }: State, { created_at, versions }: OpenMatch, { played_ms }: MatchOutcome): number =>
  Math.min(played_ms, created_at > now ? matchLeaseMax_ms(settings.rules, versions.length) : Math.floor(now - created_at))
