/** Actions of a season's administrators on its versions (docs/contract.md#suspension). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { InSeason, SeasonAdmin } from "../Authorization.ts"
import { Rate } from "../Boundary.ts"
import { SeasonClosed } from "./refusals.ts"
import { Version } from "./Version.ts"

/** A version in any status, by its id. */
const params = { game: Schema.String, slug: Schema.String, id: Schema.String }
const version = "/v1/games/:game/seasons/:slug/versions/:id"

export class VersionAdminGroup extends HttpApiGroup.make("versionAdmin")
  .add(
    /** A suspended entry plays again. A version that is not suspended is answered unchanged. */
    HttpApiEndpoint.post("reinstateVersion", `${version}/reinstate`, { params, success: Version, error: SeasonClosed })
  )
  .middleware(InSeason)
  .middleware(SeasonAdmin)
  .annotateEndpoints(Rate, "write") {}
