/** The addresses of a sign-in: redirects and cookies around SignIn.ts. */

import type { IncomingMessage } from "node:http"
import { sessionCookie } from "@agon/api/Authorization.ts"
import { UnknownProvider } from "@agon/api/account/api.ts"
import { toIncomingMessage } from "@effect/platform-node/NodeHttpServerRequest"
import { Effect, Option } from "effect"
import { type HttpServerRequest, HttpServerResponse } from "effect/http"
import { PublicOrigin } from "../../config/publicOrigin.ts"
import { comesFromElsewhere } from "../../http/Origin.ts"
import { signOfElsewhere } from "../../http/thisMachine.ts"
import { setSessionCookie } from "../sessionCookie.ts"
import { onlyHere } from "./DevSignIn.ts"
import { Providers } from "./Providers.ts"
import { SignIn, type SignInRefused } from "./SignIn.ts"
import { STATE_LIFETIME_S, stateCookie, stateCookiePath } from "./SignInState.ts"

type Request = HttpServerRequest.HttpServerRequest

const redirect = (location: string) => HttpServerResponse.redirect(location, { status: 302 })
const sessionToken = ({ cookies }: Request) => cookies[sessionCookie.key] ?? ""

const setStateCookie = (value: string, maxAge_s: number) => (response: HttpServerResponse.HttpServerResponse) =>
  Effect.flatMap(PublicOrigin, ({ secure }) =>
    Effect.orDie(
      HttpServerResponse.setCookie(response, stateCookie, value, {
        path: stateCookiePath,
        sameSite: "lax",
        httpOnly: true,
        secure,
        maxAge: `${maxAge_s} seconds`
      })
    )
  )

const refused = ({ code }: SignInRefused) => Effect.succeed(redirect(`/?sign_in_error=${code}`))

/**
 * Where the public origin is a loopback one, a browser on another loopback name is first
 * redirected to it, to keep its cookie.
 */
const elsewhere = (request: Request) =>
  Effect.map(PublicOrigin, ({ loopback, origin, same }) => {
    const here = `${new URL(origin).protocol}//${request.headers["host"] ?? ""}`
    return loopback && here !== origin && same.has(here) ? Option.some(redirect(`${origin}${request.url}`)) : Option.none()
  })

/** Hides providers for this machine alone from requests that come from elsewhere. */
const makeKeepOut = Effect.gen(function* () {
  const providers = yield* Providers
  let told = false
  return Effect.fnUntraced(function* (slug: string, request: Request) {
    if (providers.bySlug(slug)?.this_machine_only !== true) return
    const sign = signOfElsewhere(toIncomingMessage(request) as IncomingMessage)
    if (sign === undefined) return
    // Logged once: anonymous callers ask as often as they like.
    if (!told) yield* Effect.logWarning(onlyHere(sign))
    told = true
    return yield* new UnknownProvider({ detail: onlyHere(sign) })
  })
})

export const makeSignInHandlers = Effect.gen(function* () {
  const signIn = yield* SignIn
  const keepOut = yield* makeKeepOut
  return {
    begin: Effect.fnUntraced(function* (provider: string, return_to: string | undefined, request: Request) {
      yield* keepOut(provider, request)
      const away = yield* elsewhere(request)
      if (Option.isSome(away)) return away.value
      const asked = { return_to, session_token: sessionToken(request), from_elsewhere: comesFromElsewhere(request, yield* PublicOrigin) }
      return yield* signIn.begin(provider, asked).pipe(
        Effect.flatMap(({ cookie, location }) => setStateCookie(cookie, STATE_LIFETIME_S)(redirect(location))),
        Effect.catchTag("SignInRefused", refused)
      )
    }),
    complete: Effect.fnUntraced(function* (provider: string, request: Request) {
      yield* keepOut(provider, request)
      const { origin } = yield* PublicOrigin
      const callback = {
        provider,
        url: new URL(request.url, origin),
        state_cookie: request.cookies[stateCookie] ?? "",
        session_token: sessionToken(request),
        user_agent: request.headers["user-agent"]
      }
      const answer = yield* signIn.complete(callback).pipe(
        Effect.tap(({ token }) => (token === undefined ? Effect.void : setSessionCookie(token))),
        Effect.map(({ return_to }) => redirect(return_to)),
        Effect.catchTag("SignInRefused", refused)
      )
      return yield* setStateCookie("", 0)(answer)
    })
  }
})
