/**
 * The adapter to openid-client: authorization code with PKCE and state, and a nonce where the provider
 * speaks OpenID. Discovery happens at the first sign-in and is kept, as the provider's keys are; a failed one is tried again.
 * Where a sign-in fails later, the provider may have moved, or have new keys: its metadata is asked for again.
 */
import { Clock, Context, Data, Effect, Layer } from "effect"
import * as oauth from "openid-client"
import type { Oauth2Provider, OidcProvider, ProviderConfig } from "../../config/ProviderConfig.ts"
import { isEndpoint } from "../../config/signInProviders.ts"
import { boundedFetch } from "./boundedFetch.ts"
import { type Identity, identityOf } from "./identity.ts"

/** The time-out of each request to a provider. A sign-in makes four at most. */
const PATIENCE_S = 10
/** By how much a provider's clock may be behind ours where its ID token expires, or ahead where it begins. */
const CLOCK_TOLERANCE_S = 60
/** A provider's metadata is kept so long at least, whatever callbacks a browser makes up. */
const KNOWN_FOR_MS = 10_000

/** The values that bind the provider's callback to the sign-in that began it. */
export interface Checks {
  readonly state: string
  readonly verifier: string
  readonly nonce: string
}

/** The provider answered with an error, not at all, or with a token that its keys do not verify. */
export class ProviderFailed extends Data.TaggedError("ProviderFailed")<{
  readonly code: "access_denied" | "provider_failed"
  readonly cause: unknown
}> {}

export interface Provider {
  readonly slug: string
  readonly label: string
  /** Only for requests from this machine (http/thisMachine.ts). */
  readonly this_machine_only: boolean
  /** Where to send the browser. */
  readonly begin: (redirect_uri: string, checks: Checks) => Effect.Effect<URL, ProviderFailed>
  /** Completes the sign-in from the callback URL and answers the identity. */
  readonly complete: (callback: URL, checks: Checks) => Effect.Effect<Identity, ProviderFailed>
}

export class Providers extends Context.Service<
  Providers,
  {
    readonly list: ReadonlyArray<Provider>
    readonly bySlug: (slug: string) => Provider | undefined
  }
>()("agon/Providers") {
  /** `timeout_s` bounds every request to a provider. */
  static readonly layer = (configs: ReadonlyArray<ProviderConfig>, timeout_s = PATIENCE_S) =>
    Layer.sync(Providers, () => {
      const list = configs.map((config) => makeProvider(config, timeout_s))
      return { list, bySlug: (slug) => list.find((provider) => provider.slug === slug) }
    })
}

const makeProvider = (config: ProviderConfig, timeout_s: number): Provider => {
  let known: Promise<oauth.Configuration> | undefined
  let since_ms = 0
  const configuration = (now_ms: number) => {
    if (known === undefined) since_ms = now_ms
    known ??= configure(config, timeout_s).catch((error: unknown) => {
      known = undefined
      throw error
    })
    return known
  }
  const withKnown = <A>(run: (client: oauth.Configuration) => Promise<A>) =>
    Effect.flatMap(Clock.currentTimeMillis, (now_ms) => attempt(async () => run(await configuration(now_ms))))
  const forget = Effect.map(Clock.currentTimeMillis, (now_ms) => {
    if (now_ms - since_ms >= KNOWN_FOR_MS) known = undefined
  })
  return {
    slug: config.slug,
    label: config.label,
    this_machine_only: config.this_machine_only ?? false,
    begin: (redirect_uri, checks) => withKnown((client) => authorizationUrl(client, config, redirect_uri, checks)),
    complete: (callback, checks) =>
      withKnown((client) =>
        config.kind === "oidc" ? openIdIdentity(client, config, callback, checks) : oauth2Identity(client, config, callback, checks)
      ).pipe(Effect.tapError(({ code }) => (code === "provider_failed" ? forget : Effect.void)))
  }
}

const attempt = <A>(run: () => Promise<A>) =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new ProviderFailed({
        code: cause instanceof oauth.AuthorizationResponseError && cause.error === "access_denied" ? "access_denied" : "provider_failed",
        cause
      })
  })

const configure = async (config: ProviderConfig, timeout_s: number): Promise<oauth.Configuration> => {
  const address = new URL(config.kind === "oidc" ? config.issuer : config.token_endpoint)
  const insecure = address.protocol === "http:" ? [oauth.allowInsecureRequests] : [] // the development provider, and tests
  const secret = oauth.ClientSecretPost(config.client_secret)
  if (config.kind === "oidc") {
    const client = await oauth.discovery(address, config.client_id, { [oauth.clockTolerance]: CLOCK_TOLERANCE_S }, secret, {
      execute: [...insecure, oauth.enableNonRepudiationChecks], // an ID token is trusted for its signature, not for the connection it came by
      timeout: timeout_s,
      [oauth.customFetch]: boundedFetch
    })
    checkEndpoints(client.serverMetadata())
    return client
  }
  const { authorization_endpoint, issuer = address.origin, token_endpoint } = config
  const client = new oauth.Configuration({ issuer, authorization_endpoint, token_endpoint }, config.client_id, undefined, secret)
  client.timeout = timeout_s
  client[oauth.customFetch] = boundedFetch
  for (const allow of insecure) allow(client)
  return client
}

/** The addresses that a sign-in needs. openid-client checks each only as it is used: by then the metadata would have been kept. */
const checkEndpoints = (told: oauth.ServerMetadata) => {
  const { authorization_endpoint, jwks_uri, token_endpoint, userinfo_endpoint = token_endpoint } = told
  for (const [name, address] of Object.entries({ authorization_endpoint, jwks_uri, token_endpoint, userinfo_endpoint })) {
    if (typeof address !== "string" || !isEndpoint(address)) throw new Error(`${told.issuer} names no ${name} that may be used`)
  }
}

const authorizationUrl = async (client: oauth.Configuration, config: ProviderConfig, redirect_uri: string, checks: Checks) =>
  oauth.buildAuthorizationUrl(client, {
    ...(config.kind === "oidc" ? { nonce: checks.nonce } : {}),
    redirect_uri,
    scope: config.scopes.join(" "),
    state: checks.state,
    code_challenge: await oauth.calculatePKCECodeChallenge(checks.verifier),
    code_challenge_method: "S256"
  })

const openIdIdentity = async (client: oauth.Configuration, config: OidcProvider, callback: URL, checks: Checks): Promise<Identity> => {
  const tokens = await oauth.authorizationCodeGrant(client, callback, {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state,
    expectedNonce: checks.nonce,
    idTokenExpected: true
  })
  const claims = tokens.claims()!
  const told = typeof claims[config.login_claim] === "string" && (config.login_claim !== "email" || claims["email_verified"] !== undefined)
  const known = told || client.serverMetadata().userinfo_endpoint === undefined
  const user = known ? claims : await oauth.fetchUserInfo(client, tokens.access_token, claims.sub)
  return identityOf(config.slug, claims.sub, user, { subject_claim: "sub", login_claim: config.login_claim })
}

const oauth2Identity = async (client: oauth.Configuration, config: Oauth2Provider, callback: URL, checks: Checks): Promise<Identity> => {
  const tokens = await oauth.authorizationCodeGrant(client, answerOf(config, callback), {
    pkceCodeVerifier: checks.verifier,
    expectedState: checks.state
  })
  const headers = new Headers({ accept: "application/json", "user-agent": "agon" })
  const answer = await oauth.fetchProtectedResource(client, tokens.access_token, new URL(config.user_endpoint), "GET", undefined, headers)
  if (!answer.ok) throw new Error(`${config.user_endpoint} answered ${answer.status}`)
  const user: unknown = await answer.json()
  if (typeof user !== "object" || user === null) throw new Error(`${config.user_endpoint} answered no record`)
  const record = user as Record<string, unknown>
  return identityOf(config.slug, record[config.subject_claim], record, config)
}

/**
 * Removes `iss` from the callback where no issuer is configured to compare it with: some providers, like
 * GitHub, send one all the same. Each provider has its own callback address, which alone prevents a mix-up
 * of providers (RFC 9700, 2.1).
 */
const answerOf = ({ issuer }: Oauth2Provider, callback: URL): URL => {
  if (issuer !== undefined) return callback
  const answer = new URL(callback)
  answer.searchParams.delete("iss")
  return answer
}
