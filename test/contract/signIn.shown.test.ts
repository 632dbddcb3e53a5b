/** Claims of a provider that everybody reads: the display name of an account that has just been made. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { Browser } from "../support/Browser.ts"
import * as Service from "../support/SignInService.ts"
import { signInThrough } from "../support/StubProvider.ts"

layer(Service.layer(), { excludeTestServices: true })("an account that a sign-in has made", (it) => {
  /** The profile, as a stranger reads it, of whoever has signed in with these claims. */
  const shownOf = (claims: { readonly sub: string; readonly login: string; readonly name?: string }) =>
    Effect.gen(function* () {
      const { openid, origin } = yield* Service.SignInService
      openid.says.profile = () => claims
      return yield* Effect.promise(async () => {
        const browser = new Browser()
        await signInThrough("openid", browser, origin, claims.login)
        const { username } = JSON.parse((await browser.request(`${origin}/v1/me`)).text)
        return JSON.parse((await new Browser().request(`${origin}/v1/profiles/${username}`)).text)
      })
    })

  it.effect("does not have the address that is its login as its display name", () =>
    Effect.gen(function* () {
      const login = "grace.hopper@mail.example"
      const verified = { login, email: login, email_verified: true }
      assert.strictEqual((yield* shownOf({ sub: "g1", ...verified })).display_name, "grace.hopper")
      assert.strictEqual((yield* shownOf({ sub: "g2", ...verified, name: login })).display_name, "grace.hopper")
      assert.strictEqual((yield* shownOf({ sub: "g3", ...verified, name: "Grace @ sea" })).display_name, "Grace @ sea")
    })
  )

  it.effect("has no listed word in its display name, whichever claim it comes from", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO word (word, spelled, added_at) VALUES ('slur', 'Slur', now())`
      assert.strictEqual((yield* shownOf({ sub: "w1", login: "wendy", name: "A Slur" })).display_name, "wendy")
      assert.strictEqual((yield* shownOf({ sub: "w2", login: "Slur" })).display_name, "user")
      assert.strictEqual((yield* shownOf({ sub: "w3", login: "walt", name: "A Slurry" })).display_name, "A Slurry")
    })
  )
})
