/**
 * The security headers of every answer: no type sniffing, no framing, no use by pages of other origins, and no scripts. They join
 * an answer when its head is written (ProtectedResponse.ts); one that needs another policy (a page with scripts, a form) names its own.
 * Answers of the cache and refusals on the socket are written with whole heads, which include them. nginx, which terminates TLS, sends
 * Strict-Transport-Security.
 */
import { hash } from "node:crypto"

/** For everything that is not a page: JSON, text, redirects, empty answers. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export const SECURITY_HEADERS: ReadonlyMap<string, string> = new Map([
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Frame-Options", "DENY"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Content-Security-Policy", NO_PAGE]
])

/** The same flat, name and value in turn, which node writes fastest. */
export const SECURITY_HEADERS_FLAT: ReadonlyArray<string> = [...SECURITY_HEADERS].flat()

const NO_FRAME = "frame-ancestors 'none'; base-uri 'none'"

/** A page of ours with only a form. Its answer may redirect to another origin, so `form-action` is left open. */
export const redirectingPolicy = (html: string) => `default-src 'none'; style-src ${sourcesOf(html, "style")}; ${NO_FRAME}`

const policyOf = (html: string, formAction: string) =>
  `default-src 'none'; script-src ${sourcesOf(html, "script")}; style-src ${sourcesOf(html, "style")}; form-action ${formAction}; ${NO_FRAME}`

/** A page of ours whose inline scripts and styles are allowed by hash, and which loads nothing. */
export const pagePolicy = (html: string) => policyOf(html, "'none'")

/** The same with a form, which is sent to us alone. */
export const formPolicy = (html: string) => policyOf(html, "'self'")

/**
 * The reference at /docs: its script is inline, but it makes styles and images as it runs, and sends requests to this service. Its
 * fonts, which are on a third party's server, are not loaded.
 */
export const referencePolicy = (html: string) =>
  `default-src 'none'; script-src ${sourcesOf(html, "script")}; style-src 'unsafe-inline'; img-src 'self' data: blob:; ` +
  `font-src data:; connect-src 'self'; form-action 'none'; ${NO_FRAME}`

/** The hashes of a page's own elements: an injected script matches none of them. */
const sourcesOf = (html: string, element: "script" | "style"): string => {
  const own = [...html.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))]
  const hashes = own.map(([, text]) => `'sha256-${hash("sha256", text!, "base64")}'`)
  return hashes.length === 0 ? "'none'" : hashes.join(" ")
}
