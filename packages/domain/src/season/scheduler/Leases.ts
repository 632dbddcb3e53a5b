/** Handing work to runners and taking it back. */
import { logged } from "../Audit.ts"
import { isCandidatesTurn } from "../CandidateShare.ts"
import type { Of, Replies, Work } from "../Command.ts"
import { failReview, leaseReview, nextReview, returnReview } from "../entry/Reviews.ts"
import { forgetOpinions } from "../entry/SecondOpinion.ts"
import { forgetExaminer } from "../key/HeardKeys.ts"
import { isKeptBack, kindOf, noteLapse, noteReturn } from "../key/Lapses.ts"
import { isReturnedTooOften, leaseName, leaseStateOf, parseLease } from "../Lease.ts"
import { mayServe } from "../Rules.ts"
import type { State } from "../State.ts"
import type { Review } from "../Version.ts"
import { mayTake } from "./Faults.ts"
import type { OpenMatch } from "./Match.ts"
import { leaseMatch } from "./OpenMatches.ts"
import { anyHasRoom, nextRated } from "./PairingBatches.ts"
import { loseMatch, requeue } from "./Requeueing.ts"

/** The most leases per request, whatever the runner's slots. */
const LEASES_PER_REQUEST_MAX = 64

/** Longer than any request waits: none that was let in before its key was revoked arrives later than this. */
const REVOKED_MS = 120_000
/** Keeps the season's head small; nobody revokes more by hand in that time. */
const REVOKED_MAX = 64

/** Reviews first, then trials, as far as candidates have a share (CandidateShare.ts), and ladder matches. */
export const leaseWork = (state: State, command: Of<"LeaseWork">): Replies["LeaseWork"] => {
  const { fleet } = command
  const { settings } = state
  const leases: Array<Work> = []
  if (state.phase !== "open" || command.engine_digest !== settings.engine_digest || isRevoked(state, command.key)) return leases
  const admissions = command.admissions && mayServe(settings.fleet.admissions, fleet)
  const matches = command.matches && mayServe(settings.fleet.matches, fleet)
  const ladders = matches && state.now >= settings.submissions_open_at
  const isGiven = (kind: "match" | "review") => !isKeptBack(state, command.key, kind)
  const ofLadder = () => (ladders && isGiven("match") ? leased(state, nextRated(state, command.key), command) : undefined)
  const ofCandidate = () => {
    const review = admissions && isGiven("review") ? nextReview(state, command.key) : undefined
    if (review !== undefined) return leaseReview(state, review, command, matches)
    return matches && isGiven("match") ? leased(state, nextTrial(state, command.key), command) : undefined
  }
  const max = Math.min(command.max, LEASES_PER_REQUEST_MAX)
  while (leases.length < max) {
    const work = isCandidatesTurn(state) ? (ofCandidate() ?? ofLadder()) : (ofLadder() ?? ofCandidate())
    if (work === undefined) break
    leases.push(work)
  }
  return leases
}

const leased = (state: State, match: string | undefined, command: Of<"LeaseWork">): Work | undefined =>
  match === undefined ? undefined : leaseMatch(state, match, command)

/** False where a lease request would be given nothing, whoever sent it; where it is true, some or all may be. */
export const mayGiveWork = (state: State): boolean => {
  if (state.phase !== "open") return false
  return state.trials.size > 0 || anyHasRoom(state) || [...state.reviews.values()].some(({ until }) => until === null)
}

const nextTrial = (state: State, key: string): string | undefined => {
  for (const id of state.trials) if (mayTake(state, state.live.get(id)!, key)) return id
  return undefined
}

/** Ends every lease that has run out. */
export const loseLeases = (state: State): void => {
  const ran_out = eachLeased(state, (work) => work.until! <= state.now)
  for (const work of ran_out) {
    noteLapse(state, work.key!, kindOf(work))
    if ("versions" in work) loseMatch(state, work)
    else failReview(state, work)
  }
  state.leaseEnd = eachLeased(state, () => true).reduce((first, work) => Math.min(first, work.until!), Infinity)
}

/**
 * Open work that is leased and meets the condition, in an order that follows from the
 * rows: a restored season keeps it.
 */
const eachLeased = (state: State, when: (work: OpenMatch | Review) => boolean): ReadonlyArray<OpenMatch | Review> => {
  const found: Array<OpenMatch> = []
  for (const work of state.live.values()) if (work.until !== null && when(work)) found.push(work)
  const ordOf = ({ version }: Review) => state.versions_by_id.get(version)!.ord
  const reviews = [...state.reviews.values()].filter((work) => work.until !== null && when(work))
  return [...found, ...reviews.sort((a, b) => ordOf(a) - ordOf(b))]
}

/** Queues the work again without counting an attempt, unless it was given back too often. */
const giveBack = (state: State, works: ReadonlyArray<OpenMatch | Review>): number => {
  for (const work of works) {
    if (!("versions" in work)) returnReview(state, work)
    else if (isReturnedTooOften(work.lease_n, work.losses)) loseMatch(state, work)
    else requeue(state, work)
  }
  return works.length
}

export const releaseLease = (state: State, { key, lease }: Of<"Release">): Replies["Release"] => {
  const name = parseLease(lease)
  const work = name === undefined ? undefined : (state.live.get(name.id) ?? state.reviews.get(name.id))
  if (work === undefined) return { released: false, unknown: false }
  const leaseState = leaseStateOf(work, name!.n, key)
  if (work.until === null || leaseState !== "held") return { released: false, unknown: leaseState === "unknown" }
  work.released = true
  noteReturn(state, work)
  giveBack(state, [work])
  return { released: true, unknown: false }
}

export const holdOnly = (state: State, { among, holds, runner }: Of<"HoldOnly">): Replies["HoldOnly"] => {
  const [named, known] = [new Set(holds), among === undefined ? undefined : new Set(among)]
  const nameOf = (work: OpenMatch | Review): string => leaseName("versions" in work ? work.id : work.version, work.lease_n)
  const isLost = (lease: string) => !named.has(lease) && known?.has(lease) !== false
  const lost = eachLeased(state, (work) => work.runner === runner && isLost(nameOf(work)))
  for (const work of lost) noteReturn(state, work)
  return { returned: giveBack(state, lost) }
}

const isRevoked = ({ now, revoked }: State, key: string): boolean => revoked.some((each) => each.key === key && now - each.at < REVOKED_MS)

/** Requests under the key that were sent before and arrive after this are given nothing. */
export const revokeKey = (state: State, { audit, key, stays = false }: Of<"RevokeKey">): Replies["RevokeKey"] => {
  logged(state, audit)
  if (!stays) {
    const others = state.revoked.filter((each) => each.key !== key && state.now - each.at < REVOKED_MS)
    state.revoked = [...others, { key, at: state.now }].slice(-REVOKED_MAX)
    state.writes.head = true
    forgetExaminer(state, key)
    forgetOpinions(state, key)
  }
  const leased = eachLeased(state, (work) => work.key === key)
  for (const work of leased) work.released = true
  return { returned: giveBack(state, leased) }
}
