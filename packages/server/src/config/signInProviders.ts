/**
 * AUTH_PROVIDERS: a JSON array of ways to sign in. An entry whose slug is a ready-made one (github, google,
 * gitlab) only needs `client_id` and `client_secret`; any other names everything.
 */
import { Option, Schema } from "effect"
import { parsedJson } from "../parsedJson.ts"
import { type ProviderConfig, readyMade } from "./ProviderConfig.ts"
import { loopbackNames } from "./publicOrigin.ts"

/** Secrets are sent to these addresses, so they must be https; a provider on this machine may use http. */
export const isEndpoint = (text: string): boolean => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  const isLocal = url !== undefined && loopbackNames.includes(url.hostname)
  return url?.protocol === "https:" || (url?.protocol === "http:" && isLocal)
}
const Endpoint = Schema.String.check(Schema.makeFilter((text) => (isEndpoint(text) ? undefined : "an https URL")))
const Text = Schema.NonEmptyString.check(Schema.isMaxLength(2000))

const base = {
  slug: Schema.String.check(Schema.isPattern(/^[a-z0-9][a-z0-9-]{0,39}$/)),
  label: Text,
  client_id: Text,
  client_secret: Text,
  scopes: Schema.Array(Text),
  login_claim: Text
}
const Oidc = Schema.Struct({ ...base, kind: Schema.Literal("oidc"), issuer: Endpoint })
const Oauth2 = Schema.Struct({
  ...base,
  kind: Schema.Literal("oauth2"),
  authorization_endpoint: Endpoint,
  token_endpoint: Endpoint,
  user_endpoint: Endpoint,
  subject_claim: Text,
  issuer: Schema.optionalKey(Endpoint)
})

/**
 * Slugs that cannot be configured: the development sign-in is used where no provider is, and
 * `/v1/auth/device` has another meaning.
 */
const RESERVED: Readonly<Record<string, string>> = { dev: "the slug of the development sign-in", device: "the slug of signing devices in" }

const decodeOidc = Schema.decodeUnknownOption(Oidc)
const decodeOauth2 = Schema.decodeUnknownOption(Oauth2)

/** The providers, or a description of the mistake, which never repeats a configured value. */
export const parseProviders = (text: string): { readonly value: ReadonlyArray<ProviderConfig> } | string => {
  const list = parsedJson(text) // an error of JSON.parse would repeat a piece of the text
  if (!Array.isArray(list) || list.length === 0) return "not a JSON array with an entry"
  const value: Array<ProviderConfig> = []
  for (const [index, entry] of list.entries()) {
    const provider = complete(entry)
    if (provider === undefined) return `entry ${index + 1} lacks ${lacking(entry)}`
    if (Object.hasOwn(RESERVED, provider.slug)) return `entry ${index + 1} has ${RESERVED[provider.slug]}`
    if (value.some(({ slug }) => slug === provider.slug)) return `entry ${index + 1} repeats a slug`
    value.push(provider)
  }
  return { value }
}

const complete = (entry: unknown): ProviderConfig | undefined => {
  const whole = filled(entry)
  return whole["kind"] === "oauth2" ? Option.getOrUndefined(decodeOauth2(whole)) : Option.getOrUndefined(decodeOidc(whole))
}

const filled = (entry: unknown): Record<string, unknown> => {
  const own = typeof entry === "object" && entry !== null ? (entry as Record<string, unknown>) : {}
  const slug = String(own["slug"])
  return { ...(Object.hasOwn(readyMade, slug) ? readyMade[slug as keyof typeof readyMade] : {}), ...own }
}

/** The names of fields that are missing or invalid, without their values. */
const lacking = (entry: unknown) => {
  const whole = filled(entry)
  const fields: Record<string, Schema.Top> = whole["kind"] === "oauth2" ? Oauth2.fields : Oidc.fields
  const wrong = Object.entries(fields).filter(([name, schema]) => !Schema.is(schema as Schema.Schema<unknown>)(whole[name]))
  return `a proper ${wrong.map(([name]) => name).join(", ")}`
}
