import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { SECURITY_HEADERS } from "../securityHeaders.ts"
import { ProtectedResponse } from "./ProtectedResponse.ts"

/** The answer of a server that does this with its response. */
const answerOf = (answer: (response: ServerResponse) => void) =>
  Effect.acquireUseRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer({ ServerResponse: ProtectedResponse }, (_request, response) => answer(response))
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) => Effect.promise(() => fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)),
    (server) => Effect.sync(() => server.close())
  )

const POLICY = "content-security-policy"
const ways: Record<string, (response: ServerResponse) => void> = {
  "by a head with headers": (response) => response.writeHead(200, "", { "x-own": "a" }).end("text"),
  "by a head after a header that was set": (response) => response.setHeader("x-own", "a").writeHead(200).end("text"),
  "without a head": (response) => response.setHeader("x-own", "a").end("text")
}

for (const [way, answer] of Object.entries(ways)) {
  it.live(`an answer ${way} has every security header beside its own`, () =>
    Effect.gen(function* () {
      const { headers } = yield* answerOf(answer)
      for (const [name, value] of SECURITY_HEADERS) assert.strictEqual(headers.get(name), value, name)
      assert.strictEqual(headers.get("x-own"), "a")
    })
  )
}

it.live("a failure without any headers has them too", () =>
  Effect.gen(function* () {
    const { headers, status } = yield* answerOf((response) => response.writeHead(500).end())
    assert.strictEqual(status, 500)
    for (const [name, value] of SECURITY_HEADERS) assert.strictEqual(headers.get(name), value, name)
  })
)

it.live("a header that the answer names itself replaces ours, and stands once", () =>
  Effect.gen(function* () {
    const named = yield* answerOf((response) => response.writeHead(200, { [POLICY]: "own" }).end())
    const set = yield* answerOf((response) => response.setHeader("Content-Security-Policy", "own").writeHead(200).end())
    const both = yield* answerOf((response) =>
      response
        .setHeader("x-own", "a")
        .writeHead(200, { [POLICY]: "own" })
        .end()
    )
    for (const { headers } of [named, set, both]) assert.strictEqual(headers.get(POLICY), "own")
  })
)

it.live("a list of headers is the whole head", () =>
  Effect.gen(function* () {
    const { headers } = yield* answerOf((response) => response.writeHead(200, ["X-Own", "a"]).end("text"))
    assert.strictEqual(headers.get("x-own"), "a")
    assert.isNull(headers.get(POLICY))
  })
)

const texts = {
  ASCII: "plain",
  "one byte a character that is no ASCII": "\u00e9\u00ff",
  "two, three and four bytes a character": "\u03b1\u20ac\u{1f40d}"
}
for (const [kind, text] of Object.entries(texts)) {
  it.live(`a text of ${kind} arrives as it is, whether its length was declared with the head, before it or not at all`, () =>
    Effect.gen(function* () {
      const length = String(Buffer.byteLength(text))
      const answers = [
        answerOf((response) => response.writeHead(200, { "content-length": length }).end(text)),
        answerOf((response) => response.setHeader("content-length", length).writeHead(200).end(text)),
        answerOf((response) => response.writeHead(200, { "content-length": length }).end(text, "utf8")),
        answerOf((response) => response.writeHead(200).end(text))
      ]
      for (const answer of answers) {
        const response = yield* answer
        assert.strictEqual(yield* Effect.promise(() => response.text()), text)
      }
    })
  )
}

it.live("a text whose end is waited for tells of it", () =>
  Effect.gen(function* () {
    const ended = yield* Deferred.make<void>()
    const done = () => Deferred.doneUnsafe(ended, Effect.void)
    const response = yield* answerOf((response) => response.writeHead(200, { "content-length": "5" }).end("plain", done))
    assert.strictEqual(yield* Effect.promise(() => response.text()), "plain")
    yield* Deferred.await(ended)
  })
)
