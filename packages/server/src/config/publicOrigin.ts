/**
 * The origin at which browsers reach the service. Where it is a loopback origin, all loopback names
 * on its port count as the same origin: a developer may open any of them, and no page from
 * elsewhere can have such an origin.
 */
import { Context } from "effect"

export interface PublicOriginShape {
  /** `https://agon.example`, without a slash at the end. */
  readonly origin: string
  /** The accepted values of an Origin header. */
  readonly same: ReadonlySet<string>
  /** Whether cookies are sent over TLS only; not where the origin is http on loopback. */
  readonly secure: boolean
  readonly loopback: boolean
}

/** As the host of a URL says them. */
export const loopbackNames = ["localhost", "127.0.0.1", "[::1]"]

/** Whether a HOST to listen on is reachable from this machine only. */
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
