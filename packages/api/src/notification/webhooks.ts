/**
 * Webhooks of the caller: addresses that the service posts the caller's notifications to
 * (docs/contract.md#webhooks).
 */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { NamedWebhook, Session } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { NotFound, Problem } from "../Problem.ts"
import { Id, Instant, text } from "../Wire.ts"

export const WEBHOOKS_MAX = 5
const URL_MAX = 2_000

export class WebhookCapReached extends Problem<WebhookCapReached>()(
  "webhook_cap_reached",
  409,
  "You have as many webhooks as you may have"
) {}

/** Nobody's name or password travels in an address, and a fragment would not be sent. */
const isWebAddress = (text: string): boolean => {
  if (!/^https?:\/\/[^\s\\#]+$/i.test(text) || !URL.canParse(text)) return false
  const { hostname, password, username } = new URL(text)
  return hostname !== "" && username === "" && password === ""
}

const Address = text(1, URL_MAX).check(
  Schema.makeFilter((text: string) => isWebAddress(text), {
    expected: "an http(s) address without a name, a password or a fragment",
    toJsonSchema: () => ({ format: "uri" })
  })
)

/** `last_outcome` is the status of the last answer, or a word for why there was none; null until the first attempt. */
export const Webhook = Schema.Struct({
  id: Id,
  url: Schema.String,
  created_at: Instant,
  /** Null where the last attempt succeeded. */
  failing_since: Schema.NullOr(Instant),
  /** When it was switched off, by hand, after a week of failures, or for an answer of 410; null while it is on. */
  disabled_at: Schema.NullOr(Instant),
  last_at: Schema.NullOr(Instant),
  last_outcome: Schema.NullOr(Schema.String)
}).annotate({ identifier: "Webhook" })
export type Webhook = typeof Webhook.Type

/** Five at most, the oldest first. */
export const Webhooks = Schema.Struct({ webhooks: Schema.Array(Webhook) }).annotate({ identifier: "Webhooks" })
export type Webhooks = typeof Webhooks.Type

/** The secret is shown this once. */
export const NewWebhook = Schema.Struct({ ...Webhook.fields, secret: Schema.String }).annotate({ identifier: "NewWebhook" })
export type NewWebhook = typeof NewWebhook.Type

/** Members that are not named stay as they are. Whatever waits for a webhook that is switched off is told no more. */
export const EditWebhook = Schema.Struct({ url: Schema.optionalKey(Address), enabled: Schema.optionalKey(Schema.Boolean) }).annotate({
  identifier: "EditWebhook"
})
export type EditWebhook = typeof EditWebhook.Type

/** One attempt to tell a webhook something. `id` is that of the delivery, which several attempts may share. */
export const WebhookDelivery = Schema.Struct({
  id: Id,
  kind: Schema.String,
  subject: Schema.String,
  /** Which attempt at the delivery it was, from 1. */
  attempt: Schema.Int,
  at: Instant,
  outcome: Schema.String
}).annotate({ identifier: "WebhookDelivery" })

export const WEBHOOK_DELIVERIES_MAX = 20

/** The last twenty attempts, the newest first. */
export const WebhookDeliveries = Schema.Struct({ deliveries: Schema.Array(WebhookDelivery) }).annotate({ identifier: "WebhookDeliveries" })
export type WebhookDeliveries = typeof WebhookDeliveries.Type

export const CreateWebhook = Schema.Struct({ url: Address }).annotate({ identifier: "CreateWebhook" })

const path = "/v1/me/webhooks"
const one = { params: { id: Schema.String }, success: Webhook, error: NotFound }

export class WebhookGroup extends HttpApiGroup.make("webhook")
  .add(
    HttpApiEndpoint.get("webhooks", path, { success: Webhooks }).annotate(Rate, "session"),
    HttpApiEndpoint.post("createWebhook", path, {
      payload: CreateWebhook,
      success: NewWebhook.pipe(HttpApiSchema.status(201)),
      error: WebhookCapReached
    })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    HttpApiEndpoint.patch("editWebhook", `${path}/:id`, { ...one, payload: EditWebhook })
      .middleware(JsonBody)
      .middleware(NamedWebhook)
      .annotate(Rate, "write"),
    HttpApiEndpoint.post("rotateWebhook", `${path}/:id/secret`, { ...one, success: NewWebhook }).annotate(Rate, "write"),
    HttpApiEndpoint.get("webhookDeliveries", `${path}/:id/deliveries`, { ...one, success: WebhookDeliveries }).annotate(Rate, "session"),
    /** Answers the removed webhook. */
    HttpApiEndpoint.delete("removeWebhook", `${path}/:id`, one).annotate(Rate, "write"),
    /** Has a test posted to it soon, once; one that was switched off is on again. */
    HttpApiEndpoint.post("testWebhook", `${path}/:id/test`, one).annotate(Rate, "write")
  )
  .middleware(Session) {}
