/** Request and answer of an examination (docs/contract.md#runner-protocol). */

export type RejectReason =
  | "hash_mismatch"
  | "weights_unreadable"
  | "manifest_invalid"
  | "unsupported_operator"
  | "external_data"
  | "wrong_signature"
  | "too_large"
  | "memory_over_class"
  | "not_deterministic"
  | "resource_limit"

export interface Rejected {
  readonly verdict: "rejected"
  readonly reject_reason: RejectReason
  /** A sentence that tells the competitor what to fix. */
  readonly reject_detail: string
}
export interface Admitted {
  readonly verdict: "admitted"
  /** Elements of initializers and constants. */
  readonly param_count: number
  /** Processor time of one run on the largest board, batch of one: the worst median over the kinds of observation. */
  readonly infer_us: number
  readonly memory: { readonly flat: number; readonly cell: number }
  /** There where every run gave all actions the same number, so that the lowest legal one is played whatever is shown. */
  readonly undecided?: true
}
/** The machine's fault; it says nothing about the model. */
export interface Failed {
  readonly verdict: "failed"
  readonly detail: string
}
export type Verdict = Admitted | Rejected | Failed

export interface WeightClass {
  readonly class: string
  readonly max_bytes: number
  readonly memory_flat_bytes: number
  readonly memory_cell_bytes: number
}
export interface BoardSize {
  readonly rows: number
  readonly cols: number
  readonly players: number
}
export interface ExamineRequest {
  readonly game: string
  readonly weights: Uint8Array
  readonly manifest: Uint8Array
  /** sha256, lower-case hex; not checked where absent. */
  readonly weights_hash?: string
  readonly manifest_hash?: string
  readonly weight_classes: ReadonlyArray<WeightClass>
  readonly boards: ReadonlyArray<BoardSize>
}

const DETAIL_MAX_CHARACTERS = 600
/** Of a text of the file, within a sentence. */
export const QUOTED_MAX_CHARACTERS = 64

const shortened = (text: string, max: number): string => (text.length > max ? `${text.slice(0, max - 1)}…` : text)

export const reject = (reject_reason: RejectReason, reject_detail: string): Rejected => ({
  verdict: "rejected",
  reject_reason,
  reject_detail: plain(shortened(reject_detail, DETAIL_MAX_CHARACTERS))
})

/** Control characters, halves of a surrogate pair, ends of lines and controls of direction. */
export const UNFIT = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu

/** One line of well-formed text: unfit characters become question marks. */
export const plain = (text: string): string => text.replace(UNFIT, "?")

/** Makes text from an untrusted file fit for a sentence: printable, quoted and short. */
export const quote = (text: string): string => `"${shortened(text.replace(/[^\x20-\x7e]/g, "?"), QUOTED_MAX_CHARACTERS)}"`
