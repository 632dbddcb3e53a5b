/**
 * Whether somebody at this machine sent a request, for what nobody else may have. A proxy on this machine makes every peer a loopback one,
 * so a request is taken for somebody else's at the first sign of one: a header that proxies add, a Host that is no loopback name (which
 * also keeps out pages whose name was pointed here), or HTTP/1.0, which browsers stopped speaking and proxies did not.
 *
 * A tunnel that passes bytes on unchanged shows no sign. Whoever opens one lets strangers sit at this machine.
 */
import type { IncomingMessage } from "node:http"
import { isLoopbackHost } from "../config/publicOrigin.ts"

/** By their beginning: standard ones, those of usual proxies, and those of the large services that stand in front of others. */
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

/** What shows that the request came from elsewhere, as the end of a sentence; undefined where nothing does. */
export const signOfElsewhere = ({ headers, httpVersion, socket }: IncomingMessage): string | undefined => {
  const peer = (socket?.remoteAddress ?? "").replace(/^::ffff:/i, "")
  if (!isLoopbackHost(peer)) return "its peer is another machine"
  const header = Object.keys(headers).find((name) => FORWARDING.some((beginning) => name.startsWith(beginning)))
  if (header !== undefined) return `it has a proxy's header (${header.slice(0, 40)})`
  if (!isLoopbackHost(hostOf(headers.host ?? ""))) return "its Host is not a loopback name"
  return httpVersion === "1.1" ? undefined : `it speaks HTTP/${httpVersion}, as proxies do`
}
