/** A stranger at the port of nodes, over real connections: time and connections are bounded, and other nodes come through meanwhile. */

import { readFileSync } from "node:fs"
import type { Server } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { connect as connectTls } from "node:tls"
import { afterAll, assert, beforeAll, it } from "@effect/vitest"
import * as Certificates from "../../../../test/support/Certificates.ts"
import { allowed } from "../../../../test/support/slack.ts"
import { FRAMES } from "./FrameSocket.ts"
import { makePeerServer, STRANGER_MS, STRANGERS_MAX, type Upgrades } from "./peerServer.ts"

const CREDENTIAL = "Bearer of-a-node"
const head = (rest: string) => `POST / HTTP/1.1\r\nhost: here\r\n${rest}`
const asNode = head(`authorization: ${CREDENTIAL}\r\ncontent-length: 0\r\n\r\n`)
const MEBIBYTE = Buffer.alloc(1024 * 1024)
const PATH = "/asks"
/** Connections whose upgrade was accepted; nothing is answered on them. */
const taken = new Set<Socket>()
const upgrades: Upgrades = {
  path: PATH,
  asks: {
    take: (socket) => void taken.add(socket),
    part: () => {
      for (const socket of taken) socket.destroy()
    }
  }
}

let server: Server
/** Ends of the connections that were opened, as the server sees them: a client that keeps its half open need not notice. */
const ends: Array<Promise<unknown>> = []
beforeAll(async () => {
  server = makePeerServer(undefined, CREDENTIAL, upgrades)
  // As the handler of effect is: it leaves an upgraded connection half open.
  server.on("upgrade", (_request, socket) => socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n"))
  server.on("request", ({ headers }, response) => {
    const known = headers.authorization === CREDENTIAL
    response.writeHead(known ? 200 : 401, known ? {} : { connection: "close" }).end()
  })
  server.on("connection", (socket: Socket) => void ends.push(new Promise((resolve) => socket.once("close", resolve))))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const open = (allowHalfOpen = false) => {
  const socket = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port, allowHalfOpen })
  const heard = { text: "", closed: false }
  socket.on("error", () => undefined)
  socket.on("data", (chunk) => (heard.text += chunk))
  const closed = new Promise<void>((resolve) =>
    socket.on("close", () => {
      heard.closed = true
      resolve()
    })
  )
  return { socket, heard, closed }
}
const count = () => new Promise<number>((resolve) => server.getConnections((_, n) => resolve(n)))
const answered = (socket: Socket) => new Promise((resolve) => socket.once("data", resolve))

it("strangers who open connections close their own oldest ones, and a node gets its answer and keeps its connection", async () => {
  const node = open()
  node.socket.write(asNode)
  await answered(node.socket)
  const strangers = Array.from({ length: 2 * STRANGERS_MAX }, () => open())
  await Promise.all(strangers.slice(0, STRANGERS_MAX - 1).map(({ closed }) => closed))
  assert.isAtMost(await count(), STRANGERS_MAX + 1)
  const another = open()
  another.socket.write(asNode)
  await answered(another.socket)
  assert.match(another.heard.text, /^HTTP\/1.1 200/)
  node.socket.write(asNode)
  await answered(node.socket)
  assert.isFalse(node.heard.closed)
  for (const { socket } of [node, another, ...strangers]) socket.destroy()
})

it("a stranger is closed in time: silent, slow with its head, with a body that never ends, upgraded, or with the wrong credential", {
  timeout: 60_000
}, async () => {
  ends.length = 0
  const began = performance.now()
  const drip = (begin: string, drop: string | Buffer, every_ms: number) => {
    const { heard, socket } = open(true)
    let taken = 0
    socket.write(begin)
    const timer = setInterval(() => {
      if (drop.length > 0 && socket.writable && socket.writableLength === 0) socket.write(drop, () => (taken += drop.length))
    }, every_ms)
    const stop = () => {
      clearInterval(timer)
      socket.destroy()
    }
    return { heard, stop, taken: () => taken }
  }
  const wrong = "authorization: Bearer x\r\n"
  const silent = drip("", "", 100)
  const slow = drip("POST / HTTP/1.1\r\n", "x: y\r\n", 100)
  const body = drip(head(`${wrong}content-length: ${2 ** 30}\r\n\r\n`), MEBIBYTE, 1)
  const endless = drip(head(`${wrong}transfer-encoding: chunked\r\n\r\n`), "1\r\nx\r\n", 10)
  const upgraded = drip(head(`${wrong}connection: upgrade\r\nupgrade: other\r\n\r\n`), "x", 100)
  const all = [silent, slow, body, endless, upgraded]
  while (ends.length < all.length) await new Promise((resolve) => server.once("connection", resolve))
  await Promise.all(ends)
  for (const { stop } of all) stop()
  assert.isBelow(performance.now() - began, allowed(STRANGER_MS + 2_000))
  assert.isBelow(body.taken(), 64 * MEBIBYTE.length)
})

it("only a node's connection is upgraded: with the credential, at the path and to the protocol of asks; it is no stranger's then", {
  timeout: 60_000
}, async () => {
  const upgrade = (over: { readonly path?: string; readonly authorization?: string; readonly to?: string; readonly method?: string }) => {
    const { authorization = CREDENTIAL, method = "GET", path = PATH, to = FRAMES } = over
    const opened = open()
    opened.socket.write(
      `${method} ${path} HTTP/1.1\r\nhost: here\r\nauthorization: ${authorization}\r\nconnection: Upgrade\r\nupgrade: ${to}\r\n\r\n`
    )
    return opened
  }
  for (const wrong of [{ authorization: "Bearer x" }, { authorization: "" }, { path: "/" }, { to: "websocket" }, { method: "POST" }]) {
    const { closed, heard } = upgrade(wrong)
    await closed
    assert.strictEqual(heard.text, "", JSON.stringify(wrong))
  }
  const node = upgrade({})
  await answered(node.socket)
  assert.match(node.heard.text, /^HTTP\/1.1 101 .*\r\n\r\n$/s)
  assert.strictEqual(taken.size, 1)
  const strangers = Array.from({ length: STRANGERS_MAX + 1 }, () => open())
  await strangers[0]!.closed
  assert.isFalse(node.heard.closed)
  for (const { socket } of [node, ...strangers]) socket.destroy()
})

const missing = Certificates.missingOpenssl()
it.skipIf(missing !== undefined)(
  `over TLS a node keeps its connection among strangers who never end their handshake${missing === undefined ? "" : `: ${missing}`}`,
  { timeout: 60_000 },
  async () => {
    const made = Certificates.make()
    const [tls, ca] = [Certificates.read(made.node), readFileSync(made.ca)]
    const secure = makePeerServer({ ...tls, ca }, CREDENTIAL, upgrades)
    secure.on("request", (_, response) => response.end())
    await new Promise<void>((resolve) => secure.listen(0, "127.0.0.1", resolve))
    const { port } = secure.address() as AddressInfo
    const node = connectTls({ host: "127.0.0.1", port, ca, ...tls })
    const asked = async () => {
      if (node.readableEnded || node.destroyed) return "closed"
      node.write(asNode)
      return String(await new Promise((resolve) => node.once("data", resolve).once("close", () => resolve("closed"))))
    }
    assert.match(await asked(), /^HTTP\/1.1 200/)
    const strangers = Array.from({ length: 2 * STRANGERS_MAX }, () => connect(port, "127.0.0.1").on("error", () => undefined))
    const closed = strangers.slice(0, STRANGERS_MAX).map((socket) => new Promise((resolve) => socket.resume().once("close", resolve)))
    await Promise.all(closed)
    assert.match(await asked(), /^HTTP\/1.1 200/)
    for (const socket of [node, ...strangers]) socket.destroy()
    secure.close()
    made.remove()
  }
)
