/** Webhooks of accounts: made, listed, changed, removed and tested by their owner. */
import type { SignedIn } from "@agon/api/Authorization.ts"
import {
  type EditWebhook,
  type NewWebhook,
  type Webhooks as Page,
  WEBHOOKS_MAX,
  type Webhook,
  type WebhookCapReached,
  type WebhookDeliveries
} from "@agon/api/notification/webhooks.ts"
import type { NotFound } from "@agon/api/Problem.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { makeOwnWebhooks } from "./ownWebhooks.ts"

export class Webhooks extends Context.Service<
  Webhooks,
  {
    readonly list: (account: SignedIn) => Effect.Effect<Page>
    /** False where `id` is no UUID. */
    readonly ownedBy: (account_id: string, id: string) => Effect.Effect<boolean>
    readonly create: (account: SignedIn, url: string) => Effect.Effect<NewWebhook, WebhookCapReached>
    readonly edit: (account: SignedIn, id: string, edit: EditWebhook) => Effect.Effect<Webhook, NotFound>
    /** Answers the removed webhook. */
    readonly remove: (account: SignedIn, id: string) => Effect.Effect<Webhook, NotFound>
    readonly rotate: (account: SignedIn, id: string) => Effect.Effect<NewWebhook, NotFound>
    readonly test: (account: SignedIn, id: string) => Effect.Effect<Webhook, NotFound>
    /** Newest first. */
    readonly deliveries: (account: SignedIn, id: string) => Effect.Effect<WebhookDeliveries, NotFound>
  }
>()("agon/Webhooks") {
  static readonly layer: Layer.Layer<Webhooks, never, SqlClient.SqlClient> = Layer.effect(
    Webhooks,
    Effect.suspend(() => makeWebhooks)
  )
}

const makeWebhooks = Effect.gen(function* () {
  const webhooksOf = yield* makeOwnWebhooks
  const of = ({ id }: SignedIn) => webhooksOf({ kind: "account", id })

  return Webhooks.of({
    list: Effect.fn("Webhooks.list")((account) => Effect.map(of(account).list, (webhooks) => ({ webhooks }))),
    ownedBy: Effect.fn("Webhooks.ownedBy")((id, webhook) => webhooksOf({ kind: "account", id }).has(webhook)),
    create: Effect.fn("Webhooks.create")((account, url) => of(account).create({ account_id: account.id, url, most: WEBHOOKS_MAX })),
    edit: Effect.fn("Webhooks.edit")((account, id, edit) => of(account).edit(id, edit)),
    remove: Effect.fn("Webhooks.remove")((account, id) => of(account).remove(id)),
    rotate: Effect.fn("Webhooks.rotate")((account, id) => of(account).rotate(id)),
    test: Effect.fn("Webhooks.test")((account, id) => of(account).test(id)),
    deliveries: Effect.fn("Webhooks.deliveries")((account, id) => of(account).deliveries(id))
  })
})
