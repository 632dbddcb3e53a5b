/** Sign-in providers answer: an OpenID provider with the document that a sign-in begins with, another at the host of its tokens. */
import { Effect } from "effect"
import type { ProviderConfig } from "../config/ProviderConfig.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { about, type Finding } from "./Finding.ts"
import { fetched, jsonOf } from "./fetched.ts"

const says = about("sign-in")

export const checkProviders = ({ providers }: Pick<SettingsShape, "providers">): Effect.Effect<ReadonlyArray<Finding>> =>
  Effect.promise(() => Promise.all(providers.map(asked)))

const asked = async (provider: ProviderConfig): Promise<Finding> => {
  const fault = await faultOf(provider)
  const about = `AUTH_PROVIDERS: ${provider.slug}`
  return fault === undefined
    ? says.fine(`${about} answers`)
    : says.mend(`${about}: ${fault}, so nobody signs in there; mend the address, or the way to it`)
}

const faultOf = async (provider: ProviderConfig): Promise<string | undefined> => {
  if (provider.kind === "oauth2") {
    const { origin } = new URL(provider.token_endpoint)
    const answer = await fetched(origin, "HEAD") // a request of another kind to the endpoint itself is nothing that a provider has to answer
    return "code" in answer ? `${origin} does not answer (${answer.code})` : undefined
  }
  const { issuer } = provider
  const answer = await fetched(`${issuer.replace(/\/$/, "")}/.well-known/openid-configuration`)
  if ("code" in answer) return `${issuer} does not answer (${answer.code})`
  const says = jsonOf(answer)?.["issuer"]
  if (says === undefined) return `${issuer} answers ${answer.status} instead of its OpenID configuration`
  return isSame(says, issuer) ? undefined : `${issuer} says that its issuer is ${JSON.stringify(says).slice(0, 200)}`
}

/** As a sign-in compares them (account/signin/Providers.ts): a slash at the end of a bare origin makes no difference. */
const isSame = (says: unknown, issuer: string): boolean =>
  typeof says === "string" && URL.canParse(says) && new URL(says).href === new URL(issuer).href
