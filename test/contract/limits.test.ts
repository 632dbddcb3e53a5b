/** Rate limits over the whole service, at the contract's own rates (docs/contract.md#rate-limits). */

import type { SettingsShape } from "@agon/server/config/Settings.ts"
import { table } from "@agon/server/http/limit/RateLimits.ts"
import { assert, describe, layer } from "@effect/vitest"
import { Context, Effect, Layer, Logger, type Scope } from "effect"
import { Visitor } from "../e2e/Visitor.ts"
import { Browser } from "../support/Browser.ts"
import { freePort } from "../support/freePort.ts"
import * as Postgres from "../support/Postgres.ts"
import { missingRedis, Redis } from "../support/Redis.ts"
import * as Service from "../support/Service.ts"
import { openIdConfig, signInThrough, started } from "../support/StubProvider.ts"
import { allowed } from "../support/slack.ts"

interface Ask {
  readonly path: string
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
}

interface Told {
  readonly status: number
  readonly headers: Headers
  readonly body: string
  readonly took_ms: number
}

const ask = (origin: string, { headers = {}, method = "GET", path }: Ask): Effect.Effect<Told> =>
  Effect.promise(async () => {
    const began_ms = performance.now()
    const answer = await fetch(`${origin}${path}`, { method, headers, redirect: "manual" })
    return { status: answer.status, headers: answer.headers, body: await answer.text(), took_ms: performance.now() - began_ms }
  })

const AT_ONCE = 10

/** Asks until it is refused; who was let through, the last refusal, and how long it took. */
const drain = Effect.fnUntraced(function* (origin: string, one: Ask | ((n: number) => Ask)) {
  const began_ms = performance.now()
  let passed = 0
  for (let n = 0; n < 1000; n += AT_ONCE) {
    const asks = Array.from({ length: AT_ONCE }, (_, i) => (typeof one === "function" ? one(n + i) : one))
    const answers = yield* Effect.forEach(asks, (one) => ask(origin, one), { concurrency: AT_ONCE })
    const refused = answers.filter(({ status }) => status === 429)
    passed += answers.length - refused.length
    if (refused.length > 0) return { passed, refused: refused.at(-1)!, elapsed_s: (performance.now() - began_ms) / 1000 }
  }
  return assert.fail("a thousand requests were let through")
})

/**
 * Asks each until it is refused, one after the other: between them they got no more
 * than one bucket holds and gains.
 */
const shareOneBucket = Effect.fnUntraced(function* (rate: keyof typeof table, ...drains: ReadonlyArray<ReturnType<typeof drain>>) {
  const began_ms = performance.now()
  const passed = (yield* Effect.all(drains)).reduce((sum, { passed }) => sum + passed, 0)
  const { burst, per_s } = table[rate]
  assert.isAtLeast(passed, burst)
  assert.isAtMost(passed, burst + ((performance.now() - began_ms) / 1000) * per_s + 1)
})

/** Whoever asks there has a full bucket. */
const hasItsOwn = Effect.fnUntraced(function* (rate: keyof typeof table, drained: ReturnType<typeof drain>) {
  assert.isAtLeast((yield* drained).passed, table[rate].burst)
})

const from = (address: string) => ({ "x-forwarded-for": address })

/** Behind the proxy that the tests are, so that nobody's sign-in is counted with another's. */
class BrowserAt extends Browser {
  readonly address: string
  constructor(address: string) {
    super()
    this.address = address
  }
  override request(address: string, init: RequestInit = {}, base?: string) {
    return super.request(address, { ...init, headers: { ...init.headers, ...from(this.address) } }, base)
  }
}

let signedIn = 0

/** A new session of an account. */
const cookieOf = (origin: string, login: string) =>
  Effect.promise(async () => {
    const browser = new BrowserAt(`10.9.0.${++signedIn}`)
    await signInThrough("stub", browser, origin, login)
    return { cookie: `service_session=${browser.cookie(origin, "service_session")}` }
  })

interface Node {
  readonly origin: string
  /** Where it answers `/metrics`. */
  readonly metrics: string
}

class OneNode extends Context.Service<OneNode, Node>()("test/OneNode") {}

/** Signs people in through a provider of its own: behind a proxy there is no development sign-in. */
const nodeLayer = (over: Partial<SettingsShape>) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const { stub } = yield* started
      const address = { host: "127.0.0.1", port: yield* Effect.promise(freePort) }
      const settings: Partial<SettingsShape> = {
        providers: [openIdConfig("stub", stub.origin)],
        development_sign_in: false,
        admin: { provider: "stub", login: "admin" },
        metrics: { address, asked: true },
        ...over
      }
      const metrics = `http://${address.host}:${address.port}/metrics`
      const one = Layer.effect(
        OneNode,
        Effect.map(Service.Service, ({ origin }) => ({ origin, metrics }))
      )
      return one.pipe(Layer.provide(Service.layer(settings)))
    })
  )

/** A node of its own, whatever layers other nodes of the test have built. */
const node = (over: Partial<SettingsShape>): Effect.Effect<Node, never, Scope.Scope> =>
  Effect.gen(function* () {
    const layer = nodeLayer(over).pipe(Layer.provide(Logger.layer([])))
    const built = Layer.buildWithMemoMap(layer, Layer.makeMemoMapUnsafe(), yield* Effect.scope)
    return Context.get(yield* Effect.orDie(built), OneNode)
  })

const metricsOf = ({ metrics }: Node) => Effect.promise(async () => (await fetch(metrics)).text())

interface Line extends Pick<Ask, "path" | "method"> {
  readonly rate: keyof typeof table
  readonly per_s: number
  readonly burst: number
  /** Whose session asks; undefined for nobody's. */
  readonly who: string | undefined
}

/** The contract's table, and a route of each class. */
const classes: ReadonlyArray<Line> = [
  { rate: "public", per_s: 30, burst: 60, path: "/v1/status", who: undefined },
  { rate: "public", per_s: 30, burst: 60, path: "/v1/games", who: undefined }, // kept: answered from the cache
  { rate: "signin", per_s: 5, burst: 10, path: "/v1/auth/stub", who: undefined },
  { rate: "session", per_s: 20, burst: 40, path: "/v1/sessions", who: "sue" },
  { rate: "session", per_s: 20, burst: 40, path: "/v1/private/games/snakes/seasons", who: "vic" }, // a read that needs no session
  { rate: "read", per_s: 10, burst: 20, path: "/v1/me", who: "rea" },
  { rate: "write", per_s: 1, burst: 5, path: "/v1/sessions/none", method: "DELETE", who: "wri" },
  { rate: "upload", per_s: 5, burst: 40, path: "/v1/games/snakes/seasons/none/maps/none", method: "PATCH", who: "admin" }
]

const options = { excludeTestServices: true } as const

/** Drains the bucket of one line, checks the refusal, and gives the request back for another try. */
const refusedBy = Effect.fnUntraced(function* (origin: string, { burst, per_s, rate, who, ...one }: Line, n: number) {
  assert.deepStrictEqual(table[rate], { per_s, burst }, rate)
  const session = who === undefined ? {} : yield* cookieOf(origin, who)
  const asked: Ask = { ...one, headers: { ...from(`10.1.0.${n}`), ...session } }
  const { elapsed_s, passed, refused } = yield* drain(origin, asked)
  assert.isAtLeast(passed, burst, rate)
  assert.isAtMost(passed, burst + elapsed_s * per_s + 1, rate)

  const { detail, retry_after_ms, ...problem } = JSON.parse(refused.body)
  assert.deepStrictEqual(problem, { type: "/errors#rate_limited", title: "Too many requests", status: 429, code: "rate_limited" })
  assert.strictEqual(detail, `Try again in ${retry_after_ms} ms.`)
  assert.isTrue(Number.isInteger(retry_after_ms) && retry_after_ms > 0 && retry_after_ms <= Math.ceil(1000 / per_s), rate)
  assert.strictEqual(refused.headers.get("retry-after"), "1") // the whole second that a part of one is rounded up to
  assert.strictEqual(refused.headers.get("content-type"), "application/problem+json")
  assert.strictEqual(refused.headers.get("cache-control"), "no-store")
  return asked
})

layer(nodeLayer({ trusted_proxies: ["127.0.0.1"] }), options)("rate limits", (it) => {
  it.effect("of every class are the contract's, say when to come back, and let through who comes then", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const refused = yield* Effect.forEach(classes, (line, n) => refusedBy(origin, line, n))
      yield* Effect.sleep(1001) // a timer may fire a millisecond early
      const again = yield* Effect.forEach(refused, (one) => ask(origin, one))
      assert.deepStrictEqual(
        again.map(({ status }) => status),
        [200, 200, 302, 200, 200, 200, 404, 404]
      )
    })
  )

  it.effect("never refuse twice in a row who waits as told, whenever they ask", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const client = Effect.fnUntraced(function* (seed: number) {
        const asked: Ask = { path: "/v1/me", headers: { ...from(`10.8.0.${seed}`), ...(yield* cookieOf(origin, `polite${seed}`)) } }
        for (let refusals = 0, n = 0; refusals < 8 && n < 400; n++) {
          const { body, status } = yield* ask(origin, asked)
          if (status === 200) continue
          assert.strictEqual(status, 429)
          refusals++
          yield* Effect.sleep(JSON.parse(body).retry_after_ms + 1)
          assert.strictEqual((yield* ask(origin, asked)).status, 200, `client ${seed} after ${refusals} refusals`)
          if ((refusals + seed) % 3 === 0) yield* Effect.sleep(40 * ((seed * refusals) % 7))
        }
      })
      yield* Effect.forEach([1, 2, 3, 4], client, { concurrency: "unbounded", discard: true })
    })
  )

  it.effect("count an account over all its sessions and addresses, each class by itself, and no other account", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const [first, second, other] = yield* Effect.forEach(["twice", "twice", "once"], (login) => cookieOf(origin, login))
      const write = (session: { readonly cookie: string } | undefined, address: string): Ask => ({
        path: "/v1/sessions/none",
        method: "DELETE",
        headers: { ...session, ...from(address) }
      })
      yield* shareOneBucket("write", drain(origin, write(first, "10.2.0.1")), drain(origin, write(second, "10.2.0.2")))
      yield* hasItsOwn("write", drain(origin, write(other, "10.2.0.1")))
      assert.strictEqual((yield* ask(origin, { path: "/v1/me", headers: { ...first } })).status, 200)
    })
  )

  it.effect("count the address that the proxy saw, not those that a client claims, and a network of IPv6 as one", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const games = (address: string): Ask => ({ path: "/v1/games", headers: from(address) })
      const claims = (n: number) => games(`6.6.6.${n % 256}, 10.3.0.1`)
      yield* shareOneBucket("public", drain(origin, claims), drain(origin, games("10.3.0.1")))
      yield* hasItsOwn("public", drain(origin, games("10.3.0.2")))
      const network = (n: number) => games(`2001:db8:0:1::${n}`)
      yield* shareOneBucket("public", drain(origin, network), drain(origin, games("2001:db8:0:1:f::1")))
      yield* hasItsOwn("public", drain(origin, games("2001:db8:0:2::1")))
    })
  )

  it.effect("count the documents beside the reads of an address", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const asks = (path: string): Ask => ({ path, headers: from("10.3.1.1") })
      yield* shareOneBucket("public", drain(origin, asks("/errors")), drain(origin, asks("/v1/games")))
    })
  )

  it.effect("count guesses at sessions by address, before anything is looked up", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const guess = (n: number): Ask => ({ path: "/v1/me", headers: { ...from("10.4.0.1"), cookie: `service_session=guess-${n}` } })
      yield* shareOneBucket("public", drain(origin, guess), drain(origin, { path: "/v1/games", headers: from("10.4.0.1") }))
    })
  )

  it.effect("count a session that has ended as a guess", () =>
    Effect.gen(function* () {
      const { origin } = yield* OneNode
      const headers = { ...from("10.4.0.2"), ...(yield* cookieOf(origin, "left")) }
      assert.strictEqual((yield* ask(origin, { path: "/v1/session", method: "DELETE", headers })).status, 204)
      assert.strictEqual((yield* ask(origin, { path: "/v1/me", headers })).status, 401)
      yield* shareOneBucket("public", drain(origin, { path: "/v1/me", headers }))
    })
  )

  it.effect("do not hold for runners, nor for the pages of operators", () =>
    Effect.gen(function* () {
      const { origin, ...one } = yield* OneNode
      const { cookie } = yield* cookieOf(origin, "admin")
      const admin = new Visitor(origin, cookie.split("=")[1])
      const { key } = yield* Effect.promise(() => admin.post("/v1/runner-keys", { name: "rack" }))
      const headers = { ...from("10.5.0.1"), authorization: `Bearer ${key}` }
      const beats = Array.from({ length: 150 }, (): Ask => ({ path: "/v1/runner/heartbeat", method: "POST", headers }))
      const probes = Array.from({ length: 150 }, (): Ask => ({ path: "/healthz", headers: from("10.5.0.1") }))
      // all at once, as a fleet comes back to a service that has just started and knows nobody's key
      const answers = yield* Effect.forEach([...beats, ...probes], (one) => ask(origin, one), { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [400, 200])
      const body = yield* metricsOf({ origin, ...one })
      for (const rate of ["public", "write"]) assert.match(body, new RegExp(`^agon_rate_limited_total\\{class="${rate}"\\} [1-9]`, "m"))
    })
  )
})

layer(Layer.empty, options)("rate limits of nodes without Redis", (it) => {
  it.effect("are each node's own, and believe nobody's X-Forwarded-For where no proxy is trusted", () =>
    Effect.gen(function* () {
      const [{ origin: one }, { origin: other }] = yield* Effect.all([node({}), node({})])
      const claims = (n: number): Ask => ({ path: "/v1/games", headers: from(`6.6.6.${n % 256}`) })
      yield* shareOneBucket("public", drain(one, claims), drain(one, { path: "/v1/games" }))
      yield* hasItsOwn("public", drain(other, { path: "/v1/games" }))
    })
  )
})

const missing = missingRedis()
describe.skipIf(missing !== undefined)(`rate limits of nodes on one Redis${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(
    Redis.layer,
    options
  )((it) => {
    it.effect("hold over all nodes, for addresses, kept answers and accounts; without it each node goes on by itself", () =>
      Effect.gen(function* () {
        const redis = yield* Redis
        const shared = { database_url: yield* Postgres.url({ migrate: true }), redis_url: redis.url, trusted_proxies: ["127.0.0.1"] }
        const [first, second] = yield* Effect.all([node(shared), node(shared)])
        const [one, other] = [first.origin, second.origin]
        const games = (address: string): Ask => ({ path: "/v1/games", headers: from(address) })
        for (const origin of [one, other]) assert.strictEqual((yield* ask(origin, games("10.6.0.1"))).status, 200) // kept from here on
        yield* shareOneBucket("public", drain(one, games("10.6.0.2")), drain(other, games("10.6.0.2")))
        yield* hasItsOwn("public", drain(other, games("10.6.0.3")))
        const write: Ask = { path: "/v1/sessions/none", method: "DELETE", headers: yield* cookieOf(one, "ada") }
        yield* shareOneBucket("write", drain(one, write), drain(other, write))

        const answers = yield* Effect.forEach(
          Array.from({ length: 400 }, (_, n) => n),
          (n) =>
            Effect.andThen(
              n === 150 ? redis.kill : Effect.void,
              ask(n % 2 === 0 ? one : other, { ...games(`10.7.0.${n % 40}`), path: n % 4 < 2 ? "/v1/games" : "/v1/status" })
            ),
          { concurrency: 8 }
        )
        assert.deepStrictEqual([...new Set(answers.map(({ status }) => status))], [200])
        assert.isBelow(Math.max(...answers.map(({ took_ms }) => took_ms)), allowed(1_500))
        for (const origin of [one, other]) yield* hasItsOwn("public", drain(origin, games("10.6.0.4")))
        const body = yield* metricsOf(first)
        assert.match(body, /^agon_rate_limit_redis_up 0$/m)
        assert.match(body, /^agon_rate_limit_alone_total [1-9]/m)
      })
    )
  })
})
