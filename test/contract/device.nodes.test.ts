/**
 * Signing a device in where several nodes share a database: whichever is asked, the codes mean the same, and
 * one request gets the session.
 */

import { Accounts } from "@agon/server/account/Accounts.ts"
import { ADDRESS_MAX, DeviceSignIns } from "@agon/server/account/device/DeviceSignIns.ts"
import { Words } from "@agon/server/account/Words.ts"
import { makeQueries as makeUserQueries } from "@agon/server/admin/userQueries.ts"
import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { HasPeers } from "@agon/server/process/HasPeers.ts"
import { assert, layer } from "@effect/vitest"
import { Clock, Context, Deferred, Effect, Fiber, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { blocked } from "../support/eventually.ts"
import * as HostClock from "../support/HostClock.ts"
import * as Postgres from "../support/Postgres.ts"
import { seedAccounts } from "../support/Web.ts"

const node = Effect.map(
  Layer.build(
    Layer.fresh(DeviceSignIns.layer.pipe(Layer.provideMerge(Accounts.layer), Layer.provide([Words.layer, ResponseCache.layer])))
  ).pipe(Effect.provideService(HasPeers, true)),
  (context) => ({ devices: Context.get(context, DeviceSignIns), accounts: Context.get(context, Accounts) })
)
type Node = Effect.Success<typeof node>

const signedIn = ({ accounts }: Node, username: string) => Effect.map(accounts.bySession(`${username}-token`), Option.getOrThrow)
const ada = (one: Node) => signedIn(one, "ada")
const begun = ({ devices }: Node) => devices.begin("agon", "192.0.2.7")
/** Its outcome: a refusal's code or tag, or success. */
const endOf = <A, E extends { readonly _tag?: string; readonly code?: string }>(effect: Effect.Effect<A, E>) =>
  effect.pipe(
    Effect.map(() => "done"),
    Effect.catch((error) => Effect.succeed(error.code ?? error._tag ?? "?"))
  )

const database = Layer.effectDiscard(seedAccounts).pipe(Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 8 })))

layer(database)("a device among nodes", (it) => {
  it.effect("begins on one, is approved on another and gets its session on a third, which all then know", () =>
    Effect.gen(function* () {
      const [one, two, three] = [yield* node, yield* node, yield* node]
      const { device_code, user_code } = yield* begun(one)
      assert.strictEqual(yield* endOf(three.devices.complete(device_code)), "authorization_pending")
      yield* two.devices.decide(yield* ada(two), user_code, true)
      assert.strictEqual(yield* endOf(one.devices.complete(device_code)), "slow_down")
      yield* TestClock.adjust("10 seconds")
      const { token } = yield* three.devices.complete(device_code)
      for (const { accounts } of [one, two, three]) assert.isTrue(Option.isSome(yield* accounts.bySession(token)))
      assert.strictEqual(yield* endOf(one.devices.complete(device_code)), "expired_token")
    })
  )

  it.effect("keeps the interval by one clock, whatever those of the nodes show", () =>
    Effect.gen(function* () {
      const host = yield* HostClock.make
      host.ahead_ms = 50_000
      const ahead = <A, E, R>(run: Effect.Effect<A, E, R>) => Effect.provideService(run, Clock.Clock, host.clock)
      const [one, other] = [yield* node, yield* ahead(node)]
      const { device_code } = yield* begun(one)
      assert.strictEqual(yield* endOf(ahead(other.devices.complete(device_code))), "authorization_pending")
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(yield* endOf(one.devices.complete(device_code)), "authorization_pending")
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(yield* endOf(ahead(other.devices.complete(device_code))), "slow_down")
    })
  )

  it.effect("is one of as many as an address may have, however many begin at one time", () =>
    Effect.gen(function* () {
      const nodes = [yield* node, yield* node]
      const sql = yield* SqlClient.SqlClient
      const begin = (n: number) => endOf(nodes[n % 2]!.devices.begin("agon", "192.0.2.8"))
      for (let n = 1; n < ADDRESS_MAX; n++) assert.strictEqual(yield* begin(n), "done")
      // So that all of them have counted before the first is written, where none waits for another.
      yield* sql`CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(0.3); RETURN NEW; END'`
      yield* sql`CREATE TRIGGER dawdle BEFORE INSERT ON device_sign_in FOR EACH ROW EXECUTE FUNCTION dawdle()`
      const ends = yield* Effect.all(
        Array.from({ length: 6 }, (_, n) => begin(n)),
        { concurrency: "unbounded" }
      )
      yield* sql`DROP FUNCTION dawdle CASCADE`
      assert.deepStrictEqual(ends.sort(), [...Array(5).fill("TooMany"), "done"])
    })
  )

  it.effect("gets one session however many ask at one time", () =>
    Effect.gen(function* () {
      const nodes = [yield* node, yield* node]
      const { device_code, user_code } = yield* begun(nodes[0]!)
      yield* nodes[1]!.devices.decide(yield* ada(nodes[1]!), user_code, true)
      const asks = Array.from({ length: 12 }, (_, n) => endOf(nodes[n % 2]!.devices.complete(device_code)))
      const ends = yield* Effect.all(asks, { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(ends)].sort(), ["done", "expired_token"])
      assert.strictEqual(ends.filter((end) => end === "done").length, 1)
    })
  )

  it.effect("that asks several times at once asks too soon with all of these but one", () =>
    Effect.gen(function* () {
      const nodes = [yield* node, yield* node]
      const { device_code } = yield* begun(nodes[0]!)
      const asks = Array.from({ length: 12 }, (_, n) => endOf(nodes[n % 2]!.devices.complete(device_code)))
      const ends = yield* Effect.all(asks, { concurrency: "unbounded" })
      assert.deepStrictEqual(ends.sort(), ["authorization_pending", ...Array(11).fill("slow_down")])
    })
  )

  it.effect("gets nothing where the session that approved it was ended while it waited for another of its own requests", () =>
    Effect.gen(function* () {
      const one = yield* node
      const sql = yield* SqlClient.SqlClient
      const account = yield* ada(one)
      const session = Option.getOrThrow(yield* one.accounts.bySession(yield* one.accounts.openSession(account.id, undefined)))
      yield* sql`UPDATE session SET expires_at = '2099-01-01' WHERE id = ${session.session_id}`
      const { device_code, user_code } = yield* begun(one)
      assert.strictEqual((yield* one.devices.decide(session, user_code, true)).state, "approved")
      const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const holds = Effect.gen(function* () {
        yield* sql`SELECT 1 FROM device_sign_in WHERE approved FOR UPDATE`
        yield* Deferred.succeed(locked, undefined)
        yield* Deferred.await(goOn)
      })
      const other = yield* Effect.forkChild(sql.withTransaction(holds))
      yield* Deferred.await(locked)
      const asking = yield* Effect.forkChild(endOf(one.devices.complete(device_code)))
      yield* blocked(1)
      yield* one.accounts.endSession(account, session.session_id)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(other)
      assert.strictEqual(yield* Fiber.join(asking), "access_denied")
    })
  )

  it.effect("waits for a suspension of who approved it, and the suspension does not wait for it", () =>
    Effect.gen(function* () {
      const one = yield* node
      const sql = yield* SqlClient.SqlClient
      const users = yield* makeUserQueries
      const account = yield* signedIn(one, "bob")
      const { device_code, user_code } = yield* begun(one)
      yield* one.devices.decide(account, user_code, true)
      const [locked, goOn] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const suspension = sql.withTransaction(
        Effect.gen(function* () {
          const held = Option.getOrThrow(yield* users.hold("bob"))
          yield* Deferred.succeed(locked, undefined)
          yield* Deferred.await(goOn)
          yield* users.set({ ...held, suspended: true })
          yield* users.endSessions(held.id)
        })
      )
      const suspending = yield* Effect.forkChild(suspension)
      yield* Deferred.await(locked)
      const asking = yield* Effect.forkChild(endOf(one.devices.complete(device_code)))
      yield* blocked(1)
      yield* Deferred.succeed(goOn, undefined)
      yield* Fiber.join(suspending)
      assert.strictEqual(yield* Fiber.join(asking), "access_denied")
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* endOf(one.devices.complete(device_code)), "access_denied")
      yield* users.set({ ...Option.getOrThrow(yield* users.hold("bob")), suspended: false })
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* endOf(one.devices.complete(device_code)), "access_denied", "an approval ends with its session")
    })
  )

  it.effect("is guessed at five times a minute, whichever nodes are asked", () =>
    Effect.gen(function* () {
      const nodes = [yield* node, yield* node]
      const account = yield* ada(nodes[0]!)
      const tries = Array.from({ length: 12 }, (_, n) => endOf(nodes[n % 2]!.devices.named(account, "BCDF-GHJK")))
      const ends = yield* Effect.all(tries, { concurrency: "unbounded" })
      assert.deepStrictEqual(ends.sort(), [...Array(7).fill("TooMany"), ...Array(5).fill("not_found")])
    })
  )
})
