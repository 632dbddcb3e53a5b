/**
 * Rarer work on visitors' own and administration pages, by clicks in a real browser without scripts: sessions,
 * settings, moderation, announcements, runners, webhooks. Whatever takes something away asks first, on a
 * phone and a screen, in sight.
 */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import type { Page } from "playwright-core"
import { type Chromium, missingChromium } from "../support/Chromium.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { publicAddress, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { leftOut } from "../support/slow.ts"
import { Browser } from "./Browser.ts"
import { follow, goTo, press, signIn, sure } from "./clicks.ts"
import { actionsOutOfSight } from "./tables.ts"

const OF = { game: "snakes", slug: "spring" } as const
const ADMIN = "/games/snakes/seasons/spring/admin"
const MATCH = Fixture.matchIds.open

const service = SiteService.layerFixture
const all = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service), Layer.provideMerge(Browser.layer))

/**
 * As somebody who is signed in, behind a proxy that tells addresses; as a stranger without, since the
 * development sign-in is for this machine.
 */
const open = (path: string, as?: string, options: Parameters<Chromium["open"]>[1] = {}) =>
  Effect.gen(function* () {
    const { origin } = yield* Service.Service
    const chromium = yield* Browser
    const session = { name: "service_session", value: `${as}-token`, path: "/", domain: new URL(origin).hostname, expires: -1 }
    const known = {
      extraHTTPHeaders: { "x-forwarded-for": publicAddress() },
      // A header of that name does not follow a redirect.
      storageState: { cookies: [{ ...session, httpOnly: true, secure: false, sameSite: "Lax" as const }], origins: [] }
    }
    const all = { javaScriptEnabled: false, ...(as === undefined ? {} : known), ...options }
    return yield* Effect.promise(() => chromium.open(`${origin}${path}`, all))
  })

const clicks = Effect.fnUntraced(function* (path: string, as: string | undefined, steps: (page: Page) => Promise<void>) {
  const watched = yield* open(path, as)
  yield* Effect.promise(() => steps(watched.page))
  yield* Effect.promise(() => watched.close())
})

const says = async (page: Page, text: string | RegExp) =>
  assert.isAbove(await page.getByRole("main").getByText(text).count(), 0, `${text} at ${page.url()}`)
const saysNot = async (page: Page, text: string) => assert.strictEqual(await page.getByText(text).count(), 0, `${text} at ${page.url()}`)

const missing = leftOut("rarer work on pages, by clicks: a minute") ?? missingChromium()
if (missing !== undefined) it.skip(`pages by clicks: ${missing}`, () => {})
else
  layer(all, { excludeTestServices: true, timeout: "600 seconds" })("pages by clicks", (it) => {
    it.effect("keep what is done with a row in sight, open and closed, on a phone and a screen, with nothing that axe finds", () =>
      Effect.gen(function* () {
        const { as } = yield* Service.Service
        yield* (yield* as("bob")).webhook.createWebhook({ payload: { url: `https://10.9.8.7/${"agon".repeat(20)}` } })
        for (const [width, name, path, action] of [
          [320, "bob", "/me/sessions", "td summary"],
          [1280, "bob", "/me/webhooks", "td :is(button, summary)"],
          [375, "bob", "/me/webhooks", "td :is(button, summary)"],
          [375, "root", `${ADMIN}/matches`, "td a.do"],
          [375, "root", `${ADMIN}/entries`, "td a.do"],
          [320, "root", "/admin/users", "td summary"]
        ] as const) {
          const colorScheme = width === 320 ? "dark" : "light"
          const watched = yield* open(path, name, { viewport: { width, height: 800 }, colorScheme, javaScriptEnabled: true })
          const { page } = watched
          const look = async (state: string) => {
            const where = `${path} at ${width}, ${state}`
            assert.deepStrictEqual(await page.evaluate(actionsOutOfSight), [], where)
            assert.isAtMost(await watched.width(), width, where)
            assert.deepStrictEqual(await watched.violations(), [], where)
          }
          yield* Effect.promise(async () => {
            assert.isAbove(await page.locator(action).count(), 0, path)
            await look("closed")
            for (const opener of await page.locator("td details > summary").all()) await opener.click()
            await look("open")
            assert.deepStrictEqual(watched.faults, [], path)
            await watched.close()
          })
        }
      })
    )

    it.effect("end all other sessions, and one's own, each by its short name", () =>
      Effect.gen(function* () {
        const here = yield* open("/me")
        const elsewhere = yield* open("/me")
        yield* Effect.promise(async () => {
          const { page } = here
          await signIn(page, "carol")
          await signIn(elsewhere.page, "carol")
          await goTo(page, "/me/sessions")
          assert.strictEqual(await page.getByRole("rowheader", { name: /^Chrome on / }).count(), 2)
          await page.getByText("As it names itself").first().click()
          await says(page, /^Mozilla\/5\.0/)
          assert.strictEqual(await sure(page, "End the other session"), 303)
          await says(page, "You are signed in here alone.")
          assert.strictEqual(await page.locator("tbody tr").count(), 1)
          await goTo(elsewhere.page, "/me")
          assert.isTrue(await elsewhere.page.getByRole("link", { name: /^Sign in with/ }).isVisible())
          const own = await page.locator("td summary").getAttribute("aria-label")
          assert.match(own!, /^End the session of Chrome on .* since /)
          assert.strictEqual(await sure(page, own!), 303)
          assert.strictEqual(new URL(page.url()).pathname, "/")
          assert.deepStrictEqual(
            (await page.context().cookies()).filter(({ name }) => name === "service_session"),
            []
          )
          await goTo(page, "/me")
          assert.isTrue(await page.getByRole("link", { name: /^Sign in with/ }).isVisible())
          await elsewhere.close()
          await here.close()
        })
      })
    )

    it.effect("choose what is told, and what is mailed where there is an address", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        yield* sql`INSERT INTO identity (provider, subject, account_id, login, email, email_at, created_at)
          SELECT 'hub', '1', id, 'bob', 'bob@home.example', now(), now() FROM account WHERE username = 'bob'`
        yield* clicks("/me/settings", "bob", async (page) => {
          const [suspended, closed] = ["A version of mine was suspended", "A season that I took part in has ended"] as const
          assert.isTrue(await page.getByLabel(suspended).isChecked())
          await page.getByLabel(suspended).uncheck()
          const offered = await page.getByLabel(/^Mail me this, too/).count()
          if (offered > 0) await page.getByLabel(/^Mail me this, too/).check()
          assert.strictEqual(await press(page, page.locator("form#told button")), 303)
          await says(page, "Saved.")
          await goTo(page, "/me/settings")
          assert.isFalse(await page.getByLabel(suspended).isChecked())
          assert.isTrue(await page.getByLabel(closed).isChecked())
          if (offered > 0) assert.isTrue(await page.getByLabel(/^Mail me this, too/).isChecked())
        })
      })
    )

    it.effect("delete a comment of one's own, and remove a webhook, by name", () =>
      Effect.gen(function* () {
        const url = "https://10.9.8.7/bobs-own"
        yield* clicks(`/me/comments?match=${MATCH}`, "bob", async (page) => {
          await page.getByLabel("Comment", { exact: true }).fill("Soon deleted.")
          assert.strictEqual(await press(page, "Send"), 303)
          await says(page, "Soon deleted.")
          const label = await page.locator("summary").first().getAttribute("aria-label")
          assert.match(label!, /^Delete the comment of \d/)
          assert.strictEqual(await sure(page, label!), 303)
          await saysNot(page, "Soon deleted.")
          await goTo(page, "/me/webhooks")
          await page.getByLabel("Address").fill(url)
          assert.strictEqual(await press(page, "Add"), 200)
          assert.strictEqual(await sure(page, `Remove the webhook to ${url}`), 303)
          await says(page, "The webhook is removed.")
        })
      })
    )

    it.effect("decide a story and a comment, lock a thread, announce, pick by a pasted address, and feature a season", () =>
      Effect.gen(function* () {
        const { as, origin } = yield* Service.Service
        const ada = yield* as("ada")
        yield* ada.writing.writeStory({ params: { id: Fixture.modelIds.alpha }, payload: { body: "How it came", submit: true } })
        yield* ada.community.postComment({ payload: { match: MATCH, body: "Well played" } })
        const { thread } = yield* ada.community.thread({ query: { match: MATCH, limit: 1, cursor: 0 } })
        yield* clicks("/admin/stories", "root", async (page) => {
          assert.strictEqual(await press(page, "Approve and feature: the story of Alpha"), 303)
          await goTo(page, "/news")
          await says(page, "Alpha")
          await goTo(page, "/admin/stories?state=approved")
          assert.strictEqual(await press(page, "Feature no more: the story of Alpha"), 303)
          assert.strictEqual(await sure(page, "Reject the story of Alpha"), 303)
          await says(page, "There is none.")

          await goTo(page, "/admin/comments")
          assert.strictEqual(await press(page, "Approve: the comment of ada"), 303)
          await goTo(page, `/matches/${MATCH}`)
          await says(page, "Well played")
          await goTo(page, "/admin/threads")
          assert.strictEqual(await press(page, `Lock: thread ${thread.id}`), 303)
          assert.strictEqual(await press(page, `Open: thread ${thread.id}`), 303)

          await goTo(page, "/admin/announcements")
          await page.getByLabel("Title").fill("Soon")
          await page.getByLabel("Text").fill("At noon.")
          assert.strictEqual(await press(page, "Announce"), 303)
          await follow(page, "Change Soon")
          await page.getByLabel("Title").fill("Later")
          assert.strictEqual(await press(page, "Save"), 303)
          await goTo(page, "/")
          await says(page, "Later")
          await goTo(page, "/admin/announcements")
          assert.strictEqual(await sure(page, "Remove the announcement Later"), 303)
          await saysNot(page, "At noon.")

          await goTo(page, "/admin/picks")
          await page.getByLabel("Match", { exact: true }).fill(`${origin}/matches/${MATCH}#turn=3`)
          assert.strictEqual(await press(page, "Pick"), 303)
          const pick = await page.locator("td summary").first().getAttribute("aria-label")
          assert.strictEqual(await sure(page, pick!), 303)
          await saysNot(page, pick!.replace("Take back the pick of", "Match picked"))

          for (const slug of ["spring", "autumn"]) {
            await goTo(page, `/games/snakes/seasons/${slug}/admin`)
            assert.strictEqual(await press(page, page.getByRole("button", { name: /^(Feature this season|Keep it featured)/ })), 303)
            await says(page, "It is featured")
          }
        })
      })
    )

    it.effect("void from the page of a match, find a login on the roster, and read what was done in words", () =>
      clicks(`/matches/${MATCH}`, "root", async (page) => {
        assert.isFalse(await page.getByRole("link", { name: "Void it" }).isVisible(), "it bothers nobody else")
        await page.getByText("Rules, runtime, administration").click()
        await follow(page, "Void it")
        assert.strictEqual(await page.getByLabel("Match", { exact: true }).inputValue(), MATCH)
        await goTo(page, `${ADMIN}/people`)
        await page.getByLabel("Logins").fill("grace, hopper, gracious")
        assert.strictEqual(await press(page, "Add"), 200)
        await page.getByLabel("A part of a login").fill("RAC")
        await page.getByRole("button", { name: "Search" }).click()
        await page.waitForURL(/login=RAC/)
        assert.deepStrictEqual(await page.locator('table:has(caption:text("Roster")) tbody th').allTextContents(), ["grace", "gracious"])
        const label = await page.locator('summary[aria-label^="Take off the login gracious"]').getAttribute("aria-label")
        assert.strictEqual(await sure(page, label!), 303)
        await goTo(page, `${ADMIN}/log`)
        await says(page, "took a login off the roster")
      })
    )

    it.effect("stop a runner and revoke its key, add a season's webhook, test it, see why it fails, and remove it", () =>
      Effect.gen(function* () {
        const service = yield* Service.Service
        const { key } = yield* (yield* service.as("admin")).seasonFleet.createSeasonKey({ params: OF, payload: { name: "mill" } })
        const engines = [{ game: OF.game, engine_digest: Fixture.engineDigest }]
        yield* (yield* service.runner(key)).runner.openSession({
          payload: { name: "rack", runtime_version: "test", accepts: ["match"], slots: 1, engines }
        })
        yield* clicks(`${ADMIN}/runners`, "root", async (page) => {
          assert.strictEqual(await sure(page, "Stop the runner rack"), 303)
          await says(page, /^(finishes its matches and gets no more|gone)$/) // it has none, and the service soon sees that
          assert.strictEqual(await sure(page, "Revoke the key mill"), 303)
          await says(page, /^revoked /)
        })
        const url = "https://10.9.8.7/season"
        const watched = yield* open(`${ADMIN}/webhooks`, "root")
        const { page } = watched
        yield* Effect.promise(async () => {
          await page.getByLabel("Address").fill(url)
          assert.strictEqual(await press(page, "Add"), 200)
          await says(page, /^whsec_/)
          assert.strictEqual(await press(page, `Post a test: ${url}`), 303)
        })
        yield* eventually(
          "the attempt that the address refuses",
          Effect.promise(async () => {
            await goTo(page, `${ADMIN}/webhooks`)
            await follow(page, url)
            return (await page.getByText("an address that is not on the public internet").count()) > 0
          })
        )
        yield* Effect.promise(async () => {
          assert.strictEqual(await sure(page, `Make another secret for the webhook to ${url}`), 200)
          await says(page, /^whsec_/)
          assert.strictEqual(await sure(page, `Remove the webhook to ${url}`), 303)
          await saysNot(page, url)
          await watched.close()
        })
      })
    )
  })
