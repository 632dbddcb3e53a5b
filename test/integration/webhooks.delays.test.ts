/**
 * Webhooks whose receivers or name servers are slow, silent or gone delay no other one, and names lead
 * nowhere but to the internet.
 */
import type { ServerResponse } from "node:http"
import type { SignedIn } from "@agon/api/Authorization.ts"
import { makeTell } from "@agon/server/notification/Notifications.ts"
import { addressesFrom } from "@agon/server/notification/webhook/addressesOf.ts"
import { postOnce } from "@agon/server/notification/webhook/postOnce.ts"
import { WebhookDelivery, WebhookGuard } from "@agon/server/notification/webhook/WebhookDelivery.ts"
import { Webhooks } from "@agon/server/notification/webhook/Webhooks.ts"
import { assert, it, layer } from "@effect/vitest"
import { DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { seeded } from "../support/AddressedDatabase.ts"
import { eventually } from "../support/eventually.ts"
import { nameServer } from "../support/NameServer.ts"
import { receiver } from "../support/Receiver.ts"

const onLoopback = Layer.succeed(WebhookGuard, (address: string) => address === "127.0.0.1")
const here = Webhooks.layer.pipe(Layer.provideMerge(seeded))
const allowing = WebhookDelivery.layerIdle.pipe(Layer.provide(onLoopback), Layer.provideMerge(here))

const accountOf = (username: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<SignedIn>`SELECT id, username, admin FROM account WHERE username = ${username}`, ([row]) => row!)
  )
const tell = Effect.fnUntraced(function* (username: string, subject: string) {
  const { id } = yield* accountOf(username)
  return yield* Effect.flatMap(makeTell, (tell) => tell({ kind: "comment_reply", accounts: [id], subject, link: null }))
})
const round = Effect.flatMap(WebhookDelivery, ({ round }) => round)

/** A receiver for ada and one for bob, and a webhook of each. */
const begin = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`TRUNCATE webhook, webhook_delivery, notification CASCADE`
  const webhooks = yield* Webhooks
  const [ada, bob] = [yield* accountOf("ada"), yield* accountOf("bob")]
  const [dead, well] = [yield* receiver, yield* receiver]
  const hook = yield* webhooks.create(ada, `http://127.0.0.1:${dead.port}/`)
  yield* webhooks.create(bob, `http://127.0.0.1:${well.port}/`)
  const own = Effect.map(webhooks.list(ada), ({ webhooks }) => webhooks[0]!)
  return { ada, dead, hook, own, sql, webhooks, well }
})

layer(WebhookDelivery.layer.pipe(Layer.provide(onLoopback), Layer.provideMerge(here)), { excludeTestServices: true })(
  "a receiver that holds its answer back",
  (it) => {
    it.effect("delays no other webhook", () =>
      Effect.gen(function* () {
        const { dead, own, well } = yield* begin
        dead.answer = () => undefined
        yield* tell("ada", "Held back.")
        yield* eventually(
          "it is asked",
          Effect.sync(() => dead.received.length === 1)
        )
        yield* tell("bob", "At once.")
        yield* eventually(
          "the other one is told",
          Effect.sync(() => well.received.length === 1)
        )
        assert.isNull((yield* own).last_outcome, "the first one is still being waited for")
      })
    )
  }
)

const WAITING = 40
layer(allowing)("a receiver that is gone", (it) => {
  it.effect("is asked ever more rarely, however much waits for it, and what waits takes nobody's turn", () =>
    Effect.gen(function* () {
      const { dead, own, well } = yield* begin
      dead.answer = (response) => void response.writeHead(503).end()
      yield* tell("ada", "First.")
      yield* round
      yield* TestClock.adjust("8 hours")
      for (let n = 0; n < WAITING; n++) yield* tell("ada", `${n}`)
      const before = dead.received.length
      for (let minute = 0; minute < 120; minute++) {
        yield* round
        yield* TestClock.adjust("1 minute")
      }
      assert.isAtLeast(dead.received.length - before, 2)
      assert.isAtMost(dead.received.length - before, 3, "once an hour")
      yield* tell("bob", "His.")
      yield* round
      assert.lengthOf(well.received, 1)
      dead.answer = (response) => void response.writeHead(204).end()
      yield* TestClock.adjust("4 hours")
      while ((yield* round) > 0);
      assert.strictEqual((yield* own).failing_since, null)
      const told = new Set(dead.received.map(({ body }) => JSON.parse(body).subject))
      assert.strictEqual(told.size, WAITING + 1, "all that waited is told once it is back")
    })
  )

  it.effect("is asked soon where its owner tests it or changes its address, before all that waits", () =>
    Effect.gen(function* () {
      const { ada, dead, hook, webhooks, well } = yield* begin
      dead.answer = (response) => void response.writeHead(503).end()
      yield* tell("ada", "First.")
      yield* round
      yield* TestClock.adjust("6 hours")
      yield* tell("ada", "Second.")
      yield* round
      yield* webhooks.test(ada, hook.id)
      yield* TestClock.adjust("10 seconds")
      yield* round
      assert.strictEqual(JSON.parse(dead.received.at(-1)!.body).kind, "test")
      assert.strictEqual(yield* round, 0, "it has its pause again")
      yield* webhooks.edit(ada, hook.id, { url: `http://127.0.0.1:${well.port}/moved` })
      yield* TestClock.adjust("10 seconds")
      while ((yield* round) > 0);
      assert.isNotEmpty(well.received.filter(({ path }) => path === "/moved"))
    })
  )

  it.effect("is not told at last what is older than a day", () =>
    Effect.gen(function* () {
      const { dead, sql } = yield* begin
      dead.answer = (response) => void response.writeHead(503).end()
      yield* tell("ada", "First.")
      yield* tell("ada", "Second.")
      yield* round
      yield* TestClock.adjust("23 hours")
      yield* tell("ada", "Third.")
      yield* tell("bob", "His, which no node has looked at.")
      yield* TestClock.adjust("2 hours")
      yield* Effect.flatMap(WebhookDelivery, ({ sweep }) => sweep)
      const left = yield* sql<{ readonly subject: string }>`SELECT subject FROM webhook_delivery ORDER BY created_at, subject`
      assert.deepStrictEqual(
        left.map(({ subject }) => subject),
        ["His, which no node has looked at.", "Third."]
      )
    })
  )
})

/** As many as are told at once. */
const HOGS = 16
layer(allowing)("receivers that take long and have much to be told", (it) => {
  it.effect("keep no other one from its turn: whoever was told least recently comes first", () =>
    Effect.gen(function* () {
      const { dead, sql, well } = yield* begin
      yield* sql`INSERT INTO webhook (id, account_id, url, secret, created_at)
        SELECT gen_random_uuid(), w.account_id, w.url, w.secret, w.created_at FROM webhook w JOIN account a ON a.id = w.account_id AND a.username = 'ada',
          generate_series(2, ${HOGS}::int)`
      for (const subject of ["First.", "Second.", "Third."]) yield* tell("ada", subject)
      yield* TestClock.adjust("1 minute")
      yield* tell("bob", "His, which is newer than all of theirs.")
      assert.strictEqual(yield* round, HOGS)
      yield* TestClock.adjust("10 seconds") // in which they answered
      yield* round
      assert.lengthOf(well.received, 1)
      while ((yield* round) > 0);
      assert.lengthOf(dead.received, 3 * HOGS)
    })
  )

  it.effect("gain nothing where they are made anew", () =>
    Effect.gen(function* () {
      const { sql, well } = yield* begin
      yield* TestClock.adjust("1 minute")
      yield* sql`DELETE FROM webhook WHERE account_id = (SELECT id FROM account WHERE username = 'ada')`
      yield* sql`INSERT INTO webhook (id, account_id, url, secret, created_at)
        SELECT gen_random_uuid(), a.id, 'http://127.0.0.1:9/', 's', ${yield* DateTime.nowAsDate}::timestamptz
        FROM account a, generate_series(1, ${HOGS}::int) WHERE a.username = 'ada'`
      yield* tell("ada", "First.")
      yield* TestClock.adjust("1 second")
      yield* tell("bob", "His.")
      yield* round
      assert.lengthOf(well.received, 1)
    })
  )
})

const posted = (name: string, port: number) => ({ url: `http://${name}:${port}/`, body: "{}", headers: {} })
const isLoopback = (address: string) => address === "127.0.0.1"

it.live("a name leads to the address that was examined, once, and nowhere where any of its addresses is private", () =>
  Effect.gen(function* () {
    const names = yield* nameServer
    const at = yield* receiver
    const rules = { addressesOf: addressesFrom([names.address]), isAllowed: isLoopback }
    names.addressesOf = () => ["127.0.0.1"]
    assert.strictEqual(yield* postOnce(posted("one.example", at.port), rules), 204)
    assert.deepStrictEqual(names.asked.toSorted(), ["A one.example", "AAAA one.example"])
    names.addressesOf = () => ["127.0.0.1", "10.0.0.1"]
    assert.strictEqual(yield* postOnce(posted("two.example", at.port), rules), "refused_address")
    names.addressesOf = () => ["169.254.169.254"]
    assert.strictEqual(yield* postOnce(posted("metadata.example", at.port), rules), "refused_address")
    names.addressesOf = () => []
    assert.strictEqual(yield* postOnce(posted("none.example", at.port), rules), "unresolved")
    assert.lengthOf(at.received, 1)
  }).pipe(Effect.scoped)
)

/** More than Node's threads. */
const NAMES = 8
it.live("a name server that is silent keeps no look-up of the system waiting", () =>
  Effect.gen(function* () {
    const names = yield* nameServer
    const addressesOf = addressesFrom([names.address])
    const silent = Array.from({ length: NAMES }, (_, i) => postOnce(posted(`${i}.example`, 9), { addressesOf, isAllowed: () => true }))
    yield* Effect.forkScoped(Effect.all(silent, { concurrency: "unbounded" }))
    yield* eventually(
      "all of them wait",
      Effect.sync(() => new Set(names.asked).size === 2 * NAMES)
    )
    assert.lengthOf(
      process.getActiveResourcesInfo().filter((kind) => kind === "GetAddrInfoReqWrap"),
      0
    )
    assert.strictEqual(yield* postOnce(posted("last.example", 9), { addressesOf, isAllowed: () => true }), "unresolved")
  }).pipe(Effect.scoped)
)

/** Heads that a receiver sends before the last one, a thousand at a time and without an end. */
const withoutEnd = (head: string) => (response: ServerResponse) => {
  const socket = response.socket!.on("error", () => undefined)
  const heads = head.repeat(1_000)
  const go = (): void => {
    if (socket.destroyed) return
    if (socket.write(heads)) setImmediate(go)
    else socket.once("drain", go)
  }
  go()
}

it.live("a receiver that never comes to the last head of its answer is left at once, and one that changes the protocol as well", () =>
  Effect.gen(function* () {
    const at = yield* receiver
    const outcome = Effect.timeout(
      postOnce(posted("127.0.0.1", at.port), { addressesOf: () => Effect.succeed([]), isAllowed: isLoopback }),
      "5 seconds"
    )
    for (const head of ["HTTP/1.1 102 \r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"]) {
      at.answer = withoutEnd(head)
      assert.strictEqual(yield* outcome, "unreachable", head)
    }
    at.answer = (response) => void response.socket!.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
    assert.strictEqual(yield* outcome, 101)
    at.answer = (response) => {
      for (let n = 0; n < 3; n++) response.writeProcessing()
      response.writeHead(204).end()
    }
    assert.strictEqual(yield* outcome, 204)
  }).pipe(Effect.scoped)
)
