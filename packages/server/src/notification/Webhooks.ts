/** Webhooks of accounts: made, listed, removed and tested by their owner. WebhookDelivery.ts posts to them. */
import { randomBytes } from "node:crypto"
import type { SignedIn } from "@agon/api/Authorization.ts"
import { type NewWebhook, type Webhooks as Page, WEBHOOKS_MAX, type Webhook, WebhookCapReached } from "@agon/api/notification/webhooks.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { newId } from "../database/newId.ts"
import { makeQueries } from "./webhookQueries.ts"

export class Webhooks extends Context.Service<
  Webhooks,
  {
    readonly list: (account: SignedIn) => Effect.Effect<Page>
    readonly create: (account: SignedIn, url: string) => Effect.Effect<NewWebhook, WebhookCapReached>
    /** Answers the removed webhook. */
    readonly remove: (account: SignedIn, id: string) => Effect.Effect<Webhook, NotFound>
    readonly test: (account: SignedIn, id: string) => Effect.Effect<Webhook, NotFound>
  }
>()("agon/Webhooks") {
  static readonly layer: Layer.Layer<Webhooks, never, SqlClient.SqlClient> = Layer.effect(
    Webhooks,
    Effect.suspend(() => makeWebhooks)
  )
}

const SECRET_BYTES = 32
const TEST = "This is a test of your webhook."

const gone = new NotFound({ detail: "You have no such webhook." })
const now = Effect.map(Clock.currentTimeMillis, (ms) => new Date(ms))

const orGone = <A, E, R>(found: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, NotFound, R> =>
  Effect.flatMap(Effect.orDie(found), Option.match({ onNone: () => Effect.fail(gone), onSome: Effect.succeed }))

const makeWebhooks = Effect.gen(function* () {
  const queries = yield* makeQueries
  const sql = yield* SqlClient.SqlClient

  const create = Effect.fn("Webhooks.create")(function* ({ id: account_id }: SignedIn, url: string) {
    const secret = `whsec_${randomBytes(SECRET_BYTES).toString("base64url")}`
    const row = { id: yield* newId, account_id, url, secret, now: yield* now, most: WEBHOOKS_MAX }
    const added = yield* Effect.orDie(sql.withTransaction(Effect.andThen(queries.holdAccount(account_id), queries.add(row))))
    if (Option.isNone(added)) return yield* new WebhookCapReached({ detail: `An account has at most ${WEBHOOKS_MAX} webhooks.` })
    return { ...added.value, secret }
  })

  return Webhooks.of({
    create,
    list: Effect.fn("Webhooks.list")(({ id }) => Effect.map(Effect.orDie(queries.list(id)), (webhooks) => ({ webhooks }))),
    remove: Effect.fn("Webhooks.remove")((account, id) =>
      isUuid(id) ? orGone(queries.remove({ id, account_id: account.id })) : Effect.fail(gone)
    ),
    test: Effect.fn("Webhooks.test")(function* (account, id) {
      if (!isUuid(id)) return yield* gone
      return yield* orGone(queries.test({ id, account_id: account.id, delivery: yield* newId, subject: TEST, now: yield* now }))
    })
  })
})
