/**
 * A season's versions as its administrators see them, and what they do to them
 * (docs/contract.md#versions-of-a-season).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { InSeason, SeasonAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { NameTerm, reason } from "../Name.ts"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"
import { withDefault } from "../Wire.ts"
import { SeasonClosed } from "./refusals.ts"
import { AdministeredVersion, Version } from "./Version.ts"

export class NotInContention extends Problem<NotInContention>()("not_in_contention", 409, "The version is not in contention") {}

export const DisqualifyVersion = Schema.Struct({ reason: reason(500), void_matches: Schema.Boolean }).annotate({
  identifier: "DisqualifyVersion"
})

/**
 * Which versions a list has: candidates, entries in contention, those of them that are not paired because their matches
 * kept failing, and entries out of play by decision.
 */
export const ListedState = Schema.Literals(["testing", "entered", "suspended", "disqualified"])
export type ListedState = typeof ListedState.Type

/** There is no total: only the rows of a page are looked for. */
export const SeasonVersions = Schema.Struct({ versions: Schema.Array(AdministeredVersion), next_cursor: page.NextCursor }).annotate({
  identifier: "SeasonVersions"
})
export type SeasonVersions = typeof SeasonVersions.Type

/** `name` is the beginning of a model's name or of its owner's username, in any case. */
const versionsQuery = { state: withDefault(ListedState, "testing"), name: Schema.optionalKey(NameTerm), ...page.query }

const params = { game: Schema.String, slug: Schema.String }
const versions = "/v1/games/:game/seasons/:slug/versions"
/** A version in any status, by its id. */
const one = { ...params, id: Schema.String }

export class VersionAdminGroup extends HttpApiGroup.make("versionAdmin")
  .add(
    /** Newest first. */
    HttpApiEndpoint.get("seasonVersions", versions, {
      params,
      query: versionsQuery,
      success: SeasonVersions
    }).annotate(Rate, "session"),
    /** Answers the same when it is asked again. */
    HttpApiEndpoint.post("disqualifyVersion", `${versions}/:id/disqualify`, {
      params: one,
      payload: DisqualifyVersion,
      success: Version,
      error: [SeasonClosed, NotInContention]
    })
      .middleware(JsonBody)
      .middleware(InSeason)
      .annotate(Rate, "write"),
    /** A suspended or disqualified entry plays again. Any other version is answered unchanged. */
    HttpApiEndpoint.post("reinstateVersion", `${versions}/:id/reinstate`, { params: one, success: Version, error: SeasonClosed })
      .middleware(InSeason)
      .annotate(Rate, "write")
  )
  .middleware(SeasonAdmin) {}
