/** The page of a visitor's webhooks, as a browser without scripts has it, beside a real service. */
import { WEBHOOKS_MAX } from "@agon/api/notification/webhooks.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import { assertPage, page, postForm, siteAnswers } from "../support/Pages.ts"
import { retryPutOff } from "../support/putOff.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const service = SiteService.layerAccounts
const ready = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service))
const AT = "/me/webhooks"
/** An address that no service posts to, and no name server is asked for. */
const URL = "https://10.9.8.7/agon?for=ada&x=%3Cill%3E"

const cookieOf = (as: string) => ({ cookie: `service_session=${as}-token` })
/** Asked again where the account's rate is met. */
const asked = (ask: (origin: string) => ReturnType<typeof page>) =>
  Effect.flatMap(Service.Service, ({ origin }) => Effect.promise(() => retryPutOff(AT, () => Effect.runPromise(ask(origin)))))
const get = (as: string, path = AT) => asked((origin) => page(origin, path, cookieOf(as)))
const sent = (as: string, fields: Readonly<Record<string, string>>) =>
  asked((origin) => postForm(origin, AT, new URLSearchParams(fields).toString(), cookieOf(as)))
const idsIn = (text: string) => [...text.matchAll(/<th scope="row" id="w-([^"]*)"/g)].map(([, id]) => id!)

layer(Layer.orDie(ready), { excludeTestServices: true, timeout: "240 seconds" })("the page of webhooks", (it) => {
  it.effect("adds one and shows its secret once, posts a test to it, and removes it", () =>
    Effect.gen(function* () {
      const empty = yield* get("ada")
      assertPage(AT, empty)
      assert.include(empty.text, "You have none.")
      const added = yield* sent("ada", { form: "add", url: ` ${URL} ` })
      assert.strictEqual(added.status, 200, added.text)
      assertPage(AT, added)
      assert.strictEqual(added.headers.get("cache-control"), "private, no-store")
      const [secret = ""] = /whsec_[\w-]{43}/.exec(added.text) ?? []
      assert.isAbove(secret.length, 40)
      assert.match(added.text, /<input value="" dir="auto" id="add-url"/)
      const listed = yield* get("ada")
      assertPage(AT, listed)
      assert.notInclude(listed.text, secret)
      assert.include(listed.text, "https://10.9.8.7/agon?for=ada&amp;x=%3Cill%3E")
      assert.include(listed.text, "nothing was posted yet")
      const [id = ""] = idsIn(listed.text)
      assert.deepStrictEqual(idsIn((yield* get("bob")).text), [])
      assert.strictEqual((yield* sent("bob", { form: "remove", id })).status, 404)

      const tested = yield* sent("ada", { form: "test", id })
      assert.deepStrictEqual([tested.status, tested.headers.get("location")], [303, `${AT}?done=tested`])
      assert.include((yield* get("ada", `${AT}?done=tested`)).text, "A test is posted within seconds.")

      const removed = yield* sent("ada", { form: "remove", id })
      assert.deepStrictEqual([removed.status, removed.headers.get("location")], [303, `${AT}?done=removed`])
      const again = yield* sent("ada", { form: "remove", id })
      assert.strictEqual(again.status, 404)
      assertPage(AT, again)
      assert.match(again.text, /role="alert" tabindex="-1" autofocus><bdi>You have no such webhook/)
      assert.strictEqual((yield* sent("ada", { form: "remove" })).status, 404, "it says of none")
    })
  )

  it.effect("says of an address beside its field why it is none, and of the sixth that five are enough", () =>
    Effect.gen(function* () {
      for (const url of ["", "hooks.example", "javascript:alert(1)", "https://ada:pw@10.9.8.7/", '"><ill>']) {
        const refused = yield* sent("bob", { form: "add", url })
        assert.strictEqual(refused.status, 400, url)
        assert.match(refused.text, /id="add-url-fault"/)
        assertPage(AT, refused)
      }
      for (let n = 0; n < WEBHOOKS_MAX; n++)
        assert.strictEqual((yield* sent("bob", { form: "add", url: `https://10.9.8.7/${n}` })).status, 200)
      const sixth = yield* sent("bob", { form: "add", url: URL })
      assert.strictEqual(sixth.status, 409)
      assert.match(sixth.text, /id="add-url-fault"/)
      assert.lengthOf(idsIn(sixth.text), WEBHOOKS_MAX)
    })
  )

  it.effect("says how each does: what was answered last, since when it fails, and that it is off", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sent("root", { form: "add", url: "https://10.9.8.6/" })
      const shown = Effect.map(get("root"), ({ text }) => text)
      const tell = (state: Record<string, unknown>) =>
        Effect.orDie(sql`UPDATE webhook SET ${sql.update(state)} WHERE url = 'https://10.9.8.6/'`)
      const at = new Date("2026-11-01T12:00:00Z")
      yield* tell({ last_at: at, last_outcome: "204", failing_since: null })
      assert.match(yield* shown, /<td>works<\/td>[\s\S]*1 Nov 2026, 12:00 UTC<\/time>: answered 204/)
      yield* tell({ last_outcome: "refused_address", failing_since: at })
      const failing = yield* shown
      assert.include(failing, "failing since")
      assert.include(failing, "an address that is not on the public internet")
      yield* tell({ disabled_at: at })
      const off = yield* get("root")
      assertPage(AT, off)
      assert.include(off.text, "switched off")
      const [id = ""] = idsIn(off.text)
      assert.strictEqual((yield* sent("root", { form: "test", id })).status, 303)
      assert.notInclude(yield* shown, "switched off", "a test switches it on again")
    })
  )

  it.effect("leads to the page of one, with its last attempts, a switch and another secret, for its owner alone", () =>
    Effect.gen(function* () {
      const at = (id: string) => `${AT}/${id}`
      const added = yield* sent("root", { form: "add", url: "https://10.9.8.5/one" })
      const id = idsIn(added.text).at(-1)!
      const posted = (as: string, fields: Readonly<Record<string, string>>) =>
        asked((origin) => postForm(origin, at(id), new URLSearchParams(fields).toString(), cookieOf(as)))
      const before = yield* get("root", at(id))
      assertPage(at(id), before)
      assert.include(before.text, "Nothing was posted to it lately.")
      const off = yield* posted("root", { form: "switch", enabled: "no" })
      assert.deepStrictEqual([off.status, off.headers.get("location")], [303, `${at(id)}?done=off`])
      const shown = yield* get("root", `${at(id)}?done=off`)
      assert.match(shown.text, /switched off[\s\S]*Switch it on/)
      assert.strictEqual((yield* posted("root", { form: "switch", enabled: "yes" })).headers.get("location"), `${at(id)}?done=on`)
      assert.notInclude((yield* get("root", at(id))).text, "switched off")
      const rotated = yield* posted("root", { form: "rotate" })
      assertPage(at(id), rotated)
      const [secret = ""] = /whsec_[\w-]{43}/.exec(rotated.text) ?? []
      assert.isAbove(secret.length, 40)
      assert.notInclude(added.text, secret)
      assert.notInclude((yield* get("root", at(id))).text, secret)
      yield* sent("root", { form: "test", id })
      yield* eventually(
        "the attempt that the address refuses",
        Effect.map(get("root", at(id)), ({ text }) => text.includes("an address that is not on the public internet"))
      )
      for (const path of [at(id), at("01950001-0000-7000-8000-000000000999")])
        assert.strictEqual((yield* get("bob", path)).status, 404, path)
      assert.strictEqual((yield* posted("bob", { form: "switch", enabled: "no" })).status, 404)
      assert.strictEqual((yield* posted("bob", { form: "rotate" })).status, 404)
    })
  )

  it.effect("is for the signed in", () =>
    Effect.gen(function* () {
      const answer = yield* asked((origin) => page(origin, AT))
      assert.strictEqual(answer.status, 401)
      assert.include(answer.text, `return_to=${encodeURIComponent(AT)}`)
    })
  )
})
