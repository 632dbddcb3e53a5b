/**
 * The site in a real browser where files lie in a bucket of another origin: its policy lets no page ask
 * there but the one that uploads.
 */
import { retryRefused } from "@agon/api/retryRefused.ts"
import { demoWeightClasses } from "@agon/zoo/zoo.ts"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { missingChromium } from "../support/Chromium.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { snakesZoo } from "../support/Referee.ts"
import { missingS3 } from "../support/S3Server.ts"
import { Elsewhere, PLAYED, layer as service } from "../support/S3Service.ts"
import * as Service from "../support/Service.ts"
import { leftOut } from "../support/slow.ts"
import { Browser } from "./Browser.ts"

const SEASON = {
  ...OPEN_SEASON,
  name: "Here",
  slug: "here",
  weight_classes: demoWeightClasses
}

const missing = leftOut("a browser beside a bucket: half a minute") ?? missingChromium() ?? missingS3()
if (missing !== undefined) it.skip(`files in a bucket, in a browser: ${missing}`, () => {})
else
  layer(Layer.merge(Browser.layer, service), { excludeTestServices: true, timeout: "600 seconds" })(
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

      it.effect("take a version's files straight to the bucket, where it allows that, and say what is wrong where it does not", () =>
        Effect.gen(function* () {
          const { origin } = yield* Service.Service
          const { endpoint, front } = yield* Elsewhere
          const chromium = yield* Browser
          const admin = yield* (yield* Service.Service).as("admin")
          yield* retryRefused(admin.seasonCreation.createSeason({ params: { game: "snakes" }, payload: SEASON }))
          const { build, name } = snakesZoo[0]!
          const files = build()
          const watched = yield* Effect.promise(() => chromium.open(`${origin}/news`))
          const { page } = watched
          const policies: Array<string> = []
          page.on("response", async (answer) => {
            if (answer.request().isNavigationRequest()) policies.push((await answer.headerValue("content-security-policy")) ?? "")
          })
          yield* Effect.promise(async () => {
            await page.context().addCookies([{ name: "service_session", value: "ada-token", url: origin }])
            await page.goto(`${origin}/me/models`)
            await page.getByLabel("Game").selectOption("snakes")
            await page.getByLabel("Name").fill("Nagini")
            await page.getByRole("button", { name: "Make it" }).click()
            await page.getByRole("link", { name: "Submit to Here" }).click()
            await page
              .getByLabel("Weights, an ONNX file")
              .setInputFiles({ name: `${name}.onnx`, mimeType: "application/octet-stream", buffer: Buffer.from(files.weights) })
            await page
              .getByLabel("Manifest, a JSON file")
              .setInputFiles({ name: `${name}.json`, mimeType: "application/json", buffer: Buffer.from(files.manifest) })
            assert.deepStrictEqual(watched.faults, [])
            await page.getByRole("button", { name: "Submit" }).click()
            await page.getByRole("alert").getByText("its operator has to allow that (CORS)").waitFor()
            watched.faults.length = 0 // the browser has logged the refusal
            front.allows = origin
            await page.getByRole("button", { name: "Submit" }).click()
            await page.waitForURL(/\/me\/versions\//)
            // Both came whole: the service has looked at them, and the version is in review.
            await page.locator("#progress").getByText("in review", { exact: true }).waitFor()
            const elsewhere = watched.faults.filter((fault) => !fault.startsWith(`asked ${endpoint}/agon-site/incoming/`))
            assert.deepStrictEqual(elsewhere, [])
            assert.strictEqual(watched.faults.length, 2, "both files")
            const wider = policies.filter((policy) => policy.includes(endpoint))
            assert.lengthOf(wider, 1, "the page that submits alone")
            assert.include(wider[0]!, `connect-src 'self' ${endpoint};`)
            await watched.close()
          })
        })
      )
    }
  )
