/** Creating a season (docs/contract.md#creating-a-season). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NamedGame, PlatformAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { name } from "../Name.ts"
import { FieldErrors, Problem } from "../Problem.ts"
import { AnyInstant, Count, Slug, text, withDefault } from "../Wire.ts"
import { WeightClass } from "./Rules.ts"
import { Season } from "./Season.ts"

export class SeasonExists extends Problem<SeasonExists>()("season_exists", 409, "There is a season of that name") {}
export class RulesInvalid extends Problem<RulesInvalid>()("rules_invalid", 422, "The rules are not valid", { errors: FieldErrors }) {}

const FleetUse = Schema.Literals(["own", "platform", "both"])
export const Fleet = Schema.Struct({ matches: FleetUse, admissions: FleetUse }).annotate({ identifier: "Fleet" })

/** Extra counted matches while none is owed; `max_per_hour` null is no limit. */
export const Fill = Schema.Struct({ enabled: Schema.Boolean, max_per_hour: Schema.NullOr(Schema.Int) }).annotate({ identifier: "Fill" })

/** Every rule may be left out; an unknown key is `rules_invalid`, so the schema accepts any key. */
export const RulesBody = Schema.Record(Schema.String, Schema.Json).annotate({ identifier: "RulesPatch" })

/** More classes, providers or first administrators than a season has; a longer list is not read. */
const LISTED_MAX = 100

/** The classes in their order; a class without a memory cap allows no memory. */
export const ClassesBody = Schema.Array(
  Schema.Struct({ ...WeightClass.fields, memory_flat_bytes: withDefault(Count, 0), memory_cell_bytes: withDefault(Count, 0) })
).check(Schema.isMaxLength(LISTED_MAX))

export const CreateSeason = Schema.Struct({
  name: name(100),
  slug: Schema.optionalKey(Slug),
  submissions_open_at: AnyInstant,
  submissions_close_at: AnyInstant,
  rules: Schema.optionalKey(RulesBody),
  weight_classes: ClassesBody,
  visibility: Schema.Literals(["public", "private"]),
  entry: Schema.Literals(["open", "restricted"]),
  fleet: Fleet,
  providers: Schema.Array(Slug).check(Schema.isMaxLength(LISTED_MAX)),
  admins: Schema.optionalKey(Schema.Array(text(1, 100)).check(Schema.isMaxLength(LISTED_MAX)))
}).annotate({ identifier: "CreateSeason" })
export type CreateSeason = typeof CreateSeason.Type

export class SeasonCreationGroup extends HttpApiGroup.make("seasonCreation").add(
  HttpApiEndpoint.post("createSeason", "/v1/games/:game/seasons", {
    params: { game: Schema.String },
    payload: CreateSeason,
    success: Season.pipe(HttpApiSchema.status(201)),
    error: [SeasonExists, RulesInvalid]
  })
    .middleware(JsonBody)
    .middleware(NamedGame)
    .middleware(PlatformAdmin)
    .annotate(Rate, "write")
) {}
