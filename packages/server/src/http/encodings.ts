/**
 * Content codings of answers (RFC 9110, 8.4 and 12.5.3): which one a request prefers, and compression, which zlib does on threads of
 * its own.
 *
 * What is compressed says in its length how often what it holds repeats, so an answer that mixes a secret with what the one who asks
 * has sent gives the secret away to whoever can make somebody else ask (BREACH). Hence answers to writes are never compressed: those
 * to the making of runner keys and submissions carry secrets and signed URLs beside what was sent. Nor are those that set cookies.
 * What a read answers holds nothing of its request, and a session's cookie does not come with requests that another site's page makes.
 */
import { promisify } from "node:util"
import { brotliCompress, constants, gzip } from "node:zlib"

export type Coding = "identity" | "gzip" | "br"
export type Compression = Exclude<Coding, "identity">

/** Of two that are as welcome, the one that makes less of it. */
const BY_SIZE: ReadonlyArray<Coding> = ["br", "gzip", "identity"]

/** What is no longer fits a packet or two as it is. */
export const LEAST_BYTES = 1024

/** Compressions under way at once; whoever asks beyond that gets the answer as it is. They take turns on zlib's four threads. */
const COMPRESSIONS_MAX = 16

const BROTLI_QUALITY = 5
const GZIP_LEVEL = 6

const brotli = promisify(brotliCompress)
const zip = promisify(gzip)

/** How welcome each coding is to an Accept-Encoding. What it does not name is not welcome, but for the plain answer. */
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

/** Browsers and libraries send a few different headers; over the bound they are forgotten and read again. */
const REMEMBERED_MAX = 256
/** Longer ones are not read. */
const ACCEPT_LENGTH_MAX = 256
const remembered = new Map<string, Coding>()

/** The coding that suits an Accept-Encoding best; the plain answer where none does. */
export const codingOf = (accept: string | undefined): Coding => {
  if (accept === undefined || accept.length > ACCEPT_LENGTH_MAX) return "identity"
  const known = remembered.get(accept)
  if (known !== undefined) return known
  const coding = negotiate(accept)
  if (remembered.size >= REMEMBERED_MAX) remembered.clear()
  remembered.set(accept, coding)
  return coding
}

const ways: Readonly<Record<Compression, (body: Uint8Array) => Promise<Buffer>>> = {
  br: (body) =>
    brotli(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [constants.BROTLI_PARAM_SIZE_HINT]: body.length } }),
  gzip: (body) => zip(body, { level: GZIP_LEVEL })
}

let underWay = 0

/** Undefined where too much is being compressed already. */
export const compress = (body: Uint8Array, coding: Compression): Promise<Buffer | undefined> => {
  if (underWay >= COMPRESSIONS_MAX) return Promise.resolve(undefined)
  underWay++
  return ways[coding](body).finally(() => void underWay--)
}
