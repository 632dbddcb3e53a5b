/**
 * Whether a request was sent from this machine, for routes that only a local user may have. Behind a proxy on this machine every peer is
 * a loopback one, so a request counts as remote at the first sign of a proxy: a header that proxies add, a Host that is no loopback name
 * (which also stops DNS rebinding), or HTTP/1.0, which proxies still use and browsers do not.
 *
 * A tunnel that passes bytes on unchanged shows no sign: its clients count as users of this machine.
 */
import type { IncomingMessage } from "node:http"
import { isLoopbackHost } from "../config/publicOrigin.ts"

/** Header prefixes: standard ones, those of usual proxies, and those of large CDNs. */
const FORWARDING = [
  ...[
    "forwarded",
    "via",
    "max-forwards",
    "proxy-",
    "x-forward",
    "x-real-",
    "x-client-",
    "x-cluster-",
    "x-original-",
    "x-proxy",
    "x-scheme"
  ],
  ...[
    "true-client-",
    "wl-proxy-",
    "front-end-https",
    "x-envoy-",
    "x-arr-",
    "x-sendfile-",
    "x-accel-",
    "x-caddy",
    "x-traefik-",
    "tailscale-"
  ],
  ...[
    "cf-",
    "cdn-",
    "fastly-",
    "x-amz",
    "x-azure-",
    "x-appengine-",
    "x-cloud-",
    "x-vercel-",
    "x-nf-",
    "fly-",
    "ngrok-",
    "akamai-",
    "x-akamai-"
  ]
]

/** Names of loopback with any port: ssh may have forwarded another one to ours. */
const hostOf = (header: string) => header.toLowerCase().replace(/:\d{1,5}$/, "")

/** The sign that the request came from elsewhere, as the end of a sentence; undefined where there is none. */
export const signOfElsewhere = ({ headers, httpVersion, socket }: IncomingMessage): string | undefined => {
  const peer = (socket?.remoteAddress ?? "").replace(/^::ffff:/i, "")
  if (!isLoopbackHost(peer)) return "its peer is another machine"
  const header = Object.keys(headers).find((name) => FORWARDING.some((beginning) => name.startsWith(beginning)))
  if (header !== undefined) return `it has a proxy's header (${header.slice(0, 40)})`
  if (!isLoopbackHost(hostOf(headers.host ?? ""))) return "its Host is not a loopback name"
  return httpVersion === "1.1" ? undefined : `it speaks HTTP/${httpVersion}, as proxies do`
}
