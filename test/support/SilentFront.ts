/**
 * A port that leads to the Postgres of a test and may fall silent on connections that stand, as a line does that was cut
 * without a word behind a proxy: nothing passes any more, and nobody is told. New connections pass.
 */
import { type AddressInfo, createConnection, createServer, type Socket } from "node:net"
import { join } from "node:path"
import { Effect, Redacted, type Scope } from "effect"

interface Line {
  readonly client: Socket
  silent: boolean
}

export interface SilentFront {
  readonly url: Redacted.Redacted
  /** Cuts all connections that stand now. */
  readonly cut: Effect.Effect<void>
  /** Connections that stand, those that were cut included. */
  readonly standing: () => number
}

export const silentFront = (database: Redacted.Redacted): Effect.Effect<SilentFront, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.callback<{ readonly front: SilentFront; readonly end: () => void }>((resume) => {
        const url = new URL(Redacted.value(database))
        const path = join(url.searchParams.get("host")!, ".s.PGSQL.5432")
        const lines = new Set<Line>()
        const server = createServer((client) => {
          const line: Line = { client, silent: false }
          lines.add(line)
          const backend = createConnection(path)
          client.on("data", (bytes) => {
            if (!line.silent) backend.write(bytes)
          })
          backend.on("data", (bytes) => line.silent || client.write(bytes))
          backend.on("error", () => client.destroy()).on("close", () => line.silent || client.destroy())
          client
            .on("error", () => {})
            .on("close", () => {
              lines.delete(line)
              backend.destroy()
            })
        }).listen(0, "127.0.0.1", () => {
          url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
          url.search = ""
          const front: SilentFront = {
            url: Redacted.make(url.toString()),
            cut: Effect.sync(() => {
              for (const line of lines) line.silent = true
            }),
            standing: () => lines.size
          }
          const end = () => {
            server.close()
            for (const { client } of lines) client.destroy()
          }
          resume(Effect.succeed({ front, end }))
        })
      }),
      ({ end }) => Effect.sync(end)
    ),
    ({ front }) => front
  )
