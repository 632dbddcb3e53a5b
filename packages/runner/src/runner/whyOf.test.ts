import { createServer } from "node:net"
import { NodeHttpClient } from "@effect/platform-node"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { HttpClient } from "effect/http"
import { freePort } from "../../../../test/support/freePort.ts"
import { whyOf } from "./whyOf.ts"

const failureOf = (url: string) => Effect.map(Effect.flip(HttpClient.get(url)), whyOf).pipe(Effect.provide(NodeHttpClient.layerUndici))

it.live("says why a service is not reached", () =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    assert.match(yield* failureOf(`http://127.0.0.1:${port}/`), /Transport error .*ECONNREFUSED/)
    assert.match(yield* failureOf("http://nowhere.invalid/"), /Transport error .*nowhere\.invalid/)
    yield* Effect.acquireRelease(
      Effect.callback<ReturnType<typeof createServer>>((resume) => {
        const server = createServer((socket) => socket.on("error", () => {}).end("HTTP/1.1 200 OK\r\n\r\n"))
        server.listen(port, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) => Effect.sync(() => void server.close())
    )
    assert.match(yield* failureOf(`https://127.0.0.1:${port}/`), /Transport error .*: .*(SSL|TLS)/i)
  }).pipe(Effect.scoped)
)
