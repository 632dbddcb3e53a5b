/**
 * What every answer tells a browser: not to guess its type, not to frame it, not to lend it to pages of other origins, and to run
 * nothing in it. Front.ts sets them before anybody answers, so whoever needs another policy (a page with scripts, a form) sets that
 * header itself and thereby replaces it. Answers of the cache and refusals on the socket are written without setting headers one by
 * one; they carry the flat list. Strict-Transport-Security is nginx's, which ends TLS.
 */
import { hash } from "node:crypto"

/** For everything that is no page: JSON, text, redirects, nothing. */
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"

export const SECURITY_HEADERS: ReadonlyMap<string, string> = new Map([
  ["X-Content-Type-Options", "nosniff"],
  ["Referrer-Policy", "no-referrer"],
  ["X-Frame-Options", "DENY"],
  ["Cross-Origin-Resource-Policy", "same-origin"],
  ["Cross-Origin-Opener-Policy", "same-origin"],
  ["Content-Security-Policy", NO_PAGE]
])

/** The same flat, name and value in turn, as node writes them fastest. */
export const SECURITY_HEADERS_FLAT: ReadonlyArray<string> = [...SECURITY_HEADERS].flat()

const NO_FRAME = "frame-ancestors 'none'; base-uri 'none'"

/** A page of ours with a form and nothing else. Where the form leads, a redirect may lead on: `form-action` is left open. */
export const FORM_POLICY = `default-src 'none'; ${NO_FRAME}`

/** A page of ours that runs and looks like what is written in it, word for word, and loads nothing. */
export const pagePolicy = (html: string) =>
  `default-src 'none'; script-src ${sourcesOf(html, "script")}; style-src ${sourcesOf(html, "style")}; form-action 'none'; ${NO_FRAME}`

/**
 * The reference at /docs: its script is in the page, but it makes styles and images as it runs, and asks this service. It brings no
 * fonts: theirs are on a machine of somebody else, and the page reads as well with the reader's own.
 */
export const referencePolicy = (html: string) =>
  `default-src 'none'; script-src ${sourcesOf(html, "script")}; style-src 'unsafe-inline'; img-src 'self' data: blob:; ` +
  `font-src data:; connect-src 'self'; form-action 'none'; ${NO_FRAME}`

/** The hashes of a page's own elements: a script that got into it some other way has none of them. */
const sourcesOf = (html: string, element: "script" | "style"): string => {
  const own = [...html.matchAll(new RegExp(`<${element}>([^]*?)</${element}>`, "g"))]
  const hashes = own.map(([, text]) => `'sha256-${hash("sha256", text!, "base64")}'`)
  return hashes.length === 0 ? "'none'" : hashes.join(" ")
}
