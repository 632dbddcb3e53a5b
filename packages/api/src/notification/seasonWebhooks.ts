/** Webhooks of a season, which its administrators manage (docs/contract.md#webhooks-of-a-season). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { InSeason, SeasonAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { NotFound } from "../Problem.ts"
import { CreateWebhook, EditWebhook, Webhook, WebhookCapReached, WebhookDeliveries } from "./webhooks.ts"

export const SEASON_WEBHOOKS_MAX = 5

const own = {
  /** Its username. */
  created_by: Schema.String,
  /** Whether that account is not suspended and still administers the season; nothing is posted otherwise. */
  permitted: Schema.Boolean
}
export const SeasonWebhook = Schema.Struct({ ...Webhook.fields, ...own }).annotate({ identifier: "SeasonWebhook" })
export type SeasonWebhook = typeof SeasonWebhook.Type

/** Five at most, the oldest first. */
export const SeasonWebhooks = Schema.Struct({ webhooks: Schema.Array(SeasonWebhook) }).annotate({ identifier: "SeasonWebhooks" })
export type SeasonWebhooks = typeof SeasonWebhooks.Type

/** The secret is shown this once. */
export const NewSeasonWebhook = Schema.Struct({ ...SeasonWebhook.fields, secret: Schema.String }).annotate({
  identifier: "NewSeasonWebhook"
})
export type NewSeasonWebhook = typeof NewSeasonWebhook.Type

const season = { game: Schema.String, slug: Schema.String }
const params = { ...season, id: Schema.String }
const path = "/v1/games/:game/seasons/:slug/webhooks"

export class SeasonWebhookGroup extends HttpApiGroup.make("seasonWebhook")
  .add(
    HttpApiEndpoint.get("seasonWebhooks", path, { params: season, success: SeasonWebhooks }).annotate(Rate, "session"),
    HttpApiEndpoint.post("createSeasonWebhook", path, {
      params: season,
      payload: CreateWebhook,
      success: NewSeasonWebhook.pipe(HttpApiSchema.status(201)),
      error: WebhookCapReached
    })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    /** Members that are not named stay as they are. */
    HttpApiEndpoint.patch("editSeasonWebhook", `${path}/:id`, { params, payload: EditWebhook, success: SeasonWebhook, error: NotFound })
      .middleware(JsonBody)
      .middleware(InSeason)
      .annotate(Rate, "write"),
    /** Answers the removed webhook. */
    HttpApiEndpoint.delete("removeSeasonWebhook", `${path}/:id`, { params, success: SeasonWebhook, error: NotFound }).annotate(
      Rate,
      "write"
    ),
    HttpApiEndpoint.post("rotateSeasonWebhook", `${path}/:id/secret`, { params, success: NewSeasonWebhook, error: NotFound }).annotate(
      Rate,
      "write"
    ),
    /** Has a test posted to it soon, once; one that was switched off is on again. */
    HttpApiEndpoint.post("testSeasonWebhook", `${path}/:id/test`, { params, success: SeasonWebhook, error: NotFound }).annotate(
      Rate,
      "write"
    ),
    HttpApiEndpoint.get("seasonWebhookDeliveries", `${path}/:id/deliveries`, {
      params,
      success: WebhookDeliveries,
      error: NotFound
    }).annotate(Rate, "session")
  )
  .middleware(SeasonAdmin) {}
