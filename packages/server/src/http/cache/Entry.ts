/** A cached answer: its bytes, plain and compressed, and the headers of each (docs/contract.md#caching). */
import { hash } from "node:crypto"
import { ownBytes } from "@agon/api/ownBytes.ts"
import { type Coding, type Compression, compress, LEAST_BYTES } from "../encodings.ts"
import { SECURITY_HEADERS_FLAT } from "../securityHeaders.ts"

export interface Answer {
  readonly text: string
  readonly contentType: string
  readonly tags: ReadonlySet<string>
  /** When the answer becomes outdated without a write. */
  readonly until_ms?: number | undefined
}

/** The answer in one coding. Each coding has its own ETag, since the bytes differ (RFC 9110, 8.8.3.3). */
export interface Representation {
  readonly body: Buffer
  readonly etag: string
  readonly headers: { readonly [name: string]: string }
  /** The same headers flat, which node writes fastest; the last slot is for the request id of each answer. */
  readonly rawHeaders: Array<string>
}

/** The uncompressed answer, with the codings that have been made so far. */
export interface Entry extends Representation {
  readonly contentType: string
  readonly cacheControl: string
  readonly tags: ReadonlySet<string>
  readonly expires_ms: number
  readonly more: Readonly<Record<string, string>>
  readonly coded: { [Coding in Compression]?: Representation }
  readonly coding: { [Coding in Compression]?: Promise<Representation> }
}

export const maxAge_s = 600
const cacheControlOf = (seconds: number) => `public, max-age=0, s-maxage=${seconds}`
export const cacheControl = cacheControlOf(maxAge_s)

/** The memory of an entry besides its body, URL and tags, so that many small entries are bounded as well. */
const OVERHEAD_BYTES = 1536
/** The memory of a tag: its text, and its entries in two maps. */
const TAG_BYTES = 200

export const weightOf = (url: string, { body, coded, tags }: Entry) =>
  body.length + bytesOf(coded.br, body) + bytesOf(coded.gzip, body) + url.length + tags.size * TAG_BYTES + OVERHEAD_BYTES

const bytesOf = (coded: Representation | undefined, body: Buffer) => (coded === undefined || coded.body === body ? 0 : coded.body.length)

export const makeEntry = ({ contentType, tags, text, until_ms = Infinity }: Answer, now_ms: number): Entry => {
  const life_ms = Math.max(0, Math.min(maxAge_s * 1000, until_ms - now_ms))
  const cacheControl = cacheControlOf(Math.floor(life_ms / 1000)) // downstream caches keep it no longer either
  return entryOf({ body: ownBytes(Buffer.from(text)), contentType, cacheControl, tags, expires_ms: now_ms + life_ms })
}

type Parts = Pick<Entry, "body" | "contentType" | "cacheControl" | "tags" | "expires_ms">

/** `more` are additional headers for every coding. */
export const entryOf = (parts: Parts, more: Readonly<Record<string, string>> = {}): Entry => {
  const etag = `"${hash("sha256", parts.body, "base64url").slice(0, 22)}"`
  return { ...parts, ...represented({ ...parts, etag, more }, parts.body, "identity"), more, coded: {}, coding: {} }
}

type Named = Pick<Entry, "contentType" | "cacheControl" | "etag" | "more">

const tagOf = (etag: string, coding: Coding) => (coding === "identity" ? etag : `${etag.slice(0, -1)}-${coding}"`)

const represented = ({ cacheControl, contentType, etag: plain, more }: Named, body: Buffer, coding: Coding): Representation => {
  const etag = tagOf(plain, coding)
  const coded: Record<string, string> = coding === "identity" ? {} : { "content-encoding": coding }
  const headers = { ...more, "content-type": contentType, ...coded, "cache-control": cacheControl, etag, vary: "Accept-Encoding" }
  const rawHeaders = [
    ...["Content-Type", contentType, "Content-Length", String(body.length)],
    ...(coding === "identity" ? [] : ["Content-Encoding", coding]),
    ...unchangedHeaders(cacheControl, etag)
  ]
  return { body, etag, headers, rawHeaders }
}

/** The headers that a 304 repeats (RFC 9110, 15.4.5); the last slot is for the request id. */
export const unchangedHeaders = (cacheControl: string, etag: string): Array<string> => [
  ...SECURITY_HEADERS_FLAT,
  ...["Cache-Control", cacheControl, "ETag", etag],
  ...["Vary", "Accept-Encoding", "X-Request-Id", ""]
]

/** Undefined where the entry has to be compressed first. */
export const representationOf = (entry: Entry, coding: Coding): Representation | undefined =>
  coding === "identity" || entry.body.length <= LEAST_BYTES ? entry : entry.coded[coding]

/** Compresses the entry once for all requests; `grown` gets the added bytes. The plain answer where zlib has too much to do. */
export const encode = (entry: Entry, coding: Coding, grown: (bytes: number) => void): Promise<Representation> => {
  if (coding === "identity") return Promise.resolve(entry)
  return (entry.coding[coding] ??= compress(entry.body, coding)
    .then((body) => {
      if (body === undefined) return entry
      const shorter = body.length < entry.body.length
      const made = (entry.coded[coding] = shorter ? represented(entry, ownBytes(body), coding) : entry)
      if (shorter) grown(body.length)
      return made
    })
    .finally(() => delete entry.coding[coding]))
}

const CODINGS: ReadonlyArray<Coding> = ["identity", "gzip", "br"]

/**
 * The entry's tag as an If-None-Match names it, by weak comparison, in a list, or as `*` (RFC 9110, 13.1.2). The tag of any coding
 * matches.
 */
export const matches = (ifNoneMatch: string | undefined, etag: string): string | undefined => {
  if (ifNoneMatch === undefined) return undefined
  if (ifNoneMatch === etag || ifNoneMatch.trim() === "*") return etag
  const named = ifNoneMatch.split(",").map((one) => one.trim().replace(/^W\//, ""))
  return CODINGS.map((coding) => tagOf(etag, coding)).find((tag) => named.includes(tag))
}
