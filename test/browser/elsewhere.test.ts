/** The site in a real browser where files lie in a bucket of another origin: its policy lets no page ask there but the one that uploads. */
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { Chromium, missingChromium } from "../support/Chromium.ts"
import { missingS3 } from "../support/S3Server.ts"
import { PLAYED, layer as service } from "../support/S3Service.ts"
import * as Service from "../support/Service.ts"

class Browser extends Context.Service<Browser, Chromium>()("test/Browser") {
  static readonly layer = Layer.effect(
    Browser,
    Effect.acquireRelease(
      Effect.promise(() => Chromium.launch()),
      (chromium) => Effect.promise(() => chromium.close())
    )
  )
}

const missing = missingChromium() ?? missingS3()
if (missing !== undefined) it.skip(`files in a bucket, in a browser: ${missing}`, () => {})
else
  layer(Layer.merge(Browser.layer, service), { excludeTestServices: true, timeout: "300 seconds" })(
    "files in a bucket, in a browser",
    (it) => {
      it.effect("play the replay of a match and prove it, and the page asks its own origin alone", () =>
        Effect.gen(function* () {
          const { origin } = yield* Service.Service
          const chromium = yield* Browser
          const watched = yield* Effect.promise(() =>
            chromium.open(`${origin}/matches/${PLAYED}`, { extraHTTPHeaders: { "x-forwarded-for": "198.51.100.1" } })
          )
          const verdict = watched.page.locator("agon-replay .verdict strong")
          assert.strictEqual(yield* Effect.promise(() => verdict.textContent()), "Recomputed here: state hash equal.")
          assert.deepStrictEqual(watched.faults, [])
          yield* Effect.promise(() => watched.close())
        })
      )
    }
  )
