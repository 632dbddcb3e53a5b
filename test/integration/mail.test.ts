/**
 * Notifications of accounts are mailed to those who ask for it: a real mail server on loopback, a real
 * database, the time of a TestClock.
 */
import { spawn } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { getCACertificates, setDefaultCACertificates } from "node:tls"
import type { SignedIn } from "@agon/api/Authorization.ts"
import { Mail, type Relay } from "@agon/server/config/Mail.ts"
import { Mailboxes } from "@agon/server/notification/mail/Mailboxes.ts"
import { MailDelivery } from "@agon/server/notification/mail/MailDelivery.ts"
import { makeTell } from "@agon/server/notification/Notifications.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Clock, Context, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Address, seeded } from "../support/AddressedDatabase.ts"
import * as Certificates from "../support/Certificates.ts"
import { eventually } from "../support/eventually.ts"
import { missingSmtpServer, type Received, type SmtpServer, smtpServer } from "../support/SmtpServer.ts"

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

const accountOf = (username: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<SignedIn>`SELECT id, username, admin FROM account WHERE username = ${username}`, ([row]) => row!)
  )
/** A millisecond after whatever was told before, so that the order is theirs. */
const tell = Effect.fnUntraced(function* (username: string, subject: string) {
  yield* TestClock.adjust("1 millis")
  const { id } = yield* accountOf(username)
  return yield* Effect.flatMap(makeTell, (tell) => tell({ kind: "comment_reply", accounts: [id], subject, link: "/matches/1" }))
})
const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM webhook_delivery`, ([row]) => row!.n)
)
/** The row of ada's mails. */
const mailbox = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly outcome: string | null; readonly isOff: boolean; readonly free_at: Date }>`SELECT last_outcome AS outcome,
      disabled_at IS NOT NULL AS "isOff", busy_until AS free_at FROM webhook w JOIN account a ON a.id = w.account_id WHERE a.username = 'ada'`,
    ([row]) => row!
  )
)
const noticesOf = (kind: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql<{ readonly subject: string }>`SELECT subject FROM notification WHERE kind = ${kind}`)

const from = { name: "Agon", address: "agon@agon.example" }
const through = (relay: Relay) =>
  Effect.map(
    Layer.build(Layer.merge(MailDelivery.layerIdle, Mailboxes.layer).pipe(Layer.provide(Layer.succeed(Mail, { relay, from })))),
    (services) => ({ round: Context.get(services, MailDelivery).round, mailboxes: Context.get(services, Mailboxes) })
  )

/** A database in which ada has a verified address and asks for mail. */
const beginWith = Effect.fnUntraced(function* (server: SmtpServer) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE webhook, webhook_delivery, notification, identity CASCADE`
  const ada = yield* accountOf("ada")
  yield* sql`INSERT INTO identity (provider, subject, account_id, login, email, email_at, created_at) VALUES
    ('old', '1', ${ada.id}, 'ada', 'ada@old.example', '2026-01-01', now()), ('hub', '2', ${ada.id}, 'ada', 'ada@home.example', '2026-02-01', now()),
    ('mute', '3', ${ada.id}, 'ada', NULL, '2026-03-01', now())`
  const { mailboxes, round } = yield* through(server.relay)
  yield* mailboxes.change(ada.id, true)
  /** Waits as long as what was told is gathered, and sends it. */
  const gathered = Effect.andThen(TestClock.adjust("1 minute"), round)
  return { ada, gathered, mailboxes, round, server, sql }
})
const begin = Effect.flatMap(smtpServer(), beginWith)

const header = ({ headers }: Received, name: string) => headers.filter(([one]) => one.toLowerCase() === name).map(([, value]) => value)

const missing = missingSmtpServer()
const withServer = missing === undefined ? describe : describe.skip
const openssl = missing ?? Certificates.missingOpenssl()
const withTls = openssl === undefined ? describe : describe.skip
const because = (reason: string | undefined) => (reason === undefined ? "" : `: ${reason}`)

withServer(`a mail${because(missing)}`, () => {
  layer(seeded)((it) => {
    it.effect("says all that was told within a minute, to the address that was verified last, in text and HTML", () =>
      Effect.gen(function* () {
        const { gathered, round, server } = yield* begin
        yield* tell("ada", "Somebody answers you: é漢😀")
        assert.strictEqual(yield* round, 0, "more may come")
        yield* tell("ada", "<b>Bold</b>\r\nBcc: eve@elsewhere.example")
        yield* tell("bob", "Nobody asked to be mailed.")
        assert.strictEqual(yield* gathered, 1)
        assert.strictEqual(yield* gathered, 0)
        const [mail, ...more] = server.mails()
        assert.deepStrictEqual([more, mail!.to, mail!.sender], [[], ["ada@home.example"], "agon@agon.example"])
        assert.deepStrictEqual(header(mail!, "from"), ["Agon <agon@agon.example>"])
        assert.deepStrictEqual(header(mail!, "subject"), ["2 notifications"])
        assert.deepStrictEqual([header(mail!, "bcc"), header(mail!, "auto-submitted")], [[], ["auto-generated"]])
        assert.include(mail!.text, "- Somebody answers you: é漢😀\n- <b>Bold</b> Bcc: eve@elsewhere.example\n")
        assert.include(mail!.html, "<li>&#60;b&#62;Bold&#60;/b&#62; Bcc: eve@elsewhere.example</li>")
        assert.include(mail!.text, "http://localhost:8080/me/settings")
        const [listed] = header(mail!, "list-unsubscribe")
        assert.include(mail!.text, `Stop these mails: ${listed!.slice(1, -1)}\n`)
        assert.include(mail!.html, `<a href="${listed!.slice(1, -1)}">Stop these mails</a>`)
        assert.strictEqual(yield* waiting, 0)
        assert.strictEqual((yield* mailbox).outcome, "250")
      })
    )

    it.effect("is not sent to an account that is suspended", () =>
      Effect.gen(function* () {
        const { gathered, server, sql } = yield* begin
        yield* tell("ada", "Before.")
        yield* sql`UPDATE account SET suspended = true WHERE username = 'ada'`
        yield* tell("ada", "Meanwhile.")
        assert.strictEqual(yield* gathered, 0)
        assert.deepStrictEqual([server.mails(), server.asked()], [[], 0])
        yield* sql`UPDATE account SET suspended = false WHERE username = 'ada'`
        assert.strictEqual(yield* gathered, 1)
      })
    )

    it.effect("has one line as its subject, whatever names are in it, and the length of a line", () =>
      Effect.gen(function* () {
        const { gathered, server } = yield* begin
        yield* tell("ada", `x\r\nBcc: eve@elsewhere.example\r\n\r\n\u2028\u202eevil ${"n".repeat(300)}`)
        yield* gathered
        const [mail] = server.mails()
        const [subject] = header(mail!, "subject")
        assert.match(subject!, /^x Bcc: eve@elsewhere\.example evil n+$/)
        assert.deepStrictEqual([subject!.length, header(mail!, "bcc"), mail!.to], [150, [], ["ada@home.example"]])
      })
    )

    it.effect("is one of four an hour at most, and a burst is one, of which fifty are listed", () =>
      Effect.gen(function* () {
        const { gathered, server } = yield* begin
        for (let minute = 0; minute < 60; minute++) {
          yield* tell("ada", `Minute ${minute}.`)
          yield* gathered
        }
        assert.lengthOf(server.mails(), 4)
        const said = server.mails().flatMap(({ text }) => text.match(/Minute \d+\./g) ?? [])
        assert.deepStrictEqual([said.length, new Set(said).size], [said.length, said.length], "each is told once")
        yield* TestClock.adjust("1 hour")
        yield* gathered
        for (let n = 0; n < 120; n++) yield* tell("ada", `No. ${n}.`)
        yield* TestClock.adjust("1 hour")
        yield* gathered
        const last = server.mails().at(-1)!
        assert.deepStrictEqual(header(last, "subject"), ["120 notifications"])
        assert.include(last.text, "- No. 49.\nand 70 more.")
        assert.strictEqual(yield* waiting, 0)
      })
    )

    it.effect("that the server puts off is sent later with the same Message-ID, ever more rarely, for a day at most", () =>
      Effect.gen(function* () {
        const { gathered, round, server } = yield* begin
        yield* server.behave("later")
        yield* tell("ada", "Later.")
        const begin_ms = yield* Clock.currentTimeMillis
        assert.strictEqual(yield* gathered, 1)
        assert.strictEqual(yield* round, 0)
        assert.strictEqual((yield* mailbox).outcome, "451")
        const next = Effect.gen(function* () {
          yield* TestClock.setTime(Math.max((yield* mailbox).free_at.getTime(), yield* Clock.currentTimeMillis))
          return yield* round
        })
        const waits: Array<number> = []
        for (let last = yield* Clock.currentTimeMillis; (yield* waiting) > 0; ) {
          assert.strictEqual(yield* next, 1)
          waits.push((yield* Clock.currentTimeMillis) - last)
          last += waits.at(-1)!
        }
        for (const [i, wait] of waits.entries()) {
          const most = Math.min(30_000 * 2 ** i, 4 * HOUR_MS)
          assert.isTrue(wait >= most / 2 - 1 && wait <= most + 1, `${wait} after ${i} retries`)
        }
        assert.isAtLeast(waits.length, 10)
        assert.isAtMost((yield* Clock.currentTimeMillis) - begin_ms, DAY_MS + 4 * HOUR_MS)
        yield* tell("ada", "Accepted at last.")
        yield* TestClock.adjust("4 hours")
        yield* round
        yield* server.behave("accept")
        assert.strictEqual(yield* next, 1)
        assert.lengthOf(server.mails(), 1)
        assert.isFalse((yield* mailbox).isOff)
      })
    )

    it.effect("that the server refuses for good ends the account's mail, and the account is told; nothing else does", () =>
      Effect.gen(function* () {
        const { ada, gathered, mailboxes, server } = yield* begin
        yield* tell("ada", "Not from you.")
        // Our relay's settings and quota, and a mailbox that is full for a while: everybody's mail would end within an hour.
        for (const [behaviour, status] of [
          ["policy", "554"],
          ["relay", "550"],
          ["sender", "550"],
          ["full", "552"]
        ] as const) {
          yield* server.behave(behaviour)
          yield* gathered
          assert.deepStrictEqual([(yield* mailbox).outcome, (yield* mailbox).isOff, yield* waiting], [status, false, 1], behaviour)
          yield* TestClock.adjust("1 hour")
        }
        yield* server.behave("never")
        yield* gathered
        const { isOff, outcome } = yield* mailbox
        assert.deepStrictEqual([outcome, isOff, yield* waiting], ["550", true, 0])
        assert.deepStrictEqual(yield* noticesOf("email_disabled"), [
          { subject: "E-mail to you was switched off: the mail server refuses your address." }
        ])
        assert.deepStrictEqual(yield* mailboxes.of(ada.id), { email: false, email_address: "ada@home.example" })
        yield* tell("ada", "To nobody.")
        assert.deepStrictEqual([yield* gathered, yield* waiting], [0, 0])
        yield* server.behave("accept")
        yield* mailboxes.change(ada.id, true)
        yield* tell("ada", "Again.")
        yield* TestClock.adjust("1 day")
        yield* gathered
        assert.deepStrictEqual(
          server.mails().map((mail) => header(mail, "subject")),
          [["Again."]]
        )
      })
    )

    it.effect("that has failed for a week is given up, and the account is told", () =>
      Effect.gen(function* () {
        const { gathered, server } = yield* begin
        yield* server.behave("later")
        yield* tell("ada", "First.")
        yield* gathered
        yield* TestClock.adjust(7 * DAY_MS - 3 * MINUTE_MS)
        yield* tell("ada", "Before the week is over.")
        yield* gathered
        assert.isFalse((yield* mailbox).isOff)
        yield* TestClock.adjust("4 hours")
        yield* gathered
        assert.isTrue((yield* mailbox).isOff)
        assert.lengthOf(yield* noticesOf("email_disabled"), 1)
      })
    )

    it.effect("that has failed for a week by the server, and not by its address, is lost, and the next one is tried all the same", () =>
      Effect.gen(function* () {
        const { gathered, server } = yield* begin
        yield* server.behave("sender")
        yield* tell("ada", "Lost.")
        yield* gathered
        yield* TestClock.adjust("8 days")
        yield* tell("ada", "After a week.")
        yield* gathered
        assert.deepStrictEqual([(yield* mailbox).isOff, (yield* mailbox).outcome, yield* waiting], [false, "550", 1])
        yield* server.behave("later") // which is about the address, for the first time
        yield* TestClock.adjust("1 hour")
        yield* gathered
        assert.deepStrictEqual([(yield* mailbox).isOff, (yield* mailbox).outcome], [false, "451"])
        yield* server.behave("accept")
        yield* TestClock.adjust("1 hour")
        yield* gathered
        assert.deepStrictEqual(
          server.mails().map((mail) => header(mail, "subject")),
          [["After a week."]]
        )
        assert.lengthOf(yield* noticesOf("email_disabled"), 0)
      })
    )

    it.effect("that a server takes and does not acknowledge, as it dies or is too slow, is sent again", () =>
      Effect.gen(function* () {
        const { gathered, round, server } = yield* begin
        yield* server.behave("dies")
        yield* tell("ada", "Whatever happens.")
        yield* gathered
        assert.deepStrictEqual([(yield* mailbox).outcome, yield* waiting], ["unreachable", 1])
        yield* server.behave("silent")
        yield* TestClock.adjust("1 hour")
        const sending = yield* Effect.forkChild(round)
        yield* eventually(
          "the slow server has the mail",
          Effect.sync(() => server.mails().length === 2)
        )
        yield* TestClock.adjust("4 minutes")
        yield* Fiber.join(sending)
        assert.deepStrictEqual([(yield* mailbox).outcome, yield* waiting], ["timeout", 1])
        yield* server.behave("accept")
        yield* TestClock.adjust("1 hour")
        yield* round
        assert.strictEqual(yield* waiting, 0)
        const ids = server.mails().map((mail) => header(mail, "message-id")[0])
        assert.deepStrictEqual([ids.length, new Set(ids).size], [3, 1])
      })
    )

    it.effect("that was accepted while the database was away for a moment is not sent again", () =>
      Effect.gen(function* () {
        const { round, server, sql } = yield* begin
        const lines: Array<string> = []
        const log = Logger.layer([Logger.make(({ message }) => lines.push(JSON.stringify(message)))])
        yield* server.behave("silent")
        yield* tell("ada", "Once.")
        yield* TestClock.adjust("1 minute")
        const sending = yield* Effect.forkChild(Effect.provide(round, log))
        yield* eventually(
          "the server has the mail",
          Effect.sync(() => server.mails().length === 1)
        )
        yield* sql`ALTER TABLE webhook_delivery RENAME TO away`
        yield* server.behave("accept")
        yield* eventually(
          "that it was sent could not be written",
          Effect.sync(() => lines.some((line) => line.includes("the outcome of a mail was not written")))
        )
        yield* sql`ALTER TABLE away RENAME TO webhook_delivery`
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(sending), 1)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* round, 0)
        assert.deepStrictEqual([server.mails().length, yield* waiting, (yield* mailbox).outcome], [1, 0, "250"])
      })
    )

    it.effect("is sent twice at most, and once at least, where a node is killed between the server's answer and its commit", () =>
      Effect.gen(function* () {
        const { round, server } = yield* begin
        const { url } = yield* Address
        yield* tell("ada", "Once at least.")
        yield* TestClock.adjust("1 minute")
        yield* server.behave("silent")
        const now = String(yield* Clock.currentTimeMillis)
        const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: url, NOW_MS: now, SMTP_PORT: String(server.relay.port) }
        const child = spawn(process.execPath, [join(import.meta.dirname, "../support/mailNode.ts")], { env, stdio: "inherit" })
        const gone = new Promise((resolve) => child.on("exit", (_status, signal) => resolve(signal)))
        yield* eventually(
          "the other node has handed the mail over",
          Effect.sync(() => server.mails().length === 1 || child.exitCode !== null)
        )
        child.kill("SIGKILL")
        assert.strictEqual(yield* Effect.promise(() => gone), "SIGKILL")
        yield* server.behave("accept")
        assert.strictEqual(yield* round, 0, "the other node could still be at it")
        yield* TestClock.adjust("6 minutes")
        assert.strictEqual(yield* round, 1)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* round, 0)
        const ids = server.mails().map((mail) => header(mail, "message-id")[0])
        assert.deepStrictEqual([ids.length, new Set(ids).size, yield* waiting], [2, 1, 0])
      })
    )

    it.effect("is sent by one node of several, and to nobody where the address is not verified any more", () =>
      Effect.gen(function* () {
        const { ada, gathered, mailboxes, round, server, sql } = yield* begin
        yield* tell("ada", "Once.")
        yield* TestClock.adjust("1 minute")
        yield* Effect.all([round, round, round], { concurrency: "unbounded" })
        assert.lengthOf(server.mails(), 1)
        yield* sql`UPDATE identity SET email = NULL`
        yield* tell("ada", "To whom?")
        yield* TestClock.adjust("1 hour")
        yield* gathered
        assert.deepStrictEqual([(yield* mailbox).outcome, server.mails().length], ["no_address", 1])
        assert.deepStrictEqual(yield* mailboxes.of(ada.id), { email: true, email_address: null })
        yield* mailboxes.change(ada.id, false)
        assert.strictEqual((yield* Effect.flip(mailboxes.change(ada.id, true))).code, "email_unavailable")
      })
    )

    it.effect("has the address that ends all mails of its account with one click, and no other token does", () =>
      Effect.gen(function* () {
        const { ada, gathered, mailboxes, server, sql } = yield* begin
        yield* tell("ada", "The last.")
        yield* gathered
        const [mail] = server.mails()
        assert.deepStrictEqual(header(mail!, "list-unsubscribe-post"), ["List-Unsubscribe=One-Click"])
        const [address] = header(mail!, "list-unsubscribe")
        const token = /^<http:\/\/localhost:8080\/v1\/unsubscribe\?token=([\w.-]+)>$/.exec(address!)![1]!
        const [id, mac] = token.split(".")
        for (const forged of [
          "",
          ".",
          id!,
          `${id}.`,
          `${id}.${mac}x`,
          `${id}.${mac!.slice(1)}`,
          `${ada.id}.${mac}`,
          `${id}.${mac}.${mac}`
        ]) {
          assert.strictEqual((yield* Effect.flip(mailboxes.unsubscribe(forged))).code, "not_found", forged)
        }
        assert.isTrue((yield* mailboxes.of(ada.id)).email)
        yield* tell("ada", "Never sent.")
        for (let n = 0; n < 2; n++) assert.deepStrictEqual(yield* mailboxes.unsubscribe(token), { unsubscribed: true })
        assert.isFalse((yield* mailboxes.of(ada.id)).email)
        assert.deepStrictEqual([yield* waiting, yield* gathered], [0, 0])
        yield* sql`INSERT INTO webhook (id, account_id, url, secret, created_at) VALUES (${ada.id}, ${ada.id}, 'https://hooks.example/', '', now())`
        yield* sql`INSERT INTO webhook_delivery (webhook_id, id, kind, subject, created_at, due_at)
          SELECT id, id, 'comment_reply', 'Not for mail.', 'epoch', 'epoch' FROM webhook`
        assert.strictEqual(yield* gathered, 0, "not what came meanwhile, nor what a webhook is told")
        yield* sql`DELETE FROM webhook WHERE channel <> 'mail'`
        yield* sql`DELETE FROM webhook_delivery`
        yield* mailboxes.change(ada.id, true)
        assert.deepStrictEqual(yield* mailboxes.unsubscribe(token), { unsubscribed: true })
      })
    )
  })
})

/** Trusts the authority as NODE_EXTRA_CA_CERTS does, for as long as the scope is open. */
const trusting = (ca: string) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const before = getCACertificates("default")
      setDefaultCACertificates([...before, readFileSync(ca, "utf8")])
      return before
    }),
    (before) => Effect.sync(() => setDefaultCACertificates(before))
  )

withTls(`a mail server with TLS and a password${because(openssl)}`, () => {
  layer(seeded)((it) => {
    it.effect("gets mails where its certificate is trusted and the password is right; otherwise nothing is said to it", () =>
      Effect.gen(function* () {
        const made = yield* Effect.acquireRelease(Effect.sync(Certificates.make), ({ remove }) => Effect.sync(remove))
        const { server } = yield* beginWith(yield* smtpServer(made.node))
        const attempt = Effect.fnUntraced(function* (relay: Relay) {
          yield* TestClock.adjust("4 hours")
          yield* (yield* through(relay)).round
          return (yield* mailbox).outcome
        })
        yield* tell("ada", "In confidence.")
        const { relay } = server
        assert.strictEqual(yield* attempt(relay), "bad_tls", "an authority that nobody knows")
        yield* trusting(made.ca)
        assert.strictEqual(yield* attempt({ ...relay, auth: { user: "agon", password: Redacted.make("wrong") } }), "535")
        assert.strictEqual(yield* attempt({ ...relay, auth: undefined }), "530")
        assert.isFalse((yield* mailbox).isOff)
        assert.deepStrictEqual(server.mails(), [])
        assert.strictEqual(yield* attempt(relay), "250")
        const [mail] = server.mails()
        assert.deepStrictEqual([mail!.tls, mail!.user, mail!.to], [true, "agon", ["ada@home.example"]])
        const stripping = yield* smtpServer()
        yield* tell("ada", "Not in clear text.")
        assert.strictEqual(yield* attempt({ ...relay, port: stripping.relay.port }), "bad_tls", "a server that offers no TLS")
        assert.deepStrictEqual([stripping.asked(), stripping.mails()], [0, []])
      })
    )
  })
})
