/**
 * The origin that browsers know the service under. While it is a loopback one, all loopback names on its port are one origin: a
 * developer opens whichever of them, and no page of somebody else can have it.
 */
import { Context } from "effect"

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
