/** From a provider's login to a username: lower case, in characters that need no escaping in a path. */

const CHARACTERS_MAX = 39

/**
 * Characters other than letters, digits, dot, hyphen and underscore become a hyphen; a login without
 * any of these becomes `user`.
 */
export const usernameOf = (login: string) => {
  const plain = login
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}+/gu, "")
    .replace(/[^a-z0-9._-]+/g, "-")
    .replace(/^[-.]+|[-.]+$/g, "")
    .slice(0, CHARACTERS_MAX)
  return plain === "" ? "user" : plain
}
