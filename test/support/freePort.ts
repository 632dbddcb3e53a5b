/**
 * A loopback port for what a test starts: one that nobody holds, below those that the system hands out by
 * itself (from 32,768 on Linux), so that no connection of another test takes it before it is listened on. Nor
 * does another test: each worker has ports of its own, and takes them in turn.
 */

import { randomInt } from "node:crypto"
import { createServer } from "node:net"

const [FIRST, END] = [12_000, 32_000]
/** More than workers; the first is of whoever is none. */
const SHARES = 16
const SHARE = (END - FIRST) / SHARES

const from = FIRST + SHARE * (Number(process.env["VITEST_POOL_ID"] ?? 0) % SHARES)
let taken = randomInt(SHARE)

export const freePort = async (): Promise<number> => {
  for (;;) {
    taken = (taken + 1) % SHARE
    const port = from + taken
    if (await isFree(port)) return port
  }
}

const isFree = (port: number) =>
  new Promise<boolean>((done) => {
    const server = createServer().on("error", () => done(false))
    server.listen(port, "127.0.0.1", () => server.close(() => done(true)))
  })
