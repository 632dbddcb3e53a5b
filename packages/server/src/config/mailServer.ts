/** The variables of mail: the server that takes them, and who they are from. */
import { Redacted } from "effect"
import type { MailSettings, Relay } from "./Mail.ts"
import { isLoopbackHost } from "./publicOrigin.ts"
import { url } from "./variables.ts"

const SUBMISSION_PORT = 587
const SUBMISSION_TLS_PORT = 465
const ADDRESS = "[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@[A-Za-z0-9.-]{1,253}"
const FROM = new RegExp(`^(?:([^<>\\p{Cc}]{1,100})<(${ADDRESS})>|(${ADDRESS}))$`, "u")

const decoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** Without a path and parameters; a user has a password. */
export const parseRelay = (text: string): { readonly value: Relay } | undefined | string => {
  const parsed = url("smtp:", "smtps:")(text)?.value
  if (parsed === undefined || !["", "/"].includes(parsed.pathname) || parsed.search !== "" || parsed.hash !== "") return undefined
  const [user, password] = [decoded(parsed.username), decoded(parsed.password)]
  if (user === undefined || password === undefined) return undefined
  if ((user === "") !== (password === "")) return "a user has a password"
  const host = parsed.hostname.replace(/^\[(.*)\]$/, "$1")
  const implicit_tls = parsed.protocol === "smtps:"
  return {
    value: {
      host,
      port: parsed.port === "" ? (implicit_tls ? SUBMISSION_TLS_PORT : SUBMISSION_PORT) : Number(parsed.port),
      implicit_tls,
      clear_text: !implicit_tls && user === "" && isLoopbackHost(host),
      auth: user === "" ? undefined : { user, password: Redacted.make(password) }
    }
  }
}

export const parseFrom = (text: string): { readonly value: MailSettings["from"] } | undefined => {
  const [, name = "", named, bare] = FROM.exec(text) ?? []
  const address = named ?? bare
  return address === undefined ? undefined : { value: { name: name.trim(), address } }
}
