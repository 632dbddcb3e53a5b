/** The text of every refusal of a submission: one place for the preflight and for POST, so that both say the same. */
import * as A from "@agon/api/submission/api.ts"
import { SeasonClosed } from "@agon/api/version/refusals.ts"
import type { RefusalFact } from "@agon/domain/submission/Refusals.ts"

const instant = (ms: number) => new Date(ms).toISOString()

export const worded = (fact: RefusalFact): A.Refusal => {
  switch (fact.code) {
    case "season_not_open":
      return new A.SeasonNotOpen({ detail: `Submissions open at ${instant(fact.opens_at)}.` })
    case "season_closed":
      return new SeasonClosed({ detail: "The season takes no more submissions." })
    case "not_eligible":
      return new A.NotEligible({ detail: "You are not on the season's roster, or have no identity at one of its sign-in providers." })
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
      return new A.WeightsAlreadyEntered({ detail: "The same weights are entered, or in admission, under another model in this season." })
  }
}
