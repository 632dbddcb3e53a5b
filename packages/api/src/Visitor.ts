/**
 * The headers between the service and the site: of a visitor always the address, and on personal pages the
 * session; of a page how long it holds, and what it was made of.
 */

/**
 * An address as the service counts it, a space, and the service's signature. The site repeats it with every
 * read for the visitor, which then counts against that address (docs/operating.md#the-site).
 */
export const VISITOR = "agon-visitor"

/** The header in which the site says for how many milliseconds a shared page holds, which the service tells nobody. */
export const FRESH = "agon-fresh-ms"

/**
 * The header in which the site names the reads beneath a shared page: the entity tag of each answer
 * and its URL (path and query), all with spaces between them. Missing where an answer may not be
 * kept. The service tells nobody.
 */
export const READS = "agon-reads"

/**
 * Pages of one visitor, their forms, and pages of private seasons lie below these paths. Every other page is
 * the same for everybody, and is asked for without a session.
 */
export const PERSONAL_PATHS = ["/me", "/admin", "/device", "/private", "/games/:game/seasons/:slug/admin"] as const

export type PersonalPath = `${(typeof PERSONAL_PATHS)[number]}${"" | `/${string}`}`

const PERSONAL = new RegExp(`^(?:${PERSONAL_PATHS.map((path) => path.replaceAll(/:\w+/g, "[^/?]+")).join("|")})(?=$|[/?])`)

export const isPersonal = (address: string): boolean => PERSONAL.test(address)

/**
 * Seconds after which a browser asks for a page again that could not be made: in the header Refresh, so that
 * it needs no script. Longer than Retry-After, since it goes on as long as somebody has the page open. A
 * form is never sent again so.
 */
export const ASKED_AGAIN_S = 10
