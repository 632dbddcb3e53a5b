import { Api } from "@agon/api/Api.ts"
import { CurrentAccount, CurrentSeason } from "@agon/api/Authorization.ts"
import { Effect } from "effect"
import { group } from "../../http/group.ts"
import { SeasonWebhooks } from "./SeasonWebhooks.ts"

export const SeasonWebhookHandlers = group(
  Api,
  "seasonWebhook",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* SeasonWebhooks
    return handlers.handleAll({
      seasonWebhooks: () => Effect.flatMap(CurrentSeason, webhooks.list),
      createSeasonWebhook: Effect.fnUntraced(function* ({ payload }) {
        return yield* webhooks.create(yield* CurrentAccount, yield* CurrentSeason, payload.url)
      }),
      editSeasonWebhook: Effect.fnUntraced(function* ({ params, payload }) {
        return yield* webhooks.edit(yield* CurrentAccount, yield* CurrentSeason, params.id, payload)
      }),
      removeSeasonWebhook: Effect.fnUntraced(function* ({ params }) {
        return yield* webhooks.remove(yield* CurrentAccount, yield* CurrentSeason, params.id)
      }),
      rotateSeasonWebhook: Effect.fnUntraced(function* ({ params }) {
        return yield* webhooks.rotate(yield* CurrentAccount, yield* CurrentSeason, params.id)
      }),
      testSeasonWebhook: Effect.fnUntraced(function* ({ params }) {
        return yield* webhooks.test(yield* CurrentAccount, yield* CurrentSeason, params.id)
      }),
      seasonWebhookDeliveries: ({ params }) => Effect.flatMap(CurrentSeason, (season) => webhooks.deliveries(season, params.id))
    })
  })
)
