/**
 * The answer to a result for work that is no longer open follows from how the work ended, so a repeat needs no memory
 * of its own and gets the first answer after any restart (docs/contract.md#runner-protocol). A lease is named
 * `<match or version id>.<n>`.
 */
import type { Receipt } from "../Command.ts"
import type { Ending, FaultReason, Status } from "../Reasons.ts"

/** The row of the work: a match that ended, or a version that went through review. */
export type EndedWork =
  | {
      readonly kind: "match"
      readonly lease_n: number
      readonly key: string | null // the last holder's
      readonly released: boolean
      readonly ending: Ending
      readonly fault_reason: FaultReason | null
    }
  | {
      readonly kind: "admission"
      readonly status: Status
      readonly admit_attempt: number
      readonly admit_key: string | null // the key that answered the last attempt; null: none has
    }

/** A lease before the last is lost for any key; the last one is answered only to its holder. */
export const answerAgain = (row: EndedWork | undefined, lease: { readonly n: number; readonly key: string }): Receipt => {
  if (row === undefined) return { accepted: false, reason: "unknown" }
  const last = row.kind === "match" ? row.lease_n : row.admit_attempt
  if (lease.n < last || (lease.n === last && isCutOff(row))) return { accepted: false, reason: "lost" }
  const holder = row.kind === "match" ? row.key : row.admit_key
  if (lease.n > last || holder !== lease.key) return { accepted: false, reason: "unknown" }
  return row.kind === "admission" ? { accepted: true } : answerMatch(row)
}

/**
 * A review that a close, finals or the fifth failure ended before its last attempt was
 * answered. Its holder is not recorded.
 */
const isCutOff = (row: EndedWork): boolean => row.kind === "admission" && row.admit_key === null && row.status === "rejected"

const answerMatch = (row: Extract<EndedWork, { readonly kind: "match" }>): Receipt => {
  if (row.released) return { accepted: false, reason: "released" }
  // A cancelled match with a fault was reported unplayable under its last lease, then
  // withdrawn while waiting for a retry.
  if (row.ending === "cancelled" && row.fault_reason === null) return { accepted: false, reason: "withdrawn" }
  return row.ending === "failed" && row.fault_reason === "runner_lost" ? { accepted: false, reason: "lost" } : { accepted: true }
}
