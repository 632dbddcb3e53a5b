import { createServer as createHttpServer, type RequestListener } from "node:http"
import { createServer } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { freePort } from "../../../test/support/freePort.ts"
import { listening } from "../../../test/support/listening.ts"
import { connect, saying } from "./Service.ts"

const answering = (listener: RequestListener) => listening(createHttpServer(listener))

/** The sentence that a command ends with. */
const sentenceAt = (url: string) =>
  Effect.gen(function* () {
    const client = yield* connect(url)
    const { message } = yield* Effect.flip(saying(url)(client.version.candidates({ query: { limit: 1, cursor: 0 } })))
    assert.strictEqual(message.slice(0, url.length), url)
    return message.slice(url.length)
  }).pipe(Effect.provide(NodeHttpClient.layerNodeHttp))

describe("a service that a command does not reach", () => {
  it.live("is named with the reason", () =>
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      assert.strictEqual(yield* sentenceAt(`http://127.0.0.1:${port}`), ` cannot be reached: connect ECONNREFUSED 127.0.0.1:${port}.`)
      assert.match(yield* sentenceAt("http://nowhere.invalid"), /^ cannot be reached: getaddrinfo \w+ nowhere\.invalid\.$/)
      const cut = yield* listening(createServer((socket) => socket.destroy()))
      assert.match(yield* sentenceAt(cut), /^ cannot be reached: .*(hang up|ECONNRESET)\.$/)
      assert.match(yield* sentenceAt(cut.replace("http:", "https:")), /^ cannot be reached: \S.*\.$/)
    }).pipe(Effect.scoped)
  )

  it.live("is told from one that answers something else", () =>
    Effect.gen(function* () {
      const proxy = yield* answering((_request, response) => response.writeHead(502, { "content-type": "text/html" }).end("<html>"))
      assert.strictEqual(yield* sentenceAt(proxy), " does not answer as a service does: status 502.")
      for (const [status, type, body] of [
        [404, "application/json", '{"error":404}'],
        [503, "text/html", "<html>"]
      ] as const) {
        const page = yield* answering((_request, response) => response.writeHead(status, { "content-type": type }).end(body))
        assert.strictEqual(yield* sentenceAt(page), ` does not answer as a service does: status ${status}.`)
      }
      const site = yield* answering((_request, response) => response.writeHead(200, { "content-type": "text/html" }).end("<html>"))
      assert.strictEqual(yield* sentenceAt(site), " gave an answer that this version of agon does not know.")
    }).pipe(Effect.scoped)
  )

  it.effect("is not waited for without end, where it takes the request or half of the answer", () =>
    Effect.gen(function* () {
      for (const half of [false, true]) {
        const asked = Promise.withResolvers<void>()
        const silent = yield* answering((_request, response) => {
          if (half) response.writeHead(200, { "content-type": "application/json", "content-length": 9 }).write("{")
          asked.resolve()
        })
        const sentence = yield* Effect.forkChild(sentenceAt(silent))
        yield* Effect.promise(() => asked.promise)
        yield* TestClock.adjust("74 seconds")
        assert.isUndefined(sentence.pollUnsafe())
        yield* TestClock.adjust("1 second")
        assert.strictEqual(yield* Fiber.join(sentence), " cannot be reached: no answer within 75 seconds.")
      }
    }).pipe(Effect.scoped)
  )
})
