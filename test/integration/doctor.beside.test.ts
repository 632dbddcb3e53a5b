/** The doctor and the programs around a service: Redis, sign-in providers and the proxy in front of it, each of them real. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { checkOrigin } from "@agon/server/doctor/origin.ts"
import { checkProviders } from "@agon/server/doctor/providers.ts"
import { checkRedis } from "@agon/server/doctor/redis.ts"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Redacted } from "effect"
import { freePort } from "../support/freePort.ts"
import { missingRedis, Redis } from "../support/Redis.ts"
import * as StubProvider from "../support/StubProvider.ts"

const READY = '{"ready":true}'

/** Answers every request so, at an address of this machine. */
const answering = (host: string, status: number, body: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((_, response) => response.writeHead(status).end(body))
        await new Promise<void>((listening) => server.listen(0, host, listening))
        return server
      }),
      (server) => Effect.sync(() => server.close() && server.closeAllConnections())
    ),
    (server) => (server.address() as AddressInfo).port
  )
const closed = Effect.promise(freePort)

describe("the doctor at the proxy", () => {
  /** No loopback name, as the service sees it. */
  const PROXY = "127.0.0.2"
  const asked = (port: number, public_origin: string) => checkOrigin({ host: "127.0.0.1", port, public_origin })

  it.effect("is content where the origin leads to a service, and has nothing to ask where it is this machine's", () =>
    Effect.gen(function* () {
      const service = yield* answering("127.0.0.1", 200, READY)
      const proxy = yield* answering(PROXY, 200, READY)
      const [found] = yield* asked(service, `http://${PROXY}:${proxy}`)
      assert.strictEqual(found!.state, "fine")
      assert.deepStrictEqual(yield* asked(service, "http://localhost:8080"), [])
    })
  )

  it.effect("names an origin at which nobody answers, or another program does, once the service runs", () =>
    Effect.gen(function* () {
      const service = yield* answering("127.0.0.1", 200, READY)
      for (const [port, says] of [
        [yield* closed, /nothing answers this machine at http:.* \(ECONNREFUSED\); look at the proxy, its certificate and the name$/],
        [yield* answering(PROXY, 503, '{"code":"unavailable"}'), /answers 503 instead of it; look at the proxy, and where it passes/],
        [yield* answering(PROXY, 200, "<h1>It works!</h1>"), /answers 200 instead of it; /]
      ] as const) {
        const [found] = yield* asked(service, `http://${PROXY}:${port}`)
        assert.deepStrictEqual([found!.check, found!.state], ["origin", "mend"])
        assert.match(found!.says, says)
        assert.deepStrictEqual(yield* asked(yield* closed, `http://${PROXY}:${port}`), [], "before the service's start")
      }
    })
  )

  it.effect("names a name that nobody knows, also before the start", () =>
    Effect.gen(function* () {
      const [found] = yield* asked(yield* closed, "https://agon.invalid")
      assert.strictEqual(found!.state, "mend")
      assert.match(found!.says, /^PUBLIC_ORIGIN: this machine finds no address of agon\.invalid \((ENOTFOUND|EAI_AGAIN)\); mend the name/)
    })
  )
})

describe("the doctor at sign-in providers", () => {
  it.effect("names one that is away, one that is no provider, and one under another name than its own", () =>
    Effect.gen(function* () {
      const { stub } = yield* StubProvider.started
      const page = yield* answering("127.0.0.1", 200, "<h1>It works!</h1>")
      const away = yield* closed
      const addresses = [stub.origin, `http://127.0.0.1:${away}`, `http://127.0.0.1:${page}`, stub.origin.replace("127.0.0.1", "localhost")]
      const found = yield* checkProviders({ providers: addresses.map((issuer, i) => StubProvider.openIdConfig(`p${i}`, issuer)) })
      assert.deepStrictEqual(
        found.map(({ state }) => state),
        ["fine", "mend", "mend", "mend"]
      )
      assert.match(
        found[1]!.says,
        /^AUTH_PROVIDERS: p1: http.* does not answer \(ECONNREFUSED\), so nobody signs in there; mend the address/
      )
      assert.include(found[2]!.says, `${addresses[2]} answers 200 instead of its OpenID configuration`)
      assert.include(found[3]!.says, `${addresses[3]} says that its issuer is "${stub.origin}"`)
    })
  )

  it.effect("takes an issuer with a slash at its end for the same, as a sign-in does", () =>
    Effect.gen(function* () {
      const { stub } = yield* StubProvider.started
      const issuer = `${stub.origin}/`
      const found = yield* checkProviders({ providers: [StubProvider.openIdConfig("hub", issuer)] })
      assert.deepStrictEqual(found, [{ check: "sign-in", state: "fine", says: "AUTH_PROVIDERS: hub answers" }])
      const { bySlug } = Context.get(yield* Layer.build(Providers.layer([StubProvider.openIdConfig("hub", issuer)])), Providers)
      const begun = bySlug("hub")!.begin("http://localhost:8080/v1/auth/hub/callback", { state: "s", verifier: "v".repeat(43), nonce: "n" })
      assert.strictEqual((yield* begun).origin, stub.origin)
    })
  )

  it.effect("asks at the host of its tokens where a provider speaks OAuth 2 alone", () =>
    Effect.gen(function* () {
      const { stub } = yield* StubProvider.started
      const at = (origin: string) => ({
        ...({ slug: "plain", label: "Plain", kind: "oauth2", client_id: "agon", client_secret: "s", scopes: [] } as const),
        ...{ login_claim: "login", subject_claim: "id", user_endpoint: `${origin}/user` },
        ...{ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` }
      })
      const found = yield* checkProviders({ providers: [at(stub.origin), at(`http://127.0.0.1:${yield* closed}`)] })
      assert.deepStrictEqual(
        found.map(({ state }) => state),
        ["fine", "mend"]
      )
    })
  )
})

describe.skipIf(missingRedis() !== undefined)("the doctor at Redis", () => {
  it.live("tells a server that lets the service in from one that does not, and from another program", () =>
    Effect.gen(function* () {
      const redis = yield* Redis
      const url = new URL(Redacted.value(redis.url))
      const asked = (user: string) => checkRedis({ redis_url: Redacted.make(`redis://${user}${url.host}`) })
      assert.strictEqual((yield* asked(""))[0]!.state, "fine")
      yield* redis.ask("CONFIG SET requirepass secret")
      for (const [user, says] of [
        ["", /does not let the service in \(NOAUTH\), so each node counts rate limits by itself; mend the user and the password$/],
        [":wrong@", /does not let the service in \(WRONGPASS\)/]
      ] as const) {
        const [found] = yield* asked(user)
        assert.strictEqual(found!.state, "mend")
        assert.match(found!.says, says)
      }
      assert.strictEqual((yield* asked(":secret@"))[0]!.state, "fine")
      const [other] = yield* checkRedis({ redis_url: Redacted.make(`redis://127.0.0.1:${yield* answering("127.0.0.1", 200, READY)}`) })
      assert.match(other!.says, /does not answer \([^)]+\), so each node counts/)
      yield* redis.halt
      const [silent] = yield* asked(":secret@")
      assert.match(silent!.says, /does not answer \(it is silent\), so .*; start it or mend the address$/)
      yield* redis.goOn
    }).pipe(Effect.provide(Redis.layer))
  )
})
