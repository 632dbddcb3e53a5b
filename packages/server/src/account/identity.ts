/** Who signed in, from what a provider says of them. It is strangers' text and goes into names, indexes and pages, so it is bounded here. */

export interface Identity {
  readonly provider: string
  /** Never changes, at this provider. */
  readonly subject: string
  readonly login: string
  readonly name: string | undefined
}

/** What OpenID Connect allows a `sub`; no index holds much more. */
const maxSubject = 255
/** As long as AGON_ADMIN and rosters take one. */
const maxLogin = 200
/** A display name has as many at most (docs/contract.md#the-account). */
const maxName = 64

type Claims = Readonly<Record<string, unknown>>

export interface Claimed {
  readonly subject_claim: string
  readonly login_claim: string
}

/**
 * Throws where nothing usable says who it is. A login that cannot be used is the subject instead, a name none. An address is nobody's
 * until the provider says that it has verified it (`email_verified`): as a login it cannot be used, and as a subject it is none.
 */
export const identityOf = (provider: string, subject: unknown, user: Claims, { login_claim, subject_claim }: Claimed): Identity => {
  if (isUnverifiedAddress(user, subject_claim, subject))
    throw new Error("The provider has not verified the address that it names as the subject")
  // A number beyond the safe ones has lost digits on the way, and two people would be one.
  const id = Number.isSafeInteger(subject) ? String(subject) : textOf(subject, maxSubject)
  if (id === undefined) throw new Error("The provider names no subject that could be kept")
  const login = isUnverifiedAddress(user, login_claim, user[login_claim]) ? undefined : textOf(user[login_claim], maxLogin)
  return { provider, subject: id, login: login ?? id, name: nameOf(user["name"]) }
}

/** Also under another name: some providers let people choose their address for a user name. */
const isUnverifiedAddress = (user: Claims, claim: string, value: unknown) =>
  (claim === "email" || isSameText(value, user["email"])) && !isVerified(user)

const isSameText = (one: unknown, other: unknown) =>
  typeof one === "string" && typeof other === "string" && one.trim().toLowerCase() === other.trim().toLowerCase()

/** Some providers write it as text. */
const isVerified = (user: Claims) => user["email_verified"] === true || user["email_verified"] === "true"

const textOf = (value: unknown, longest: number): string | undefined => {
  if (typeof value !== "string" || value.length > longest) return undefined
  const text = value.trim()
  return text !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text) ? text : undefined
}

/** As much of a name as can be shown: no control characters, no half characters, and no longer than one may be. */
const nameOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return undefined
  const plain = value
    .slice(0, 16 * maxName)
    .replace(/[\p{Cc}\p{Cs}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
  const shown = firstOf(plain, maxName)
  return shown === "" ? undefined : shown
}

/** The beginning of a text, cut between characters. */
export const firstOf = (text: string, longest: number) =>
  text
    .slice(0, longest)
    .replace(/\p{Surrogate}$/u, "")
    .trim()
