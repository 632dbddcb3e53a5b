/**
 * Figures of webhooks, mails and datasets in `/metrics`: real receivers, a real mail server, a real
 * database, the time of a TestClock.
 */
import type { SignedIn } from "@agon/api/Authorization.ts"
import { Mail } from "@agon/server/config/Mail.ts"
import * as DatasetMetrics from "@agon/server/dataset/DatasetMetrics.ts"
import { Mailboxes } from "@agon/server/notification/mail/Mailboxes.ts"
import { MailDelivery } from "@agon/server/notification/mail/MailDelivery.ts"
import { makeTell } from "@agon/server/notification/Notifications.ts"
import * as OutboxMetrics from "@agon/server/notification/OutboxMetrics.ts"
import { WebhookDelivery, WebhookGuard } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { Webhooks } from "@agon/server/notification/webhook/Webhooks.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { seeded } from "../support/AddressedDatabase.ts"
import { untilAnswer } from "../support/eventually.ts"
import { receiver } from "../support/Receiver.ts"
import { insertSeason } from "../support/SeasonRows.ts"
import { id, settings } from "../support/SeasonScript.ts"
import { missingSmtpServer, smtpServer } from "../support/SmtpServer.ts"
import { valueOf } from "../support/scrape.ts"

const here = Webhooks.layer.pipe(Layer.provideMerge(seeded))
const onLoopback = Layer.succeed(WebhookGuard, (address: string) => address === "127.0.0.1")
const delivering = WebhookDelivery.layerIdle.pipe(Layer.provide(onLoopback), Layer.provideMerge(here))

const scrape = PrometheusMetrics.format()
const round = Effect.flatMap(WebhookDelivery, ({ round }) => round)
const accountOf = (username: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<SignedIn>`SELECT id, username, admin FROM account WHERE username = ${username}`, ([row]) => row!)
  )
const tell = (account: SignedIn, subject: string) =>
  Effect.flatMap(makeTell, (tell) => tell({ kind: "comment_reply", accounts: [account.id], subject, link: null }))

type Labels = Readonly<Record<string, string>>
/** How far a counter rises while an effect runs. */
const rise = Effect.fnUntraced(function* <E, R>(name: string, labels: Labels, during: Effect.Effect<unknown, E, R>) {
  const of = Effect.map(scrape, (text) => valueOf(text, name, labels) ?? 0)
  const before = yield* of
  yield* during
  return (yield* of) - before
})
/** Brings the clock on until a gauge will do; answers the scrape. */
const showing = (name: string, labels: Labels, willDo: (value: number) => boolean) =>
  untilAnswer(name, Effect.andThen(TestClock.adjust("1 second"), scrape), (text) => willDo(valueOf(text, name, labels) ?? Number.NaN))
const shows = (name: string, labels: Labels, value: number) => showing(name, labels, (is) => is === value)

layer(delivering)("metrics of webhooks", (it) => {
  it.effect("count deliveries by a few outcomes, and show what waits, how long the next is due, and which webhooks fail or are off", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const ada = yield* accountOf("ada")
      const at = yield* receiver
      yield* Effect.flatMap(Webhooks, ({ create }) => create(ada, `http://127.0.0.1:${at.port}/secret-path`))
      const deliveries = "agon_webhook_deliveries_total"
      const after = (subject: string, status: number) => {
        at.answer = (response) => void response.writeHead(status).end()
        return Effect.andThen(Effect.andThen(sql`DELETE FROM webhook_delivery`, tell(ada, subject)), round)
      }
      assert.strictEqual(yield* rise(deliveries, { outcome: "delivered" }, after("Well.", 204)), 1)
      assert.strictEqual(yield* rise(deliveries, { outcome: "redirected" }, after("Elsewhere.", 307)), 1)
      assert.strictEqual(yield* rise(deliveries, { outcome: "client_error" }, after("Not there.", 404)), 1)
      assert.strictEqual(yield* rise(deliveries, { outcome: "server_error" }, after("Broken.", 599)), 1)
      yield* Layer.build(OutboxMetrics.layerEvery("1 second"))
      yield* shows("agon_webhooks", { state: "failing" }, 1)
      yield* shows("agon_outbox_deliveries", { channel: "web" }, 1)
      yield* sql`UPDATE webhook_delivery SET due_at = ${new Date(3_600_000)}` // it was not taken since
      yield* TestClock.setTime(3_600_000 + 90_000)
      const text = yield* showing("agon_outbox_oldest_due_seconds", { channel: "web" }, (age) => age >= 90)
      assert.isBelow(valueOf(text, "agon_outbox_oldest_due_seconds", { channel: "web" })!, 900)
      assert.isUndefined(valueOf(text, "agon_outbox_deliveries", { channel: "mail" }), "it sends no mail")
      yield* sql`UPDATE webhook SET disabled_at = now()`
      yield* shows("agon_webhooks", { state: "off" }, 1)
      yield* shows("agon_outbox_oldest_due_seconds", { channel: "web" }, 0)
      assert.notMatch(yield* scrape, /secret-path|127\.0\.0\.1|\bada\b/, "nothing private is in a label")
    })
  )
})

const missing = missingSmtpServer()
layer(seeded)("metrics of mails", (it) => {
  it.effect.skipIf(missing !== undefined)(`count those sent, late and refused${missing === undefined ? "" : `: ${missing}`}`, () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const server = yield* smtpServer()
      const mail = { relay: server.relay, from: { name: "Agon", address: "agon@agon.example" } }
      const services = yield* Layer.build(
        Layer.merge(MailDelivery.layerIdle, Mailboxes.layer).pipe(Layer.provide(Layer.succeed(Mail, mail)))
      )
      const ada = yield* accountOf("ada")
      yield* sql`INSERT INTO identity (provider, subject, account_id, login, email, email_at, created_at) VALUES
        ('hub', '2', ${ada.id}, 'ada', 'ada@home.example', '2026-02-01', now())`
      yield* Context.get(services, Mailboxes).change(ada.id, true)
      const mailed = (wait: "1 minute" | "2 hours") =>
        Effect.gen(function* () {
          yield* tell(ada, "News.")
          yield* TestClock.adjust(wait)
          assert.strictEqual(yield* Context.get(services, MailDelivery).round, 1)
        })
      const mails = "agon_mails_total"
      assert.strictEqual(yield* rise(mails, { outcome: "sent" }, mailed("1 minute")), 1)
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* rise(mails, { outcome: "late" }, mailed("2 hours")), 1)
      yield* TestClock.adjust("1 hour")
      yield* server.behave("later")
      assert.strictEqual(yield* rise(mails, { outcome: "failed" }, mailed("1 minute")), 1)
      yield* Layer.build(OutboxMetrics.layerEvery("1 second").pipe(Layer.provide(Layer.succeed(Mail, mail))))
      yield* shows("agon_outbox_deliveries", { channel: "mail" }, 1)
      assert.notMatch(yield* scrape, /home\.example|\bada\b/, "nothing private is in a label")
    })
  )
})

const DAY_S = 86_400
layer(seeded)("metrics of datasets", (it) => {
  it.effect("show how long a finished day has had no files, and the age of the newest", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const season = id("season", 1)
      yield* insertSeason(sql, season, settings())
      yield* Layer.build(DatasetMetrics.layerEvery("1 second"))
      yield* shows("agon_datasets_behind_seconds", {}, 0)
      yield* sql`INSERT INTO dataset_file (season_id, day, part, kind, key, sha256, bytes, rows, through_n, last, made_at)
        VALUES (${season}, '1970-01-01', 1, 'matches', 'k', 's', 1, 1, 1, false, ${new Date(DAY_S * 1_000)})`
      yield* TestClock.setTime((DAY_S + 900 + 7_200) * 1_000) // its next part could be made two hours ago
      const text = yield* showing("agon_datasets_behind_seconds", {}, (behind) => behind >= 7_200) // reads on the way there tell less
      const behind = valueOf(text, "agon_datasets_behind_seconds")!
      assert.isBelow(behind, 8_000)
      assert.strictEqual(valueOf(text, "agon_dataset_newest_age_seconds")! - behind, 900)
    })
  )
})
