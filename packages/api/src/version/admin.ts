/** Actions of a season's administrators on its versions (docs/contract.md#disqualification). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { InSeason, SeasonAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { name } from "../Name.ts"
import { Problem } from "../Problem.ts"
import { SeasonClosed } from "./refusals.ts"
import { Version } from "./Version.ts"

export class NotInContention extends Problem<NotInContention>()("not_in_contention", 409, "The version is not in contention") {}

export const DisqualifyVersion = Schema.Struct({ reason: name(500), void_matches: Schema.Boolean }).annotate({
  identifier: "DisqualifyVersion"
})

/** A version in any status, by its id. */
const params = { game: Schema.String, slug: Schema.String, id: Schema.String }
const version = "/v1/games/:game/seasons/:slug/versions/:id"

export class VersionAdminGroup extends HttpApiGroup.make("versionAdmin")
  .add(
    /** Answers the same when it is asked again. */
    HttpApiEndpoint.post("disqualifyVersion", `${version}/disqualify`, {
      params,
      payload: DisqualifyVersion,
      success: Version,
      error: [SeasonClosed, NotInContention]
    }).middleware(JsonBody),
    /** A suspended or disqualified entry plays again. Any other version is answered unchanged. */
    HttpApiEndpoint.post("reinstateVersion", `${version}/reinstate`, { params, success: Version, error: SeasonClosed })
  )
  .middleware(InSeason)
  .middleware(SeasonAdmin)
  .annotateEndpoints(Rate, "write") {}
