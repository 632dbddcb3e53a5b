/**
 * Why a submission is refused (docs/contract.md#submissions). One function for the preflight and for
 * POST, so both give the same refusals in the same order; the service makes the sentences from these facts
 * in one place too (server/submission/wording.ts).
 */

export type RefusalFact =
  | { readonly code: "season_not_open"; readonly opens_at: number }
  | { readonly code: "season_closed" }
  | { readonly code: "not_eligible" }
  | { readonly code: "model_retired" }
  | { readonly code: "model_cap_reached"; readonly held: number; readonly cap: number }
  | { readonly code: "version_cap_reached"; readonly held: number; readonly cap: number }
  | { readonly code: "cooldown"; readonly retry_at: number }
  | { readonly code: "candidate_in_flight"; readonly version: string }
  | { readonly code: "weights_already_entered" }

/** Everything the refusals depend on, as it stands now. */
export interface SubmissionFacts {
  readonly now: number
  readonly opens_at: number
  readonly closes_at: number
  readonly over: boolean // closing, closed, or in its finals
  readonly eligible: boolean
  readonly retired: boolean
  readonly models: { readonly held: number; readonly cap: number; readonly has_this: boolean } // has_this: this model is among them
  readonly versions: { readonly held: number; readonly cap: number }
  readonly cooldown_until: number | null
  readonly candidate: string | null
  readonly weights_elsewhere: boolean // the same weights under another model or owner; false where no hash is given
}

/** All refusals in order; POST answers with the first. */
export const refusals = (facts: SubmissionFacts): ReadonlyArray<RefusalFact> => {
  const { candidate, closes_at, cooldown_until, models, now, opens_at, versions } = facts
  const found: Array<RefusalFact> = []
  // One that was closed before it opened never opens.
  if (now < opens_at && !facts.over) found.push({ code: "season_not_open", opens_at })
  if (now >= closes_at || facts.over) found.push({ code: "season_closed" })
  if (!facts.eligible) found.push({ code: "not_eligible" })
  if (facts.retired) found.push({ code: "model_retired" })
  if (!models.has_this && models.held >= models.cap) found.push({ code: "model_cap_reached", held: models.held, cap: models.cap })
  if (versions.held >= versions.cap) found.push({ code: "version_cap_reached", held: versions.held, cap: versions.cap })
  if (cooldown_until !== null && now < cooldown_until) found.push({ code: "cooldown", retry_at: cooldown_until })
  if (candidate !== null) found.push({ code: "candidate_in_flight", version: candidate })
  if (facts.weights_elsewhere) found.push({ code: "weights_already_entered" })
  return found
}
