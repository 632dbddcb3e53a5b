import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Notifications } from "./Notifications.ts"
import { PlatformNotices } from "./PlatformNotices.ts"

const Own = HttpApiBuilder.group(
  Api,
  "notification",
  Effect.fnUntraced(function* (handlers) {
    const notifications = yield* Notifications
    return handlers.handleAll({
      notifications: ({ query }) => Effect.flatMap(CurrentAccount, (account) => notifications.feed(account, query)),
      markRead: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => notifications.markRead(account, payload)),
      notificationSettings: () => Effect.flatMap(CurrentAccount, notifications.settings),
      changeNotificationSettings: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => notifications.change(account, payload))
    })
  })
)

const Platform = HttpApiBuilder.group(
  Api,
  "platformNotice",
  Effect.fnUntraced(function* (handlers) {
    const notices = yield* PlatformNotices
    return handlers.handleAll({
      platformNotices: ({ query }) => notices.list(query),
      notifyEverybody: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => notices.send(account, payload))
    })
  })
)

export const NotificationHandlers = Layer.merge(Own, Platform)
