/** The page on which a visitor signs a device in, as a browser without scripts has it, beside a real service. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { elementsOf, page, postForm, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const service = SiteService.layerAccounts
const AT = "/device"
/** A name that would do harm where the page did not escape it. */
const ILL = `"><ill onclick=alert(1)><script>alert(1)</script>`

const cookie = (as: string) => ({ cookie: `service_session=${as}-token` })
const device = (path: string, json: unknown) =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    Effect.promise(async () => {
      const sent = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(json) }
      return (await (await fetch(`${origin}/v1/auth/device${path}`, sent)).json()) as any
    })
  )
const begin = device("", { client_name: ILL })
const post = (as: string, fields: Readonly<Record<string, string>>, headers: Readonly<Record<string, string>> = {}) =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    postForm(origin, AT, new URLSearchParams(fields).toString(), { ...cookie(as), ...headers })
  )
const read = (path: string, headers: Readonly<Record<string, string>>) =>
  Effect.flatMap(Service.Service, ({ origin }) => page(origin, path, headers))

layer(service, { excludeTestServices: true, timeout: "120 seconds" })("the page that signs devices in", (it) => {
  it.effect("asks for the code, shows whose it is, and leads on when the visitor has approved", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { device_code, user_code, verification_uri } = yield* begin
      assert.isTrue(verification_uri.endsWith(AT))
      const asked = yield* read(AT, cookie("ada"))
      assert.isTrue(elementsOf(AT, asked.text).some(({ attributes }) => attributes["name"] === "user_code"))
      assert.strictEqual(asked.headers.get("x-frame-options"), "DENY")
      assert.include(asked.headers.get("content-security-policy")!, "frame-ancestors 'none'")

      const found = yield* post("ada", { form: "code", user_code: user_code.toLowerCase() })
      assert.strictEqual(found.status, 200, found.text)
      assert.strictEqual(found.headers.get("cache-control"), "private, no-store")
      const elements = elementsOf(AT, found.text)
      assert.isFalse(elements.some(({ name }) => name === "ill" || name === "script"))
      assert.include(found.text, "&lt;script&gt;alert(1)")
      const values = elements.filter(({ name }) => name === "button").map(({ attributes }) => attributes["value"])
      assert.deepStrictEqual(values, ["yes", "no"])
      assert.strictEqual((yield* device("/token", { device_code })).code, "authorization_pending", "typing the code decides nothing")

      const done = yield* post("ada", { form: "decision", user_code, approve: "yes" })
      assert.deepStrictEqual([done.status, done.headers.get("location")], [303, "/device?done=approved"])
      assert.include((yield* read("/device?done=approved", cookie("ada"))).text, 'role="status"')
    })
  )

  it.effect("refuses a device, and says of a wrong code that it is one", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { device_code, user_code } = yield* begin
      const wrong = yield* post("bob", { form: "code", user_code: "BCDF" })
      assert.strictEqual(wrong.status, 404)
      const field = elementsOf(AT, wrong.text).find(({ attributes }) => attributes["name"] === "user_code")!
      assert.deepInclude(field.attributes, { value: "BCDF", "aria-invalid": "true" })
      const done = yield* post("bob", { form: "decision", user_code, approve: "no" })
      assert.strictEqual(done.headers.get("location"), "/device?done=denied")
      assert.strictEqual((yield* device("/token", { device_code })).code, "access_denied")
      const again = yield* post("bob", { form: "decision", user_code, approve: "yes" })
      assert.strictEqual(again.status, 404)
      assert.include(again.text, 'role="alert"')
      const kept = elementsOf(AT, again.text).find(({ attributes }) => attributes["name"] === "user_code")!
      assert.strictEqual(kept.attributes["value"], user_code, "what was typed stays")
    })
  )

  it.effect("decides nothing for another origin's page, for nobody, or by a link", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { device_code, user_code } = yield* begin
      const fields = { form: "decision", user_code, approve: "yes" }
      for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }])
        assert.strictEqual((yield* post("root", fields, headers)).status, 403)
      const nobody = yield* post("nobody", fields)
      assert.strictEqual(nobody.status, 401)
      assert.include(nobody.text, "return_to=%2Fdevice")
      yield* read(`/device?form=decision&user_code=${user_code}&approve=yes`, cookie("root"))
      assert.strictEqual((yield* device("/token", { device_code })).code, "authorization_pending")
    })
  )
})
