/** A season that asks for certain sign-ins, and the way of an account that has another one, through two providers that sign anybody in. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { Browser } from "../support/Browser.ts"
import * as Fixture from "../support/Fixture.ts"
import { type At, visitor } from "../support/PageForms.ts"
import { assertPage, elementsOf, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { openIdConfig, signInThrough, started } from "../support/StubProvider.ts"
import { seedAccounts } from "../support/Web.ts"

const SETTINGS = "/me/settings"
const GAME = "/v1/games/snakes"

/** Root, ada and bob have sessions and no way to sign in. */
const service = Layer.unwrap(
  Effect.gen(function* () {
    const [{ stub: hub }, { stub: lab }] = yield* Effect.all([started, started])
    const named = (slug: string, label: string, origin: string) => ({ ...openIdConfig(slug, origin), label })
    const providers = [named("hub", "The Hub", hub.origin), named("lab", "The Lab", lab.origin)]
    const settings = { ...SiteService.settings, providers, development_sign_in: false, admin: { provider: "hub", login: "boss" } }
    return Layer.effectDiscard(Effect.andThen(seedAccounts, siteAnswers)).pipe(Layer.provideMerge(Service.layer(settings)))
  })
)

const season = (n: number, slug: string, change: Fixture.Row) =>
  Fixture.insert("season", [Fixture.season(Fixture.uuid("season", n), slug, { submissions_close_at: "2099-01-01", ...change })])

/** The refusals that a submission would meet, by their codes. */
const refusalsOf = (browser: Browser, origin: string, slug: string) =>
  Effect.map(
    Effect.promise(() => browser.request(`${origin}${GAME}/submission?season=${slug}`)),
    ({ text }) =>
      new Map((JSON.parse(text).refusals as ReadonlyArray<{ code: string; detail: string }>).map(({ code, detail }) => [code, detail]))
  )

const settingsOf = (browser: Browser, origin: string, query = "") =>
  Effect.map(
    Effect.promise(() => browser.request(`${origin}${SETTINGS}${query}`)),
    (page) => {
      assertPage(SETTINGS, page)
      return page.text
    }
  )

const hrefOf = (text: string, label: string) =>
  new RegExp(`<a class="act aside" href="([^"]+)">Add a sign-in with ${label}</a>`).exec(text)?.[1]

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("a season that asks for certain sign-ins", (it) => {
  it.effect("names them to whoever has another one, and Settings add one to the same account, which then may enter", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.Service
      yield* season(90, "labs", { providers: ["lab"] })
      yield* season(91, "any", {})
      const browser = new Browser()
      yield* Effect.promise(() => signInThrough("hub", browser, origin, "newcomer"))
      assert.deepStrictEqual(
        [...(yield* refusalsOf(browser, origin, "labs"))],
        [
          [
            "not_eligible",
            "The season takes accounts that have a sign-in by The Lab. Yours has none: add one in Settings while you are signed in."
          ]
        ]
      )
      assert.strictEqual((yield* refusalsOf(browser, origin, "any")).size, 0)
      const made = yield* Effect.promise(() =>
        browser.request(`${origin}${GAME}/models`, {
          ...{ method: "POST", body: JSON.stringify({ name: "First" }) },
          headers: { "content-type": "application/json", "sec-fetch-site": "same-origin" }
        })
      )
      const submit = yield* Effect.promise(() => browser.request(`${origin}/me/models/${JSON.parse(made.text).id}/submit/labs`))
      assert.include(submit.text, 'add one in Settings while you are signed in.</bdi> <a href="/me/settings#sign-ins">To Settings</a></li>')
      const before = yield* settingsOf(browser, origin)
      assert.include(before, "<li>The Hub, as <bdi>newcomer</bdi></li>")
      assert.isUndefined(hrefOf(before, "The Hub"), "it has that one")
      const href = hrefOf(before, "The Lab")!
      const back = yield* Effect.promise(() => browser.follow(`${origin}${href}`, ({ pathname }) => pathname === SETTINGS))
      assert.strictEqual(back.headers.get("location"), `${SETTINGS}?done=added`)
      const after = yield* settingsOf(browser, origin, "?done=added")
      assert.include(after, "You can sign in by that as well now.")
      assert.include(after, "<li>The Lab, as ")
      assert.notInclude(after, "Add a sign-in with")
      assert.strictEqual((yield* refusalsOf(browser, origin, "labs")).size, 0)
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* sql`SELECT account_id FROM identity GROUP BY account_id`
      assert.lengthOf(accounts, 1, "no second account")
    })
  )

  it.effect(
    "says what is missing where a roster stands in the way as well, and on a page without a session what a second way would do",
    () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        yield* season(92, "both", { providers: ["lab", "gone"], entry: "restricted" })
        const browser = new Browser()
        yield* Effect.promise(() => signInThrough("hub", browser, origin, "another"))
        assert.strictEqual(
          (yield* refusalsOf(browser, origin, "both")).get("not_eligible"),
          "You are not on the season's roster: ask its administrators. If it names you by another sign-in of yours, add that one in Settings while you are signed in. The season takes accounts that have a sign-in by The Lab or gone. Yours has none: add one in Settings while you are signed in."
        )
        const signedOut = yield* Effect.promise(() => new Browser().request(`${origin}${SETTINGS}`))
        assert.strictEqual(signedOut.status, 401)
        assert.include(signedOut.text, "If you have an account, sign in as you did before: by another way you get another account.")
      })
  )

  it.effect("is made by the form only where some of them are ticked and not all, which would shut out those that come later", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.Service
      const sql = yield* SqlClient.SqlClient
      const root = visitor(origin, "service_session=root-token")
      const times = { submissions_open_at: "2026-01-01T00:00", submissions_close_at: "2090-01-01T00:00" }
      const create = Effect.fnUntraced(function* (name: string, filled: Readonly<Record<string, ReadonlyArray<string>>>) {
        const form: At = yield* root.open("/admin/seasons")
        const boxes = elementsOf(form.path, form.shown.text).filter(({ attributes }) => attributes["name"] === "providers")
        assert.deepStrictEqual(
          boxes.map(({ attributes }) => attributes["checked"] !== undefined),
          [true, true]
        )
        assert.strictEqual((yield* root.press(form, "Create the season", { ...times, name, slug: name, ...filled })).status, 303)
        const [row] = yield* sql<{ readonly providers: ReadonlyArray<string> }>`SELECT providers FROM season WHERE slug = ${name}`
        return row!.providers
      })
      assert.deepStrictEqual(yield* create("all", {}), [])
      assert.deepStrictEqual(yield* create("one", { providers: ["lab"] }), ["lab"])
    })
  )
})
