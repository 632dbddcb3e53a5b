/**
 * The answer to a result for work that is no longer open follows from how the work ended, so a repeat needs no memory
 * of its own and gets the first answer after any restart (DECISIONS section 11). A lease is `<match or version id>.<n>`.
 */
import type { Receipt } from "./Command.ts"
import type { Ending, FaultReason } from "./Reasons.ts"

/** What the rows say of the work: a match that ended, or a version that went through review. */
export type EndedWork =
  | {
      readonly kind: "match"
      readonly lease_n: number
      readonly key: string | null // of the last holder
      readonly released: boolean
      readonly ending: Ending
      readonly fault_reason: FaultReason | null
    }
  | { readonly kind: "admission"; readonly admit_attempt: number; readonly admit_key: string | null }

/** An older lease is lost whoever asks; the last one is answered to its holder alone. */
export const answerAgain = (row: EndedWork | undefined, lease: { readonly n: number; readonly key: string }): Receipt => {
  if (row === undefined) return { accepted: false, reason: "unknown" }
  const last = row.kind === "match" ? row.lease_n : row.admit_attempt
  if (lease.n < last) return { accepted: false, reason: "lost" }
  const holder = row.kind === "match" ? row.key : row.admit_key
  if (lease.n > last || holder !== lease.key) return { accepted: false, reason: "unknown" }
  return row.kind === "admission" ? { accepted: true } : answerMatch(row)
}

const answerMatch = (row: Extract<EndedWork, { readonly kind: "match" }>): Receipt => {
  if (row.released) return { accepted: false, reason: "released" }
  if (row.ending === "cancelled") return { accepted: false, reason: "withdrawn" }
  return row.ending === "failed" && row.fault_reason === "runner_lost" ? { accepted: false, reason: "lost" } : { accepted: true }
}
