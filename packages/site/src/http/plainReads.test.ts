import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as NodeHttpClient from "@effect/platform-node/NodeHttpClient"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Option } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { plainPathOf, plainReads } from "./plainReads.ts"

/** For what never comes. */
const PATIENCE = "30 seconds"
const SERVICE = "http://127.0.0.1:8080"
const query = { q: "a b&c=d", name: "ä“'~" }

/** A service that answers so, and its client. */
const beside = (answer: (request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.gen(function* () {
    const server = createServer(answer)
    yield* Effect.promise(() => new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening)))
    yield* Effect.addFinalizer(() => Effect.sync(() => void server.close().closeAllConnections()))
    const service = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const others: Array<string> = []
    const framework = HttpClient.mapRequest(yield* HttpClient.HttpClient, (request) => {
      others.push(`${request.method} ${request.url}`)
      return request
    })
    return { service, others, client: plainReads(framework, yield* NodeHttpClient.Dispatcher, service) }
  })

const layer = NodeHttpClient.layerUndiciNoDispatcher.pipe(Layer.provideMerge(NodeHttpClient.layerDispatcher))

describe("a plain read", () => {
  it("asks for the same address as the framework's client", () => {
    const request = HttpClientRequest.get(`${SERVICE}/v1/games/sn%20ake's`, { urlParams: query })
    const url = Option.getOrThrow(HttpClientRequest.toUrl(request))
    assert.strictEqual(plainPathOf(request, SERVICE), `${url.pathname}${url.search}`)
    assert.strictEqual(plainPathOf(HttpClientRequest.get(`${SERVICE}/v1/games`), SERVICE), "/v1/games")
  })

  it.live("has the headers of its request, and the whole answer", () =>
    Effect.gen(function* () {
      const { client, others, service } = yield* beside(({ headers, method, url }, response) => {
        response.writeHead(200, { "content-type": "application/json", etag: '"x"', "set-cookie": ["a=1", "b=2"] })
        response.write(JSON.stringify({ method, url, said: headers["agon-visitor"] }).slice(0, 9))
        setImmediate(() => response.end(JSON.stringify({ method, url, said: headers["agon-visitor"] }).slice(9)))
      })
      const request = HttpClientRequest.get(`${service}/v1/games`, { urlParams: { a: "1" }, headers: { "agon-visitor": "me" } })
      const answer = yield* client.execute(request)
      const whole = { method: "GET", url: "/v1/games?a=1", said: "me" }
      assert.deepStrictEqual([answer.status, answer.headers["etag"], answer.url], [200, '"x"', `${service}/v1/games?a=1`])
      assert.deepStrictEqual([yield* answer.json, JSON.parse(yield* answer.text)], [whole, whole])
      assert.deepStrictEqual(JSON.parse(Buffer.from(yield* answer.arrayBuffer).toString()), whole)
      assert.deepStrictEqual(others, [])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("goes below the path of the service, where that has one", () =>
    Effect.gen(function* () {
      const asked: Array<string | undefined> = []
      const { others, service } = yield* beside(({ url }, response) => {
        asked.push(url)
        response.end("{}")
      })
      const below = `${service}/agon`
      const client = plainReads(yield* HttpClient.HttpClient, yield* NodeHttpClient.Dispatcher, below)
      const answer = yield* client.get(`${below}/v1/games`, { urlParams: { a: "1" } })
      assert.deepStrictEqual([answer.url, asked, others], [`${below}/v1/games?a=1`, ["/agon/v1/games?a=1"], []])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("fails as one that was not answered where the answer breaks off, or nobody listens", () =>
    Effect.gen(function* () {
      const { client, service } = yield* beside((_request, response) => {
        response.writeHead(200, { "content-length": "10" }).write("half")
        setImmediate(() => response.destroy())
      })
      const tagOf = (url: string) => Effect.map(Effect.flip(client.get(url)), ({ reason }) => reason._tag)
      assert.strictEqual(yield* tagOf(`${service}/v1/games`), "TransportError")
      const nobody = plainReads(yield* HttpClient.HttpClient, yield* NodeHttpClient.Dispatcher, "http://127.0.0.1:1")
      assert.strictEqual((yield* Effect.flip(nobody.get("http://127.0.0.1:1/v1/games"))).reason._tag, "TransportError")
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("ends its connection when nobody waits for it any more", () =>
    Effect.gen(function* () {
      const [asked, left] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const { client, service } = yield* beside((_request, response) => {
        response.on("close", () => Deferred.doneUnsafe(left, Effect.void))
        Deferred.doneUnsafe(asked, Effect.void)
      })
      const reading = yield* Effect.forkChild(client.get(`${service}/v1/games`))
      yield* Deferred.await(asked)
      yield* Fiber.interrupt(reading)
      yield* Effect.timeout(Deferred.await(left), PATIENCE)
    }).pipe(Effect.scoped, Effect.provide(layer))
  )

  it.live("is no write, no file, and nothing of another origin: those take the framework's client", () =>
    Effect.gen(function* () {
      const { client, others, service } = yield* beside((_request, response) => void response.end("{}"))
      const other = service.replace("127.0.0.1", "localhost")
      yield* client.post(`${service}/v1/games`)
      for (const url of [`${service}/objects/x`, `${service}/v1/games?a=1`, `${other}/v1/games`]) yield* client.get(url)
      assert.deepStrictEqual(others, [
        `POST ${service}/v1/games`,
        `GET ${service}/objects/x`,
        `GET ${service}/v1/games?a=1`,
        `GET ${other}/v1/games`
      ])
    }).pipe(Effect.scoped, Effect.provide(layer))
  )
})
