/** Changing an existing season (docs/contract.md#editing-a-season). Every route answers the season record. */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { NamedSeason, PlatformAdmin, SeasonAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { Problem } from "../Problem.ts"
import { SeasonClosed } from "../version/refusals.ts"
import { AnyInstant, Count } from "../Wire.ts"
import { ClassesBody, Fleet, RulesBody, RulesInvalid } from "./creation.ts"
import { Season } from "./Season.ts"

export class SeasonNotScheduled extends Problem<SeasonNotScheduled>()(
  "season_not_scheduled",
  409,
  "The season is not scheduled any more"
) {}
export class EntryFixed extends Problem<EntryFixed>()("entry_fixed", 409, "Who may enter cannot change any more") {}
export class SeasonPrivate extends Problem<SeasonPrivate>()("season_private", 409, "The season is private") {}

/** Keys left out keep their value, also inside `rules`. Name, visibility, entry and fleet are not edited here. */
export const EditSeason = Schema.Struct({
  submissions_open_at: Schema.optionalKey(AnyInstant),
  submissions_close_at: Schema.optionalKey(AnyInstant),
  rules: Schema.optionalKey(RulesBody),
  weight_classes: Schema.optionalKey(ClassesBody)
}).annotate({ identifier: "EditSeason" })
export type EditSeason = typeof EditSeason.Type

export const EditFleet = Schema.Struct({
  matches: Schema.optionalKey(Fleet.fields.matches),
  admissions: Schema.optionalKey(Fleet.fields.admissions)
}).annotate({ identifier: "EditFleet" })
export type EditFleet = typeof EditFleet.Type

/** Extra counted matches while none is owed; `max_per_hour` null is no limit. */
export const EditFill = Schema.Struct({
  enabled: Schema.optionalKey(Schema.Boolean),
  max_per_hour: Schema.optionalKey(Schema.NullOr(Count))
}).annotate({ identifier: "EditFill" })
export type EditFill = typeof EditFill.Type

/** Entry can only be narrowed. */
export const NarrowEntry = Schema.Struct({ entry: Schema.Literal("restricted") }).annotate({ identifier: "NarrowEntry" })

const params = { game: Schema.String, slug: Schema.String }
const season = "/v1/games/:game/seasons/:slug"

/** By the season's administrators. */
export class SeasonEditingGroup extends HttpApiGroup.make("seasonEditing")
  .add(
    HttpApiEndpoint.patch("editSeason", season, {
      params,
      payload: EditSeason,
      success: Season,
      error: [SeasonNotScheduled, RulesInvalid]
    }).middleware(JsonBody),
    /** Only narrows, once, while the season is scheduled and public. */
    HttpApiEndpoint.patch("narrowEntry", `${season}/entry`, {
      params,
      payload: NarrowEntry,
      success: Season,
      error: [EntryFixed, SeasonNotScheduled]
    }).middleware(JsonBody),
    /** Carried out within 90 seconds; a repeat answers the time of the first request. */
    HttpApiEndpoint.post("closeSeason", `${season}/close`, { params, success: Season })
  )
  .middleware(SeasonAdmin)
  .annotateEndpoints(Rate, "write") {}

/** By the platform's administrators. */
export class SeasonSteeringGroup extends HttpApiGroup.make("seasonSteering")
  .add(
    HttpApiEndpoint.post("featureSeason", `${season}/featured`, { params, success: Season, error: SeasonPrivate }),
    HttpApiEndpoint.patch("changeFleet", `${season}/fleet`, {
      params,
      payload: EditFleet,
      success: Season,
      error: SeasonClosed
    }).middleware(JsonBody),
    HttpApiEndpoint.patch("changeFill", `${season}/fill`, { params, payload: EditFill, success: Season, error: SeasonClosed }).middleware(
      JsonBody
    )
  )
  .middleware(NamedSeason)
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "write") {}
