/** The text of every refusal of a submission: one place for the preflight and for POST, so that both say the same. */
import * as A from "@agon/api/submission/api.ts"
import { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { RefusalFact } from "@agon/domain/submission/Refusals.ts"

/** Why an account may not enter a season. */
export interface Barred {
  readonly is_listed: boolean
  /** Labels of the sign-ins that the season asks for and the account has none of; none where that does not stand in the way. */
  readonly wanted: ReadonlyArray<string>
}

const UNLISTED =
  "You are not on the season's roster: ask its administrators. If it names you by another sign-in of yours, add that one in Settings while you are signed in."

/** Without a session a sign-in makes another account, which holds it for good, so each sentence says how it comes to this one. */
const notEligible = ({ is_listed, wanted }: Barred = { is_listed: false, wanted: [] }): string => {
  if (wanted.length === 0) return UNLISTED
  const unknown = `The season takes accounts that have a sign-in by ${wanted.join(" or ")}. Yours has none: add one in Settings while you are signed in.`
  return is_listed ? unknown : `${UNLISTED} ${unknown}`
}

const instant = (ms: number) => new Date(ms).toISOString()

/** `season` is its slug: who named none has to be told which was meant. */
export const worded = (fact: RefusalFact, season: string, barred?: Barred): A.Refusal => {
  switch (fact.code) {
    case "season_not_open":
      return new A.SeasonNotOpen({ detail: `Submissions to season ${season} open at ${instant(fact.opens_at)}.` })
    case "season_closed":
      return new SeasonClosed({ detail: `Season ${season} takes no more submissions.` })
    case "not_eligible":
      return new A.NotEligible({ detail: notEligible(barred) })
    case "model_retired":
      return new A.ModelRetired({ detail: "The model is retired; take it out of retirement to submit to it." })
    case "model_cap_reached":
      return new A.ModelCapReached({ detail: `You hold ${fact.held} models in this season, and may hold ${fact.cap}.` })
    case "version_cap_reached":
      return new A.VersionCapReached({ detail: `The model holds ${fact.held} versions in this season, and may hold ${fact.cap}.` })
    case "cooldown": {
      const retry_at = instant(fact.retry_at)
      return new A.Cooldown({ detail: `You may submit again at ${retry_at}.`, retry_at })
    }
    case "candidate_in_flight":
      return new A.CandidateInFlight({
        detail: "A version of yours is still in admission or trial in this season.",
        version_id: fact.version
      })
    case "weights_already_entered":
      return new A.WeightsAlreadyEntered({ detail: "The same weights have entered this season, or are in admission, under another model." })
  }
}
