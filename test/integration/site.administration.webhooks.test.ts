/** The page of a season's webhooks, as an administrator's browser without scripts has it, beside a real service. */
import { SEASON_WEBHOOKS_MAX } from "@agon/api/notification/seasonWebhooks.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import { formsOf, visitor } from "../support/PageForms.ts"
import { send, siteAnswers, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { scheduled } from "../support/scheduledSeason.ts"

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service))

/** An address that no service posts to, and no name server is asked for. */
const URL = `https://10.9.8.7/agon?x="><ill>`
const SHOWN = "https://10.9.8.7/agon?x=&quot;&gt;&lt;ill&gt;"
const adminOf = (slug: string) => `/games/snakes/seasons/${slug}/admin/webhooks`
const secretIn = (text: string) => /whsec_[\w-]{43}/.exec(text)?.[0] ?? ""
const as = (name: string) => Effect.map(Service.Service, ({ origin }) => visitor(origin, `service_session=${name}-token`))
const outcomeIn = (text: string) => /<(div|p)[^>]* id="outcome".*?<\/\1>/s.exec(text)?.[0] ?? ""

/** A season that ada administers. */
const administered = (slug: string) => Effect.as(scheduled(slug), adminOf(slug))

layer(Layer.orDie(ready), { excludeTestServices: true, timeout: "300 seconds" })("the page of a season's webhooks", (it) => {
  it.effect(
    "adds one, shows its secret once, tests it, shows its attempts, switches it, makes another secret, and removes it by a second step",
    () =>
      Effect.gen(function* () {
        const adminPage = yield* administered("hooked")
        const ada = yield* as("ada")
        const empty = yield* ada.open(adminPage)
        assert.include(empty.shown.text, "There is none.")
        const added = yield* ada.press(empty, "Add", { url: ` ${URL} ` })
        assert.deepStrictEqual([added.status, added.fragment], [200, "outcome"])
        const secret = secretIn(added.shown.text)
        assert.isAbove(secret.length, 40)
        assert.match(added.shown.text, /<input value="" dir="auto" id="add-url"/)
        assert.strictEqual(added.shown.headers.get("cache-control"), "private, no-store")

        const root = yield* as("root") // everybody who administers the season sees it
        const listed = yield* root.open(adminPage)
        for (const part of [SHOWN, "nothing was posted yet", '<a href="/people/ada">ada</a>']) assert.include(listed.shown.text, part)
        assert.notInclude(listed.shown.text, secret)
        const [, one = ""] = /<th scope="row" id="w-[^"]*"><a href="([^"#]*)#one"/.exec(listed.shown.text) ?? []
        assert.include(one, `${adminPage}?webhook=`)
        const before = yield* root.open(one)
        assert.include(before.shown.text, "Nothing was posted to it lately.")

        const tested = yield* root.press(before, `Post a test: ${URL}`)
        assert.deepStrictEqual([tested.status, tested.path], [303, `${one}&done=yes`])
        yield* eventually(
          "the attempt that the address refuses",
          Effect.map(visit(one, "root"), ({ text }) => text.includes("an address that is not on the public internet"))
        )
        const another = `Make another secret for the webhook to ${URL}`
        const off = yield* root.press(yield* root.open(one), `Switch off: ${URL}`)
        assert.include(off.shown.text, "switched off")
        const on = yield* root.press(off, `Switch on: ${URL}`)
        assert.notInclude(on.shown.text, "switched off")

        const rotated = yield* root.press(on, another)
        assert.deepStrictEqual([rotated.status, rotated.fragment], [200, "outcome"])
        assert.include(outcomeIn(rotated.shown.text), '<a href="#rotate">at the form</a>')
        assert.isAbove(secretIn(rotated.shown.text).length, 40)
        assert.notStrictEqual(secretIn(rotated.shown.text), secret)

        const last = yield* root.open(one)
        assert.notInclude(last.shown.text, "whsec_")
        const label = `Remove the webhook to ${URL}`
        assert.isTrue(formsOf(last.shown.text).find(({ buttons }) => buttons.some((button) => button.label === label))!.folded)
        const removed = yield* root.press(last, label)
        assert.deepStrictEqual([removed.status, removed.path], [303, `${adminPage}?done=yes`])
        assert.notInclude(removed.shown.text, SHOWN)
        const again = yield* root.press(last, another)
        assert.strictEqual(again.status, 404)
        assert.include(again.shown.text, "is not there any more")
      })
  )

  it.effect("says of an address beside its field why it is none, and of the sixth that five are enough", () =>
    Effect.gen(function* () {
      const adminPage = yield* administered("full")
      const root = yield* as("root")
      for (const url of ["", "hooks.example", "https://ada:pw@10.9.8.7/", '"><ill>']) {
        const refused = yield* root.press(yield* root.open(adminPage), "Add", { url })
        assert.strictEqual(refused.status, 400, url)
        assert.match(refused.shown.text, /id="add-url-fault"/)
      }
      const sql = yield* SqlClient.SqlClient
      for (let n = 0; n < SEASON_WEBHOOKS_MAX; n++)
        assert.strictEqual((yield* root.press(yield* root.open(adminPage), "Add", { url: `https://10.9.8.7/${n}` })).status, 200)
      const sixth = yield* root.press(yield* root.open(adminPage), "Add", { url: URL })
      assert.strictEqual(sixth.status, 409)
      assert.match(sixth.shown.text, /id="add-url-fault"/)
      yield* sql`UPDATE webhook SET account_id = (SELECT id FROM account WHERE username = 'bob') WHERE url = 'https://10.9.8.7/1'`
      assert.include((yield* root.open(adminPage)).shown.text, "who does not administer the season any more: nothing is posted")
    })
  )

  it.effect("is for the season's administrators alone, its forms too, and shows no other season's", () =>
    Effect.gen(function* () {
      const [ours, theirs] = [yield* administered("ours"), yield* administered("theirs")]
      const ada = yield* as("ada")
      yield* ada.press(yield* ada.open(ours), "Add", { url: "https://10.9.8.7/ours" })
      const [, id = ""] = /<th scope="row" id="w-([^"]*)"/.exec((yield* visit(ours, "ada")).text) ?? []
      assert.deepStrictEqual(
        [yield* visit(ours, "bob"), yield* visit(ours), yield* visit(adminOf("none"), "root")].map(({ status }) => status),
        [403, 401, 404]
      )
      for (const fields of [
        { form: "add", url: URL },
        { form: "rotate", id },
        { form: "remove", id }
      ] as const)
        assert.strictEqual((yield* send(ours, "bob", fields)).status, 403, fields.form)
      assert.include((yield* visit(`${theirs}?webhook=${id}`, "ada")).text, "is not there any more")
      for (const fields of [
        { form: "rotate", id },
        { form: "remove", id },
        { form: "switch", id, enabled: "no" }
      ] as const)
        assert.strictEqual((yield* send(theirs, "ada", fields)).status, 404, fields.form)
      assert.include((yield* visit(ours, "ada")).text, "https://10.9.8.7/ours")
    })
  )
})
