/** A page, or a file that pages load, as bytes: plain and compressed, with its entity tag. */
import { hash } from "node:crypto"
import { promisify } from "node:util"
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from "node:zlib"
import { ownBytes } from "@agon/api/ownBytes.ts"
import { HTML } from "./headers.ts"

export type Coding = "identity" | "gzip" | "br"

export interface Rendered {
  readonly status: number
  readonly contentType: string
  readonly body: Buffer
  readonly etag: string
  readonly location: string | undefined
  /** Besides those of every page. */
  readonly headers: Readonly<Record<string, string>>
  /** Compressed once, at the first request for the coding. */
  readonly coded: { [C in Coding]?: Promise<Buffer> }
}

/** `Buffer.from` counts the bytes of a text before it writes them: 42 us for 18 kB that are not all one byte, where this takes 25. */
const bytesOf = (text: string): Buffer =>
  text.length > WRITTEN_MAX ? Buffer.from(text) : ownBytes(scratch.subarray(0, scratch.write(text)))

/** A character takes up to three bytes. */
const WRITTEN_MAX = 65_536
const scratch = Buffer.allocUnsafeSlow(3 * WRITTEN_MAX)

export const rendered = (content: string | Buffer, over: Partial<Omit<Rendered, "body" | "etag" | "coded">> = {}): Rendered => {
  const body = typeof content === "string" ? bytesOf(content) : content
  const etag = `"${hash("sha256", body, "base64url").slice(0, 22)}"`
  return { status: 200, contentType: HTML, location: undefined, headers: {}, ...over, body, etag, coded: {} }
}

/**
 * A page of this length is compressed at once. Node's streams and the way to another thread and back cost more than the compression
 * itself: 500 us of CPU for 17 kB, where it takes 170 here. A longer body would hold up the others.
 */
const AT_ONCE_MAX_BYTES = 65_536

const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }
const squeezedAtOnce = { br: (body: Buffer) => brotliCompressSync(body, BROTLI), gzip: (body: Buffer) => gzipSync(body) }
const squeezedAside = {
  br: (body: Buffer) => promisify(brotliCompress)(body, BROTLI),
  gzip: (body: Buffer) => promisify(gzip)(body)
}

const squeezed = async (body: Buffer, coding: Exclude<Coding, "identity">): Promise<Buffer> =>
  ownBytes(body.length <= AT_ONCE_MAX_BYTES ? squeezedAtOnce[coding](body) : await squeezedAside[coding](body))

export const inCoding = (page: Rendered, coding: Coding): Promise<Buffer> =>
  coding === "identity" ? Promise.resolve(page.body) : (page.coded[coding] ??= squeezed(page.body, coding))

/** A shorter answer fits a packet uncompressed. */
const LEAST_BYTES = 1024

/** The smallest coding that the browser accepts; a coding with weight 0 it does not. */
export const codingFor = (accept: string | undefined, bytes: number): Coding => {
  if (accept === undefined || bytes < LEAST_BYTES) return "identity"
  const welcome = accept.split(",").flatMap((one) => (/;\s*q=0(\.0*)?\s*$/.test(one) ? [] : [one.split(";")[0]!.trim().toLowerCase()]))
  return welcome.includes("br") ? "br" : welcome.includes("gzip") ? "gzip" : "identity"
}

/** Each coding has a tag of its own, since its bytes differ. */
export const tagFor = (etag: string, coding: Coding) => (coding === "identity" ? etag : `${etag.slice(0, -1)}-${coding}"`)

/** Whether an If-None-Match names the tag, by weak comparison. */
export const isNamed = (ifNoneMatch: string | undefined, etag: string) =>
  ifNoneMatch !== undefined && (ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((one) => one.trim().replace(/^W\//, "") === etag))
