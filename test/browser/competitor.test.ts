/** A competitor's pages with scripts in a real browser: submitting, whatever becomes of the session, and following a version. */
import { setTimeout as pause } from "node:timers/promises"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { Page } from "playwright-core"
import { filesOf } from "../e2e/Competition.ts"
import { type Chromium, missingChromium } from "../support/Chromium.ts"
import * as Fixture from "../support/Fixture.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { publicAddress, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { Browser } from "./Browser.ts"
import { goTo } from "./clicks.ts"

const service = SiteService.layerFixture
const all = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service), Layer.provideMerge(Browser.layer))

const sessionOf = (origin: string, as: string) => {
  const cookie = { name: "service_session", value: `${as}-token`, path: "/", domain: new URL(origin).hostname, expires: -1 }
  return { ...cookie, httpOnly: true, secure: false, sameSite: "Lax" as const }
}

const open = (path: string, options: Parameters<Chromium["open"]>[1] = {}) =>
  Effect.gen(function* () {
    const { origin } = yield* Service.Service
    const chromium = yield* Browser
    const storageState = { cookies: [sessionOf(origin, "ada")], origins: [] }
    const extraHTTPHeaders = { "x-forwarded-for": publicAddress() }
    return yield* Effect.promise(() => chromium.open(`${origin}${path}`, { storageState, extraHTTPHeaders, ...options }))
  })

/** The page on which ada submits to a season that is open. */
const submitting = Effect.fnUntraced(function* (slug: string) {
  const { as } = yield* Service.Service
  const payload = { ...OPEN_SEASON, name: "Taking", slug, weight_classes: Fixture.classes }
  yield* (yield* as("admin")).seasonCreation.createSeason({ params: { game: "snakes" }, payload })
  const { id } = yield* (yield* as("ada")).model.createModel({ params: { game: "snakes" }, payload: { name: `Sent by clicks to ${slug}` } })
  return `/me/models/${id}/submit/${slug}`
})

const submitAndWait = async (page: Page) => {
  await page.getByRole("button", { name: "Submit" }).click()
  const refused = page.getByRole("alert")
  await Promise.race([page.waitForURL(/\/me\/versions\//), refused.waitFor().then(async () => assert.fail(await refused.innerText()))])
}

const choose = async (page: Page) => {
  const { manifest, weights } = filesOf("nibbler")
  const file = (name: string, mimeType: string, bytes: Uint8Array) => ({ name, mimeType, buffer: Buffer.from(bytes) })
  await page.getByLabel("Weights, an ONNX file").setInputFiles(file("nibbler.onnx", "application/octet-stream", weights))
  await page.getByLabel("Manifest, a JSON file").setInputFiles(file("nibbler.json", "application/json", manifest))
}

const missing = missingChromium()
if (missing !== undefined) it.skip(`a competitor's pages with scripts: ${missing}`, () => {})
else
  layer(all, { excludeTestServices: true, timeout: "300 seconds" })("a competitor's pages with scripts", (it) => {
    it.effect("keep the files where the session has ended, lead to the sign-in beside, and keep a note that comes later", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        const path = yield* submitting("taking")
        const watched = yield* open(path)
        const { page } = watched
        yield* Effect.promise(async () => {
          await choose(page)
          await page.context().clearCookies()
          await page.getByRole("button", { name: "Submit" }).click()
          assert.match(await page.getByRole("alert").innerText(), /^You are signed out\. /)
          assert.deepStrictEqual(await watched.violations(), [])
          const [beside] = await Promise.all([page.waitForEvent("popup"), page.getByRole("link", { name: "Sign in" }).click()])
          await beside.getByRole("link", { name: /^Sign in with/ }).waitFor()
          // The development sign-in answers nobody whom a proxy tells of.
          await page.context().addCookies([sessionOf(origin, "ada")])
          await beside.close()
          await submitAndWait(page)
          const version = page.url()

          await goTo(page, path)
          await choose(page)
          await page.getByLabel("Note", { exact: true }).fill("x".repeat(281))
          await page.getByRole("button", { name: "Submit" }).click()
          await page.getByRole("alert").waitFor()
          await page.getByLabel("Note", { exact: true }).fill("thought of later")
          await submitAndWait(page)
          assert.strictEqual(page.url(), version)
          assert.include(await page.locator("main bdi").allInnerTexts(), "thought of later")

          await goTo(page, path)
          await choose(page)
          await submitAndWait(page)
          assert.strictEqual(page.url(), version)
          assert.include(await page.locator("main bdi").allInnerTexts(), "thought of later")
          await watched.close()
        })
      })
    )

    it.effect("send a file again that a busy service has put off, and say so where its upload stands still", () =>
      Effect.gen(function* () {
        const watched = yield* open(yield* submitting("stalled"))
        const { page } = watched
        yield* Effect.promise(async () => {
          await choose(page)
          const sends: Array<string> = []
          await page.route("**", async (route) => {
            if (route.request().method() !== "PUT") return route.fallback()
            sends.push(route.request().url())
            if (sends.length > 1) return
            await route.fulfill({ status: 503, headers: { "retry-after": "1" } })
          })
          await page.clock.install()
          await page.getByRole("button", { name: "Submit" }).click()
          while (sends.length < 2) {
            assert.isFalse(await page.getByRole("alert").isVisible())
            await page.clock.runFor(100)
            await pause(20)
          }
          assert.strictEqual(sends[1], sends[0])
          await page.clock.runFor(100_000)
          assert.isFalse(await page.getByRole("alert").isVisible())
          await page.clock.runFor(25_000)
          assert.match(await page.getByRole("alert").innerText(), /^The service does not answer\. Files that were sent already stay: /)
          await page.unrouteAll()
          await page.clock.resume()
          await submitAndWait(page)
        })
      })
    )

    it.effect("say in UTC since when a version that is followed has not been heard of", () =>
      Effect.gen(function* () {
        const watched = yield* open(`/me/versions/${Fixture.versionIds.delta1}`, { timezoneId: "Asia/Tokyo", locale: "en-US" })
        const { page } = watched
        yield* Effect.promise(async () => {
          const began_ms = Date.now()
          await page.route("**/me/versions/*", (route) => route.abort())
          const silence = page.locator("agon-follow").getByText("nothing has been heard since")
          await silence.waitFor()
          const [, at] = /^This is as it was at (\d\d:\d\d:\d\d) UTC: /.exec((await silence.textContent()) ?? "") ?? []
          assert.isDefined(at, (await silence.textContent()) ?? "")
          const day = new Date(began_ms).toISOString().slice(0, 11)
          assert.isAtMost(Math.abs(Date.parse(`${day}${at}Z`) - began_ms) % 86_340_000, 60_000, at)
          await watched.close()
        })
      })
    )
  })
