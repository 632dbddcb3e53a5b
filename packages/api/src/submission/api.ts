/** Entering a version into a season (docs/contract.md#submissions). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Session, UnknownGame, UnknownSeason } from "../Authorization.ts"
import { JsonBody, Rate, RefusesBody } from "../Boundary.ts"
import { readable } from "../Name.ts"
import { Problem } from "../Problem.ts"
import { NoteTooLong, NoteWordListed, SeasonClosed } from "../version/refusals.ts"
import { Phase, Status } from "../version/Version.ts"
import { Id, Instant, Sha256, Upload } from "../Wire.ts"

export class MissingHash extends Problem<MissingHash>()("missing_hash", 400, "Both hashes are required") {}
export class UnknownModel extends Problem<UnknownModel>()("unknown_model", 404, "You have no such model") {}

export class ReenterInvalid extends Problem<ReenterInvalid>()("reenter_invalid", 400, "A re-entry names game, model, season and from") {}
export class NothingToReenter extends Problem<NothingToReenter>()("nothing_to_reenter", 404, "Nothing to re-enter") {}

export class SeasonNotOpen extends Problem<SeasonNotOpen>()("season_not_open", 409, "Submissions have not opened") {}
export class NotEligible extends Problem<NotEligible>()("not_eligible", 409, "You may not enter this season") {}
export class ModelRetired extends Problem<ModelRetired>()("model_retired", 409, "The model is retired") {}
export class ModelCapReached extends Problem<ModelCapReached>()("model_cap_reached", 409, "You hold as many models as you may") {}
export class VersionCapReached extends Problem<VersionCapReached>()(
  "version_cap_reached",
  409,
  "The model has as many versions as it may"
) {}
export class Cooldown extends Problem<Cooldown>()("cooldown", 409, "Too soon after your last submission", { retry_at: Instant }) {}
export class CandidateInFlight extends Problem<CandidateInFlight>()("candidate_in_flight", 409, "You have a version in admission", {
  version_id: Id
}) {}
export class WeightsAlreadyEntered extends Problem<WeightsAlreadyEntered>()(
  "weights_already_entered",
  409,
  "These weights are entered already"
) {}

/** No room for the files: the caller's quota is used up, or the disk nearly is. Checked after every other refusal. */
export class StorageFull extends Problem<StorageFull>()("storage_full", 507, "There is no room for the files") {}

/** In the order of the checks; of several, POST answers the first. */
export const refusals = [
  SeasonNotOpen,
  SeasonClosed,
  NotEligible,
  ModelRetired,
  ModelCapReached,
  VersionCapReached,
  Cooldown,
  CandidateInFlight,
  WeightsAlreadyEntered
] as const
export type Refusal = InstanceType<(typeof refusals)[number]>

/** More than any file that is sent. */
const WEIGHTS_BYTES_MAX = 2 ** 40

export const Submit = Schema.Struct({
  game: Schema.String,
  season: Schema.optionalKey(Schema.NullOr(Schema.String)),
  model: Schema.String,
  weights_hash: Sha256,
  manifest_hash: Sha256,
  /** Declared, it is checked before there is a candidate, whose upload the store would refuse. */
  weights_bytes: Schema.optionalKey(Schema.NullOr(Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: WEIGHTS_BYTES_MAX })))),
  note: Schema.optionalKey(Schema.NullOr(Schema.String.check(readable)))
}).annotate({ identifier: "Submit" })
export type Submit = typeof Submit.Type

/** The two uploads and their deadline; sending both starts the review. */
export const Uploads = Schema.Struct({ weights: Upload, manifest: Upload, expires_at: Instant }).annotate({ identifier: "Uploads" })
export type Uploads = typeof Uploads.Type

const submission = {
  version_id: Id,
  model_id: Id,
  model: Schema.String,
  version: Schema.Int,
  status: Status,
  season: Schema.String,
  weights_hash: Schema.String,
  manifest_hash: Schema.String
}

/** Classes, since the answer's status follows from the class that the handler returns. */
export class Submitted extends Schema.Class<Submitted>("Submitted")({ ...submission, upload: Uploads }, { httpApiStatus: 201 }) {}

/** The same two hashes again: the same version, with URLs for the rest of its window. */
export class SubmittedBefore extends Schema.Class<SubmittedBefore>("SubmittedBefore")(
  { ...submission, upload: Uploads },
  { httpApiStatus: 200 }
) {}

/** The model's version entered in the season `from`, or the last that was, enters `season` with the same bytes. */
export const Reenter = Schema.Struct({
  game: Schema.String,
  model: Schema.String,
  season: Schema.String,
  from: Schema.String
}).annotate({ identifier: "Reenter" })
export type Reenter = typeof Reenter.Type

/** Nothing is uploaded: the service has the files. */
export class Reentered extends Schema.Class<Reentered>("Reentered")(submission, { httpApiStatus: 201 }) {}
/** The version is in flight there already, or entered. */
export class ReenteredBefore extends Schema.Class<ReenteredBefore>("ReenteredBefore")(submission, { httpApiStatus: 200 }) {}

const Held = Schema.Struct({ held: Schema.Int, cap: Schema.Int })

/**
 * The caller's standing: `refusals` are those that POST would give now, in its order and wording. Without `model`
 * no versions are listed; `weights_already_entered` cannot be foreseen.
 */
export const Preflight = Schema.Struct({
  game: Schema.String,
  season: Schema.String,
  /** Whether the season takes submissions now, from anybody. */
  open: Schema.Boolean,
  models: Held,
  versions: Held,
  candidate: Schema.NullOr(Schema.Struct({ version_id: Id, status: Status, phase: Schema.NullOr(Phase) })),
  cooldown_until: Schema.NullOr(Instant),
  refusals: Schema.Array(Schema.Struct({ code: Schema.String, detail: Schema.String }))
}).annotate({ identifier: "Preflight" })
export type Preflight = typeof Preflight.Type

export class SubmissionGroup extends HttpApiGroup.make("submission").add(
  HttpApiEndpoint.get("preflight", "/v1/games/:game/submission", {
    params: { game: Schema.String },
    query: { model: Schema.optionalKey(Schema.String), season: Schema.optionalKey(Schema.String) },
    success: Preflight,
    error: [UnknownGame, UnknownSeason, UnknownModel]
  })
    .middleware(Session)
    .annotate(Rate, "read"),
  HttpApiEndpoint.post("reenter", "/v1/submissions/reenter", {
    payload: Reenter,
    success: [Reentered, ReenteredBefore],
    error: [ReenterInvalid, NothingToReenter, UnknownGame, UnknownSeason, UnknownModel, ...refusals]
  })
    .middleware(JsonBody)
    .middleware(Session)
    .annotate(Rate, "write")
    .annotate(RefusesBody, (_errors, missing) =>
      missing.length > 0 ? new ReenterInvalid({ detail: `Say also: ${missing.join(", ")}.` }) : undefined
    ),
  HttpApiEndpoint.post("submit", "/v1/submissions", {
    payload: Submit,
    success: [Submitted, SubmittedBefore],
    error: [MissingHash, NoteTooLong, NoteWordListed, UnknownGame, UnknownSeason, UnknownModel, ...refusals, StorageFull]
  })
    .middleware(JsonBody)
    .middleware(Session)
    .annotate(Rate, "write")
    .annotate(RefusesBody, (_errors, missing) =>
      missing.includes("weights_hash") || missing.includes("manifest_hash")
        ? new MissingHash({ detail: "Name the version's files by weights_hash and manifest_hash." })
        : undefined
    )
) {}
