import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer, Stream } from "effect"
import { HttpClient, type HttpClientRequest, HttpClientResponse } from "effect/http"
import { TestClock } from "effect/testing"
import { type Credential, makeClient, sessionOf } from "./Client.ts"
import { pages } from "./Pages.ts"
import { retryRefused } from "./retryRefused.ts"
import { sendFile } from "./submission/sendFiles.ts"

/** A service that gives these answers in turn, repeats the last, and records its requests. */
const service = (...answers: ReadonlyArray<Response>) => {
  const asked: Array<HttpClientRequest.HttpClientRequest> = []
  const client = HttpClient.make((request) =>
    Effect.sync(() => HttpClientResponse.fromWeb(request, answers[Math.min(asked.push(request), answers.length) - 1]!.clone()))
  )
  return { asked, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const problem = (status: number, code: string, more: object = {}) =>
  new Response(JSON.stringify({ type: `/errors#${code}`, title: "x", status, detail: "x", code, ...more }), {
    status,
    headers: { "content-type": "application/problem+json" }
  })
const games = new Response("[]", { headers: { "content-type": "application/json" } })

const row = {
  created_at: "2026-01-01T00:00:00.000Z",
  last_seen_at: "2026-01-01T00:00:00.000Z",
  expires_at: "2026-01-01T00:00:00.000Z",
  user_agent: null,
  current: false
}

const headersSent = (credential: Credential) => {
  const { asked, layer } = service(games)
  return makeClient("http://agon.example", credential).pipe(
    Effect.flatMap((client) => client.game.games()),
    Effect.map(() => {
      const { authorization, cookie, origin, "sec-fetch-site": site, "x-forwarded-for": address } = asked[0]!.headers
      return { authorization, cookie, origin, site, address }
    }),
    Effect.provide(layer)
  )
}
const nothing = { authorization: undefined, cookie: undefined, origin: undefined, site: undefined, address: undefined }

describe("the typed client", () => {
  it.effect("speaks as a runner, as an account, or as nobody", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* headersSent(undefined), nothing)
      assert.deepStrictEqual(yield* headersSent({ key: "agon_rk_x" }), { ...nothing, authorization: "Bearer agon_rk_x" })
      assert.deepStrictEqual(yield* headersSent({ session: "s3cret" }), { ...nothing, cookie: "service_session=s3cret" })
    })
  )

  it.effect("on behalf of a visitor passes on the session, the origin and the address, and no other cookie or header", () =>
    Effect.gen(function* () {
      const headers = { cookie: "theme=dark; service_session=s3cret; x=y", origin: "http://evil.example", "sec-fetch-site": "cross-site" }
      assert.deepStrictEqual(yield* headersSent({ visit: { headers: { ...headers, authorization: "Basic x" }, address: "192.0.2.7" } }), {
        ...nothing,
        cookie: "service_session=s3cret",
        origin: "http://evil.example",
        site: "cross-site",
        address: "192.0.2.7"
      })
      assert.deepStrictEqual(yield* headersSent({ visit: { headers: { cookie: "theme=dark" } } }), nothing)
      assert.strictEqual(sessionOf("a=b;service_session=s3cret"), "s3cret")
      assert.isUndefined(sessionOf("not_service_session=s3cret"))
    })
  )

  it.effect("waits as long as a refusal for the rate says, and repeats no other refusal", () =>
    Effect.gen(function* () {
      const busy = service(problem(429, "rate_limited", { retry_after_ms: 700 }), problem(503, "unavailable"), games)
      const asking = (layer: Layer.Layer<HttpClient.HttpClient>) =>
        Effect.flatMap(makeClient("http://agon.example"), (client) => retryRefused(client.game.games())).pipe(Effect.provide(layer))
      const fiber = yield* Effect.forkChild(asking(busy.layer))
      yield* TestClock.adjust("699 millis")
      assert.strictEqual(busy.asked.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(busy.asked.length, 2)
      yield* TestClock.adjust("1 second")
      assert.deepStrictEqual(yield* Fiber.join(fiber), [])
      const broken = service(problem(500, "internal", { request_id: "r" }))
      const refused = yield* Effect.flip(asking(broken.layer))
      assert.strictEqual(refused._tag, "internal")
      assert.strictEqual(broken.asked.length, 1)
    })
  )

  it.effect("reads a list page by page, and no page before it is wanted", () =>
    Effect.gen(function* () {
      const page = (id: string, next_cursor: string | null) =>
        new Response(JSON.stringify({ sessions: [{ ...row, id }], total: 3, next_cursor }), {
          headers: { "content-type": "application/json" }
        })
      const { asked, layer } = service(page("a", "1"), page("b", "2"), page("c", null))
      const client = yield* Effect.provide(makeClient("http://agon.example", { session: "s3cret" }), layer)
      const idsOf = Stream.flatMap(
        pages((query) => client.account.sessions({ query }), 1),
        ({ sessions }) => Stream.fromIterable(sessions.map(({ id }) => id))
      )
      assert.deepStrictEqual(yield* Stream.runCollect(Stream.take(idsOf, 2)), ["a", "b"])
      assert.strictEqual(asked.length, 2)
      assert.deepStrictEqual(yield* Stream.runCollect(idsOf), ["c"]) // the answers continued from there
      assert.deepStrictEqual(asked.map(({ urlParams }) => Object.fromEntries(urlParams)).slice(0, 2), [
        { limit: "1", cursor: "0" },
        { limit: "1", cursor: "1" }
      ])
    })
  )

  it.effect("sends a file again when the store fails, and not when it refuses", () =>
    Effect.gen(function* () {
      const to = { method: "PUT", url: "http://store.example/w", headers: { "x-amz-acl": "private" }, max_bytes: 9 } as const
      const bytes = Uint8Array.of(1, 2, 3)
      const shaky = service(new Response(null, { status: 503 }), new Response(null, { status: 200 }))
      const fiber = yield* Effect.forkChild(Effect.provide(sendFile(to, bytes), shaky.layer))
      yield* TestClock.adjust("5 seconds")
      yield* Fiber.join(fiber)
      assert.deepStrictEqual(
        shaky.asked.map(({ headers, method, url }) => [method, url.toString(), headers["x-amz-acl"]]),
        [
          ["PUT", "http://store.example/w", "private"],
          ["PUT", "http://store.example/w", "private"]
        ]
      )
      const strict = service(new Response(null, { status: 413 }))
      const refused = yield* Effect.flip(Effect.provide(sendFile(to, bytes), strict.layer))
      assert.deepStrictEqual([refused.status, strict.asked.length], [413, 1])
    })
  )
})
