/** A loopback port for what a test starts: one that nobody held a moment ago, and that the system does not hand out again at once. */
import { type AddressInfo, createServer } from "node:net"

export const freePort = () =>
  new Promise<number>((done, fail) => {
    const server = createServer().on("error", fail)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => done(port))
    })
  })
