/**
 * Webhooks of seasons: its administrators have the season's events posted to an address
 * (actor/store/seasonWebhooks.ts). Each write is logged, with the host of the address alone: the rest of it
 * may be a secret of the receiver.
 */

import type { SeasonInPath, SignedIn } from "@agon/api/Authorization.ts"
import {
  type NewSeasonWebhook,
  type SeasonWebhooks as Page,
  SEASON_WEBHOOKS_MAX,
  type SeasonWebhook
} from "@agon/api/notification/seasonWebhooks.ts"
import type { EditWebhook, WebhookCapReached, WebhookDeliveries } from "@agon/api/notification/webhooks.ts"
import type { NotFound } from "@agon/api/Problem.ts"
import type { AuditAction } from "@agon/domain/season/Audit.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog, placeOf } from "../../audit/auditLog.ts"
import { makeOwnWebhooks } from "./ownWebhooks.ts"

const auditOfWebhook = (account: SignedIn, action: AuditAction, { id, url }: SeasonWebhook, detail: object = {}) =>
  auditOf(account, action, new URL(url).host, { id, ...detail })

/** An edit of one that fails ends its pause, whatever else it says. */
const isEdited = (before: SeasonWebhook, after: SeasonWebhook): boolean =>
  before.url !== after.url || before.disabled_at !== after.disabled_at || after.failing_since !== null

type Write<A, E> = (account: SignedIn, season: SeasonInPath, id: string) => Effect.Effect<A, E>

export class SeasonWebhooks extends Context.Service<
  SeasonWebhooks,
  {
    readonly list: (season: SeasonInPath) => Effect.Effect<Page>
    readonly create: (account: SignedIn, season: SeasonInPath, url: string) => Effect.Effect<NewSeasonWebhook, WebhookCapReached>
    readonly edit: (account: SignedIn, season: SeasonInPath, id: string, edit: EditWebhook) => Effect.Effect<SeasonWebhook, NotFound>
    /** Answers the removed webhook. */
    readonly remove: Write<SeasonWebhook, NotFound>
    readonly rotate: Write<NewSeasonWebhook, NotFound>
    readonly test: Write<SeasonWebhook, NotFound>
    /** Newest first. */
    readonly deliveries: (season: SeasonInPath, id: string) => Effect.Effect<WebhookDeliveries, NotFound>
  }
>()("agon/SeasonWebhooks") {
  static readonly layer: Layer.Layer<SeasonWebhooks, never, SqlClient.SqlClient> = Layer.effect(
    SeasonWebhooks,
    Effect.suspend(() => makeSeasonWebhooks)
  )
}

const makeSeasonWebhooks = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const webhooksOf = yield* makeOwnWebhooks
  const of = ({ id }: SeasonInPath) => webhooksOf({ kind: "season", id })

  const logged = <A extends SeasonWebhook, E>(account: SignedIn, season: SeasonInPath, action: AuditAction, write: Effect.Effect<A, E>) =>
    auditLog.logged(placeOf(season), write, (webhook) => auditOfWebhook(account, action, webhook))

  return SeasonWebhooks.of({
    list: Effect.fn("SeasonWebhooks.list")((season) => Effect.map(of(season).list, (webhooks) => ({ webhooks }))),
    create: Effect.fn("SeasonWebhooks.create")((account, season, url) =>
      logged(account, season, "webhook.create", of(season).create({ account_id: account.id, url, most: SEASON_WEBHOOKS_MAX }))
    ),
    edit: Effect.fn("SeasonWebhooks.edit")(function* (account, season, id, edit) {
      const enabled = edit.enabled === undefined ? {} : { enabled: edit.enabled }
      const write = Effect.gen(function* () {
        const before = (yield* of(season).list).find((webhook) => webhook.id === id)
        const after = yield* of(season).edit(id, edit)
        return { after, edited: before === undefined || isEdited(before, after) }
      })
      const { after } = yield* auditLog.logged(placeOf(season), write, ({ after, edited }) =>
        edited ? auditOfWebhook(account, "webhook.edit", after, enabled) : undefined
      )
      return after
    }),
    remove: Effect.fn("SeasonWebhooks.remove")((account, season, id) => logged(account, season, "webhook.remove", of(season).remove(id))),
    rotate: Effect.fn("SeasonWebhooks.rotate")((account, season, id) => logged(account, season, "webhook.rotate", of(season).rotate(id))),
    test: Effect.fn("SeasonWebhooks.test")((account, season, id) => logged(account, season, "webhook.test", of(season).test(id))),
    deliveries: Effect.fn("SeasonWebhooks.deliveries")((season, id) => of(season).deliveries(id))
  })
})
