/** The fields of a posted form, from a bounded body. Browsers send well-formed ones, so that any other is refused whole. */
import { ByteSize, Effect } from "effect"
import { HttpServerRequest } from "effect/http"
import type { Typed } from "./Form.ts"

/** The API's longest text has 20,000 characters of four bytes, and each byte is sent as `%F0`. The service in front takes as much. */
const FORM_MAX_BYTES = 256 * 1024
const PAIRS_MAX = 1_000

type Request = HttpServerRequest.HttpServerRequest

export type Pairs = ReadonlyArray<readonly [name: string, text: string]>

/** The pairs of the body, or the status of the refusal: 413, 415, 400. */
export const pairsOf = (request: Request): Effect.Effect<Pairs, number> => {
  if (Number(request.headers["content-length"] ?? 0) > FORM_MAX_BYTES) return Effect.fail(413)
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(request.headers["content-type"] ?? "")) return Effect.fail(415)
  return request.arrayBuffer.pipe(
    Effect.provideService(HttpServerRequest.MaxBodySize, ByteSize.bytes(FORM_MAX_BYTES)),
    Effect.mapError(() => 413),
    Effect.flatMap((body) => Effect.mapError(Effect.fromNullishOr(parsed(Buffer.from(body).toString("latin1"))), () => 400))
  )
}

/** Undefined where a part is no UTF-8 or has a NUL, which no field of the API takes. Lines end with CR LF on the wire. */
const parsed = (body: string): Pairs | undefined => {
  if (!/^[\x21-\x7e]*$/.test(body)) return undefined // a browser writes everything else as %XX
  const pairs = body.split("&", PAIRS_MAX + 1).filter((pair) => pair !== "")
  if (pairs.length > PAIRS_MAX) return undefined
  try {
    return pairs.map((pair) => {
      const at = pair.indexOf("=")
      const [name, text] = at < 0 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)]
      return [decoded(name), decoded(text).replaceAll("\r\n", "\n")] as const
    })
  } catch {
    return undefined
  }
}

const decoded = (text: string): string => {
  const plain = decodeURIComponent(text.replaceAll("+", " "))
  if (plain.includes("\0")) throw new URIError("a NUL")
  return plain
}

/** Fields that the form does not have get no further. */
export const typedOf = (fields: ReadonlyArray<string>, pairs: Pairs): Typed => {
  const known = new Map(fields.map((name) => [name, [] as Array<string>]))
  for (const [name, text] of pairs) known.get(name)?.push(text)
  return { one: (name) => known.get(name)?.at(-1) ?? "", all: (name) => known.get(name) ?? [] }
}
