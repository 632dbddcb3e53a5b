import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../http/group.ts"
import { Webhooks } from "./Webhooks.ts"

export const WebhookHandlers = group(
  Api,
  "webhook",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    return handlers.handleAll({
      webhooks: () => Effect.flatMap(CurrentAccount, webhooks.list),
      createWebhook: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => webhooks.create(account, payload.url)),
      removeWebhook: ({ params }) => Effect.flatMap(CurrentAccount, (account) => webhooks.remove(account, params.id)),
      testWebhook: ({ params }) => Effect.flatMap(CurrentAccount, (account) => webhooks.test(account, params.id))
    })
  })
)
