/**
 * The service with its sign-ins, over a socket, and providers that do as a test says: one of plain OAuth 2 that behaves as GitHub does,
 * one of OpenID Connect whose every claim a test may bend, beside the development sign-in, which is a real `oidc-provider`.
 */
import { Context, Effect, Layer, Logger } from "effect"
import type { SqlClient } from "effect/sql"
import { createHash, generateKeyPairSync, randomUUID, sign } from "node:crypto"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { makeDevSignIn } from "@agon/server/account/DevSignIn.ts"
import { AccountHandlers } from "@agon/server/account/http.ts"
import type { ProviderConfig } from "@agon/server/account/ProviderConfig.ts"
import { Providers } from "@agon/server/account/Providers.ts"
import { SignIn } from "@agon/server/account/SignIn.ts"
import { Mounts } from "@agon/server/http/Front.ts"
import { type AllHandlers, makeRoutes, serve } from "@agon/server/http/Http.ts"
import { PublicOrigin, publicOrigin } from "@agon/server/http/Origin.ts"
import { freePort } from "./freePort.ts"
import { core, noLookups, unserved } from "./Web.ts"

const listening = (server: Server) =>
  Effect.promise(
    () => new Promise<number>((resolve) => server.listen(0, "127.0.0.1", () => resolve((server.address() as AddressInfo).port)))
  )

type Answers = (response: ServerResponse, asked: URLSearchParams) => unknown
export const json = (response: ServerResponse, status: number, body: unknown) =>
  response.writeHead(status, { "content-type": "application/json" }).end(typeof body === "string" ? body : JSON.stringify(body))

/** What a provider does otherwise than a good one; a test that sets something takes it back by `reset`. */
interface Behaviour {
  /** Whom the n-th code stands for: the user's record, or the claims of the ID token. */
  profile: (n: number) => unknown
  /** What it adds to the address that it sends the browser back to, or puts in place of it. */
  back: Record<string, string>
  /** OpenID: the ID token names the subject alone, and the rest is asked for at another endpoint. */
  userinfo: boolean
  token: Answers | undefined
  user: Answers | undefined
  discovery: Answers | undefined
  keys: Answers | undefined
}

const good: Behaviour = {
  profile: () => ({ id: 7, sub: "seven", login: "Ada", name: "Ada Lovelace" }),
  back: {},
  userinfo: false,
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

/** A provider of either kind, that checks what a strict one checks: the secret, the verifier against the challenge, each code once. */
export class StubProvider {
  says: Behaviour = { ...good }
  origin = ""
  /** Everything that tokens were asked for with. */
  readonly asked: Array<URLSearchParams> = []
  private n = 0
  private readonly codes = new Map<string, { readonly n: number; readonly challenge: string; readonly nonce: string | null }>()
  private readonly numbers = new Map<string, number>()

  reset() {
    this.says = { ...good }
  }

  /** The claims of an ID token that nothing is wrong with. */
  claims(n: number, nonce: string | null) {
    const now = Math.floor(Date.now() / 1000)
    const profile = this.says.profile(n) as { readonly sub: unknown }
    return { iss: this.origin, aud: "agon", iat: now, exp: now + 60, nonce, ...(this.says.userinfo ? { sub: profile.sub } : profile) }
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
        const n = this.numbers.get(request.headers.authorization?.slice("bearer ".length) ?? "")
        if (n === undefined) return json(response, 401, { message: "Bad credentials" })
        return user === undefined ? json(response, 200, this.says.profile(n)) : user(response, url.searchParams)
      }
    }
  }

  private authorize(asked: URLSearchParams, response: ServerResponse) {
    const code = randomUUID()
    this.codes.set(code, { n: ++this.n, challenge: asked.get("code_challenge")!, nonce: asked.get("nonce") })
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
    this.numbers.set(access_token, found.n)
    const id_token = found.nonce === null ? {} : { id_token: idToken(this.claims(found.n, found.nonce)) }
    json(response, 200, { access_token, token_type: "bearer", scope: "read:user", ...id_token })
  }

  private metadata() {
    const at = (path: string) => `${this.origin}${path}`
    return {
      ...{ issuer: this.origin, authorization_endpoint: at("/authorize"), token_endpoint: at("/token"), jwks_uri: at("/keys") },
      ...(this.says.userinfo ? { userinfo_endpoint: at("/userinfo") } : {}),
      ...{ response_types_supported: ["code"], subject_types_supported: ["public"], id_token_signing_alg_values_supported: ["RS256"] }
    }
  }
}

const started = Effect.acquireRelease(
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

const base = { client_id: "agon", client_secret: "s3cret", login_claim: "login" }

const oauth2Of = (origin: string): ProviderConfig => ({
  ...{ ...base, slug: "hub", label: "Hub", kind: "oauth2", scopes: ["read:user"], subject_claim: "id" },
  ...{ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`, user_endpoint: `${origin}/user` }
})

const oidcOf = (slug: string, issuer: string): ProviderConfig => ({ ...base, slug, label: slug, kind: "oidc", issuer, scopes: ["openid"] })

export interface SignInServiceShape {
  readonly origin: string
  readonly port: number
  /** Plain OAuth 2; also under the slug `strict`, where its issuer is configured. */
  readonly hub: StubProvider
  /** OpenID Connect, under the slugs `openid` and `openid-too`, which know nothing of one another. */
  readonly openid: StubProvider
}

export class SignInService extends Context.Service<SignInService, SignInServiceShape>()("test/SignInService") {}

/** A provider that takes longer is given up. */
export const patience_s = 1

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:1"

/** `public_url` is told to browsers instead of the service's own address, for tests of what depends on it. */
export const layer = (public_url?: string) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const port = yield* Effect.promise(freePort)
      const { stub: hub } = yield* started
      const { stub: openid } = yield* started
      const origin = publicOrigin(public_url ?? `http://localhost:${port}`)
      const dev = makeDevSignIn({ host: "127.0.0.1", origin, secret: "secret" })
      const configs: ReadonlyArray<ProviderConfig> = [
        ...[dev.provider, oauth2Of(hub.origin)],
        { ...oauth2Of(hub.origin), slug: "strict", issuer: `${hub.origin}/login/oauth` } as ProviderConfig,
        oidcOf("openid", openid.origin),
        oidcOf("openid-too", openid.origin),
        oidcOf("down", nowhere)
      ]
      const signIn = SignIn.layer({ secret: "state", admin: { provider: "dev", login: "boss" } })
      const handlers = AccountHandlers.pipe(
        Layer.provide(signIn.pipe(Layer.provideMerge(Providers.layer(configs, patience_s)))),
        Layer.merge(unserved("account"))
      ) as Layer.Layer<AllHandlers, never, any>
      return serve({ host: "127.0.0.1", port }, makeRoutes(handlers)).pipe(
        Layer.provide(noLookups),
        Layer.provideMerge(core()),
        Layer.provideMerge(Layer.succeed(SignInService, { origin: `http://localhost:${port}`, port, hub, openid })),
        Layer.provideMerge(Logger.layer([])),
        Layer.provide([Layer.succeed(PublicOrigin, origin), Layer.succeed(Mounts, [dev.mount])])
      ) as Layer.Layer<SignInService | SqlClient.SqlClient>
    })
  )
