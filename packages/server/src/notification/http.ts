import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { group } from "../http/group.ts"
import { Mailboxes } from "./mail/Mailboxes.ts"
import { asking, isForPerson, stopped, unknown } from "./mail/unsubscribePage.ts"
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
    const unsubscribe = Effect.fnUntraced(function* (token: string) {
      const ended = mailboxes.unsubscribe(token)
      if (!isForPerson(yield* HttpServerRequest.HttpServerRequest)) return yield* ended
      return yield* Effect.match(ended, { onSuccess: () => stopped, onFailure: () => unknown })
    })
    return handlers.handleAll({ unsubscribePage: () => Effect.succeed(asking), unsubscribe: ({ query }) => unsubscribe(query.token) })
  })
)

export const NotificationHandlers = Layer.mergeAll(Own, Mail, Platform)
