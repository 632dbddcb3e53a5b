import { Api } from "@agon/api/Api.ts"
import { CurrentAccount } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../../http/group.ts"
import { Webhooks } from "./Webhooks.ts"

export const WebhookHandlers = group(
  Api,
  "webhook",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    return handlers.handleAll({
      webhooks: () => Effect.flatMap(CurrentAccount, webhooks.list),
      createWebhook: ({ payload }) => Effect.flatMap(CurrentAccount, (account) => webhooks.create(account, payload.url)),
      editWebhook: ({ params, payload }) => Effect.flatMap(CurrentAccount, (account) => webhooks.edit(account, params.id, payload)),
      rotateWebhook: ({ params }) => Effect.flatMap(CurrentAccount, (account) => webhooks.rotate(account, params.id)),
      webhookDeliveries: ({ params }) => Effect.flatMap(CurrentAccount, (account) => webhooks.deliveries(account, params.id)),
      removeWebhook: ({ params }) => Effect.flatMap(CurrentAccount, (account) => webhooks.remove(account, params.id)),
      testWebhook: ({ params }) => Effect.flatMap(CurrentAccount, (account) => webhooks.test(account, params.id))
    })
  })
)
