/**
 * The state of a sign-in between redirect and callback: a signed cookie of ten minutes, readable only by
 * the service and cleared once it has been used; SignIn.ts ensures that it is used once. PKCE's verifier
 * and the nonce are derived from the state and our secret, so they never leave the service.
 */
import { createHmac, randomBytes } from "node:crypto"
import { Option, Schema } from "effect"
import { sameSecret } from "../../http/sameSecret.ts"
import type { Checks } from "./Providers.ts"

export const stateCookie = "agon_sign_in"
export const stateCookiePath = "/v1/auth"
export const STATE_LIFETIME_S = 600

const State = Schema.Struct({
  provider: Schema.String,
  state: Schema.String,
  return_to: Schema.String,
  /** The account that was signed in when this began, to which the identity will be linked. */
  link_to: Schema.NullOr(Schema.String),
  expires_ms: Schema.Finite
})
export type State = typeof State.Type

const decode = Schema.decodeUnknownOption(Schema.fromJsonString(State))

interface SignInStates {
  /** A fresh state and the cookie that holds it. */
  readonly begin: (about: Omit<State, "state" | "expires_ms">, now_ms: number) => { readonly cookie: string; readonly checks: Checks }
  /** The state of a cookie, if we signed it, it is for this provider and it has not expired. */
  readonly read: (cookie: string, provider: string, now_ms: number) => { readonly state: State; readonly checks: Checks } | undefined
}

export const makeSignInStates = (secret: string): SignInStates => {
  const mac = (purpose: string, text: string) => createHmac("sha256", secret).update(`${purpose} ${text}`).digest("base64url")
  const checksOf = (state: string): Checks => ({ state, verifier: mac("verifier", state), nonce: mac("nonce", state) })

  return {
    begin: (about, now_ms) => {
      const state = randomBytes(32).toString("base64url")
      const json = JSON.stringify({ ...about, state, expires_ms: now_ms + STATE_LIFETIME_S * 1000 } satisfies State)
      const payload = Buffer.from(json).toString("base64url")
      return { cookie: `${payload}.${mac("cookie", payload)}`, checks: checksOf(state) }
    },
    read: (cookie, provider, now_ms) => {
      const [payload = "", signature = "", ...rest] = cookie.split(".")
      if (rest.length > 0 || !sameSecret(signature, mac("cookie", payload))) return undefined
      const found = Option.getOrUndefined(decode(Buffer.from(payload, "base64url").toString()))
      if (found === undefined || found.provider !== provider || found.expires_ms <= now_ms) return undefined
      return { state: found, checks: checksOf(found.state) }
    }
  }
}
