/**
 * Posts a body to an address that a stranger has given. The name is resolved once, every address that it has
 * must be one that may be asked, and the connection goes to the first of them, so that a name which changes
 * meanwhile leads nowhere else. A redirect is an answer like another, and is not followed. Nothing of the
 * answer is read but its head, and of heads before the last one (100 to 199) only a few: a receiver that never stops sending
 * them would take the process's time. Nothing is kept open.
 */
import { request as askHttp } from "node:http"
import { request as askHttps } from "node:https"
import { isIP, type Socket } from "node:net"
import { TLSSocket } from "node:tls"
import { Effect } from "effect"
import type { AddressesOf } from "./addressesOf.ts"

const HEAD_MAX_BYTES = 8_192
const HEADS_MAX = 16

export interface Posted {
  readonly url: string
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

/** The status of the answer, or a word for why there is none. */
export type Outcome = number | "unresolved" | "refused_address" | "unreachable" | "bad_certificate"

/** A host of an address has brackets around IPv6. */
const bare = (hostname: string) => hostname.replace(/^\[(.*)\]$/, "$1")

/**
 * A certificate that is for another name, has ended, or is signed by nobody that this machine
 * or NODE_EXTRA_CA_CERTS trusts.
 */
const isRefusedCertificate = (socket: Socket | null) => socket instanceof TLSSocket && Boolean(socket.authorizationError)

/** Ends with the request's connection, also where it is interrupted. */
const sent = ({ body, headers, url }: Posted, address: string): Effect.Effect<Outcome> =>
  Effect.callback<Outcome>((resume) => {
    const { host, hostname, pathname, port, protocol, search } = new URL(url)
    const name = bare(hostname)
    const isTls = protocol === "https:"
    const ask = isTls ? askHttps : askHttp
    const request = ask({
      host: address,
      port: port === "" ? (isTls ? 443 : 80) : Number(port),
      ...(isTls && isIP(name) === 0 ? { servername: name } : {}),
      path: pathname + search,
      method: "POST",
      agent: false,
      maxHeaderSize: HEAD_MAX_BYTES,
      headers: { ...headers, host, "content-length": String(Buffer.byteLength(body)), connection: "close" }
    })
    request.on("response", (response) => {
      resume(Effect.succeed(response.statusCode ?? "unreachable"))
      response.destroy()
    })
    let heads = 0
    request.on("information", () => {
      if (++heads >= HEADS_MAX) request.destroy(new Error("an answer that does not come to its last head"))
    })
    request.on("upgrade", ({ statusCode }, socket) => {
      resume(Effect.succeed(statusCode ?? "unreachable"))
      socket.destroy()
    })
    // none after the answer counts
    request.on("error", () => resume(Effect.succeed(isRefusedCertificate(request.socket) ? "bad_certificate" : "unreachable")))
    request.end(body)
    return Effect.sync(() => void request.destroy())
  })

interface Rules {
  readonly addressesOf: AddressesOf
  readonly isAllowed: (address: string) => boolean
}

export const postOnce = Effect.fnUntraced(function* (posted: Posted, { addressesOf, isAllowed }: Rules) {
  const host = bare(new URL(posted.url).hostname)
  const addresses = isIP(host) !== 0 ? [host] : yield* addressesOf(host)
  if (addresses.length === 0) return "unresolved" as const
  if (!addresses.every(isAllowed)) return "refused_address" as const
  return yield* sent(posted, addresses[0]!)
})
