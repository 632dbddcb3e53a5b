/** Actions of a season's administrators on its matches (docs/contract.md#voiding-a-match). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { InSeason, SeasonAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { reason } from "../Name.ts"
import { Problem } from "../Problem.ts"
import { SeasonClosed } from "../version/refusals.ts"
import { Id } from "../Wire.ts"

export class MatchNotFinished extends Problem<MatchNotFinished>()("match_not_finished", 409, "The match has no result") {}

export const VoidMatch = Schema.Struct({ reason: reason(500) }).annotate({ identifier: "VoidMatch" })

/** `voiding`: the match no longer counts, and ratings are still being computed without it. */
export const VoidedMatch = Schema.Struct({ match: Id, state: Schema.Literals(["voided", "voiding"]) }).annotate({
  identifier: "VoidedMatch"
})
export type VoidedMatch = typeof VoidedMatch.Type

/** A match in any state, by its id. */
const params = { game: Schema.String, slug: Schema.String, id: Schema.String }

export class MatchAdminGroup extends HttpApiGroup.make("matchAdmin")
  .add(
    /** Answers the same when it is asked again. */
    HttpApiEndpoint.post("voidMatch", "/v1/games/:game/seasons/:slug/matches/:id/void", {
      params,
      payload: VoidMatch,
      success: VoidedMatch,
      error: [SeasonClosed, MatchNotFinished]
    }).middleware(JsonBody)
  )
  .middleware(InSeason)
  .middleware(SeasonAdmin)
  .annotateEndpoints(Rate, "write") {}
