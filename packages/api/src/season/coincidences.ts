/**
 * Results and networks that agree in a season more than chance allows, for its administrators
 * (docs/contract.md#coincidences).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { SeasonAdmin } from "../Authorization.ts"
import { Rate } from "../Boundary.ts"
import { Count, Id, Instant } from "../Wire.ts"

/** One owner had more points against another than the ratings of their entries say. */
export const PairOfOwners = Schema.Struct({
  gainer: Schema.String,
  giver: Schema.String,
  matches: Count,
  points: Schema.Finite,
  expected_points: Schema.Finite,
  deviations: Schema.Finite,
  chance: Schema.Finite
}).annotate({ identifier: "PairOfOwners" })
export type PairOfOwners = typeof PairOfOwners.Type

/** An owner did better or worse against everybody else where a certain other had a seat. */
export const Companion = Schema.Struct({
  owner: Schema.String,
  companion: Schema.String,
  matches: Count,
  share: Schema.Finite,
  expected_share: Schema.Finite,
  deviations: Schema.Finite,
  chance: Schema.Finite
}).annotate({ identifier: "Companion" })
export type Companion = typeof Companion.Type

export const VersionOfOwner = Schema.Struct({ version_id: Id, owner: Schema.String, model: Schema.String, version: Count }).annotate({
  identifier: "VersionOfOwner"
})
export type VersionOfOwner = typeof VersionOfOwner.Type

/** Two versions of different owners with the same network, byte for byte. */
export const Likeness = Schema.Struct({ earlier: VersionOfOwner, later: VersionOfOwner }).annotate({
  identifier: "Likeness"
})
export type Likeness = typeof Likeness.Type

export const Coincidences = Schema.Struct({
  matches: Count,
  pairs_judged: Count,
  /** At most 20, the least likely first. */
  pairs: Schema.Array(PairOfOwners),
  companions_judged: Count,
  /** At most 20, the least likely first. */
  companions: Schema.Array(Companion),
  versions_compared: Count,
  /** At most 20, in the order of submission of the later one. */
  same_weights: Schema.Array(Likeness),
  computed_at: Instant
}).annotate({ identifier: "Coincidences" })
export type Coincidences = typeof Coincidences.Type

export class CoincidenceGroup extends HttpApiGroup.make("coincidence")
  .add(
    HttpApiEndpoint.get("coincidences", "/v1/games/:game/seasons/:slug/coincidences", {
      params: { game: Schema.String, slug: Schema.String },
      success: Coincidences
    }).annotate(Rate, "session")
  )
  .middleware(SeasonAdmin) {}
