/** A fleet that comes back all at once to a service that is busy: it is kept waiting, and nobody is turned away. */

import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { afterAll, assert, it } from "vitest"
import { eventuallyAsync } from "../support/eventually.ts"
import { freePort } from "../support/freePort.ts"
import * as Service from "./Service.ts"

/** Three times the queue that Node asks the kernel for by itself. */
const RUNNERS = 1_500
/** Below the connections that one address may have. */
const OF_AN_ADDRESS = 300

afterAll(Service.cleanUp)

const fromAddress = (port: number, n: number): Socket =>
  connect({ port, host: "127.0.0.1", localAddress: `127.0.1.${1 + Math.floor(n / OF_AN_ADDRESS)}` }).on("error", () => undefined)

const statusOver = async (socket: Socket): Promise<string> => {
  socket.write("GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")
  const [head] = (await once(socket, "data")) as [Buffer] // fails where the connection does
  return head.toString("latin1").slice(9, 12)
}

it("keeps the connections of a whole fleet that come while it is busy, and answers each", async () => {
  const service = await Service.start({ directory: Service.newDirectory(), port: await freePort(), runners: 0 })
  const port = Number(new URL(service.origin).port)
  let connected = 0
  process.kill(service.pid, "SIGSTOP") // the loop has no turn
  const sockets = Array.from({ length: RUNNERS }, (_, n) => fromAddress(port, n).on("connect", () => connected++))
  try {
    await eventuallyAsync("the kernel keeps all of them", () => Promise.resolve(connected === RUNNERS), 20_000)
  } finally {
    process.kill(service.pid, "SIGCONT")
  }
  const statuses = new Set(await Promise.all(sockets.map(statusOver)))
  assert.deepStrictEqual(statuses, new Set(["200"]))
})
