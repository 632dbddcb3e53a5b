import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProtectedResponse } from "./ProtectedResponse.ts"

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A server, and clients that are connected to it before any of them asks. */
const serving = (answer: Answer, clients: number) =>
  Effect.gen(function* () {
    const server = yield* Effect.acquireRelease(
      Effect.promise(
        () =>
          new Promise<ReturnType<typeof createServer>>((resolve) => {
            const server = createServer({ ServerResponse: ProtectedResponse }, answer)
            server.listen(0, "127.0.0.1", () => resolve(server))
          })
      ),
      (server) => Effect.sync(() => server.close())
    )
    const { port } = server.address() as AddressInfo
    let accepted = 0
    server.on("connection", () => accepted++)
    const sockets = yield* Effect.all(Array.from({ length: clients }, () => connected(port)))
    yield* Effect.suspend(() => (accepted === clients ? Effect.void : Effect.fail("waiting"))).pipe(
      Effect.retry({ times: 1_000 }),
      Effect.delay(1)
    )
    return sockets
  })

const connected = (port: number) =>
  Effect.acquireRelease(
    Effect.promise(
      () =>
        new Promise<Socket>((resolve) => {
          const socket = connect(port, "127.0.0.1", () => resolve(socket))
        })
    ),
    (socket) => Effect.sync(() => socket.destroy())
  )

const asks = (socket: Socket, path: string) => {
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`)
  return new Promise<string>((resolve) => {
    let text = ""
    socket.on("data", (chunk) => (text += chunk)).once("close", () => resolve(text))
  })
}

const ARRIVE_MS = 100

/** The order of events where so many clients ask within one turn: `h` for a request that is handled, `w` for an answer that is written. */
const orderOf = (clients: number, body: string | Buffer) =>
  Effect.gen(function* () {
    let order = ""
    const sockets = yield* serving((_request, response) => {
      order += "h"
      response.once("prefinish", () => {
        order += "w"
      })
      response.writeHead(200, { "content-length": "5" }).end(body)
    }, clients)
    const asked = sockets.map((socket) => asks(socket, "/"))
    // All have come when the loop looks the next time.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ARRIVE_MS)
    for (const text of yield* Effect.promise(() => Promise.all(asked))) assert.match(text, /\r\n\r\nplain$/)
    return order
  })

for (const [kind, body] of Object.entries({ text: "plain", bytes: Buffer.from("plain") })) {
  it.live(`answers of ${kind} that are ready in one turn of the loop are written when all of its requests are handled`, () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* orderOf(3, body), "hhhwww")
    })
  )
}

it.live("of many that come at once the first do not wait for the last", () =>
  Effect.gen(function* () {
    const [sixteen, four] = [16, 4]
    const whole = "h".repeat(sixteen) + "w".repeat(sixteen)
    assert.strictEqual(yield* orderOf(2 * sixteen + four, "plain"), whole + whole + "h".repeat(four) + "w".repeat(four))
  })
)

it.live("a client that is gone by then does no harm to the others", () =>
  Effect.gen(function* () {
    const sockets = yield* serving((request, response) => {
      response.writeHead(200, { "content-length": "5" }).end("plain")
      if (request.url === "/0") request.socket.destroy()
    }, 2)
    const [gone, other] = yield* Effect.promise(() => Promise.all(sockets.map((socket, i) => asks(socket, `/${i}`))))
    assert.strictEqual(gone, "")
    assert.match(other!, /\r\n\r\nplain$/)
  })
)

it.live("a body that is not as long as was said is refused at once, to whoever gave it", () =>
  Effect.gen(function* () {
    let said: unknown
    const [socket] = yield* serving((_request, response) => {
      response.strictContentLength = true
      response.writeHead(200, { "content-length": "7" })
      try {
        response.end(Buffer.from("plain"))
      } catch (error) {
        said = error
        response.destroy()
      }
    }, 1)
    yield* Effect.promise(() => asks(socket!, "/"))
    assert.include(String(said), "ERR_HTTP_CONTENT_LENGTH_MISMATCH")
  })
)
