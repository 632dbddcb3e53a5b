/**
 * Content codings of answers (RFC 9110, 8.4 and 12.5.3): which one a request prefers, and compression, which zlib does on threads of
 * its own.
 *
 * The length of a compressed answer reveals repetitions. An answer that mixes a secret with data of the request therefore reveals the
 * secret to an attacker who can make a victim send requests (BREACH). Hence answers to writes are never compressed: a new runner key or
 * submission is answered with secrets and signed URLs beside the request's data. Nor are answers that set cookies. An answer to a read
 * repeats nothing of its request, and a session's cookie is not sent with requests that another site's page makes.
 */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"
import { CappedMap } from "@agon/api/program/CappedMap.ts"

export type Coding = "identity" | "gzip" | "br"
export type Compression = Exclude<Coding, "identity">

/** The order of preference among codings of equal weight: the smallest result first. */
const BY_SIZE: ReadonlyArray<Coding> = ["br", "gzip", "identity"]

/** A shorter answer fits a packet or two uncompressed. */
export const LEAST_BYTES = 1024

/** Compressions under way at once, on zlib's four threads; beyond it answers are sent uncompressed. */
const COMPRESSIONS_MAX = 16

const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** The weight of each coding in an Accept-Encoding. A coding that it does not name is not acceptable, except identity. */
const weights = (accept: string): ReadonlyMap<string, number> => {
  const found = new Map<string, number>()
  for (const one of accept.toLowerCase().split(",")) {
    const [name = "", ...parameters] = one.split(";").map((part) => part.trim())
    const q = parameters.find((parameter) => parameter.startsWith("q="))
    const weight = q === undefined ? 1 : Number(q.slice(2))
    if (name !== "" && weight >= 0 && weight <= 1) found.set(name === "x-gzip" ? "gzip" : name, weight)
  }
  return found
}

/** Less than any weight that can be written. */
const LEAST_WELCOME = 0.0001

const negotiate = (accept: string): Coding => {
  const asked = weights(accept)
  const welcome = (coding: Coding) => asked.get(coding) ?? asked.get("*") ?? (coding === "identity" ? LEAST_WELCOME : 0)
  let best: Coding = "identity"
  for (const coding of BY_SIZE.toReversed()) if (welcome(coding) > 0 && welcome(coding) >= welcome(best)) best = coding
  return best
}

/** Browsers and libraries send a few different headers; beyond the bound the oldest are read again. */
const REMEMBERED_MAX = 256
/** Longer ones are not read. */
const ACCEPT_LENGTH_MAX = 256
const remembered = new CappedMap<string, Coding>(REMEMBERED_MAX)

/** The coding that suits an Accept-Encoding best; the plain answer where none does. */
export const codingOf = (accept: string | undefined): Coding => {
  if (accept === undefined || accept.length > ACCEPT_LENGTH_MAX) return "identity"
  const known = remembered.get(accept)
  if (known !== undefined) return known
  const coding = negotiate(accept)
  remembered.set(accept, coding)
  return coding
}

const ways: Readonly<Record<Compression, (body: Uint8Array) => Promise<Buffer>>> = {
  br: (body) =>
    brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => zip(body, { level: GZIP_LEVEL })
}

let underWay = 0

/** Undefined where too many compressions are under way. */
export const compress = (body: Uint8Array, coding: Compression): Promise<Buffer | undefined> => {
  if (underWay >= COMPRESSIONS_MAX) return Promise.resolve(undefined)
  underWay++
  return ways[coding](body).finally(() => void underWay--)
}
