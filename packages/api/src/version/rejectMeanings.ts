/** Each reject reason in words, to be read after "it was rejected: ". The starter kit says what to do about each. */
import type { RejectReason } from "./RejectReason.ts"

export const rejectMeanings: Readonly<Record<RejectReason, string>> = {
  hash_mismatch: "a file is not the one whose hash was submitted",
  weights_unreadable: "its weights cannot be read as an ONNX model",
  manifest_invalid: "its manifest is not valid",
  unsupported_operator: "its network has an operator that is not supported",
  external_data: "its weights are in a second file, which was not sent",
  wrong_signature: "an input or output of its network is not as the game needs it",
  too_large: "its files are larger than the season allows",
  memory_over_class: "its memory is more than its class allows",
  too_slow: "one move takes it longer than the season allows",
  not_deterministic: "its answers are not finite numbers, or not the same each time",
  resource_limit: "it takes more processor time or memory than a runner may give it",
  upload_expired: "its files were not sent within the time for the upload",
  trial_failed: "it reached the strike limit in a trial match",
  admission_unavailable: "the runners failed to examine it or to play its trial, which is no fault of its own",
  season_closed: "the season closed, or its finals began, before it had entered"
}
