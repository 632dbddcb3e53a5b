/** The page to return to after a sign-in: a path on our own origin, or the front page. */

/**
 * It travels in a cookie, which browsers drop over 4 KiB; written out as JSON and base64
 * it may be 2.7 times as long.
 */
const CHARACTERS_MAX = 1024

/** Parses the address as a browser does, so that an address that a browser takes for another origin is refused. */
export const returnTo = (asked: string | undefined, origin: string): string => {
  if (asked === undefined || !asked.startsWith("/") || asked.length > CHARACTERS_MAX || !URL.canParse(asked, origin)) return "/"
  const url = new URL(asked, origin)
  const path = `${url.pathname}${url.search}${url.hash}`
  // `/.//host` is a path of ours, but as a Location it would begin with two slashes and name a host.
  return url.origin === origin && !path.startsWith("//") && path.length <= CHARACTERS_MAX ? path : "/"
}
