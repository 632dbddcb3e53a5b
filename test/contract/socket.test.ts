import { connect } from "node:net"
import { Api } from "@agon/api/Api.ts"
import { CurrentKey, UnknownGame } from "@agon/api/Authorization.ts"
import { tagged } from "@agon/api/Boundary.ts"
import { makeClient } from "@agon/api/Client.ts"
import type { LeaseRequest } from "@agon/api/runner/protocol.ts"
import { Submitted, SubmittedBefore } from "@agon/api/submission/api.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { ClientAddress, trusting } from "@agon/server/http/ClientAddress.ts"
import { Lookups } from "@agon/server/http/Lookups.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { FetchHttpClient } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { noLookups, overSocket, port, uncalled, unlimited } from "../support/Web.ts"

const asked: Array<LeaseRequest> = []
const RunnerHandlers = HttpApiBuilder.group(Api, "runner", (handlers) =>
  handlers.handleAll({
    openSession: () => Effect.map(CurrentKey, ({ id }) => ({ runner: id, heartbeat_s: 10, lease_s: 30 })),
    closeSession: uncalled,
    lease: ({ payload }) =>
      Effect.sync(() => {
        asked.push(payload)
        return { leases: [], results: [], drain: false }
      }),
    heartbeat: () => Effect.succeed({ leases: [{ lease: "a.1", lost: true as const }], drain: true }),
    result: () => Effect.succeed({ accepted: false as const, reason: "lost" as const }),
    release: () => Effect.succeed({ released: true as const })
  })
)
const BoardHandlers = HttpApiBuilder.group(Api, "board", (handlers) =>
  handlers.handleAll({
    boards: ({ query }) => Effect.as(tagged("boards"), { maps: [], total: query.enabled ? 1 : 2, next_cursor: null }),
    board: () => Effect.fail(new UnknownGame({ detail: "There is no such game." })),
    privateBoards: uncalled,
    privateBoard: uncalled
  })
)
const submission = {
  version_id: "v",
  model_id: "m",
  model: "viper",
  version: 1,
  status: "testing" as const,
  season: "s1",
  weights_hash: "sha256:w",
  manifest_hash: "sha256:m"
}
const upload = { method: "PUT" as const, url: "http://x", headers: {}, max_bytes: 1 }
const uploads = { weights: upload, manifest: upload, expires_at: "2026-01-01T00:00:00.000Z" }
const SubmissionHandlers = HttpApiBuilder.group(Api, "submission", (handlers) =>
  handlers.handleAll({
    submit: ({ payload }) =>
      Effect.succeed(
        payload.note === "again"
          ? new SubmittedBefore({ ...submission, upload: uploads })
          : new Submitted({ ...submission, upload: uploads })
      ),
    preflight: uncalled,
    reenter: uncalled
  })
)
const Keyed = Layer.effect(
  Lookups,
  Effect.map(Lookups, (none): Lookups["Service"] => ({
    ...none,
    runnerByKey: (secret) => Effect.succeed(secret === "agon_rk_good" ? Option.some({ id: "k1", season_id: null }) : Option.none())
  }))
).pipe(Layer.provide(noLookups))

const handlers = Layer.mergeAll(
  AccountHandlers.pipe(Layer.provide(Layer.mergeAll(Providers.layer([]), Layer.mock(SignIn, {})))),
  RunnerHandlers,
  BoardHandlers,
  SubmissionHandlers
)

const Served = overSocket({
  handlers,
  served: ["account", "runner", "board", "submission"],
  rates: { ...unlimited, public: { per_s: 0.001, burst: 7 } },
  lookups: Keyed
}).pipe(Layer.provide(Layer.succeed(ClientAddress, trusting(["127.0.0.1"]))), Layer.merge(FetchHttpClient.layer))

const base = Effect.map(port, (port) => `http://127.0.0.1:${port}`)

/** A request from an address of its own, so that tests do not empty one another's bucket. */
const get = (url: string, client: string, init: RequestInit = {}) =>
  Effect.promise(() =>
    fetch(url, { ...init, headers: { "x-forwarded-for": client, ...init.headers } }).then(async (r) => ({
      status: r.status,
      headers: r.headers,
      text: await r.text()
    }))
  )

layer(Served, { excludeTestServices: true })("over a socket", (it) => {
  it.effect("the typed client gets a success, and a refusal as the class that was declared", () =>
    Effect.gen(function* () {
      const client = yield* makeClient(yield* base, { session: "ada-token" })
      assert.strictEqual((yield* client.account.me()).username, "ada")
      const refused = yield* Effect.flip(client.fleet.createKey({ payload: { name: "x" } }))
      assert.strictEqual(refused._tag, "admin_only")
      const gone = yield* Effect.catchTag(client.account.revokeSession({ params: { sid: "none" } }), "not_found", ({ detail }) =>
        Effect.succeed(detail)
      )
      assert.strictEqual(gone, "You have no session of this id.")
    })
  )

  it.effect("a submission that is new answers 201, the same again 200, to the same client", () =>
    Effect.gen(function* () {
      const client = yield* makeClient(yield* base, { session: "ada-token" })
      const hash = `sha256:${"0".repeat(64)}`
      const submit = (note: string) =>
        client.submission.submit({
          payload: { game: "snakes", model: "m", weights_hash: hash, manifest_hash: hash, note },
          responseMode: "decoded-and-response"
        })
      const [first, created] = yield* submit("new")
      const [again, ok] = yield* submit("again")
      assert.deepStrictEqual([created.status, ok.status], [201, 200])
      assert.isTrue(first instanceof Submitted && again instanceof SubmittedBefore)
    })
  )

  it.effect("a runner's client speaks with its key, and bounds are clamped on the way", () =>
    Effect.gen(function* () {
      const client = yield* makeClient(yield* base, { key: "agon_rk_good" })
      const session = yield* client.runner.openSession({
        payload: { name: "rack", runtime_version: "r", engines: [], accepts: ["match"], slots: 2 }
      })
      assert.deepStrictEqual(session, { runner: "k1", heartbeat_s: 10, lease_s: 30 })
      yield* client.runner.lease({
        payload: {
          runner: "k1",
          max: 1000,
          wait_s: 99,
          results: [{ lease: "a.1", kind: "match", fault_reason: "engine_fault", detail: "" }]
        }
      })
      assert.deepStrictEqual(asked, [
        { runner: "k1", max: 256, wait_s: 30, results: [{ lease: "a.1", kind: "match", fault_reason: "engine_fault", detail: "" }] }
      ])
      const beat = yield* client.runner.heartbeat({ payload: { runner: "k1", leases: ["a.1"] } })
      assert.deepStrictEqual(beat, { leases: [{ lease: "a.1", lost: true }], drain: true })
      const stranger = yield* makeClient(yield* base, { key: "agon_rk_bad" })
      assert.strictEqual((yield* Effect.flip(stranger.runner.release({ params: { lease: "a.1" }, payload: {} })))._tag, "unauthenticated")
    })
  )

  it.effect("one malformed result refuses the whole request, and nothing of it reaches the handler", () =>
    Effect.gen(function* () {
      const before = asked.length
      const good = { lease: "a.1", kind: "match", fault_reason: "engine_fault", detail: "" }
      const body = JSON.stringify({ runner: "k1", max: 1, wait_s: 0, results: [good, { ...good, lease: "a.2", fault_reason: "tired" }] })
      const answer = yield* get(`${yield* base}/v1/runner/leases`, "10.0.0.1", {
        method: "POST",
        body,
        headers: { authorization: "Bearer agon_rk_good", "content-type": "application/json" }
      })
      assert.deepStrictEqual([answer.status, JSON.parse(answer.text).code, asked.length], [400, "invalid_request", before])
    })
  )

  it.effect("a kept answer has the bytes, ETag and headers of the first, its own request id, and still counts", () =>
    Effect.gen(function* () {
      const url = `${yield* base}/v1/games/snakes/seasons/s1/maps?enabled=true`
      const ask = (init?: RequestInit) => get(url, "10.0.0.2", init)
      const first = yield* ask()
      const kept = yield* ask()
      const head = yield* ask({ method: "HEAD" })
      assert.deepStrictEqual(JSON.parse(first.text), { maps: [], total: 1, next_cursor: null })
      assert.deepStrictEqual([kept.text, head.text], [first.text, ""])
      for (const name of ["content-type", "content-length", "cache-control", "etag"]) {
        assert.strictEqual(kept.headers.get(name), first.headers.get(name), name)
        assert.strictEqual(head.headers.get(name), first.headers.get(name), name)
      }
      assert.notStrictEqual(kept.headers.get("x-request-id"), first.headers.get("x-request-id"))
      const same = yield* ask({ headers: { "if-none-match": first.headers.get("etag")! } })
      assert.deepStrictEqual([same.status, same.text, same.headers.get("etag")], [304, "", first.headers.get("etag")])
      const post = yield* ask({ method: "POST" })
      assert.strictEqual(post.status, 401, "only a read is answered by a kept one")
      for (let i = 0; i < 3; i++) yield* ask()
      const refused = yield* ask()
      assert.deepStrictEqual([refused.status, refused.headers.get("retry-after")], [429, "1000"])
      assert.strictEqual((yield* get(url, "10.0.0.3")).status, 200)
    })
  )

  it.effect("a body over 1 MiB that names no length is cut off with 413", () =>
    Effect.gen(function* () {
      const { port } = new URL(yield* base)
      const answer = yield* Effect.promise(
        () =>
          new Promise<string>((resolve) => {
            const socket = connect(Number(port), "127.0.0.1")
            let text = ""
            socket.on("data", (chunk) => {
              text += chunk
              if (text.includes("body_too_large")) socket.destroy()
            })
            socket.on("error", () => {})
            socket.on("close", () => resolve(text))
            socket.write(
              "PATCH /v1/me HTTP/1.1\r\nHost: x\r\nCookie: service_session=ada-token\r\n" +
                "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
            )
            for (let i = 0; i < 20; i++) socket.write(`10000\r\n${"x".repeat(65536)}\r\n`)
          })
      )
      assert.match(answer, /^HTTP\/1\.1 413 .*application\/problem\+json.*"body_too_large"/s)
    })
  )
})
