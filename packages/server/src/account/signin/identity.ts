/**
 * The identity that signed in, from a provider's claims. Claims are untrusted text for names, indexes and
 * pages, so they are bounded here.
 */
import { nameFrom } from "@agon/api/Name.ts"

export interface Identity {
  readonly provider: string
  /** Never changes, at this provider. */
  readonly subject: string
  readonly login: string
  readonly name: string | undefined
  /** An address that the provider has verified; undefined where it tells none. */
  readonly email: string | undefined
}

/** The length that OpenID Connect allows for a `sub`; an index entry cannot be much longer. */
const SUBJECT_CHARACTERS_MAX = 255
/** The longest login that AGON_ADMIN and rosters accept. */
const LOGIN_CHARACTERS_MAX = 200
/** The length of a display name (docs/contract.md#the-account). */
const NAME_CHARACTERS_MAX = 64

/** The length that SMTP allows for an address. */
const EMAIL_CHARACTERS_MAX = 254
/** Addresses that every mail server takes as they are: no quotes, no comments, nothing beyond ASCII. */
const EMAIL = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*$/

type Claims = Readonly<Record<string, unknown>>

export interface Claimed {
  readonly subject_claim: string
  readonly login_claim: string
}

/**
 * Throws where the claims contain no usable subject. An unusable login is replaced by the subject, an
 * unusable name is left out. An email address that the provider has not verified (`email_verified`) is usable
 * neither as a login nor as a subject.
 */
export const identityOf = (provider: string, subject: unknown, user: Claims, { login_claim, subject_claim }: Claimed): Identity => {
  if (isUnverifiedAddress(user, subject_claim, subject))
    throw new Error("The provider has not verified the address that it names as the subject")
  // A number beyond the safe integers has lost digits in parsing, so two people could get the same subject.
  const id = Number.isSafeInteger(subject) ? String(subject) : textOf(subject, SUBJECT_CHARACTERS_MAX)
  if (id === undefined) throw new Error("The provider names no subject that could be kept")
  const login = isUnverifiedAddress(user, login_claim, user[login_claim]) ? undefined : textOf(user[login_claim], LOGIN_CHARACTERS_MAX)
  return { provider, subject: id, login: login ?? id, name: nameOf(user["name"]), email: emailOf(user) }
}

const emailOf = (user: Claims): string | undefined => {
  const email = isVerified(user) ? textOf(user["email"], EMAIL_CHARACTERS_MAX) : undefined
  return email !== undefined && EMAIL.test(email) ? email : undefined
}

/** Also for other claims: some providers let people choose their address as a user name. */
const isUnverifiedAddress = (user: Claims, claim: string, value: unknown) =>
  (claim === "email" || isSameText(value, user["email"])) && !isVerified(user)

const isSameText = (one: unknown, other: unknown) =>
  typeof one === "string" && typeof other === "string" && one.trim().toLowerCase() === other.trim().toLowerCase()

/** Some providers send `email_verified` as text. */
const isVerified = (user: Claims) => user["email_verified"] === true || user["email_verified"] === "true"

const textOf = (value: unknown, longest: number): string | undefined => {
  if (typeof value !== "string" || value.length > longest) return undefined
  const text = value.trim()
  return text !== "" && text.isWellFormed() && !/\p{Cc}/u.test(text) ? text : undefined
}

/** A name cut to the longest that is allowed, without the characters that no name may have (api/Name.ts). */
const nameOf = (value: unknown): string | undefined => {
  if (typeof value !== "string") return undefined
  const plain = value
    .slice(0, 16 * NAME_CHARACTERS_MAX)
    .replace(/[\p{Cc}\p{Cs}]+/gu, " ")
    .replace(/\s+/g, " ")
    .trim()
  return nameFrom(firstOf(nameFrom(plain) ?? "", NAME_CHARACTERS_MAX))
}

/** The beginning of a text, cut between characters. */
export const firstOf = (text: string, longest: number) =>
  text
    .slice(0, longest)
    .replace(/\p{Surrogate}$/u, "")
    .trim()
