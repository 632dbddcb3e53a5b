import type { ServerResponse } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { assert, it } from "@effect/vitest"
import { Context } from "effect"
import { allowed } from "../../../../../test/support/slack.ts"
import { ConnectionLimits, makeServer } from "./Connections.ts"

const ask = "GET / HTTP/1.1\r\nHost: here\r\n\r\n"
/** Less than the 5 s for which node keeps an idle connection. */
const SOONER_MS = 3_000

it("a server that stops ends each connection with the answer that was under way, and tells who asks meanwhile to go elsewhere", async () => {
  const { admit, server } = makeServer(Context.get(Context.empty(), ConnectionLimits))
  const asked: Array<ServerResponse> = []
  let came: () => void = () => undefined
  server.on("request", (request, response) => {
    admit(request, response)
    asked.push(response)
    came()
  })
  const another = () => new Promise<void>((resolve) => (came = resolve))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const open = () => {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1")
    let text = ""
    socket.on("data", (chunk) => (text += chunk))
    return { socket, closed: new Promise<string>((resolve) => socket.on("close", () => resolve(text))) }
  }
  const [first, second] = [open(), open()]
  for (const { socket } of [first, second]) {
    const arrived = another()
    socket.write(ask)
    await arrived
  }
  const stopped = new Promise((resolve) => server.close(resolve))
  const began = performance.now()
  const arrived = another()
  second.socket.write(ask) // behind the answer that it waits for
  await arrived
  asked[1]!.end("now")
  asked[2]!.end("too late")
  assert.match(await second.closed, /connection: keep-alive.*now.*connection: close.*too late/is)
  asked[0]!.end("now")
  assert.include(await first.closed, "now")
  await stopped
  assert.isBelow(performance.now() - began, allowed(SOONER_MS))
})

it("an upload that was refused before its end is not waited for as long as one that is taken", async () => {
  const { admit, server } = makeServer({ ...Context.get(Context.empty(), ConnectionLimits), body_ms: 200 })
  server.on("request", (request, response) => {
    if (admit(request, response)) response.writeHead(403).end("no")
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined)
  socket.on("data", () => undefined)
  socket.write("PUT /objects/incoming/x HTTP/1.1\r\nHost: here\r\nContent-Length: 100000\r\n\r\n")
  const drip = setInterval(() => socket.write("x"), 50)
  const closed = await Promise.race([
    new Promise<boolean>((resolve) => socket.on("close", () => resolve(true))),
    new Promise<boolean>((resolve) => setTimeout(() => resolve(false), allowed(SOONER_MS)))
  ])
  clearInterval(drip)
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
  assert.isTrue(closed)
})

it("an upload that is taken may come more slowly than any other body", async () => {
  const { admit, server } = makeServer({ ...Context.get(Context.empty(), ConnectionLimits), body_ms: 200 })
  server.on("request", (request, response) => {
    if (admit(request, response)) request.on("end", () => response.end("taken")).resume()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const socket = connect((server.address() as AddressInfo).port, "127.0.0.1").on("error", () => undefined)
  const answered = new Promise<string>((resolve) =>
    socket.once("data", (bytes) => resolve(bytes.toString())).on("close", () => resolve(""))
  )
  socket.write("PUT /objects/incoming/x HTTP/1.1\r\nHost: here\r\nContent-Length: 12\r\n\r\n")
  for (let sent = 0; sent < 12; sent++) {
    socket.write("x")
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  assert.match(await answered, /^HTTP\/1\.1 200 .*taken/s)
  socket.destroy()
  await new Promise((resolve) => server.close(resolve))
})
