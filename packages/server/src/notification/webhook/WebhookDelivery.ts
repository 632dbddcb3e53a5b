/**
 * Posts what accounts are told to their webhooks, and a season's events to its own. A delivery is written in
 * the commit of its notification (migration 0035) or event (actor/store/seasonWebhooks.ts), and stays until
 * it is delivered or given up: at least once, whichever process is killed when.
 *
 *   due ──taken──▶ posted ──2xx──▶ deleted, and the webhook no longer fails
 *    ▲                └──anything else──▶ due again later, twice as late each time; deleted after a day. The webhook has a pause,
 *    │                                    a quarter of the time for which it fails, an hour at most
 *    └── whoever took it is gone: a minute later
 *
 * Any node takes, by the clock that all share (database/SharedClock.ts); a webhook is asked by one at a time, and one node asks
 * AT_ONCE_MAX, and SLOW_MAX more that answer late. One that answers late delays no other, and one that fails comes after its pause,
 * however much waits for it. A webhook that has
 * failed for a week is switched off, and its owner is told; one that answers 410 at once, since that says that it wants no more.
 */
import { createHmac } from "node:crypto"
import { seldomFailed } from "@agon/api/program/seldom.ts"
import { Clock, Context, Effect, Layer, Option, Random } from "effect"
import { SqlClient } from "effect/sql"
import { SharedClock } from "../../database/SharedClock.ts"
import { countDelivery } from "../deliveryMetrics.ts"
import { makeTell } from "../Notifications.ts"
import { FAILING_MAX_MS, keepDelivering, type Outbox, oneRound, RETRIED_FOR_MS, retryAfter_ms } from "../outbox.ts"
import { makeTake } from "../takes.ts"
import { addressesFrom } from "./addressesOf.ts"
import { type Outcome, postOnce } from "./postOnce.ts"
import { isPublicAddress } from "./publicAddress.ts"
import { makeQueries, type Taken } from "./webhookDeliveryQueries.ts"
import { makeSweep } from "./webhookSweep.ts"

const AT_ONCE_MAX = 16
/** Of receivers that have not answered for a second: a connection each. With fewer, as many silent ones would hold all others up. */
const SLOW_MAX = 240
const SWEEP_EVERY = "10 minutes"
/** How long a post may take: the look-up of the name, the connection and the answer together. */
const POST_TIMEOUT = "10 seconds"
/** Several times as long as a post may take. */
const TAKEN_FOR_MS = 60_000
/** How long a look may take, and a delivery with its statements. */
const DELIVERY_TIMEOUT = "1 minute"

/** Tells whether an address may be asked. Tests alone replace it, in code: no setting of the service does. */
export class WebhookGuard extends Context.Reference<(address: string) => boolean>("agon/WebhookGuard", {
  defaultValue: () => isPublicAddress
}) {}

export class WebhookDelivery extends Context.Service<
  WebhookDelivery,
  {
    /** Posts what is due, one delivery of each webhook, and answers how many. */
    readonly round: Effect.Effect<number>
    readonly outbox: Outbox<Taken>
    /** Deletes what cannot be delivered any more. */
    readonly sweep: Effect.Effect<void>
  }
>()("agon/WebhookDelivery") {
  /** Does nothing by itself. */
  static readonly layerIdle: Layer.Layer<WebhookDelivery, never, SqlClient.SqlClient> = Layer.effect(
    WebhookDelivery,
    Effect.suspend(() => makeDelivery)
  ).pipe(Layer.provide(SharedClock.layer))

  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { outbox, sweep } = yield* WebhookDelivery
      const swept = Effect.catchCause(sweep, (cause) => Effect.logWarning("deliveries were not swept", cause))
      yield* keepDelivering("webhooks", outbox, { most: AT_ONCE_MAX, slowMost: SLOW_MAX, timeout: DELIVERY_TIMEOUT })
      yield* Effect.forkScoped(Effect.forever(Effect.andThen(Effect.sleep(SWEEP_EVERY), swept)))
    })
  ).pipe(Layer.provideMerge(WebhookDelivery.layerIdle))
}

/** `t=…,v1=…`: the seconds, and the HMAC-SHA256 in hexadecimal digits of the seconds, a full stop and the body. */
const signature = (secret: string, timestamp_s: number, body: string): string =>
  `t=${timestamp_s},v1=${createHmac("sha256", secret).update(`${timestamp_s}.${body}`).digest("hex")}`

const posting = ({ created_at, game, id, kind, link, season, secret, subject, url }: Taken, now_ms: number) => {
  const body = JSON.stringify({ id, kind, subject, link, created_at, ...(season === null ? {} : { game, season }) })
  const headers = {
    "content-type": "application/json",
    "user-agent": "Agon-Webhook/1",
    "agon-delivery": id,
    "agon-signature": signature(secret, Math.floor(now_ms / 1000), body)
  }
  return { url, body, headers }
}

/** Gone, and for good. */
const GONE = 410

const OFF = { gone: "it answered 410 Gone.", failing: "it has failed for a week." }

const isDelivered = (outcome: Outcome | "timeout") => typeof outcome === "number" && outcome >= 200 && outcome < 300

/** When a delivery that has failed is due again; null for never. */
const dueAgain = ({ attempts, created_at, kind }: Taken, now_ms: number, chance: number): Date | null => {
  const due_ms = now_ms + retryAfter_ms(attempts, chance)
  return kind === "test" || due_ms > Date.parse(created_at) + RETRIED_FOR_MS ? null : new Date(due_ms)
}

const makeDelivery = Effect.gen(function* () {
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const sql = yield* SqlClient.SqlClient
  const tell = yield* makeTell
  const isAllowed = yield* WebhookGuard
  const addressesOf = addressesFrom()
  const untold = seldomFailed("a webhook was not told")

  const switchOff = Effect.fnUntraced(function* (webhook_id: string, now: Date, why: keyof typeof OFF) {
    const off = yield* queries.switchOff({ webhook_id, now })
    if (Option.isNone(off)) return
    const { accounts, season, url } = off.value
    const whose = season === null ? "Your webhook" : `The webhook of ${season}`
    const subject = `${whose} at ${new URL(url).host} was switched off: ${OFF[why]}`
    yield* tell({ kind: "webhook_disabled", accounts, subject, link: null })
  })

  const failed = Effect.fnUntraced(function* (taken: Taken, outcome: string) {
    const now_ms = yield* shared.now_ms
    const now = new Date(now_ms)
    const { webhook_id } = taken
    const since = yield* queries.failed({ ...taken, now, outcome, due_at: dueAgain(taken, now_ms, yield* Random.next) })
    if (Option.isNone(since)) return
    if (outcome === String(GONE)) return yield* switchOff(webhook_id, now, "gone")
    if (since.value.failing_since.getTime() <= now_ms - FAILING_MAX_MS) yield* switchOff(webhook_id, now, "failing")
  })

  const deliver = Effect.fnUntraced(function* (taken: Taken) {
    const post = Effect.catchDefect(postOnce(posting(taken, yield* Clock.currentTimeMillis), { addressesOf, isAllowed }), () =>
      Effect.succeed("unreachable" as const)
    )
    const outcome = yield* Effect.timeoutOrElse(post, { duration: POST_TIMEOUT, orElse: () => Effect.succeed("timeout" as const) })
    yield* countDelivery(outcome)
    if (!isDelivered(outcome)) return yield* sql.withTransaction(failed(taken, String(outcome)))
    yield* queries.delivered({ ...taken, now: yield* shared.now, outcome: String(outcome) })
  })

  const among = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, limit: number) {
    const now_ms = yield* shared.now_ms
    return yield* queries.take({ ids, now: new Date(now_ms), until: new Date(now_ms + TAKEN_FOR_MS), limit })
  })
  const take = Effect.fn("WebhookDelivery.take")(yield* makeTake(among), Effect.orDie)
  const outbox: Outbox<Taken> = {
    take,
    deliver: (one) => Effect.catchCause(deliver(one), untold)
  }
  const sweepBefore = yield* makeSweep
  const sweep = Effect.flatMap(shared.now_ms, (now_ms) => sweepBefore(new Date(now_ms - RETRIED_FOR_MS)))

  return WebhookDelivery.of({ outbox, round: oneRound(outbox, AT_ONCE_MAX), sweep: Effect.orDie(sweep) })
})
