/** A competitor's models (docs/contract.md#models). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { ModelOwner, NamedGame, Session, UnknownGame, UnknownSeason } from "../Authorization.ts"
import { JsonBody, Rate, RefusesBody } from "../Boundary.ts"
import { Outcome } from "../match/Match.ts"
import { name } from "../Name.ts"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"
import { ModelCapReached } from "../submission/api.ts"
import { twins } from "../twins.ts"
import { NoteWordListed } from "../version/refusals.ts"
import { Version } from "../version/Version.ts"
import { Id, Instant, Ladder, Uuid, withDefault } from "../Wire.ts"

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

export const Models = page.listOf("Models", "models", Model)
export type Models = typeof Models.Type

export const CreateModel = Schema.Struct({ name: name(64) }).annotate({ identifier: "CreateModel" })

export const ModelPatch = Schema.Struct({
  name: Schema.optionalKey(name(64)),
  retired: Schema.optionalKey(Schema.Boolean)
}).annotate({ identifier: "ModelPatch" })
export type ModelPatch = typeof ModelPatch.Type

/** A match of the model, with the change of its rating on the requested ladder. */
export const ModelResult = Schema.Struct({
  match: Id,
  outcome: Outcome,
  rank: Schema.Int,
  rating_change: Schema.Finite,
  played_at: Instant
}).annotate({ identifier: "ModelResult" })
export type ModelResult = typeof ModelResult.Type

/**
 * A model's record in a season. `class` is that of its version in contention, or of its latest; ranks are
 * those on `ladder`, null where it is not, or was not, on it. `best` and `worst` are the matches that raised
 * and lowered its rating most.
 */
export const ModelSeason = Schema.Struct({
  season: Schema.String,
  class: Schema.NullOr(Ladder),
  ladder: Ladder,
  rank: Schema.NullOr(Schema.Int),
  rank_week_ago: Schema.NullOr(Schema.Int),
  best: Schema.NullOr(ModelResult),
  worst: Schema.NullOr(ModelResult),
  /** Five at most, newest first. */
  last: Schema.Array(ModelResult)
}).annotate({ identifier: "ModelSeason" })
export type ModelSeason = typeof ModelSeason.Type

/**
 * How a model did on a board in a season: means over its counted matches; the change is
 * that of its rating on `open`.
 */
export const ModelMap = Schema.Struct({
  map_id: Schema.String,
  players: Schema.Int,
  matches: Schema.Int,
  mean_rank: Schema.Finite,
  mean_score: Schema.Finite,
  mean_rating_change: Schema.Finite
}).annotate({ identifier: "ModelMap" })
export type ModelMap = typeof ModelMap.Type

export const ModelMaps = Schema.Struct({ season: Schema.String, maps: Schema.Array(ModelMap) }).annotate({ identifier: "ModelMaps" })
export type ModelMaps = typeof ModelMaps.Type

/** Counted matches against another model. The better rank wins, also among more than two. */
export const Rival = Schema.Struct({
  model_id: Id,
  model: Schema.String,
  owner: Schema.NullOr(Schema.String),
  played: Schema.Int,
  wins: Schema.Int,
  draws: Schema.Int,
  losses: Schema.Int,
  last_played_at: Instant
}).annotate({ identifier: "Rival" })
export type Rival = typeof Rival.Type

export const Rivals = page.listOf("Rivals", "rivals", Rival)
export type Rivals = typeof Rivals.Type

const params = { id: Uuid }
/** An id that is not a UUID answers like an unknown one: `null`. */
const anyId = { id: Schema.String }

export class ModelGroup extends HttpApiGroup.make("model").add(
  HttpApiEndpoint.post("createModel", "/v1/games/:game/models", {
    params: { game: Schema.String },
    payload: CreateModel,
    success: Model.pipe(HttpApiSchema.status(201)),
    error: [MissingName, UnknownGame, NoteWordListed, ModelCapReached, ModelNameTaken]
  })
    .middleware(JsonBody)
    .middleware(NamedGame)
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
  ...twins("model", "/models/:id", { params: anyId, success: Schema.NullOr(ModelDetail) }),
  /** A retired model takes no submissions; its version in contention plays on. */
  HttpApiEndpoint.patch("editModel", "/v1/models/:id", {
    params,
    payload: ModelPatch,
    success: Model,
    error: [NoteWordListed, ModelNameTaken]
  })
    .middleware(JsonBody)
    .middleware(ModelOwner)
    .annotate(Rate, "write"),
  ...twins("modelSeason", "/models/:id/season", {
    params,
    query: { season: Schema.optionalKey(Schema.String), ladder: withDefault(Ladder, "open") },
    success: ModelSeason,
    error: [UnknownGame, UnknownSeason]
  }),
  /** The boards of the season that the model has played on, in their order. */
  ...twins("modelMaps", "/models/:id/maps", {
    params,
    query: { season: Schema.optionalKey(Schema.String) },
    success: ModelMaps,
    error: [UnknownGame, UnknownSeason]
  }),
  /** Every opponent in the seasons that the reader may see, the most frequent first. */
  ...twins("rivals", "/models/:id/rivals", { params, query: page.query, success: Rivals })
) {}
