/** Matches that administrators recommend (docs/contract.md#picks). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { PlatformAdmin, UnknownGame } from "../Authorization.ts"
import { Cached, JsonBody, Rate } from "../Boundary.ts"
import { prose } from "../Name.ts"
import * as page from "../Page.ts"
import { NotFound, Problem } from "../Problem.ts"
import { SeasonPrivate } from "../season/administration.ts"
import { Id, Instant, Uuid } from "../Wire.ts"

const NOTE_MAX = 500

export class PickExists extends Problem<PickExists>()("pick_exists", 409, "The match is picked") {}

/** `match` is its id; the note says why it is worth watching. */
export const Pick = Schema.Struct({ id: Id, match: Id, note: Schema.NullOr(Schema.String), picked_at: Instant }).annotate({
  identifier: "Pick"
})
export type Pick = typeof Pick.Type

/** Newest first. */
export const Picks = page.listOf("Picks", "picks", Pick)
export type Picks = typeof Picks.Type

export const PickMatch = Schema.Struct({
  match: Uuid,
  note: Schema.optionalKey(Schema.NullOr(prose(NOTE_MAX)))
}).annotate({ identifier: "PickMatch" })
export type PickMatch = typeof PickMatch.Type

export class PickGroup extends HttpApiGroup.make("pick").add(
  HttpApiEndpoint.get("picks", "/v1/games/:game/picks", {
    params: { game: Schema.String },
    query: page.query,
    success: Picks,
    error: UnknownGame
  }).middleware(Cached)
) {}

export class PickAdminGroup extends HttpApiGroup.make("pickAdmin")
  .add(
    /** Of every game. */
    HttpApiEndpoint.get("allPicks", "/v1/admin/picks", { query: page.query, success: Picks }),
    /** Only matches that count: a trial is as unknown as an unplayed match. */
    HttpApiEndpoint.post("pick", "/v1/admin/picks", {
      payload: PickMatch,
      success: Pick.pipe(HttpApiSchema.status(201)),
      error: [NotFound, SeasonPrivate, PickExists]
    }).middleware(JsonBody),
    HttpApiEndpoint.delete("unpick", "/v1/admin/picks/:id", { params: { id: Uuid }, success: Pick, error: NotFound })
  )
  .middleware(PlatformAdmin)
  .annotateEndpoints(Rate, "session") {}
