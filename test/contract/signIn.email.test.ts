/**
 * A provider whose login is the email: an address is a login where the provider has verified it,
 * and nobody's where it has not.
 */

import { type Checks, Providers } from "@agon/server/account/signin/Providers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { openIdConfig, type StubProvider, started } from "../support/StubProvider.ts"

const REDIRECT = "http://localhost:8080/v1/auth/mail/callback"
const CHECKS: Checks = { state: "s".repeat(43), verifier: "v".repeat(43), nonce: "n".repeat(43) }
const EMAIL = "boss@agon.example"

/** The login that a sign-in through the provider comes to. */
const loginThrough = Effect.gen(function* () {
  const provider = (yield* Providers).bySlug("mail")!
  const { href } = yield* provider.begin(REDIRECT, CHECKS)
  const back = yield* Effect.promise(async () => (await fetch(href, { redirect: "manual" })).headers.get("location")!)
  const { email, login } = yield* provider.complete(new URL(back), CHECKS)
  assert.strictEqual(email, login === EMAIL ? EMAIL : undefined, "it is mailed to where it is verified")
  return login
})

const asMail = <A, E>(run: (stub: StubProvider) => Effect.Effect<A, E, Providers>) =>
  Effect.gen(function* () {
    const { stub } = yield* started
    const config = { ...openIdConfig("mail", stub.origin), login_claim: "email" }
    return yield* run(stub).pipe(Effect.provide(Providers.layer([config])))
  })

describe("an email", () => {
  it.live("in the ID token is a login where it is verified, and the subject is where it is not or where nobody says", () =>
    asMail((stub) =>
      Effect.gen(function* () {
        for (const [email_verified, login] of [
          [true, EMAIL],
          [false, "seven"],
          [undefined, "seven"]
        ] as const) {
          stub.says.profile = () => ({ sub: "seven", email: EMAIL, email_verified })
          assert.strictEqual(yield* loginThrough, login, String(email_verified))
        }
      })
    )
  )

  it.live("in the ID token that does not say whether it is verified is asked about", () =>
    asMail((stub) =>
      Effect.gen(function* () {
        stub.says.userinfo = true
        stub.says.in_token = { email: EMAIL }
        stub.says.profile = () => ({ sub: "seven", email: EMAIL, email_verified: true })
        assert.strictEqual(yield* loginThrough, EMAIL)
        stub.says.profile = () => ({ sub: "seven", email: EMAIL })
        assert.strictEqual(yield* loginThrough, "seven")
      })
    )
  )
})
