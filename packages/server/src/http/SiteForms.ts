/**
 * The body of a form on its way to the site: read whole here, within the bound and the time of other writes, so that a slow client holds
 * nothing of the site's. A form of another origin gets no further.
 */
import type { IncomingMessage } from "node:http"

/** As much as the site takes (packages/site/src/http/posted.ts). */
export const FORM_MAX_BYTES = 256 * 1024

/** What the site needs of a form besides its body: its type, and by which page it was sent. */
export const FORM_HEADERS = ["content-type", "origin", "sec-fetch-site"]

export const isForm = ({ method }: IncomingMessage) => method === "POST"

/** The body, or undefined where it is too long. Fails when the client goes away, or was too slow (Connections.ts). */
export const bodyOf = (request: IncomingMessage): Promise<Buffer | undefined> =>
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
