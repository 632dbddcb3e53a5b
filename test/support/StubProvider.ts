/**
 * A sign-in provider that does as a test says: plain OAuth 2 as GitHub speaks it, or OpenID Connect with
 * claims that a test may bend. It checks what a strict one checks.
 */

import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import type { ProviderConfig } from "@agon/server/config/ProviderConfig.ts"
import { Effect } from "effect"
import type { Browser } from "./Browser.ts"

const listening = (server: Server) =>
  Effect.promise(
    () => new Promise<number>((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))
  )

type Answers = (response: ServerResponse, asked: URLSearchParams) => unknown
export const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(typeof body === "string" ? body : JSON.stringify(body))

/** Behaviour of a provider that is not a good one's; a test that sets something takes it back by `reset`. */
interface Behaviour {
  /**
   * The person that the n-th code stands for: the user's record, or the claims of the ID token. `login` is what the
   * browser gave itself out for.
   */
  profile: (n: number, login: string | null) => unknown
  /** Text that it adds to the address that it sends the browser back to, or puts in place of it. */
  back: Record<string, string>
  /** OpenID: the ID token names the subject alone, and the rest is asked for at another endpoint. */
  userinfo: boolean
  /** Claims of the ID token beside the subject then. */
  in_token: object
  token: Answers | undefined
  user: Answers | undefined
  discovery: Answers | undefined
  keys: Answers | undefined
}

const good: Behaviour = {
  profile: (_n, login) => (login === null ? { id: 7, sub: "seven", login: "Ada", name: "Ada Lovelace" } : { sub: login, login }),
  back: {},
  userinfo: false,
  in_token: {},
  token: undefined,
  user: undefined,
  discovery: undefined,
  keys: undefined
}

const asForm = async (request: IncomingMessage) => {
  let text = ""
  for await (const chunk of request) text += chunk
  return new URLSearchParams(text)
}

const signing = generateKeyPairSync("rsa", { modulusLength: 2048 })
/** Of nobody that the provider's keys name. */
export const otherKey = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey

/** A JSON Web Token; signed by the provider unless another key is given. */
export const idToken = (claims: object, header: object = { alg: "RS256", kid: "one" }, key = signing.privateKey) => {
  const [head, body] = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
  return `${head}.${body}.${sign("sha256", Buffer.from(`${head}.${body}`), key).toString("base64url")}`
}

/**
 * A provider of either kind, that checks what a strict one checks: the secret, the verifier against
 * the challenge, each code once.
 */
export class StubProvider {
  says: Behaviour = { ...good }
  origin = ""
  /** Everything that tokens were asked for with. */
  readonly asked: Array<URLSearchParams> = []
  private n = 0
  private readonly codes = new Map<
    string,
    { readonly n: number; readonly login: string | null; readonly challenge: string; readonly nonce: string | null }
  >()
  private readonly people = new Map<string, { readonly n: number; readonly login: string | null }>()

  reset() {
    this.says = { ...good }
  }

  /** The claims of an ID token that nothing is wrong with. */
  claims(n: number, nonce: string | null, login: string | null = null) {
    const now = Math.floor(Date.now() / 1000)
    const profile = this.says.profile(n, login) as { readonly sub: unknown }
    return {
      iss: this.origin,
      aud: "agon",
      iat: now,
      exp: now + 60,
      nonce,
      ...(this.says.userinfo ? { sub: profile.sub, ...this.says.in_token } : profile)
    }
  }

  readonly handle = async (request: IncomingMessage, response: ServerResponse) => {
    const url = new URL(request.url!, this.origin)
    const { discovery, keys, token, user } = this.says
    switch (url.pathname) {
      case "/.well-known/openid-configuration":
        return discovery === undefined ? json(response, 200, this.metadata()) : discovery(response, url.searchParams)
      case "/keys":
        if (keys !== undefined) return keys(response, url.searchParams)
        return json(response, 200, { keys: [{ ...signing.publicKey.export({ format: "jwk" }), kid: "one", use: "sig", alg: "RS256" }] })
      case "/authorize":
        return this.authorize(url.searchParams, response)
      case "/token": {
        const asked = await asForm(request)
        this.asked.push(asked)
        return token === undefined ? this.redeem(asked, response) : token(response, asked)
      }
      default: {
        const person = this.people.get(request.headers.authorization?.slice("bearer ".length) ?? "")
        if (person === undefined) return json(response, 401, { message: "Bad credentials" })
        return user === undefined ? json(response, 200, this.says.profile(person.n, person.login)) : user(response, url.searchParams)
      }
    }
  }

  private authorize(asked: URLSearchParams, response: ServerResponse) {
    const code = randomUUID()
    this.codes.set(code, { n: ++this.n, login: asked.get("login"), challenge: asked.get("code_challenge")!, nonce: asked.get("nonce") })
    const back = new URL(asked.get("redirect_uri")!)
    back.search = new URLSearchParams({ code, state: asked.get("state")!, ...this.says.back }).toString()
    response.writeHead(302, { location: back.href }).end()
  }

  private redeem(asked: URLSearchParams, response: ServerResponse) {
    const found = this.codes.get(asked.get("code") ?? "")
    this.codes.delete(asked.get("code") ?? "")
    const challenge = createHash("sha256").update(asked.get("code_verifier")!).digest("base64url")
    if (found?.challenge !== challenge || asked.get("client_secret") !== "s3cret") {
      // GitHub says so with a status of success.
      return json(response, 200, { error: "bad_verification_code", error_description: "The code passed is incorrect or expired." })
    }
    const access_token = randomUUID()
    this.people.set(access_token, found)
    const id_token = found.nonce === null ? {} : { id_token: idToken(this.claims(found.n, found.nonce, found.login)) }
    json(response, 200, { access_token, token_type: "bearer", scope: "read:user", ...id_token })
  }

  /** Its discovery document. */
  metadata() {
    const at = (path: string) => `${this.origin}${path}`
    return {
      ...{ issuer: this.origin, authorization_endpoint: at("/authorize"), token_endpoint: at("/token"), jwks_uri: at("/keys") },
      ...(this.says.userinfo ? { userinfo_endpoint: at("/userinfo") } : {}),
      ...{ response_types_supported: ["code"], subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] }
    }
  }
}

/** One that listens as long as the scope is open. */
export const started = Effect.acquireRelease(
  Effect.gen(function* () {
    const stub = new StubProvider()
    const server = createServer(stub.handle)
    stub.origin = `http://127.0.0.1:${yield* listening(server)}`
    return { stub, server }
  }),
  ({ server }) =>
    Effect.sync(() => {
      server.close()
      server.closeAllConnections()
    })
)

/** How a service is told of one that speaks OpenID Connect. */
export const openIdConfig = (slug: string, issuer: string): ProviderConfig => ({
  ...{ slug, label: slug, kind: "oidc", issuer, scopes: ["openid"] },
  ...{ client_id: "agon", client_secret: "s3cret", login_claim: "login" }
})

/** Signs in through such a provider as whoever the browser says, and ends where the sign-in leads. */
export const signInThrough = async (slug: string, browser: Browser, origin: string, login: string) => {
  const begun = await browser.request(`${origin}/v1/auth/${slug}`)
  const address = new URL(begun.headers.get("location")!)
  address.searchParams.set("login", login)
  return browser.follow(address.href, (next) => next.origin === origin && !next.pathname.startsWith("/v1/auth/"))
}
