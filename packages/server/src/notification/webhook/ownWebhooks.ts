/**
 * A webhook's life, whoever has it: an account (Webhooks.ts) or a season (SeasonWebhooks.ts).
 * WebhookDelivery.ts posts to them.
 */
import { randomBytes } from "node:crypto"
import type { NewSeasonWebhook, SeasonWebhook } from "@agon/api/notification/seasonWebhooks.ts"
import { type EditWebhook, WebhookCapReached, type WebhookDeliveries } from "@agon/api/notification/webhooks.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { DateTime, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { newId } from "../../database/newId.ts"
import { makeQueries, type Owner } from "./webhookQueries.ts"

/** Every write is one transaction. Of what somebody else has, each says that there is none. */
interface OwnWebhooks {
  readonly list: Effect.Effect<ReadonlyArray<SeasonWebhook>>
  /** False where `id` is no UUID. */
  readonly has: (id: string) => Effect.Effect<boolean>
  /** `account_id` is who makes it. */
  readonly create: (made: {
    readonly account_id: string
    readonly url: string
    readonly most: number
  }) => Effect.Effect<NewSeasonWebhook, WebhookCapReached>
  readonly edit: (id: string, edit: EditWebhook) => Effect.Effect<SeasonWebhook, NotFound>
  readonly remove: (id: string) => Effect.Effect<SeasonWebhook, NotFound>
  /** Gives it another secret, which signs from then on. */
  readonly rotate: (id: string) => Effect.Effect<NewSeasonWebhook, NotFound>
  readonly test: (id: string) => Effect.Effect<SeasonWebhook, NotFound>
  readonly deliveries: (id: string) => Effect.Effect<WebhookDeliveries, NotFound>
}

const SECRET_BYTES = 32
const newSecret = () => `whsec_${randomBytes(SECRET_BYTES).toString("base64url")}`

const TEST = { account: "This is a test of your webhook.", season: "This is a test of the season's webhook." }
const GONE = { account: "You have no such webhook.", season: "The season has no such webhook." }
const FULL = { account: "An account", season: "A season" }

export const makeOwnWebhooks = Effect.gen(function* () {
  const queries = yield* makeQueries
  const sql = yield* SqlClient.SqlClient

  return (owner: Owner): OwnWebhooks => {
    const gone = new NotFound({ detail: GONE[owner.kind] })
    const orGone = <A, E, R>(id: string, found: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, NotFound, R> =>
      isUuid(id)
        ? Effect.flatMap(Effect.orDie(found), Option.match({ onNone: () => Effect.fail(gone), onSome: Effect.succeed }))
        : Effect.fail(gone)

    return {
      list: Effect.orDie(queries.list(owner)),
      has: (id) => (isUuid(id) ? Effect.map(Effect.orDie(queries.find(owner, id)), Option.isSome) : Effect.succeed(false)),
      create: Effect.fnUntraced(function* ({ account_id, most, url }) {
        const secret = newSecret()
        const row = { id: yield* newId, account_id, url, secret, now: yield* DateTime.nowAsDate, most }
        const added = yield* Effect.orDie(sql.withTransaction(Effect.andThen(queries.hold(owner), queries.add(owner, row))))
        if (Option.isNone(added)) return yield* new WebhookCapReached({ detail: `${FULL[owner.kind]} has at most ${most} webhooks.` })
        return { ...added.value, secret }
      }),
      edit: (id, { enabled = null, url = null }) =>
        Effect.flatMap(DateTime.nowAsDate, (now) => orGone(id, queries.edit(owner, { id, url, enabled, now }))),
      remove: (id) => orGone(id, queries.remove(owner, id)),
      rotate: (id) =>
        Effect.suspend(() => {
          const secret = newSecret()
          return Effect.map(orGone(id, queries.rotate(owner, { id, secret })), (webhook) => ({ ...webhook, secret }))
        }),
      test: (id) =>
        Effect.gen(function* () {
          const test = { id, delivery: yield* newId, subject: TEST[owner.kind], now: yield* DateTime.nowAsDate }
          return yield* orGone(id, queries.test(owner, test))
        }),
      deliveries: (id) =>
        Effect.map(orGone(id, queries.find(owner, id)), () => id).pipe(
          Effect.flatMap((id) => Effect.orDie(queries.attempts(id))),
          Effect.map((deliveries) => ({ deliveries }))
        )
    }
  }
})
