/**
 * Reviews: a runner measures a candidate's files, and the season checks the measurements against its rules.
 * A machine that cannot examine anything, or says so, asks for the next review at once. A key that failed a
 * review therefore leaves it to others for as long as a lease, or that machine alone would end it within a second.
 * A refusal is confirmed by another key where there is one (SecondOpinion.ts).
 */

import { noteApart, noteExamined } from "../CandidateShare.ts"
import type { Of, Receipt, Work } from "../Command.ts"
import { noteVerdict } from "../key/HeardKeys.ts"
import { makeGood, noteLapse } from "../key/Lapses.ts"
import { beginLease, isReturnedTooOften, LEASE_AGAIN_MS, leaseName, leaseStateOf, OPINION_MS, parseLease } from "../Lease.ts"
import type { State } from "../State.ts"
import type { Review, Version } from "../Version.ts"
import { moved } from "../VersionCounts.ts"
import { decisive, limitsOf, mayJudge, measured } from "./SecondOpinion.ts"
import type { Judgement } from "./Verdict.ts"
import { rejectVersion, tell } from "./Versions.ts"

/** A review is given up after this many failed attempts that were not the model's fault. */
const FAILURES_MAX = 5
/** Keeps the season's head small. */
const UNEXAMINED_MAX = 64

/** A version whose files have come can be reviewed. */
export const awaitReview = (state: State, version: Version): void => {
  state.reviews.set(version.id, {
    version: version.id,
    lease_n: 0,
    runner: null,
    key: null,
    leased_at: null,
    until: null,
    released: false,
    opinions: []
  })
  state.writes.reviews.add(version.id)
  state.writes.versions.add(version.id)
  state.workAppeared = true
}

/** The review that has waited longest, of those that the key may take now. */
export const nextReview = (state: State, key: string): Review | undefined => {
  let first: Review | undefined
  let ord = Infinity
  for (const review of state.reviews.values()) {
    const own = state.versions_by_id.get(review.version)!.ord
    if (review.until === null && own < ord && mayExamine(state, review, key) && mayJudge(state, review, key)) {
      first = review
      ord = own
    }
  }
  return first
}

const mayExamine = ({ now, unexamined }: State, { version }: Review, key: string): boolean =>
  !unexamined.some((each) => each.version === version && each.key === key && now < each.at + LEASE_AGAIN_MS)

/** The key leaves the review to others for a while. */
const leaveToOthers = (state: State, { version }: Review, key: string): void => {
  const lately = state.unexamined.filter(({ at }) => state.now < at + LEASE_AGAIN_MS)
  state.unexamined = [...lately, { key, version, at: state.now }].slice(-UNEXAMINED_MAX)
  state.againEnd = Math.min(state.againEnd, state.now + LEASE_AGAIN_MS)
}

/** `plays`: the holder plays matches of the season too. */
export const leaseReview = (state: State, review: Review, holder: Of<"LeaseWork">, plays: boolean): Work => {
  const until = beginLease(state, review, holder)
  noteApart(state, review.version, !plays)
  const version = state.versions_by_id.get(review.version)!
  Object.assign(version, { admit_attempt: review.lease_n, admit_key: null })
  changed(state, review)
  return { kind: "admission", lease: leaseName(version.id, review.lease_n), until, version: version.id, attempt: review.lease_n }
}

export const reportAdmission = (state: State, { key, lease, verdict }: Of<"ReportAdmission">): Receipt => {
  const name = parseLease(lease)
  const review = name === undefined ? undefined : state.reviews.get(name.id)
  if (review === undefined) return { accepted: false, reason: "unknown" }
  const leaseState = leaseStateOf(review, name!.n, key)
  const version = state.versions_by_id.get(review.version)!
  if (leaseState === "released" && version.admit_key === key) return { accepted: true } // the repeat of a failed attempt
  if (leaseState !== "held") return { accepted: false, reason: leaseState }
  if (verdict.verdict === "failed") {
    version.admit_key = key
    review.released = true // this attempt is answered; its repeat changes nothing
    leaveToOthers(state, review, key)
    if (review.until === null)
      changed(state, review) // it ran out earlier and was counted then
    else {
      noteLapse(state, key, "review")
      failReview(state, review)
    }
    return { accepted: true }
  }
  version.admit_key = key
  makeGood(state, key)
  noteVerdict(state, key)
  const opinion = decisive(state, review, version, verdict)
  if (opinion === undefined) {
    askAnother(state, review)
    return { accepted: true }
  }
  if (review.until !== null) noteExamined(state, review)
  state.reviews.delete(version.id)
  changed(state, review)
  judge(state, version, opinion.verdict)
  return { accepted: true }
}

/** The lease is answered; its repeat changes nothing. */
const askAnother = (state: State, review: Review): void => {
  review.released = true
  state.againEnd = Math.min(state.againEnd, state.now + OPINION_MS)
  if (review.until === null) changed(state, review)
  else requeueReview(state, review)
}

/** A fault of the machine: the review is tried again, until five attempts have failed. */
export const failReview = (state: State, review: Review): void => {
  const version = state.versions_by_id.get(review.version)!
  requeueReview(state, review)
  if (++version.admit_failures < FAILURES_MAX) return
  rejectVersion(
    state,
    version,
    "admission_unavailable",
    "The runners failed to examine it five times, through no fault of its own; submit it again."
  )
}

/**
 * No failed attempt, unless it was given back too often: a candidate that every runner gives back
 * would be leased again for ever.
 */
export const returnReview = (state: State, review: Review): void => {
  const tried = state.versions_by_id.get(review.version)!.admit_failures + review.opinions.length
  if (isReturnedTooOften(review.lease_n, tried)) return failReview(state, review)
  requeueReview(state, review)
}

const requeueReview = (state: State, review: Review): void => {
  noteExamined(state, review)
  review.leased_at = null
  review.until = null
  changed(state, review)
  state.workAppeared = true
}

const judge = (state: State, version: Version, verdict: Judgement): void => {
  version.runtime_version = verdict.runtime_version
  if (verdict.verdict === "rejected") return rejectVersion(state, version, verdict.reject_reason, verdict.reject_detail)
  Object.assign(version, measured(verdict))
  const judged = limitsOf(state, version, verdict)!
  if (!judged.within) return rejectVersion(state, version, ...judged.fault)
  Object.assign(version, { class: judged.class, memory_bytes: judged.memory_bytes })
  tell(state, version, "admitted")
  if (version.owner === null) {
    moved(state, version, { status: "disabled", phase: null })
    state.testing--
  } else version.phase = "trial"
  state.writes.versions.add(version.id)
  state.movedTrials.add(version.id)
}

const changed = (state: State, { version }: Review): void => {
  state.writes.reviews.add(version)
  state.writes.versions.add(version)
}
