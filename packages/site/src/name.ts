/** The site: pages for people, rendered on the server, which speak to the service only through the typed client. */
export const NAME = "agon-site"
