/**
 * A model is refused by two keys, or by one where no other examines; and a key that has judged it leaves it to others for five minutes. So
 * it is with the first trial match that a candidate fails.
 */
import type { Command, Of } from "@agon/domain/season/Command.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { View } from "../View.ts"
import { isSame } from "./isSame.ts"
import { must } from "./Promise.ts"
import { heardThroughout, isStruckOut, type Window } from "./Window.ts"

type Report = Of<"ReportAdmission">
type Review = View["reviews"] extends ReadonlyMap<string, infer Row> ? Row : never

type Played = Of<"ReportMatch">

export interface Opinions {
  readonly asked: (command: Command) => void
  readonly check: (window: Window) => void
}

const LEFT_TO_OTHERS_MS = 300_000
/** Reasons that nobody has to measure: the season knows them itself. */
const UNMEASURED = ["upload_expired", "hash_mismatch", "too_large", "trial_failed", "admission_unavailable", "season_closed"]

export const make = (): Opinions => {
  const reports = new Map<string, Array<Report>>() // by version
  const played = new Map<string, Array<Played>>() // by match, those in which somebody had strikes
  const reportsOf = (version: string): ReadonlyArray<Report> => reports.get(version) ?? []
  return {
    asked: (command) => {
      if (command._tag === "ReportMatch" && command.outcome.seats.some(({ strikes }) => strikes > 0)) {
        const match = command.lease.split(".")[0]!
        played.set(match, [...(played.get(match) ?? []), command])
      }
      if (command._tag !== "ReportAdmission" || command.verdict.verdict === "failed") return
      const version = command.lease.split(".")[0]!
      reports.set(version, [...reportsOf(version), command])
    },
    check: (window) => {
      for (const review of window.now.reviews.values()) checkReview(window, review, reportsOf(review.version))
      for (const match of window.now.ended)
        if (isFailed(window, match) && isOnTrial(window, match.candidate!)) checkFailed(window, match, played.get(match.id) ?? [])
      for (const version of window.now.versions.values()) {
        const was = window.before.versions.get(version.id)
        if (was?.phase !== "review" || version.phase === "review" || UNMEASURED.includes(version.reject_reason ?? "")) continue
        if (version.status === "rejected") checkRefused(window, version.id, reportsOf(version.id))
      }
    }
  }
}

const checkReview = ({ before, recent }: Window, review: Review, reports: ReadonlyArray<Report>): void => {
  for (const { key, verdict } of review.opinions) {
    const isSaid = reports.some((each) => each.key === key && isSame(each.verdict, verdict))
    must(isSaid, "an opinion is what a runner said", review, reports)
  }
  const was = before.reviews.get(review.version)
  for (const { key } of was?.opinions ?? []) {
    const isRevoked = recent.some((command) => command._tag === "RevokeKey" && command.key === key)
    must(isRevoked || review.opinions.some((each) => each.key === key), "an opinion is kept until the model is judged", was, review)
  }
  if (review.until === null || review.lease_n === (was?.lease_n ?? 0)) return
  const own = review.opinions.find(({ key }) => key === review.key)
  must(own === undefined || review.leased_at! - own.at >= LEFT_TO_OTHERS_MS, "a key leaves a model that it judged to others", review)
}

const isFailed = ({ now }: Window, { candidate, ending, seats }: Ended): boolean =>
  ending === "finished" && seats.some(({ strikes, version }) => version === candidate && strikes >= now.settings.rules.match.strike_limit)

/** Of a candidate that was rejected meanwhile, as when finals begin, nothing is confirmed. */
const isOnTrial = ({ before, now }: Window, candidate: string): boolean => {
  const { phase, reject_reason } = now.versions.get(candidate)!
  return before.versions.get(candidate)?.phase === "trial" && (phase === "trial" || reject_reason === "trial_failed")
}

/** The first of its candidate's is confirmed by a second result of the same match. */
const checkFailed = (window: Window, match: Ended, reports: ReadonlyArray<Played>): void => {
  const { before, log, now } = window
  const earlier = [...log.values(), ...now.ended].some(
    (each) =>
      each.id !== match.id && each.candidate === match.candidate && (isFailed(window, each) || each.fault_reason === "replay_mismatch")
  )
  const others = heardThroughout(window, ({ keys }) => keys).filter((key) => key !== match.key)
  const leases = new Set(reports.filter((report) => isStruckOut(now, report)).map(({ lease }) => lease))
  const aside = before.live.get(match.id)?.tries.some(({ reason }) => reason === "struck_out") === true
  must(
    earlier || aside || leases.size > 1 || others.length === 0,
    "a failed trial match is confirmed where another key plays",
    match,
    others
  )
}

/** By the rows before and after: others that came or went in between may have been asked, or not. */
const checkRefused = (window: Window, version: string, reports: ReadonlyArray<Report>): void => {
  const { infer_us_max } = window.now.settings.rules
  const refusals = reports.filter(
    ({ verdict }) =>
      verdict.verdict === "rejected" || (verdict.verdict === "admitted" && (verdict.infer_us > infer_us_max || verdict.memory.cell > 0))
  )
  const leases = new Set(refusals.map(({ lease }) => lease))
  const judges = new Set(reports.map(({ key }) => key))
  const others = heardThroughout(window, ({ examiners }) => examiners).filter((key) => !judges.has(key))
  must(leases.size > 1 || others.length === 0, "a refusal is confirmed where another key examines", version, reports, others)
}
