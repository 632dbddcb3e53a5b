/**
 * The cache key of a shared answer (docs/contract.md#caching): its path and the parameters that its endpoint knows, in canonical form.
 *
 * The endpoint's own schema decodes the parameters, so unknown parameters, their order, percent-encoding, an explicit default or a
 * limit over the maximum do not change the key. The key is itself a URL of the answer: a request by it is found directly, one by
 * another URL through the aliases of the cache (ResponseCache.ts).
 */
import { Exit, Schema } from "effect"

type Parameters = Readonly<Record<string, string | ReadonlyArray<string>>>

/** The key, or undefined where the endpoint will refuse the parameters. */
export type CacheKey = (path: string, parameters: Parameters) => string | undefined

/** `query` is the endpoint's schema of its parameters, where it takes any. */
export const makeCacheKey = (query: Schema.Top | undefined): CacheKey => {
  if (query === undefined) return canonicalPath
  const decode = Schema.decodeUnknownExit(Schema.toCodecArrayFromSingle(query) as unknown as Schema.Decoder<Record<string, unknown>>)
  const usual = decode({})
  const defaults = Exit.isSuccess(usual) ? usual.value : {}
  return (path, parameters) => {
    const asked = decode(parameters)
    if (Exit.isFailure(asked)) return undefined
    const named = Object.entries(asked.value).filter(([name, value]) => value !== undefined && value !== defaults[name])
    if (named.length === 0) return canonicalPath(path)
    const written = named.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value))}`)
    return `${canonicalPath(path)}?${written.sort().join("&")}`
  }
}

const canonicalPath = (path: string) => (path.includes("%") ? path.split("/").map(canonicalPart).join("/") : path)

/** The router refuses invalid percent-encoding. */
const canonicalPart = (part: string) => {
  try {
    return encodeURIComponent(decodeURIComponent(part))
  } catch {
    return part
  }
}

export const pathOf = (url: string) => {
  const end = url.indexOf("?")
  return end < 0 ? url : url.slice(0, end)
}
