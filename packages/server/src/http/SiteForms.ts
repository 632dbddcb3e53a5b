/**
 * The body of a form on its way to the site: read whole here, within the bound and the time of other writes, so that a slow client holds
 * nothing of the site's. A form of another origin gets no further.
 */
import type { IncomingMessage } from "node:http"

/** As much as the site takes (packages/site/src/http/posted.ts). */
export const FORM_MAX_BYTES = 256 * 1024

/** The facts of a form that the site needs besides its body: its type, and by which page it was sent. */
export const FORM_HEADERS = ["content-type", "origin", "sec-fetch-site"]

export const isForm = ({ method }: IncomingMessage) => method === "POST"

/** Forms that are being read, each up to `FORM_MAX_BYTES`: of one address, and addresses that send some. */
const OF_ADDRESS_MAX = 4
const ADDRESSES_MAX = 128

/** Reads bodies within these bounds: undefined where the address, or all of them together, send too many at once. */
export const makeFormReader = () => {
  const underWay = new Map<string, number>()
  return (request: IncomingMessage, address: string): Promise<Buffer | undefined> | undefined => {
    const others = underWay.get(address) ?? 0
    if (others >= OF_ADDRESS_MAX || (others === 0 && underWay.size >= ADDRESSES_MAX)) return undefined
    underWay.set(address, others + 1)
    return bodyOf(request).finally(() => {
      const left = underWay.get(address)! - 1
      if (left === 0) underWay.delete(address)
      else underWay.set(address, left)
    })
  }
}

/** The body, or undefined where it is too long. Fails when the client goes away, or was too slow (Connections.ts). */
const bodyOf = (request: IncomingMessage): Promise<Buffer | undefined> =>
  new Promise((resolve, reject) => {
    if (Number(request.headers["content-length"] ?? 0) > FORM_MAX_BYTES) return resolve(undefined)
    const chunks: Array<Buffer> = []
    let bytes = 0
    request.on("data", (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > FORM_MAX_BYTES) {
        request.pause()
        resolve(undefined)
      } else chunks.push(chunk)
    })
    request.on("end", () => resolve(Buffer.concat(chunks)))
    request.on("error", reject)
    request.on("close", () => reject(new Error("the client went away"))) // no effect after the end
  })
