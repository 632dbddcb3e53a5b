/** The caller's feed of notifications, and which of them they want (docs/contract.md#notifications). */
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { Session } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { MarkedRead, MarkRead, NotificationFeed, NotificationSettings, PatchNotificationSettings } from "./Notification.ts"

const settings = "/v1/me/notification-settings"

export class NotificationGroup extends HttpApiGroup.make("notification")
  .add(
    HttpApiEndpoint.get("notifications", "/v1/me/notifications", { query: page.query, success: NotificationFeed }).annotate(Rate, "read"),
    HttpApiEndpoint.post("markRead", "/v1/me/notifications/read", { payload: MarkRead, success: MarkedRead })
      .middleware(JsonBody)
      .annotate(Rate, "session"),
    HttpApiEndpoint.get("notificationSettings", settings, { success: NotificationSettings }).annotate(Rate, "session"),
    HttpApiEndpoint.patch("changeNotificationSettings", settings, { payload: PatchNotificationSettings, success: NotificationSettings })
      .middleware(JsonBody)
      .annotate(Rate, "session")
  )
  .middleware(Session) {}
