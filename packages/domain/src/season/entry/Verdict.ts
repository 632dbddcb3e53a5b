/** How a runner ends the review of a candidate: with measurements, with the fault of the model, or with its own. */
import type { RejectReason } from "../Reasons.ts"

export type Verdict = Judgement | { readonly verdict: "failed"; readonly detail: string }

export type Judgement =
  | {
      readonly verdict: "admitted"
      readonly runtime_version: string
      readonly param_count: number
      readonly infer_us: number
      readonly memory: { readonly flat: number; readonly cell: number }
    }
  | { readonly verdict: "rejected"; readonly runtime_version: string; readonly reject_reason: RejectReason; readonly reject_detail: string }
