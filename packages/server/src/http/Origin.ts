/**
 * Whether a request may change state, as Go's CrossOriginProtection decides (docs/contract.md#origins).
 * While the public origin is a loopback one, all loopback names on its port are one origin: a developer
 * opens whichever of them, and no page of somebody else can have it.
 */
import { Context } from "effect"
import type { HttpServerRequest } from "effect/http"

export interface PublicOriginShape {
  /** `https://agon.example`, without a slash at the end. */
  readonly origin: string
  /** What an Origin header may hold. */
  readonly same: ReadonlySet<string>
  /** Whether cookies are sent over TLS only; not where the origin is http on loopback. */
  readonly secure: boolean
  readonly loopback: boolean
}

const loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

/** Whether a HOST to listen on is reached from this machine only. */
export const isLoopbackHost = (host: string) => host === "::1" || loopbackNames.includes(host) || /^127\.\d+\.\d+\.\d+$/.test(host)

export const publicOrigin = (url: string): PublicOriginShape => {
  const { hostname, origin, port, protocol } = new URL(url)
  const loopback = loopbackNames.includes(hostname)
  const names = loopback ? loopbackNames.map((name) => `${protocol}//${name}${port === "" ? "" : `:${port}`}`) : [origin]
  return { origin, same: new Set(names), secure: !(loopback && protocol === "http:"), loopback }
}

export class PublicOrigin extends Context.Reference<PublicOriginShape>("agon/PublicOrigin", {
  defaultValue: () => publicOrigin("http://localhost:8080")
}) {}

/**
 * Whether a page of another origin led the browser here, as far as it says so. Among the names of loopback a browser takes one for another
 * origin than the next, so there it is never said.
 */
export const comesFromElsewhere = ({ headers }: HttpServerRequest.HttpServerRequest, { loopback }: PublicOriginShape) => {
  const site = headers["sec-fetch-site"]
  return !loopback && site !== undefined && !isOwn(site)
}

/** A page of ours, or no page at all: an address typed in, a bookmark. */
const isOwn = (site: string) => site === "same-origin" || site === "none"

export const refusesOrigin = ({ headers, method }: HttpServerRequest.HttpServerRequest, { same }: PublicOriginShape) => {
  if (method === "GET" || method === "HEAD") return false
  const site = headers["sec-fetch-site"]
  if (site !== undefined) return !isOwn(site)
  const origin = headers["origin"]
  return origin !== undefined && !same.has(origin)
}
