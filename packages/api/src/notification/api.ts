/** The caller's feed of notifications, and which of them they want (docs/contract.md#notifications). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { SameOrigin, Session } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound } from "../Problem.ts"
import {
  EmailUnavailable,
  MarkedRead,
  MarkRead,
  NotificationFeed,
  NotificationSettings,
  PatchNotificationSettings,
  Unsubscribed
} from "./Notification.ts"

const settings = "/v1/me/notification-settings"

export class NotificationGroup extends HttpApiGroup.make("notification")
  .add(
    HttpApiEndpoint.get("notifications", "/v1/me/notifications", { query: page.query, success: NotificationFeed }).annotate(Rate, "read"),
    HttpApiEndpoint.post("markRead", "/v1/me/notifications/read", { payload: MarkRead, success: MarkedRead })
      .middleware(JsonBody)
      .annotate(Rate, "session"),
    HttpApiEndpoint.get("notificationSettings", settings, { success: NotificationSettings }).annotate(Rate, "session"),
    HttpApiEndpoint.patch("changeNotificationSettings", settings, {
      payload: PatchNotificationSettings,
      success: NotificationSettings,
      error: EmailUnavailable
    })
      .middleware(JsonBody)
      .annotate(Rate, "session")
  )
  .middleware(Session) {}

const query = { token: Schema.String }
const Page = Schema.String.annotate({ identifier: "UnsubscribePage" })

/**
 * One click of a mail program (RFC 8058): whatever the body is, the token in the address says whose mails
 * end. Who follows the link gets a page with a button that posts.
 */
export class MailGroup extends HttpApiGroup.make("mail").add(
  HttpApiEndpoint.get("unsubscribePage", "/v1/unsubscribe", {
    query,
    success: Page.pipe(HttpApiSchema.asText({ contentType: "text/html" }))
  }).annotate(Rate, "public"),
  HttpApiEndpoint.post("unsubscribe", "/v1/unsubscribe", { query, success: Unsubscribed, error: NotFound })
    .middleware(SameOrigin)
    .annotate(Rate, "public")
) {}
