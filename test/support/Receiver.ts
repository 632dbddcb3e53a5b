/** A real receiver of webhooks on loopback, by http or https, which answers as a test says. */
import { createHmac } from "node:crypto"
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { Effect } from "effect"

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

export interface Receiver {
  readonly port: number
  readonly received: Array<Received>
  /** How it answers from now on; with 204 at first. */
  answer: (response: ServerResponse) => void
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void

const close = (server: Server) =>
  Effect.callback<void>((resume) => {
    server.close(() => resume(Effect.void))
    server.closeAllConnections()
  })

/** Listens on an address of loopback for as long as the scope is open. */
const listening = (make: (listener: Listener) => Server, host = "127.0.0.1") =>
  Effect.acquireRelease(
    Effect.callback<{ readonly server: Server; readonly receiver: Receiver }>((resume) => {
      const received: Array<Received> = []
      const server = make((request, response) => {
        const parts: Array<Buffer> = []
        request.on("data", (part: Buffer) => parts.push(part))
        request.on("end", () => {
          received.push({ path: request.url!, headers: request.headers, body: Buffer.concat(parts).toString() })
          receiver.answer(response)
        })
      })
      const receiver: { -readonly [K in keyof Receiver]: Receiver[K] } = {
        port: 0,
        received,
        answer: (response) => void response.writeHead(204).end()
      }
      server.listen(0, host, () => {
        receiver.port = (server.address() as AddressInfo).port
        resume(Effect.succeed({ server, receiver }))
      })
    }),
    ({ server }) => close(server)
  ).pipe(Effect.map(({ receiver }) => receiver))

export const receiver = listening((listener) => createServer(listener))

/** By https, with this certificate and key. */
export const tlsReceiver = (pair: { readonly cert: Buffer; readonly key: Buffer }, host?: string) =>
  listening((listener) => createTlsServer(pair, listener), host)

/**
 * The signature that a careful receiver computes for itself, from the bytes that came; the
 * seconds that the sender claims.
 */
export const signedAt = ({ body, headers }: Received, secret: string): number | undefined => {
  const [, seconds, hex] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(String(headers["agon-signature"])) ?? []
  const expected = createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")
  return hex === expected ? Number(seconds) : undefined
}
