/** A season's own runner keys and runners (docs/contract.md#fleets-and-runner-keys). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SeasonAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound } from "../Problem.ts"
import { Fill, Fleet } from "../season/creation.ts"
import { Key, KeyBody, Keys, NewKey, Runner } from "./api.ts"

/** Whether runners can process the season's queue of candidates now. */
export const Admissions = Schema.Struct({
  /** Candidates that wait for a runner. */
  queued: Schema.Int,
  /** Runners that could take one of them. */
  admitters: Schema.Int,
  /** The fleets of those runners. */
  reach: Schema.Literals(["own", "platform", "both", "none"])
}).annotate({ identifier: "Admissions" })
export type Admissions = typeof Admissions.Type

/** `fleet` and `fill` are the season's settings of who works for it, which no other read tells. */
export const SeasonKeys = Schema.Struct({ admissions: Admissions, fleet: Fleet, fill: Fill, ...Keys.fields }).annotate({
  identifier: "SeasonRunnerKeys"
})
export type SeasonKeys = typeof SeasonKeys.Type

const params = { game: Schema.String, slug: Schema.String }
const keys = "/v1/games/:game/seasons/:slug/runner-keys"

export class SeasonFleetGroup extends HttpApiGroup.make("seasonFleet")
  .add(
    HttpApiEndpoint.get("seasonKeys", keys, { params, query: page.query, success: SeasonKeys }).annotate(Rate, "session"),
    HttpApiEndpoint.post("createSeasonKey", keys, { params, payload: KeyBody, success: NewKey.pipe(HttpApiSchema.status(201)) })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    /** Its leases end at once and go back to the queue. Answers the revoked key. */
    HttpApiEndpoint.delete("revokeSeasonKey", `${keys}/:key`, {
      params: { ...params, key: Schema.String },
      success: Key,
      error: NotFound
    }).annotate(Rate, "write"),
    /** Drains it: no new lease, and it finishes its current matches. Answers the runner. */
    HttpApiEndpoint.delete("stopSeasonRunner", "/v1/games/:game/seasons/:slug/runners/:runner", {
      params: { ...params, runner: Schema.String },
      success: Runner,
      error: NotFound
    }).annotate(Rate, "write")
  )
  .middleware(SeasonAdmin) {}
