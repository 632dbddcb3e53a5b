/** A competitor's models (http-api.md 2.5 and 4.4). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { Session, UnknownGame } from "../Authorization.ts"
import { JsonBody, Rate, RefusesBody, Shared } from "../Boundary.ts"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"
import { ModelCapReached } from "../submission/api.ts"
import { Version } from "../version/Version.ts"
import { Id, Instant, text } from "../Wire.ts"

export class MissingName extends Problem<MissingName>()("missing_name", 400, "A name is required") {}
export class ModelNameTaken extends Problem<ModelNameTaken>()("model_name_taken", 409, "You have a model of that name") {}

export const Model = Schema.Struct({
  id: Id,
  game: Schema.String,
  name: Schema.String,
  /** Null for a baseline. */
  owner: Schema.NullOr(Schema.String),
  retired: Schema.Boolean,
  created_at: Instant
}).annotate({ identifier: "Model" })
export type Model = typeof Model.Type

/** A model with every version of it that anyone may see, newest first. */
export const ModelDetail = Schema.Struct({ ...Model.fields, versions: Schema.Array(Version) }).annotate({ identifier: "ModelDetail" })
export type ModelDetail = typeof ModelDetail.Type

export const Models = page.listOf("models", Model)
export type Models = typeof Models.Type

export class ModelGroup extends HttpApiGroup.make("model").add(
  HttpApiEndpoint.post("createModel", "/v1/games/:game/models", {
    params: { game: Schema.String },
    payload: Schema.Struct({ name: text(1, 64) }),
    success: Model.pipe(HttpApiSchema.status(201)),
    error: [MissingName, UnknownGame, ModelCapReached, ModelNameTaken]
  })
    .middleware(JsonBody)
    .middleware(Session)
    .annotate(Rate, "write")
    .annotate(RefusesBody, (_errors, missing) =>
      missing.includes("name") ? new MissingName({ detail: "Give the model a name of 1 to 64 characters." }) : undefined
    ),
  /** The caller's own, newest first. */
  HttpApiEndpoint.get("ownModels", "/v1/models", {
    query: { game: Schema.optionalKey(Schema.String), ...page.query },
    success: Models,
    error: UnknownGame
  })
    .middleware(Session)
    .annotate(Rate, "read"),
  /** An unknown id, or one that is no UUID, answers `null`. */
  HttpApiEndpoint.get("model", "/v1/models/:id", { params: { id: Schema.String }, success: Schema.NullOr(ModelDetail) }).middleware(Shared)
) {}
