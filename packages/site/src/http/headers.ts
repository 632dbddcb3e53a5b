/**
 * Headers of pages. Scripts, styles, pictures and requests are this origin's own, and nothing is inline, so text that a person wrote can
 * run nothing even where a template should fail to escape it. Forms ask this site alone.
 */
export const PNG = "image/png"
export const HTML = "text/html; charset=utf-8"

const policy = (connects: string) =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    `connect-src ${connects}`,
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'"
  ].join("; ")

export const PAGE_HEADERS: Readonly<Record<string, string>> = {
  "content-security-policy": policy("'self'"),
  "x-content-type-options": "nosniff",
  // Without a referrer a browser sends a form with the origin `null`, which is nobody's.
  "referrer-policy": "same-origin",
  "x-frame-options": "DENY",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  vary: "Accept-Encoding"
}

/** The headers of the one page that sends files to their store at another origin. */
export const alsoAsking = (origin: string | undefined): Readonly<Record<string, string>> =>
  origin === undefined ? {} : { "content-security-policy": policy(`'self' ${origin}`) }

/** Browsers ask again each time and get a 304; caches on the way do the same, since nobody tells them what has changed. */
export const SHARED = { "cache-control": "public, no-cache" }
export const NO_STORE = { "cache-control": "no-store" }
export const PRIVATE_HEADERS = { "cache-control": "private, no-store" }

const ASSET_HEADERS: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-resource-policy": "same-origin",
  "content-security-policy": "default-src 'none'"
}

/** The headers of a file whose address never answers other bytes. */
export const FOR_GOOD = { "cache-control": "public, max-age=31536000, immutable" }

export const fileHeaders = (kept: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({ ...ASSET_HEADERS, ...kept })

/** The name of an asset changes with its content; that of the icon which browsers ask for by themselves does not. */
export const assetHeaders = (path: string): Readonly<Record<string, string>> => ({
  ...ASSET_HEADERS,
  ...(path.startsWith("/assets/") ? FOR_GOOD : { "cache-control": "public, max-age=86400" })
})
