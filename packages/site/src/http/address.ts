/** The part of a request's address that makes a page: the parameters that the page knows, in one form each, so that a page is kept once. */
import type { FindMyWay } from "effect/http"
import type { Asked, SharedRoute } from "./Route.ts"

export const VALUE_LENGTH_MAX = 200

type Given = FindMyWay.FindResult<unknown>["searchParams"]

/**
 * The known parameters that have a value, the last of several; undefined where one is too long. Empty fields of a form count as none, and
 * so does the beginning of a list.
 */
export const knownOf = ({ canonical, query }: Pick<SharedRoute, "query" | "canonical">, given: Given): Asked["query"] | undefined => {
  const pairs = query.flatMap((name) => {
    const value = Object.hasOwn(given, name) ? given[name] : undefined
    const one = (Array.isArray(value) ? value.at(-1) : value)?.trim()
    const plain = name === "cursor" ? one?.replace(/^0+(?=\d|$)/, "") : one
    return plain === undefined || plain === "" ? [] : [[name, plain] as const]
  })
  if (!pairs.every(([, value]) => value.length <= VALUE_LENGTH_MAX && value.isWellFormed() && !value.includes("\0"))) return undefined
  const known = Object.fromEntries(pairs)
  return canonical === undefined ? known : canonical(known)
}

/** The key under which a page is kept: one for each page, whatever else the request's address had; `signIn` is shown on every page. */
export const pageKeyOf = ({ path }: Pick<SharedRoute, "path">, params: Asked["params"], query: Asked["query"], signIn: boolean): string =>
  JSON.stringify([path, Object.values(params), query, signIn])
