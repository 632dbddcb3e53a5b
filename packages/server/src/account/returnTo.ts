/** Where a sign-in may lead: a path on our own origin, or the front page. */

/** Reads the address as a browser would, so that nothing a browser takes for another origin passes. */
export const returnTo = (asked: string | undefined, origin: string): string => {
  if (asked === undefined || !asked.startsWith("/") || !URL.canParse(asked, origin)) return "/"
  const url = new URL(asked, origin)
  const path = `${url.pathname}${url.search}${url.hash}`
  // `/.//host` is a path of ours, but as a Location it would begin with two slashes and name a host.
  return url.origin === origin && !path.startsWith("//") ? path : "/"
}
