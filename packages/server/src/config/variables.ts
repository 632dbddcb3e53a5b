/**
 * One environment variable: its parser and its error message. All variables are read before any error is
 * raised, so that one line names everything that is wrong. An empty value counts as unset, since
 * docker-compose and the like pass empty values.
 */

import { isIP } from "node:net"
import { Config, Effect, Option } from "effect"

export interface Variable<A> {
  readonly name: string
  /** The accepted values, as the end of a sentence. */
  readonly takes: string
  /** The value; for an invalid text undefined or a string that names the mistake. */
  readonly parse: (text: string) => { readonly value: A } | undefined | string
  /** How errors show the text where it may hold secrets. */
  readonly mask?: (text: string) => string
}

export type Read<A> = { readonly value: A | undefined; readonly wrong: string | undefined }

/** The variable's value where it is set; never fails, since the caller validates all variables together. */
export const read = <A>(variable: Variable<A>): Effect.Effect<Read<A>> =>
  Config.option(Config.String(variable.name)).pipe(
    Effect.map(Option.getOrUndefined),
    Effect.orDie, // the environment itself does not fail
    Effect.map((text) => (text === undefined || text.trim() === "" ? { value: undefined, wrong: undefined } : judge(variable, text.trim())))
  )

const judge = <A>(variable: Variable<A>, text: string): Read<A> => {
  const parsed = variable.parse(text)
  if (parsed !== undefined && typeof parsed !== "string") return { value: parsed.value, wrong: undefined }
  const held = variable.mask === undefined ? JSON.stringify(text) : variable.mask(text)
  const why = parsed === undefined ? "" : ` (${parsed})`
  return { value: undefined, wrong: `${variable.name}: held ${held}${why}; it takes ${variable.takes}` }
}

export const missing = (variable: Variable<unknown>, why: string) => `${variable.name}: not set${why}; it takes ${variable.takes}`

/** Shows the length of the text and nothing else. */
export const hidden = (text: string) => `a secret of ${text.length} characters`

/**
 * A URL without its user, its password and its parameters, any of which may be secret. In a text without
 * `://`, such as localhost:5432/agon, nobody can tell these apart.
 */
export const maskedUrl = (text: string) => {
  if (!URL.canParse(text) || !text.includes("://")) return hidden(text)
  const { protocol, host, pathname } = new URL(text)
  return JSON.stringify(`${protocol}//***@${host}${pathname}`)
}

/** A text that is no secret, unless it is a URL with a user. */
export const maskedUser = (text: string) => (text.includes("@") ? maskedUrl(text) : JSON.stringify(text))

export const text = (pattern: RegExp) => (value: string) => (pattern.test(value) ? { value } : undefined)

const number = (low: number, high: number, pattern: RegExp) => (value: string) => {
  const parsed = pattern.test(value) ? Number(value) : Number.NaN
  return parsed >= low && parsed <= high ? { value: parsed } : undefined
}

export const integer = (low: number, high: number) => number(low, high, /^[0-9]{1,9}$/)

/** A share from 0 to 1. */
export const share = number(0, 1, /^(0|1|0?\.[0-9]+|[01]\.[0-9]+)$/)

/** A boolean: "1" or "0". */
export const flag = (value: string) => (value === "1" || value === "0" ? { value: value === "1" } : undefined)

export const url =
  (...protocols: ReadonlyArray<string>) =>
  (value: string) => {
    const parsed = URL.canParse(value) ? new URL(value) : undefined
    return parsed !== undefined && protocols.includes(parsed.protocol) && parsed.hostname !== "" ? { value: parsed } : undefined
  }

/** Whether each % in the part of a URL begins an escaped byte. */
export const isDecodable = (value: string): boolean => !/%(?![0-9A-F]{2})/i.test(value)

export interface Address {
  readonly host: string
  readonly port: number
}

/** `host:port`; an IPv6 host in brackets. */
export const address = (value: string): { readonly value: Address } | undefined => {
  const [, bracketed, bare, port] = /^(?:\[([0-9A-Fa-f:]+)\]|([A-Za-z0-9._-]{1,253})):([0-9]{1,5})$/.exec(value) ?? []
  const host = bracketed ?? bare
  const number = Number(port)
  const usable = host !== undefined && number >= 1 && number <= 65535 && (bracketed === undefined || isIP(bracketed) === 6)
  return usable ? { value: { host, port: number } } : undefined
}

/** The longest runtime that a runner may report. */
const RUNTIME_MAX = 200

/** Names separated by commas; a name may contain blanks. */
export const runtimes = (value: string) => {
  const list = value
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "")
  const wrong = list.find((one) => one.length > RUNTIME_MAX)
  return wrong === undefined ? { value: list } : `${JSON.stringify(wrong)} has more than ${RUNTIME_MAX} characters`
}

/**
 * The widest trusted network, as in 10.0.0.0/8 and fd00::/8. Clients inside a wider one could
 * forge their own X-Forwarded-For.
 */
const WIDEST_BITS = 8

/** Addresses and networks separated by commas or blanks. */
export const networks = (value: string) => {
  const list = value.split(/[\s,]+/).filter((one) => one !== "")
  const wrong = list.find((one) => !isNetwork(one))
  if (wrong !== undefined) return `${JSON.stringify(wrong)} is neither an address nor a network`
  const wide = list.find((one) => one.includes("/") && Number(one.split("/")[1]) < WIDEST_BITS)
  return wide === undefined ? { value: list } : `${JSON.stringify(wide)} holds strangers; no network is wider than /${WIDEST_BITS}`
}

const isNetwork = (network: string) => {
  const [address = "", bits, ...rest] = network.split("/")
  const family = isIP(address)
  if (family === 0 || rest.length > 0) return false
  return bits === undefined || (/^[0-9]{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128))
}
