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
/** A display name has as many at most (DECISIONS.md section 4). */
const maxName = 64

type Claims = Readonly<Record<string, unknown>>

/** Throws where nothing usable says who it is. A login that cannot be used is the subject instead, a name none. */
export const identityOf = (provider: string, subject: unknown, user: Claims, login_claim: string): Identity => {
  // A number beyond the safe ones has lost digits on the way, and two people would be one.
  const id = Number.isSafeInteger(subject) ? String(subject) : textOf(subject, maxSubject)
  if (id === undefined) throw new Error("The provider names no subject that could be kept")
  return { provider, subject: id, login: loginOf(user, login_claim) ?? id, name: nameOf(user["name"]) }
}

/** An address that the provider says it has not verified may be anybody's. */
const loginOf = (user: Claims, claim: string) =>
  claim === "email" && user["email_verified"] !== undefined && String(user["email_verified"]) !== "true"
    ? undefined
    : textOf(user[claim], maxLogin)

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
