/**
 * The development sign-in: an OpenID provider of our own on the same port, under `/dev-idp`, whose page
 * asks for a login name and nothing else (docs/operating.md#development-sign-in). It runs the real
 * protocol from end to end, so that development tests the code that runs in production. Since anybody can
 * sign in as anyone, it answers only requests from this machine (http/thisMachine.ts), and so do
 * `/v1/auth/dev` and its callback. Its state is in memory: a restart loses only the sign-ins that are
 * under way. The library is loaded by the first of them: its 300 modules are a fifth of all that the
 * service would load before it answers.
 */
import { createPrivateKey, hkdfSync } from "node:crypto"
import type { IncomingMessage, RequestListener, ServerResponse } from "node:http"
import type { Provider as Idp } from "oidc-provider"
import { DEVELOPMENT } from "../../config/environment.ts"
import type { OidcProvider } from "../../config/ProviderConfig.ts"
import { isLoopbackHost, type PublicOriginShape } from "../../config/publicOrigin.ts"
import type { Mount } from "../../http/Front.ts"
import { framed } from "../../http/page/plainPage.ts"
import { redirectingPolicy } from "../../http/securityHeaders.ts"
import { signOfElsewhere } from "../../http/thisMachine.ts"
import { makeDevSignInStore } from "./devSignInStore.ts"

const path = "/dev-idp"
const clientId = "agon"
const LOGIN_CHARACTERS_MAX = 64
const FORM_BYTES_MAX = 4096
const CODE_LIFETIME_S = 60
const INTERACTION_LIFETIME_S = 600

/** The message for a request from elsewhere, which may be the operator's. */
export const onlyHere = (sign: string) =>
  `The development sign-in lets anybody be anyone and answers only people at the machine itself; this request came from elsewhere, since ${sign}. Set AUTH_PROVIDERS, AGON_ADMIN and PUBLIC_ORIGIN.`

export interface DevSignIn {
  readonly provider: OidcProvider
  readonly mount: Mount
}

interface DevSignInOptions {
  /** The HOST that the service listens on. */
  readonly host: string
  readonly origin: PublicOriginShape
  /** Keys are derived from it. */
  readonly secret: string
}

/** Throws where the service can be reached from elsewhere, on a HOST that is not loopback. */
export const makeDevSignIn = ({ host, origin: { origin }, secret }: DevSignInOptions): DevSignIn => {
  if (!isLoopbackHost(host)) throw new Error(`The development sign-in lets anybody be anyone; it does not start on ${host}`)
  const derive = (purpose: string) => Buffer.from(hkdfSync("sha256", secret, "", `agon dev sign-in ${purpose}`, 32))
  const client_secret = derive("client").toString("base64url")
  const options: IdpOptions = {
    issuer: `${origin}${path}`,
    client_secret,
    redirect_uri: `${origin}/v1/auth/${DEVELOPMENT}/callback`,
    cookieKey: derive("cookies").toString("base64url"),
    signingSeed: derive("signing")
  }
  return {
    provider: {
      slug: DEVELOPMENT,
      label: "Development",
      kind: "oidc",
      issuer: `${origin}${path}`,
      client_id: clientId,
      client_secret,
      scopes: ["openid"],
      login_claim: "preferred_username",
      this_machine_only: true
    },
    mount: { path, listener: listenerOf(options) }
  }
}

interface IdpOptions {
  readonly issuer: string
  readonly client_secret: string
  readonly redirect_uri: string
  readonly cookieKey: string
  readonly signingSeed: Buffer
}

const makeIdp = async ({ client_secret, cookieKey, issuer, redirect_uri, signingSeed }: IdpOptions) => {
  const { Provider } = await import("oidc-provider")
  return new Provider(issuer, {
    adapter: makeDevSignInStore(),
    clients: [
      {
        client_id: clientId,
        client_secret,
        redirect_uris: [redirect_uri],
        response_types: ["code"],
        grant_types: ["authorization_code"],
        token_endpoint_auth_method: "client_secret_post",
        id_token_signed_response_alg: "EdDSA"
      }
    ],
    enabledJWA: { idTokenSigningAlgValues: ["EdDSA"] },
    jwks: { keys: [{ ...signingKey(signingSeed), use: "sig", alg: "EdDSA" }] },
    cookies: { keys: [cookieKey] },
    claims: { openid: ["sub", "preferred_username"] },
    conformIdTokenClaims: false, // the login travels in the ID token
    pkce: { required: () => true },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `${path}/interaction/${uid}` },
    renderError: async (context, { error }) => {
      const page = framed(TITLE, `<p>The sign-in was refused: ${error.replace(/\W+/g, " ")}.</p>`)
      context.type = "html"
      context.set("content-security-policy", redirectingPolicy(page))
      context.body = page
    },
    findAccount: (_context, login) => ({ accountId: login, claims: () => ({ sub: login, preferred_username: login }) }),
    loadExistingGrant: grantEverything,
    ttl: {
      AccessToken: CODE_LIFETIME_S,
      AuthorizationCode: CODE_LIFETIME_S,
      Grant: INTERACTION_LIFETIME_S,
      IdToken: CODE_LIFETIME_S,
      Interaction: INTERACTION_LIFETIME_S,
      Session: INTERACTION_LIFETIME_S
    }
  })
}

/** The only client is ours, so there is nothing to consent to. */
const grantEverything = async ({ oidc }: { oidc: any }) => {
  const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
  grant.addOIDCScope("openid")
  await grant.save()
  return grant
}

/** An Ed25519 key from 32 bytes, by way of PKCS #8's fixed prefix (RFC 8410). */
const signingKey = (seed: Buffer) =>
  createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8"
  }).export({
    format: "jwk"
  })

const listenerOf = (options: IdpOptions): RequestListener => {
  let made: Promise<Answering> | undefined
  const make = async () => {
    const idp = await makeIdp(options)
    return { idp, protocol: idp.callback() }
  }
  return (request, response) => {
    const sign = signOfElsewhere(request)
    if (sign !== undefined) return show(response, 403, `<p>${onlyHere(sign)}</p>`)
    made ??= make()
    made.then((answering) => answer(answering, request, response)).catch((error: unknown) => showError(response, error))
  }
}

interface Answering {
  readonly idp: Idp
  readonly protocol: ReturnType<Idp["callback"]>
}

const answer = async ({ idp, protocol }: Answering, request: IncomingMessage, response: ServerResponse) => {
  if (request.url!.startsWith(`${path}/interaction/`)) return interact(idp, request, response)
  if (request.url!.startsWith(`${path}/auth`)) forgetSession(request)
  // The provider finds its mount path by comparing url and originalUrl.
  Object.assign(request, { originalUrl: request.url! })
  request.url = request.url!.slice(path.length).replace(/^(?!\/)/, "/") // it takes no path that is empty, also before a query
  await protocol(request, response)
}

/**
 * Every sign-in asks for a login: with a session left the provider would not ask, or would first want
 * to sign the other login out.
 */
const forgetSession = ({ headers }: IncomingMessage) => {
  headers.cookie = (headers.cookie ?? "")
    .split(";")
    .filter((cookie) => !/^\s*_session(\.sig)?=/.test(cookie))
    .join(";")
}

/** The page with the one field, and its answer. */
const interact = async (idp: Idp, request: IncomingMessage, response: ServerResponse) => {
  await idp.interactionDetails(request, response) // throws where the cookie of this sign-in is missing
  if (request.method !== "POST") return show(response, 200, form(""))
  const login = new URLSearchParams(await readForm(request)).get("login")?.trim().toLowerCase() ?? ""
  if (login === "" || login.length > LOGIN_CHARACTERS_MAX)
    return show(response, 400, form(`A login has 1 to ${LOGIN_CHARACTERS_MAX} characters.`))
  await idp.interactionFinished(request, response, { login: { accountId: login } }, { mergeWithLastSubmission: false })
}

class FormTooLarge extends Error {
  override readonly name = "FormTooLarge"
}

/**
 * A form that is too large is read to its end and discarded: closing the connection while the
 * client still sends would reset it and lose the answer. The time for that is bounded for
 * every body (http/connection/Connections.ts).
 */
const readForm = async (request: IncomingMessage) => {
  let text = ""
  let bytes = 0
  for await (const chunk of request) {
    bytes += chunk.length
    if (bytes <= FORM_BYTES_MAX) text += chunk
  }
  if (bytes > FORM_BYTES_MAX) throw new FormTooLarge()
  return text
}

const form = (hint: string) =>
  `<form method="post"><p>${hint}</p><label>Login <input name="login" autofocus required maxlength="${LOGIN_CHARACTERS_MAX}"></label> <button>Sign in</button></form>`

const TITLE = "Development sign-in"

const show = (response: ServerResponse, status: number, content: string) => {
  const page = framed(TITLE, content)
  const headers = {
    "content-type": "text/html; charset=utf-8",
    "cache-control": "no-store",
    "content-security-policy": redirectingPolicy(page)
  }
  response.writeHead(status, headers).end(page)
}

/** The message comes from a closed set of sentences; nothing of the request is echoed. */
const showError = (response: ServerResponse, error: unknown) => {
  if (response.headersSent) return void response.destroy()
  const [status, sentence] = faults[error instanceof Error ? error.name : ""] ?? [500, "The sign-in failed."]
  show(response, status, `<p>${sentence}</p>`)
}

const faults: Readonly<Record<string, readonly [number, string]>> = {
  SessionNotFound: [400, "This sign-in is over or was begun in another browser."],
  FormTooLarge: [413, "The form is too large."]
}
