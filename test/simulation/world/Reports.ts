/**
 * Reports of runners about their work: mostly the truth, at times nonsense. Every result of
 * a match has its own `turns`.
 */
import type { Command, MatchOutcome, Work } from "@agon/domain/season/Command.ts"
import type { Chance } from "./Chance.ts"
import { lostIn, type Sick } from "./Sickness.ts"

/** A report of this work under this key; an honest one is sound and finds nothing wrong with anybody. */
export type Report = (work: Work, key: string, honest?: boolean) => Command

/** Each report has its own; every third is too long to be kept with its match. */
const replayOf = (n: number): MatchOutcome["replay"] => {
  const content = `replay ${n}`
  return { hash: `hash of ${content}`, bytes: content.length, ...(n % 3 === 0 ? {} : { content }) }
}

export const make = (chance: Chance, limit: number, sick: Sick): Report => {
  let reports = 0

  const scored = (work: Extract<Work, { kind: "match" }>, honest: boolean): MatchOutcome => {
    const scores = work.versions.map(() => chance.between(0, 3))
    const strikes = work.versions.map(() => (!honest && chance.in(0.08) ? limit : 0))
    const better = (a: number, b: number) =>
      strikes[a]! >= limit === strikes[b]! >= limit ? scores[a]! > scores[b]! : strikes[b]! >= limit
    const seats = scores.map((score, i) => ({
      score,
      rank: 1 + scores.filter((_, other) => better(other, i)).length,
      strikes: strikes[i]!
    }))
    const told = { runtime_version: "ort", reason: "last_standing", turns: ++reports, played_ms: 5, seats, state_sha256: "s" } as const
    return { ...told, replay: replayOf(reports) }
  }
  const spoilt = (outcome: MatchOutcome): MatchOutcome =>
    chance.in(0.5)
      ? { ...outcome, seats: outcome.seats.slice(1) }
      : { ...outcome, seats: outcome.seats.map((seat, i) => (i === 0 ? { ...seat, rank: seat.rank + 1 } : seat)) }

  const verdict = (honest: boolean) => {
    const admitted = { verdict: "admitted", runtime_version: "ort", param_count: 10, infer_us: 100, memory: { flat: 0, cell: 0 } } as const
    const x = honest ? 1 : chance.next()
    if (x < 0.26) return { verdict: "failed", detail: "out of memory" } as const
    if (x < 0.32) return { verdict: "rejected", runtime_version: "ort", reject_reason: "wrong_signature", reject_detail: "No." } as const
    if (x < 0.36) return { ...admitted, infer_us: 20_001 }
    return x < 0.4 ? { ...admitted, memory: { flat: 0, cell: 100 } } : admitted
  }
  return (work, key, honest = false) => {
    const { lease } = work
    if (work.kind === "admission") return { _tag: "ReportAdmission", key, lease, verdict: verdict(honest) }
    const x = honest ? 1 : chance.next()
    const fault = { _tag: "ReportFault", key, lease, detail: "x" } as const
    if (x < 0.015) return { ...fault, fault_reason: "engine_fault" }
    if (x < 0.02) return { ...fault, fault_reason: "weights_unavailable", version: chance.pick(work.versions) } // a lie, or a bad disk
    const lost = lostIn(sick, work)
    if (lost !== undefined) return { ...fault, fault_reason: "weights_unavailable", ...(honest || chance.in(0.7) ? { version: lost } : {}) }
    const outcome = scored(work, honest)
    return { _tag: "ReportMatch", key, lease, outcome: x < 0.04 ? spoilt(outcome) : outcome }
  }
}
