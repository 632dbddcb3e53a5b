/**
 * The service with its sign-ins, over a socket, and providers that do as a test says (StubProvider.ts): one
 * of plain OAuth 2, one of OpenID Connect, beside the development sign-in, which is a real `oidc-provider`.
 */

import "oidc-provider" // loaded here, or the first sign-in would load it, for longer than a provider may take in these tests
import { AccountHandlers } from "@agon/server/account/http.ts"
import { makeDevSignIn } from "@agon/server/account/signin/DevSignIn.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import type { ProviderConfig } from "@agon/server/config/ProviderConfig.ts"
import { PublicOrigin, publicOrigin } from "@agon/server/config/publicOrigin.ts"
import { Mounts } from "@agon/server/http/Front.ts"
import { Context, Effect, Layer, Logger } from "effect"
import type { SqlClient } from "effect/sql"
import { freePort } from "./freePort.ts"
import { openIdConfig, type StubProvider, started } from "./StubProvider.ts"
import { overSocket } from "./Web.ts"

const base = { client_id: "agon", client_secret: "s3cret", login_claim: "login" }

const oauth2Of = (origin: string): ProviderConfig => ({
  ...{ ...base, slug: "hub", label: "Hub", kind: "oauth2", scopes: ["read:user"], subject_claim: "id" },
  ...{ authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token`, user_endpoint: `${origin}/user` }
})

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
const patience_s = 1

/** Nobody listens there. */
const nowhere = "http://127.0.0.1:1"

const BOSS = { provider: "dev", login: "boss" }

/**
 * `public_url` is told to browsers instead of the service's own address, for tests of what depends on it. `admin` is
 * AGON_ADMIN, `log` takes what the service logs.
 */
export const layer = (public_url?: string, admin = BOSS, log?: Logger.Logger<unknown, void>) =>
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
        openIdConfig("openid", openid.origin),
        openIdConfig("openid-too", openid.origin),
        openIdConfig("down", nowhere)
      ]
      const signIn = SignIn.layer({ secret: "state", admin })
      const handlers = AccountHandlers.pipe(Layer.provide(signIn.pipe(Layer.provideMerge(Providers.layer(configs, patience_s)))))
      return overSocket({ handlers, served: ["account"], port }).pipe(
        Layer.provideMerge(Layer.succeed(SignInService, { origin: `http://localhost:${port}`, port, hub, openid })),
        Layer.provideMerge(Logger.layer(log === undefined ? [] : [log])),
        Layer.provide([Layer.succeed(PublicOrigin, origin), Layer.succeed(Mounts, [dev.mount])])
      ) as Layer.Layer<SignInService | SqlClient.SqlClient>
    })
  )
