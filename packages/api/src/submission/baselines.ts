/** Baselines: models that administrators bring into a season (docs/contract.md#baselines). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { InSeason, SeasonAdmin, UnknownSeason } from "../Authorization.ts"
import { JsonBody, Rate, RefusesBody } from "../Boundary.ts"
import * as page from "../Page.ts"
import { Problem } from "../Problem.ts"
import { RejectReason } from "../version/RejectReason.ts"
import { SeasonClosed } from "../version/refusals.ts"
import { Status } from "../version/Version.ts"
import { Id, Ladder, Sha256, Slug } from "../Wire.ts"
import { MissingHash, StorageFull, Uploads } from "./api.ts"

/** A baseline that is still in admission, or was rejected, cannot be switched. */
export class BaselineNotAdmitted extends Problem<BaselineNotAdmitted>()("baseline_not_admitted", 409, "The baseline is not admitted") {}
/** The name already belongs to other files. */
export class BaselineExists extends Problem<BaselineExists>()("baseline_exists", 409, "There is a baseline of that name") {}

export const Baseline = Schema.Struct({
  name: Schema.String,
  version_id: Id,
  status: Status,
  class: Schema.NullOr(Ladder),
  reject_reason: Schema.NullOr(RejectReason),
  enabled: Schema.Boolean
}).annotate({ identifier: "Baseline" })
export type Baseline = typeof Baseline.Type

export const Baselines = page.listOf("Baselines", "baselines", Baseline)
export type Baselines = typeof Baselines.Type

export const RecordedBaseline = Schema.Struct({ ...Baseline.fields, upload: Uploads }).annotate({ identifier: "RecordedBaseline" })

export const RecordBaseline = Schema.Struct({ name: Slug, weights_hash: Sha256, manifest_hash: Sha256 }).annotate({
  identifier: "RecordBaseline"
})

export const SwitchBaseline = Schema.Struct({ enabled: Schema.Boolean }).annotate({ identifier: "SwitchBaseline" })

/** More baselines than any season has. */
const IMPORTS_MAX = 1_000

/** `baselines` names some of the other season's; without it, all of them. */
export const ImportBaselines = Schema.Struct({
  from: Schema.String,
  baselines: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(IMPORTS_MAX)))
}).annotate({ identifier: "ImportBaselines" })
export type ImportBaselines = typeof ImportBaselines.Type

export const ImportedBaselines = Schema.Struct({
  imported: Schema.Array(Schema.String),
  skipped: Schema.Array(
    Schema.Struct({ name: Schema.String, reason: Schema.Literals(["not_found", "baseline_exists", "baseline_not_admitted"]) })
  )
}).annotate({ identifier: "ImportedBaselines" })
export type ImportedBaselines = typeof ImportedBaselines.Type

const params = { game: Schema.String, slug: Schema.String }

export class BaselineGroup extends HttpApiGroup.make("baseline")
  .add(
    HttpApiEndpoint.get("baselines", "/v1/games/:game/seasons/:slug/baselines", { params, query: page.query, success: Baselines }).annotate(
      Rate,
      "session"
    ),
    /** Recorded by a name and two hashes; the files are sent like a submission's. It starts out of play. */
    HttpApiEndpoint.post("recordBaseline", "/v1/games/:game/seasons/:slug/baselines", {
      params,
      payload: RecordBaseline,
      success: RecordedBaseline.pipe(HttpApiSchema.status(201)),
      error: [MissingHash, BaselineExists, SeasonClosed, StorageFull]
    })
      .middleware(JsonBody)
      .annotate(Rate, "upload")
      .annotate(RefusesBody, (_errors, missing) =>
        missing.includes("weights_hash") || missing.includes("manifest_hash")
          ? new MissingHash({ detail: "Name the baseline's files by weights_hash and manifest_hash." })
          : undefined
      ),
    /** On until the finals start, off at any time. */
    HttpApiEndpoint.patch("switchBaseline", "/v1/games/:game/seasons/:slug/baselines/:baseline", {
      params: { ...params, baseline: Schema.String },
      payload: SwitchBaseline,
      success: Baseline,
      error: [BaselineNotAdmitted, SeasonClosed]
    })
      .middleware(JsonBody)
      .middleware(InSeason)
      .annotate(Rate, "upload"),
    /** The other season's bytes are reviewed again, by this season's rules. They start out of play. */
    HttpApiEndpoint.post("importBaselines", "/v1/games/:game/seasons/:slug/baselines/import", {
      params,
      payload: ImportBaselines,
      success: ImportedBaselines.pipe(HttpApiSchema.status(201)),
      error: [UnknownSeason, SeasonClosed]
    })
      .middleware(JsonBody)
      .annotate(Rate, "upload")
  )
  .middleware(SeasonAdmin) {}
