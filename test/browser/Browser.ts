/** The browser of a file of tests: launched once, closed with its scope. */
import { Context, Effect, Layer } from "effect"
import { Chromium } from "../support/Chromium.ts"

export class Browser extends Context.Service<Browser, Chromium>()("test/Browser") {
  static readonly layer = Layer.effect(
    Browser,
    Effect.acquireRelease(
      Effect.promise(() => Chromium.launch()),
      (chromium) => Effect.promise(() => chromium.close())
    )
  )
}
