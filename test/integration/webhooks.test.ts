/**
 * Notifications of accounts are posted to their webhooks: real receivers on loopback, a real
 * database, the time of a TestClock.
 */
import { spawn } from "node:child_process"
import { join } from "node:path"
import type { SignedIn } from "@agon/api/Authorization.ts"
import { makeTell } from "@agon/server/notification/Notifications.ts"
import { isPublicAddress } from "@agon/server/notification/webhook/publicAddress.ts"
import { WebhookDelivery, WebhookGuard } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { Webhooks } from "@agon/server/notification/webhook/Webhooks.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Clock, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Address, seeded } from "../support/AddressedDatabase.ts"
import * as Certificates from "../support/Certificates.ts"
import { eventually } from "../support/eventually.ts"
import { type Receiver, receiver, signedAt, tlsReceiver } from "../support/Receiver.ts"

it("only addresses of the public internet may be asked", () => {
  const refused = [
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.255.0.9", "169.254.169.254", "172.16.0.1", "172.31.255.255", "192.168.1.1"],
    ...["192.0.2.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "239.255.255.255", "240.0.0.1", "255.255.255.255"],
    ...["::", "::1", "::ffff:127.0.0.1", "::ffff:8.8.8.8", "::ffff:7f00:1", "::127.0.0.1", "fe80::1", "fe80::1%eth0", "fc00::1", "fd00::1"],
    ...["ff02::1", "64:ff9b::7f00:1", "2001::1", "2001:db8::1", "2002:7f00:1::", "2606:4700::1%eth0", "localhost", "", "1.2.3"]
  ]
  assert.deepStrictEqual(refused.filter(isPublicAddress), [])
  const allowed = ["1.1.1.1", "8.8.8.8", "100.128.0.1", "172.32.0.1", "193.0.0.1", "223.255.255.255", "2606:4700::1111", "2a00:1450::1"]
  assert.deepStrictEqual(allowed.filter(isPublicAddress), allowed)
})

const onLoopback = Layer.succeed(WebhookGuard, (address: string) => address === "127.0.0.1")
const here = Webhooks.layer.pipe(Layer.provideMerge(seeded))
const allowing = WebhookDelivery.layerIdle.pipe(Layer.provide(onLoopback), Layer.provideMerge(here))

/** Another node on this database, a process of its own, which delivers once what is due now. */
const otherNode = Effect.fnUntraced(function* (more: Readonly<Record<string, string>> = {}) {
  const { url } = yield* Address
  const env = { PATH: process.env["PATH"] ?? "", DATABASE_URL: url, NOW_MS: String(yield* Clock.currentTimeMillis), ...more }
  const child = spawn(process.execPath, [join(import.meta.dirname, "../support/webhookNode.ts")], { env, stdio: "inherit" })
  const gone = new Promise((resolve) => child.on("exit", (status, signal) => resolve(signal ?? status)))
  return { child, gone: Effect.promise(() => gone) }
})

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

const round = Effect.flatMap(WebhookDelivery, ({ round }) => round)
const accountOf = (username: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<SignedIn>`SELECT id, username, admin FROM account WHERE username = ${username}`, ([row]) => row!)
  )
const tell = Effect.fnUntraced(function* (username: string, subject: string) {
  const { id } = yield* accountOf(username)
  return yield* Effect.flatMap(makeTell, (tell) => tell({ kind: "comment_reply", accounts: [id], subject, link: "/matches/1" }))
})

/** A database without webhooks, one receiver, and a webhook of ada's that leads to it. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE webhook, webhook_delivery, notification CASCADE`
  const webhooks = yield* Webhooks
  const ada = yield* accountOf("ada")
  const at = yield* receiver
  const hook = yield* webhooks.create(ada, `http://127.0.0.1:${at.port}/hook?x=1`)
  const own = Effect.map(webhooks.list(ada), ({ webhooks }) => webhooks.find(({ id }) => id === hook.id)!)
  return { ada, at, hook, own, sql, webhooks }
})

const answering = (at: Receiver, status: number, headers: Readonly<Record<string, string>> = {}) => {
  at.answer = (response) => void response.writeHead(status, headers).end()
}
const waiting = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(sql<{ readonly n: number }>`SELECT count(*)::int AS n FROM webhook_delivery`, ([row]) => row!.n)
)
/** The next time at which anything is due and its webhook has no pause; undefined where nothing waits. */
const nextDue = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly at: Date | null }>`
      SELECT min(greatest(d.due_at, w.busy_until)) AS at FROM webhook_delivery d JOIN webhook w ON w.id = d.webhook_id`,
    ([row]) => row!.at?.getTime()
  )
)

layer(allowing)("a webhook", (it) => {
  it.effect("is told what its account is told, signed with the seconds, once", () =>
    Effect.gen(function* () {
      const { at, hook, own } = yield* begin
      yield* TestClock.adjust("1 hour")
      assert.strictEqual(yield* tell("ada", "Somebody answers you: é漢😀"), 1)
      yield* tell("bob", "Not hers.")
      assert.strictEqual(yield* round, 1)
      assert.strictEqual(yield* round, 0)
      const [said, ...others] = at.received
      assert.deepStrictEqual([others, said!.path], [[], "/hook?x=1"])
      const { created_at, id, ...rest } = JSON.parse(said!.body)
      assert.deepStrictEqual(rest, { kind: "comment_reply", subject: "Somebody answers you: é漢😀", link: "/matches/1" })
      assert.deepStrictEqual([created_at, said!.headers["agon-delivery"]], ["1970-01-01T01:00:00.000Z", id])
      assert.strictEqual(said!.headers["content-type"], "application/json")
      assert.strictEqual(said!.headers["host"], `127.0.0.1:${at.port}`)
      assert.strictEqual(signedAt(said!, hook.secret), 3_600)
      assert.isUndefined(signedAt({ ...said!, body: `${said!.body} ` }, hook.secret))
      assert.isUndefined(signedAt(said!, `${hook.secret}x`))
      assert.deepStrictEqual(yield* waiting, 0)
      const { failing_since, last_at, last_outcome } = yield* own
      assert.deepStrictEqual([last_outcome, failing_since, last_at], ["204", null, "1970-01-01T01:00:00.000Z"])
    })
  )

  it.effect("hears of nothing that was rolled back, and of notices to everybody", () =>
    Effect.gen(function* () {
      const { ada, at, sql } = yield* begin
      const back = Effect.andThen(tell("ada", "Never said."), Effect.fail("back"))
      yield* Effect.flip(sql.withTransaction(back))
      assert.strictEqual(yield* waiting, 0)
      const notice = (season: string | null) => sql`INSERT INTO notice (id, season_id, subject, link, sent_at, sent_by, recipients)
        VALUES (gen_random_uuid(), ${season}, 'To all.', NULL, '1970-01-01', ${ada.id}, 3)`
      yield* notice(null)
      assert.strictEqual(yield* round, 1)
      assert.strictEqual(JSON.parse(at.received[0]!.body).kind, "platform_notice")
    })
  )

  it.effect("that fails is tried again ever more rarely, for a day at most, and meanwhile others are not held up", () =>
    Effect.gen(function* () {
      const { at, own, webhooks } = yield* begin
      const well = yield* receiver
      yield* webhooks.create(yield* accountOf("bob"), `http://127.0.0.1:${well.port}/`)
      answering(at, 500)
      const begin_ms = yield* Clock.currentTimeMillis
      for (let n = 0; n < 3; n++) yield* tell("ada", `${n}`)
      yield* tell("bob", "Hello.")
      assert.strictEqual(yield* round, 2, "one of each at a time")
      assert.lengthOf(well.received, 1)
      const times: Array<number> = []
      for (let due = yield* nextDue; due !== undefined; due = yield* nextDue) {
        yield* TestClock.setTime(Math.max(due, yield* Clock.currentTimeMillis))
        assert.strictEqual(yield* round, 1)
        const { id } = JSON.parse(at.received.at(-1)!.body)
        if (id === JSON.parse(at.received[0]!.body).id) times.push(yield* Clock.currentTimeMillis)
      }
      const gaps = times.map((time, i) => time - (times[i - 1] ?? begin_ms))
      assert.isAtLeast(gaps[0]!, 15_000)
      for (const [i, gap] of gaps.entries()) {
        const wait = Math.min(30_000 * 2 ** i, 4 * HOUR_MS)
        const pause = Math.min((times[i]! - begin_ms) / 4, HOUR_MS) // after each of the two others that wait
        assert.isTrue(gap >= wait / 2 - 1 && gap <= wait + 2 * pause + 1, `${gap} after ${i} retries`)
      }
      assert.isAtLeast(times.length, 10)
      assert.isAtMost(times.at(-1)! - begin_ms, DAY_MS + 2 * HOUR_MS)
      assert.strictEqual((yield* own).last_outcome, "500")
      answering(at, 200)
      yield* tell("ada", "Again.")
      yield* TestClock.adjust("1 hour") // its pause
      yield* round
      assert.strictEqual((yield* own).failing_since, null)
    })
  )

  it.effect("that redirects, says nothing, never ends or cannot be reached has failed or is let go, and nothing hangs", () =>
    Effect.gen(function* () {
      const { at, hook, own, sql } = yield* begin
      const outcomeOf = Effect.fnUntraced(function* (during: Effect.Effect<void> = Effect.void) {
        yield* sql`DELETE FROM webhook_delivery`
        yield* sql`UPDATE webhook SET busy_until = '-infinity'` // its pause
        yield* tell("ada", "Something.")
        const told = yield* Effect.forkChild(round)
        yield* during
        yield* Fiber.join(told)
        return (yield* own).last_outcome
      })
      answering(at, 302, { location: `http://127.0.0.1:${at.port}/elsewhere` })
      assert.strictEqual(yield* outcomeOf(), "302")
      assert.deepStrictEqual(
        at.received.map(({ path }) => path),
        ["/hook?x=1"]
      )
      at.answer = () => undefined
      const asked = eventually(
        "the receiver is asked",
        Effect.sync(() => at.received.length === 2)
      )
      assert.strictEqual(yield* outcomeOf(Effect.andThen(asked, TestClock.adjust("10 seconds"))), "timeout")
      let closed = false
      at.answer = (response) => {
        response.on("close", () => (closed = true)).on("error", () => undefined)
        const pour = () => {
          while (!closed && response.write("x".repeat(65_536)));
        }
        response.writeHead(200).on("drain", pour)
        pour()
      }
      assert.strictEqual(yield* outcomeOf(), "200")
      yield* eventually(
        "the endless answer is cut off",
        Effect.sync(() => closed)
      )
      at.answer = (response) => void response.socket!.destroy()
      assert.strictEqual(yield* outcomeOf(), "unreachable")
      const longest = 63 // of a label: no name server is asked for a longer one
      yield* sql`UPDATE webhook SET url = ${`http://${"a".repeat(longest + 1)}.invalid/`} WHERE id = ${hook.id}`
      assert.strictEqual(yield* outcomeOf(), "unresolved")
    })
  )

  it.effect("that has failed for a week is switched off, and its owner is told, also through another webhook; a test switches it on", () =>
    Effect.gen(function* () {
      const { ada, at, own, sql, webhooks } = yield* begin
      const other = yield* receiver
      yield* webhooks.create(ada, `http://127.0.0.1:${other.port}/`)
      answering(at, 503)
      yield* tell("ada", "First.")
      yield* round
      yield* TestClock.adjust(7 * DAY_MS - 1_000)
      yield* sql`DELETE FROM webhook_delivery`
      yield* tell("ada", "A second before.")
      yield* round
      assert.isNull((yield* own).disabled_at)
      yield* TestClock.adjust(HOUR_MS)
      yield* round
      assert.isNotNull((yield* own).disabled_at)
      const [told, ...more] = yield* sql<{ readonly subject: string }>`SELECT subject FROM notification WHERE kind = 'webhook_disabled'`
      assert.deepStrictEqual(
        [told!.subject, more],
        [`Your webhook at 127.0.0.1:${at.port} was switched off: it has failed for a week.`, []]
      )
      const before = at.received.length
      yield* tell("ada", "To the other alone.")
      while ((yield* round) > 0);
      assert.deepStrictEqual(
        [at.received.length, JSON.parse(other.received.at(-2)!.body).kind, JSON.parse(other.received.at(-1)!.body).subject],
        [before, "webhook_disabled", "To the other alone."]
      )
      answering(at, 200)
      yield* webhooks.test(ada, (yield* own).id)
      yield* TestClock.adjust("10 seconds")
      while ((yield* round) > 0);
      assert.strictEqual(JSON.parse(at.received.at(-1)!.body).kind, "test")
      const { disabled_at, failing_since } = yield* own
      assert.deepStrictEqual([disabled_at, failing_since], [null, null])
    })
  )

  it.effect("that answers 410 is switched off at once, and its owner is told; waiting deliveries are not made", () =>
    Effect.gen(function* () {
      const { ada, at, own, sql, webhooks } = yield* begin
      answering(at, 410)
      yield* tell("ada", "First.")
      yield* tell("ada", "Second.")
      yield* round
      const { disabled_at, last_outcome } = yield* own
      assert.deepStrictEqual([disabled_at === null, last_outcome, at.received.length], [false, "410", 1])
      const told = yield* sql<{ readonly subject: string }>`SELECT subject FROM notification WHERE kind = 'webhook_disabled'`
      assert.deepStrictEqual(told, [{ subject: `Your webhook at 127.0.0.1:${at.port} was switched off: it answered 410 Gone.` }])
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* round, 0)
      yield* webhooks.test(ada, (yield* own).id)
      yield* TestClock.adjust("10 seconds")
      yield* round
      assert.isNotNull((yield* own).disabled_at, "the test was answered 410 as well")
      assert.strictEqual(at.received.length, 2)
    })
  )

  it.effect("that has failed for days begins anew at another address", () =>
    Effect.gen(function* () {
      const { ada, at, own, webhooks } = yield* begin
      answering(at, 503)
      yield* tell("ada", "First.")
      yield* round
      yield* TestClock.adjust(7 * DAY_MS)
      const { id, url } = yield* own
      assert.isNotNull((yield* webhooks.edit(ada, id, { url })).failing_since, "the same address")
      yield* webhooks.edit(ada, id, { url: `${url}mended` })
      yield* tell("ada", "At the other one.")
      yield* TestClock.adjust("10 seconds")
      yield* round
      const { disabled_at, failing_since } = yield* own
      assert.deepStrictEqual([disabled_at, Date.parse(failing_since!) > 7 * DAY_MS], [null, true])
    })
  )

  it.effect("is told nothing while its account is suspended, and nothing of that time later", () =>
    Effect.gen(function* () {
      const { at, sql } = yield* begin
      yield* tell("ada", "Before.")
      const suspend = (suspended: boolean) => sql`UPDATE account SET suspended = ${suspended} WHERE username = 'ada'`
      yield* suspend(true)
      yield* tell("ada", "Meanwhile.")
      yield* tell("bob", "He has no webhook.")
      assert.strictEqual(yield* round, 0)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* round, 0)
      yield* Effect.flatMap(WebhookDelivery, ({ sweep }) => sweep)
      assert.strictEqual(yield* waiting, 0, "what waits is swept")
      yield* suspend(false)
      yield* tell("ada", "Afterwards.")
      while ((yield* round) > 0);
      assert.deepStrictEqual(
        at.received.map(({ body }) => JSON.parse(body).subject),
        ["Afterwards."]
      )
    })
  )

  it.effect("is asked by one node at a time, and has room for a thousand", () =>
    Effect.gen(function* () {
      const { ada, at, hook, sql, webhooks } = yield* begin
      yield* tell("ada", "Once.")
      yield* Effect.all([round, round, round, round], { concurrency: "unbounded" })
      assert.lengthOf(at.received, 1)
      for (let n = 0; n < 12; n++) {
        yield* sql`INSERT INTO notification (id, account_id, kind, subject, created_at)
          SELECT gen_random_uuid(), ${ada.id}, 'season_notice', 'x', now() FROM generate_series(1, 100)`
      }
      assert.strictEqual(yield* waiting, 1_000)
      yield* webhooks.remove(ada, hook.id)
      assert.strictEqual(yield* waiting, 0, "what is removed is told nothing more")
    })
  )

  it.effect("is told at least once, whoever is killed between the commit and the delivery", () =>
    Effect.gen(function* () {
      const { at } = yield* begin
      yield* tell("ada", "Whatever happens.")
      at.answer = () => undefined
      const { child, gone } = yield* otherNode()
      yield* eventually(
        "the other node posts",
        Effect.sync(() => at.received.length === 1 || child.exitCode !== null)
      )
      child.kill("SIGKILL")
      assert.strictEqual(yield* gone, "SIGKILL")
      answering(at, 200)
      assert.strictEqual(yield* round, 0, "the other node could still be at it")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* round, 1)
      assert.lengthOf(at.received, 2)
      assert.strictEqual(at.received[0]!.body, at.received[1]!.body)
      assert.strictEqual(yield* waiting, 0)
    })
  )
})

const missing = Certificates.missingOpenssl()
const withOpenssl = missing === undefined ? describe : describe.skip

withOpenssl(`a webhook by https${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(allowing)((it) => {
    it.effect("is told where NODE_EXTRA_CA_CERTS trusts who signed its certificate, which is for its address, and nowhere else", () =>
      Effect.gen(function* () {
        const { ada, at, sql, webhooks } = yield* begin
        const made = yield* Effect.acquireRelease(Effect.sync(Certificates.make), ({ remove }) => Effect.sync(remove))
        const pair = Certificates.read(made.node)
        const trusted = yield* tlsReceiver(pair)
        const misnamed = yield* tlsReceiver(pair, "127.0.0.2")
        const stranger = yield* tlsReceiver(Certificates.read(made.stranger))
        const urls = [`127.0.0.1:${trusted.port}`, `127.0.0.2:${misnamed.port}`, `127.0.0.1:${stranger.port}`, `127.0.0.1:${at.port}`]
        const outcomes = Effect.fnUntraced(function* (trust: Readonly<Record<string, string>>) {
          yield* sql`TRUNCATE webhook, webhook_delivery CASCADE`
          const { secret } = yield* webhooks.create(ada, `https://${urls[0]}/`)
          for (const url of urls.slice(1)) yield* webhooks.create(ada, `https://${url}/`)
          yield* tell("ada", "By https.")
          assert.strictEqual(yield* (yield* otherNode(trust)).gone, 0)
          const rows = (yield* webhooks.list(ada)).webhooks
          return { secret, told: urls.map((url) => rows.find((row) => row.url === `https://${url}/`)!.last_outcome) }
        })
        const certificate = "bad_certificate"
        assert.deepStrictEqual((yield* outcomes({})).told, [certificate, certificate, certificate, "unreachable"])
        assert.deepStrictEqual(
          [trusted, misnamed, stranger, at].flatMap(({ received }) => received),
          []
        )
        const { secret, told } = yield* outcomes({ NODE_EXTRA_CA_CERTS: made.ca })
        assert.deepStrictEqual(told, ["204", certificate, certificate, "unreachable"])
        assert.isDefined(signedAt(trusted.received[0]!, secret))
        assert.deepStrictEqual(
          [misnamed, stranger, at].flatMap(({ received }) => received),
          []
        )
        assert.strictEqual(yield* waiting, 3, "the others are tried again")
      })
    )
  })
})

layer(WebhookDelivery.layerIdle.pipe(Layer.provideMerge(here)))("a webhook without the tests' guard", (it) => {
  it.effect("reaches nothing on this machine, however it is written", () =>
    Effect.gen(function* () {
      const { ada, at, sql, webhooks } = yield* begin
      const hosts = [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "017700000001",
        "[::1]",
        "[::ffff:127.0.0.1]",
        "[::ffff:7f00:1]",
        "0.0.0.0"
      ]
      for (const host of hosts) {
        yield* sql`TRUNCATE webhook, webhook_delivery CASCADE`
        yield* webhooks.create(ada, `http://${host}:${at.port}/`)
        yield* tell("ada", host)
        assert.strictEqual(yield* round, 1)
        assert.strictEqual((yield* webhooks.list(ada)).webhooks[0]!.last_outcome, "refused_address", host)
      }
      assert.deepStrictEqual(at.received, [])
    })
  )
})
