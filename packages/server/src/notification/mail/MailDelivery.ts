/**
 * Mails accounts what they are told, if they ask for it (Notifications.ts). The deliveries are those
 * of webhooks (outbox.ts, migration 0037): written in the commit of the notification, and there
 * until they are sent or given up.
 *
 *   due ──a minute later, taken──▶ one mail of all that waits ──accepted──▶ deleted; the next mail after NEXT_MAIL_MS
 *    ▲                                    ├──failed──▶ tried again later, twice as late each time; given up after a day
 *    │                                    └──refused for good, or its address for a week──▶ switched off, and the account is told
 *    └── whoever took it is gone: TAKEN_FOR_MS later. If it was killed between the server's answer and our commit, or the database was
 *        away for long just then, the mail is sent twice, with one Message-ID.
 */

import { seldom, seldomFailed } from "@agon/api/program/seldom.ts"
import { Context, DateTime, Effect, Layer, Option, Random, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { Mail, type MailSettings } from "../../config/Mail.ts"
import { PublicOrigin } from "../../config/publicOrigin.ts"
import { SharedClock } from "../../database/SharedClock.ts"
import { countMail } from "../deliveryMetrics.ts"
import { makeTell } from "../Notifications.ts"
import { FAILING_MAX_MS, keepDelivering, type Outbox, oneRound, RETRIED_FOR_MS, retryAfter_ms } from "../outbox.ts"
import { makeTake } from "../takes.ts"
import { composed } from "./digest.ts"
import { type Mailbox, makeQueries, type Waiting } from "./mailQueries.ts"
import { type Ended, sendOnce } from "./smtp.ts"
import { unsubscribeToken } from "./unsubscribing.ts"

const AT_ONCE_MAX = 4
/** Notifications within this time of the first are in one mail. */
const GATHERED_FOR_MS = 60_000
/** Four mails an hour at most. */
const NEXT_MAIL_MS = 15 * 60_000
/** How long a whole conversation may take. A server that answers later may have accepted the mail, and gets it again. */
const SEND_TIMEOUT = "4 minutes"
/** Longer than that by enough for the commits around it. */
const TAKEN_FOR_MS = 6 * 60_000
/** A mail that the server has accepted is sent twice where that is not written before somebody else may take it. */
const NOTED_AGAIN = Schedule.upTo(Schedule.spaced("1 second"), { duration: "90 seconds" })
/** How long a look may take, and a delivery with its statements. */
const DELIVERY_TIMEOUT = "6 minutes"

export class MailDelivery extends Context.Service<
  MailDelivery,
  {
    /** Sends one mail to each account that is due, AT_ONCE_MAX at most, and answers how many it tried. */
    readonly round: Effect.Effect<number>
    readonly outbox: Outbox<Mailbox>
  }
>()("agon/MailDelivery") {
  /** Does nothing by itself. */
  static readonly layerIdle: Layer.Layer<MailDelivery, never, SqlClient.SqlClient> = Layer.effect(
    MailDelivery,
    Effect.suspend(() => makeDelivery)
  ).pipe(Layer.provide(SharedClock.layer))

  static readonly layer = Layer.effectDiscard(
    Effect.gen(function* () {
      const { outbox } = yield* MailDelivery
      if ((yield* Mail) !== undefined) yield* keepDelivering("mails", outbox, { most: AT_ONCE_MAX, slowMost: 0, timeout: DELIVERY_TIMEOUT })
    })
  ).pipe(Layer.provideMerge(MailDelivery.layerIdle))
}

const NO_ADDRESS: Ended = { state: "failed", why: "no_address", ofAddress: true }
const TOO_SLOW: Ended = { state: "failed", why: "timeout" }

/** Whether an address has been put off for too long. */
const isOver =
  (now_ms: number) =>
  ({ failing_since }: { readonly failing_since: Date | null }) =>
    failing_since !== null && failing_since.getTime() <= now_ms - FAILING_MAX_MS

const OFF = {
  refused: "E-mail to you was switched off: the mail server refuses your address.",
  failed: "E-mail to you was switched off: it has failed for a week."
}

const makeDelivery = Effect.gen(function* () {
  const mail = yield* Mail
  const { origin } = yield* PublicOrigin
  const queries = yield* makeQueries
  const shared = yield* SharedClock
  const sql = yield* SqlClient.SqlClient
  const tell = yield* makeTell
  const unsent = seldom("a mail was not sent")
  const uncommitted = seldomFailed("the outcome of a mail was not written")

  const sent = Effect.fnUntraced(function* ({ from, relay }: MailSettings, box: Mailbox, news: ReadonlyArray<Waiting>) {
    const { email, secret, username, webhook_id } = box
    if (email === null) return NO_ADDRESS
    const unsubscribe = `${origin}/v1/unsubscribe?token=${unsubscribeToken(webhook_id, secret)}`
    const at = yield* DateTime.nowAsDate
    const message = yield* composed({ from, to: email, username, news, at, origin, unsubscribe })
    const sending = sendOnce(relay, { from: from.address, to: email, message })
    return yield* Effect.timeoutOrElse(sending, { duration: SEND_TIMEOUT, orElse: () => Effect.succeed(TOO_SLOW) })
  })

  const switchOff = (account_id: string, now: Date, state: "refused" | "failed") =>
    Effect.andThen(
      queries.disableMail({ account_id, now }),
      tell({ kind: "email_disabled", accounts: [account_id], subject: OFF[state], link: null })
    )

  const failed = Effect.fnUntraced(function* (
    { account_id, webhook_id }: Mailbox,
    news: ReadonlyArray<Waiting>,
    { ofAddress = false, state, why }: Ended
  ) {
    const now_ms = yield* shared.now_ms
    const now = new Date(now_ms)
    const attempts = Math.max(...news.map(({ attempts }) => attempts))
    const until = new Date(now_ms + retryAfter_ms(attempts, yield* Random.next))
    const lost_before = new Date(now_ms - RETRIED_FOR_MS)
    const ids = news.map(({ id }) => id)
    const since = yield* queries.notMailed({ webhook_id, ids, now, until, outcome: why, lost_before, of_address: ofAddress })
    if (state === "refused") return yield* switchOff(account_id, now, "refused")
    if (ofAddress && Option.exists(since, isOver(now_ms))) yield* switchOff(account_id, now, "failed")
  })

  const deliver = Effect.fnUntraced(function* (settings: MailSettings, box: Mailbox) {
    const news = yield* queries.news(box.webhook_id)
    if (news.length === 0) return
    const ended = yield* sent(settings, box, news)
    yield* countMail(ended.state, (yield* shared.now_ms) - news[0]!.created_at.getTime())
    if (ended.state !== "accepted") {
      yield* unsent({ reason: ended.why, fields: { outcome: ended.why } })
      return yield* sql.withTransaction(failed(box, news, ended))
    }
    const now_ms = yield* shared.now_ms
    const [now, until] = [new Date(now_ms), new Date(now_ms + NEXT_MAIL_MS)]
    const noted = queries.mailed({ webhook_id: box.webhook_id, ids: news.map(({ id }) => id), now, until, outcome: ended.why })
    yield* Effect.retry(Effect.tapCause(noted, uncommitted), NOTED_AGAIN)
  })

  const among = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, limit: number) {
    const now_ms = yield* shared.now_ms
    const [now, until] = [new Date(now_ms), new Date(now_ms + TAKEN_FOR_MS)]
    return yield* queries.takeMail({ ids, now, gathered: new Date(now_ms - GATHERED_FOR_MS), until, limit })
  })
  const take = Effect.fn("MailDelivery.take")(yield* makeTake(among), Effect.orDie)
  const outbox: Outbox<Mailbox> = {
    take: (limit) => (mail === undefined ? Effect.succeed([]) : take(limit)),
    deliver: (box) => (mail === undefined ? Effect.void : Effect.catchCause(deliver(mail, box), uncommitted))
  }

  return MailDelivery.of({ outbox, round: oneRound(outbox, AT_ONCE_MAX) })
})
