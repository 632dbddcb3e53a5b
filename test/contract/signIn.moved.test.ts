/** A provider whose addresses or keys are others than before, while the service runs. */

import { type Checks, Providers } from "@agon/server/account/signin/Providers.ts"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { TestClock } from "effect/testing"
import { json, openIdConfig, type StubProvider, started } from "../support/StubProvider.ts"

const REDIRECT = "http://localhost:8080/v1/auth/moving/callback"
const CHECKS: Checks = { state: "s".repeat(43), verifier: "v".repeat(43), nonce: "n".repeat(43) }

const signedIn = Effect.gen(function* () {
  const provider = (yield* Providers).bySlug("moving")!
  const { href } = yield* provider.begin(REDIRECT, CHECKS)
  const back = yield* Effect.promise(async () => (await fetch(href, { redirect: "manual" })).headers.get("location")!)
  return yield* Effect.match(provider.complete(new URL(back), CHECKS), { onFailure: ({ code }) => code, onSuccess: ({ login }) => login })
})

const asMoving = <A, E>(run: (stub: StubProvider) => Effect.Effect<A, E, Providers>) =>
  Effect.gen(function* () {
    const { stub } = yield* started
    return yield* run(stub).pipe(Effect.provide(Providers.layer([openIdConfig("moving", stub.origin)])))
  })

describe("a provider that is known", () => {
  it.effect("and has moved its addresses fails one sign-in", () =>
    asMoving((stub) =>
      Effect.gen(function* () {
        let found = 0
        const withToken = (path: string) => {
          stub.says.discovery = (response) => {
            found++
            json(response, 200, { ...stub.metadata(), token_endpoint: `${stub.origin}${path}` })
          }
        }
        withToken("/left")
        assert.strictEqual(yield* signedIn, "provider_failed")
        withToken("/token")
        assert.strictEqual(yield* signedIn, "provider_failed", "it is not asked at each callback that a browser makes up")
        assert.strictEqual(found, 1)
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* signedIn, "provider_failed")
        assert.strictEqual(yield* signedIn, "Ada")
        assert.strictEqual(found, 2)
        yield* TestClock.adjust("1 hour")
        assert.strictEqual(yield* signedIn, "Ada")
        assert.strictEqual(found, 2, "what is known is kept")
      })
    )
  )

  it.effect("and named no keys for a moment fails as long as that, and one sign-in more", () =>
    asMoving((stub) =>
      Effect.gen(function* () {
        stub.says.keys = (response) => json(response, 200, { keys: [] })
        assert.strictEqual(yield* signedIn, "provider_failed")
        stub.reset()
        yield* TestClock.adjust("10 seconds")
        assert.strictEqual(yield* signedIn, "provider_failed")
        assert.strictEqual(yield* signedIn, "Ada")
      })
    )
  )
})
