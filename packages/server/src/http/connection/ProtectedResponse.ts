/**
 * node's response as the service sends it. Its head has the security headers that the answer does not name itself, so that they are on
 * every answer: of a mount, the router, the site or a failure. They join the other headers when the head is written, since headers that
 * are set one by one cost twice as much.
 */
import { type OutgoingHttpHeader, type OutgoingHttpHeaders, ServerResponse } from "node:http"
import { SECURITY_HEADERS } from "../securityHeaders.ts"
import { writtenTogether } from "./writtenTogether.ts"

/** By names in lower case, as Effect's are, so that an answer's own header replaces one of these. */
const byName = Object.fromEntries([...SECURITY_HEADERS].map(([name, value]) => [name.toLowerCase(), value]))

type Headers = OutgoingHttpHeaders | Array<OutgoingHttpHeader>

export class ProtectedResponse extends ServerResponse {
  /** The bytes that the head declared of the body, where its headers came with it. */
  private declared: unknown

  /** A list of headers is a whole head, as the cache keeps it. */
  override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
    const [words, named] = typeof reason === "object" ? [undefined, reason] : [reason, headers]
    if (Array.isArray(named)) return super.writeHead(status, words, named)
    if (this.getHeaderNames().length === 0) {
      this.declared = named?.["content-length"]
      return super.writeHead(status, words, { ...byName, ...named })
    }
    for (const [name, value] of SECURITY_HEADERS) if (!this.hasHeader(name)) this.setHeader(name, value)
    return super.writeHead(status, words, named)
  }

  /**
   * An answer that is given whole is written with the others of its turn. Effect has node count every body against its declared length;
   * what is given whole has the length that was declared of it, and uncounted it goes out in one piece with its head. A text with as many
   * characters as bytes is ASCII: node copies its characters, where for UTF-8 it sets aside three bytes for each of them and looks at
   * them one by one.
   */
  override end(...given: ReadonlyArray<any>): this {
    const [body, done] = given
    const declared = Number(this.declared)
    const isText = typeof body === "string"
    if (isText || (body instanceof Uint8Array && body.length === declared)) this.strictContentLength = false
    // A head that is yet to be made, or a body that is counted, may be refused, and then whoever gave it has to hear of it.
    if (!this.headersSent || this.strictContentLength) return super.end(...given)
    const isAscii = isText && typeof done !== "string" && declared === body.length
    writtenTogether(() => (isAscii ? super.end(body, "latin1", done) : super.end(...given)))
    return this
  }
}
