import { createServer, type ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { afterAll, assert, beforeAll, it } from "vitest"
import { inTurn, WAITING_MAX } from "./turns.ts"

const handled: Array<ServerResponse> = []
const server = createServer((request, response) => inTurn(request, response, () => handled.push(response)))
beforeAll(() => new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve)))
afterAll(() => void server.close())

const request = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"
const send = (requests: number) => {
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined)
  let text = ""
  socket.on("data", (chunk) => (text += chunk))
  socket.write(request.repeat(requests))
  return { socket, text: () => text, closed: new Promise<void>((resolve) => socket.on("close", () => resolve())) }
}
const until = async (what: () => boolean) => {
  while (!what()) await new Promise((resolve) => setTimeout(resolve, 5))
}

it("requests that come together on one connection are handled one by one, and all are answered in order", async () => {
  const { socket, text } = send(WAITING_MAX + 1)
  for (let n = 0; n <= WAITING_MAX; n++) {
    await until(() => handled.length > n)
    assert.strictEqual(handled.length, n + 1)
    handled[n]!.end(`answer ${n}.`)
  }
  await until(() => text().includes(`answer ${WAITING_MAX}.`))
  assert.deepStrictEqual(
    [...text().matchAll(/answer (\d+)\./g)].map(([, n]) => Number(n)),
    handled.map((_, n) => n)
  )
  handled.length = 0
  socket.write(request)
  await until(() => handled.length === 1)
  socket.destroy()
})

it("a connection with more than may wait is closed, and nothing that waited is handled", async () => {
  handled.length = 0
  await send(WAITING_MAX + 2).closed
  assert.strictEqual(handled.length, 1)
})

it("a connection that is over its rate gets that one answer for all that it sent at once, and keeps open where nothing waits", async () => {
  handled.length = 0
  const { closed, socket, text } = send(1)
  await until(() => handled.length === 1)
  handled[0]!.writeHead(429).end("first.")
  await until(() => text().includes("first."))
  socket.write(request.repeat(5))
  await until(() => handled.length === 2)
  handled[1]!.writeHead(429).end("second.")
  await closed
  assert.strictEqual(handled.length, 2)
  assert.match(text(), /first\.[\s\S]*second\./)
})
