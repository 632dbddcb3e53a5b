/** A server of a test on a free loopback port, until the scope closes: then it and its connections are closed. */

import type { Server as HttpServer } from "node:http"
import type { AddressInfo, Server } from "node:net"
import { Effect } from "effect"

/** Its origin. */
export const listening = (server: Server | HttpServer) =>
  Effect.acquireRelease(
    Effect.callback<string>((resume) => {
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)))
    }),
    () =>
      Effect.sync(() => {
        if ("closeAllConnections" in server) server.closeAllConnections()
        server.close()
      })
  )
