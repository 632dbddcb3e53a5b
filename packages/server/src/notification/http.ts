import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect, Layer } from "effect"
import { group } from "../http/group.ts"
import { Mailboxes } from "./Mailboxes.ts"
import { Notifications } from "./Notifications.ts"
import { PlatformNotices } from "./PlatformNotices.ts"

const Own = group(
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

const Platform = group(
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

const Mail = group(
  Api,
  "mail",
  Effect.fnUntraced(function* (handlers) {
    const mailboxes = yield* Mailboxes
    return handlers.handleAll({ unsubscribe: ({ query }) => mailboxes.unsubscribe(query.token) })
  })
)

export const NotificationHandlers = Layer.mergeAll(Own, Mail, Platform)
