/** Whether a request may change state, as Go's CrossOriginProtection decides (docs/contract.md#origins). */
import type { HttpServerRequest } from "effect/http"
import type { PublicOriginShape } from "../config/publicOrigin.ts"

/**
 * Whether a page of another origin led the browser here, by its Sec-Fetch-Site header. False on loopback, whose names are different
 * origins to a browser.
 */
export const comesFromElsewhere = ({ headers }: HttpServerRequest.HttpServerRequest, { loopback }: PublicOriginShape) => {
  const site = headers["sec-fetch-site"]
  return !loopback && isSaid(site) && !isOwn(site)
}

/** An empty header says nothing. No browser sends one, and a page can set neither: so it opens no more than the lack of it does. */
const isSaid = <A>(header: A | undefined): header is A => header !== undefined && String(header) !== ""

/** A page of ours, or no page at all: an address typed in, a bookmark. */
const isOwn = (site: string) => site === "same-origin" || site === "none"

/** A request of Effect's or of node's own. */
interface Asked {
  readonly method?: string | undefined
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
}

export const refusesOrigin = ({ headers, method }: Asked, { same }: PublicOriginShape) => {
  if (method === "GET" || method === "HEAD") return false
  const site = headers["sec-fetch-site"]
  if (isSaid(site)) return !isOwn(String(site))
  const origin = headers["origin"]
  return isSaid(origin) && !same.has(String(origin))
}
