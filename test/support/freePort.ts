/**
 * A loopback port for what a test starts: one that nobody holds, below those that the system hands out by itself (from 32,768
 * on Linux), so that no connection of another test takes it before it is listened on.
 */

import { randomInt } from "node:crypto"
import { createServer } from "node:net"

const [FIRST, END] = [12_000, 32_000]

export const freePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(FIRST, END)
    if (await isFree(port)) return port
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const server = createServer().on("error", () => done(false))
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)))
  })
