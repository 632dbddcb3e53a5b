/**
 * A refusal keeps a competitor out, and a runner that is broken, slow or hostile refuses sound files. So where another key has judged
 * models within a day, or examines one now, a refusal alone decides nothing: the review goes back, and the key leaves it to others for
 * five minutes.
 *
 *   admitted ───────────────────────────────────────────────▶ admitted
 *   refused ──there is no other such key────────────────────▶ rejected
 *      │ └──────────another key refuses too─────────────────▶ rejected, for the reason given first
 *      └──another key admits──no third key──────────────────▶ admitted
 *                 └───────────a third key───────────────────▶ by the majority
 *
 * A key that has given its opinion before may examine again after the five minutes. If it does, nobody else came: its new opinion takes the
 * place of the old one, and the opinions so far decide, for the candidate where they differ.
 */
import { writtenItself } from "../Audit.ts"
import { hasOther, heardExaminers } from "../key/HeardKeys.ts"
import { OPINION_MS } from "../Lease.ts"
import type { State } from "../State.ts"
import type { Opinion, Review, Version } from "../Version.ts"
import { judgedBy, type LimitCheck } from "./Limits.ts"
import type { Judgement } from "./Verdict.ts"

/** Whether the key may examine the model now, as far as its opinion goes. */
export const mayJudge = ({ now }: State, { opinions }: Review, key: string): boolean =>
  !opinions.some((each) => each.key === key && now < each.at + OPINION_MS)

/** The opinion that decides, with the one that was just given; undefined where another key is asked first. */
export const decisive = (state: State, review: Review, version: Version, given: Judgement): Opinion | undefined => {
  const { key, runner } = review as Review & { readonly key: string; readonly runner: string }
  const again = review.opinions.some((each) => each.key === key)
  review.opinions = [...review.opinions.filter((each) => each.key !== key), { key, runner, at: state.now, verdict: given }]
  const admits = ({ verdict }: Opinion) => {
    const limits = limitsOf(state, version, verdict)
    return limits !== undefined && (limits.within || limits.fault[0] === "too_large") // the season knows the size itself
  }
  const admissions = review.opinions.filter(admits)
  const refusals = review.opinions.filter((each) => !admits(each))
  const isSettled = refusals.length === 0 || refusals.length > 1 || admissions.length > 1
  const judges = review.opinions.map((each) => each.key)
  if (!isSettled && !again && hasOther(heardExaminers(state), state.reviews, judges)) return undefined
  const [right, wrong] = refusals.length > 1 || admissions.length === 0 ? [refusals, admissions] : [admissions, refusals]
  for (const each of wrong) doubt(state, version, each)
  return right[0]
}

/** How the season's limits judge what a runner has measured; undefined where the runner itself refused the model. */
export const limitsOf = (state: State, version: Version, verdict: Judgement): LimitCheck | undefined =>
  verdict.verdict === "rejected" ? undefined : judgedBy(state, { ...version, ...measured(verdict) })

export const measured = ({ infer_us, memory, param_count }: Extract<Judgement, { verdict: "admitted" }>) => ({
  infer_us,
  param_count,
  memory_flat: memory.flat,
  memory_cell: memory.cell
})

const doubt = (state: State, { id, number }: Version, { key, runner, verdict }: Opinion): void =>
  writtenItself(state, "runner.doubt", runner, number, {
    key,
    version: id,
    said: verdict.verdict === "rejected" ? `${verdict.reject_reason}: ${verdict.reject_detail}` : verdict.verdict,
    detail: "Another key examined the same files and came to the opposite."
  })

/** The opinions of a key that is revoked count no more. */
export const forgetOpinions = (state: State, key: string): void => {
  for (const review of state.reviews.values()) {
    if (!review.opinions.some((each) => each.key === key)) continue
    review.opinions = review.opinions.filter((each) => each.key !== key)
    state.writes.reviews.add(review.version)
  }
}
