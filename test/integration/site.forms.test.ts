/**
 * Forms of the site beside a real service: what becomes of a good one, of one that the API refuses, and of
 * one that no page of ours sent.
 */
import { RejectReason } from "@agon/api/version/RejectReason.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import { elementsOf, page, postForm, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { seedAccounts } from "../support/Web.ts"

/** Nothing is due in these tests, so nobody listens there. */
const relay = { host: "127.0.0.1", port: 9, implicit_tls: false, clear_text: true, auth: undefined }
const mail = { relay, from: { name: "Agon", address: "agon@agon.example" } }
const service = Layer.effectDiscard(seedAccounts).pipe(Layer.provideMerge(Service.layer({ ...SiteService.settings, mail })))
const SETTINGS = "/me/settings"

interface Sent {
  readonly as?: "ada" | "bob"
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string | Readonly<Record<string, string>>
  readonly path?: string
}

/** As a browser without scripts sends it, from a page of the service's own origin. */
const post = ({ as, body, headers = {}, path = SETTINGS }: Sent) =>
  Effect.flatMap(Service.Service, ({ origin }) =>
    postForm(origin, path, typeof body === "string" ? body : new URLSearchParams(body).toString(), {
      ...(as === undefined ? {} : { cookie: `service_session=${as}-token` }),
      ...headers
    })
  )

const get = (as: string, path: string) =>
  Effect.flatMap(Service.Service, ({ origin }) => page(origin, path, { cookie: `service_session=${as}-token` }))

/** Each from an address of its own, which meets no rate. */
const account = (as: string) =>
  Effect.map(get(as, "/v1/me"), ({ text }) => JSON.parse(text) as { readonly display_name: string; readonly bio: string })

const PROFILE = { form: "profile", display_name: "Ada", bio: "" }
/** Text that would do harm where a page did not escape it, or let it turn the direction. */
const ILL = `"><ill onclick=alert(1)></textarea><script>alert(1)</script>&amp;`

layer(service, { excludeTestServices: true, timeout: "120 seconds" })("forms of the site", (it) => {
  it.effect("change what they say, and lead to a page", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { headers, status } = yield* post({ as: "ada", body: { ...PROFILE, display_name: "Ada L.", bio: "one\r\ntwo" } })
      assert.deepStrictEqual([status, headers.get("location")], [303, "/me/settings?done=saved"])
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      const { bio, display_name } = yield* account("ada")
      assert.deepStrictEqual([display_name, bio], ["Ada L.", "one\ntwo"])
    })
  )

  it.effect("leave alone what was not changed in them, also what was changed elsewhere or would not be allowed now", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const sql = yield* SqlClient.SqlClient
      const shown = Effect.map(get("bob", SETTINGS), ({ text }) => {
        const fields = elementsOf(SETTINGS, text).map(({ attributes }) => attributes)
        return Object.fromEntries(
          ["display_name", "was_display_name", "was_bio"].map((name) => [
            name,
            fields.find((field) => field["name"] === name)?.["value"] ?? ""
          ])
        )
      })
      const before = yield* account("bob")
      const page = yield* shown
      assert.deepStrictEqual(page, { display_name: before.display_name, was_display_name: before.display_name, was_bio: before.bio })
      yield* sql`UPDATE account SET display_name = 'Elsewhere' WHERE username = 'bob'`
      const saved = yield* post({ as: "bob", body: { form: "profile", ...page, bio: "of the older page" } })
      assert.strictEqual(saved.status, 303)
      const after = yield* account("bob")
      assert.deepStrictEqual([after.display_name, after.bio], ["Elsewhere", "of the older page"])
      yield* sql`UPDATE account SET display_name = ${"B\u202eob"} WHERE username = 'bob'`
      const again = yield* post({ as: "bob", body: { form: "profile", ...(yield* shown), bio: "two" } })
      assert.strictEqual(again.status, 303)
      assert.strictEqual((yield* account("bob")).bio, "two")
      yield* sql`UPDATE account SET display_name = ${before.display_name}, bio = ${before.bio} WHERE username = 'bob'`
    })
  )

  it.effect("ask to be mailed where there is an address that is verified", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const box = Effect.map(get("bob", SETTINGS), ({ text }) =>
        elementsOf(SETTINGS, text).find(({ attributes }) => attributes["type"] === "checkbox" && attributes["name"] === "email")
      )
      assert.isUndefined(yield* box)
      yield* Effect.flatMap(
        SqlClient.SqlClient,
        (sql) => sql`INSERT INTO identity (provider, subject, account_id, login, email, email_at, created_at)
          SELECT 'hub', '1', id, 'bob', 'bob@home.example', now(), now() FROM account WHERE username = 'bob'`
      )
      const isChecked = Effect.map(box, (found) => found!.attributes["checked"] !== undefined)
      const save = (email: string) => post({ as: "bob", body: `form=told&kind=season_notice&email=no${email}` })
      assert.isFalse(yield* isChecked)
      for (const [email, checked] of [
        ["&email=yes", true],
        ["&email=yes", true],
        ["", false]
      ] as const) {
        assert.deepStrictEqual((yield* save(email)).headers.get("location"), "/me/settings?done=saved")
        assert.strictEqual(yield* isChecked, checked)
      }
    })
  )

  it.effect("are shown again with what was typed, and the reason beside the field, where the API refuses them", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const before = yield* account("bob")
      const { headers, status, text } = yield* post({ as: "bob", body: { ...PROFILE, display_name: ILL.repeat(3), bio: `\n${ILL}` } })
      assert.strictEqual(status, 400)
      assert.strictEqual(headers.get("cache-control"), "private, no-store")
      const elements = elementsOf(SETTINGS, text)
      const named = (name: string) => elements.find(({ attributes }) => attributes["name"] === name)!.attributes
      const input = named("display_name")
      assert.strictEqual(input["value"], ILL.repeat(3))
      assert.strictEqual(input["aria-invalid"], "true")
      const described = input["aria-describedby"]!.split(" ")
      for (const id of described)
        assert.isTrue(
          elements.some(({ attributes }) => attributes["id"] === id),
          id
        )
      assert.isTrue(elements.some(({ attributes }) => attributes["role"] === "alert"))
      assert.isUndefined(named("bio")["aria-invalid"])
      assert.isFalse(elements.some(({ name }) => name === "ill" || name === "script"))
      assert.include(text, '<textarea rows="6" dir="auto"')
      assert.deepStrictEqual(yield* account("bob"), before)
    })
  )

  it.effect("change nothing when another origin sends them", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const before = yield* account("bob")
      for (const headers of [
        { origin: "https://evil.example" },
        { origin: "null" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "cross-site", origin: "null" }
      ]) {
        const { status } = yield* post({ as: "bob", headers, body: { ...PROFILE, display_name: "Mallory" } })
        assert.strictEqual(status, 403, JSON.stringify(headers))
      }
      assert.deepStrictEqual(yield* account("bob"), before)
    })
  )

  it.effect("show the way to sign in where the session is missing or has ended", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      for (const cookie of [
        "",
        "service_session=",
        "service_session=nobody",
        `service_session=${"x".repeat(5_000)}`,
        "service_session=a b"
      ]) {
        const { status, text } = yield* post({ headers: { cookie }, body: PROFILE })
        assert.strictEqual(status, 401, cookie)
        assert.include(text, "/v1/auth/dev?return_to=%2Fme%2Fsettings")
      }
    })
  )

  it.effect("keep what was typed where the session has ended meanwhile, so that it can be sent by the next one", () =>
    Effect.gen(function* () {
      const body = { ...PROFILE, display_name: "Bob", bio: `kept\r\n${ILL}` }
      const own = { "sec-fetch-site": "same-origin" }
      const { status, text } = yield* post({ headers: { ...own, cookie: "service_session=ended" }, body })
      assert.strictEqual(status, 401)
      const hidden = elementsOf(SETTINGS, text).filter(({ attributes }) => attributes["type"] === "hidden")
      const again = Object.fromEntries(hidden.map(({ attributes }) => [attributes["name"]!, attributes["value"]!]))
      const { once, ...kept } = again
      assert.match(once ?? "", /^[0-9a-f-]{36}$/)
      assert.deepStrictEqual(kept, { ...body, bio: body.bio.replace("\r", "") })
      assert.strictEqual((yield* post({ as: "bob", headers: own, body: again })).status, 303)
      assert.strictEqual((yield* account("bob")).bio, again["bio"])
      const elsewhere = yield* post({ headers: { cookie: "service_session=ended" }, body })
      assert.strictEqual(elsewhere.status, 401)
      assert.notInclude(elsewhere.text, "kept", "a page of another site may have sent it")
    })
  )

  it.effect("are refused whole where they are too long, of another type, ill encoded, or none of the page's", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const status = (sent: Omit<Sent, "as">) => Effect.map(post({ as: "bob", ...sent }), ({ status }) => status)
      assert.strictEqual(yield* status({ body: `form=profile&bio=${"a".repeat(300_000)}` }), 413)
      for (const type of ["application/json", "multipart/form-data; boundary=x", "text/plain", "application/x-www-form-urlencodedx"]) {
        assert.strictEqual(yield* status({ headers: { "content-type": type }, body: "form=profile" }), 415, type)
      }
      for (const body of [
        "form=profile&bio=%",
        "form=profile&bio=%zz",
        "form=profile&bio=%ff%fe",
        "form=profile&bio=%ed%a0%80",
        "form=profile&bio=%00",
        "form=profile&bio=\u00e9",
        "a&".repeat(2_000)
      ]) {
        assert.strictEqual(yield* status({ body }), 400, body.slice(0, 40))
      }
      for (const name of ["", "none", "__proto__", "constructor"]) assert.strictEqual(yield* status({ body: { form: name } }), 400, name)
      const elsewhere = yield* post({ as: "bob", path: "/news", body: PROFILE })
      assert.deepStrictEqual([elsewhere.status, elsewhere.headers.get("allow")], [405, "GET, HEAD"])
    })
  )

  it.effect("ignore fields that they do not have, and take the last of several", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { status } = yield* post({
        as: "bob",
        body: "form=profile&display_name=first&display_name=last&bio=&admin=true&__proto__=x&constructor=y&%22%3E%3Cill%3E=1"
      })
      assert.strictEqual(status, 303)
      assert.strictEqual((yield* account("bob")).display_name, "last")
    })
  )

  it.effect("make a model, give it another name and retire it, and tell beside the field that a name is taken", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const made = yield* post({ as: "ada", path: "/me/models", body: { form: "create", game: "snakes", name: "Nagini" } })
      assert.strictEqual(made.status, 303, made.text)
      const at = made.headers.get("location")!.replace(/\?.*/, "")
      assert.match(at, /^\/me\/models\/[0-9a-f-]{36}$/)
      const again = yield* post({ as: "ada", path: "/me/models", body: { form: "create", game: "snakes", name: "Nagini" } })
      assert.strictEqual(again.status, 409)
      const name = elementsOf(at, again.text).find(({ attributes }) => attributes["id"] === "create-name")!.attributes
      assert.deepStrictEqual([name["value"], name["aria-invalid"]], ["Nagini", "true"])
      assert.strictEqual((yield* post({ as: "ada", path: at, body: { form: "rename", name: ILL.slice(0, 60) } })).status, 303)
      const retired = yield* post({ as: "ada", path: at, body: { form: "retire", retired: "yes" } })
      assert.strictEqual(retired.status, 303)
      assert.include((yield* get("ada", retired.headers.get("location")!)).text, 'role="status">The model is retired')
      const own = yield* get("ada", at)
      assert.include(own.text, "A retired model takes no submissions.")
      assert.isFalse(elementsOf(at, own.text).some(({ name }) => name === "ill" || name === "script"))
      assert.strictEqual((yield* get("bob", at)).status, 404)
      assert.strictEqual((yield* post({ as: "bob", path: at, body: { form: "rename", name: "Stolen" } })).status, 404)
    })
  )

  it.effect("mark notifications as read, and lead back to the page of the list that they are on", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      for (const path of ["/me/notifications", "/me/notifications?cursor=50"]) {
        const { headers, status } = yield* post({ as: "ada", path, body: { form: "read", all: "yes" } })
        assert.deepStrictEqual([status, headers.get("location")], [303, path])
      }
    })
  )

  it.effect("write a comment, which shows where it waits and can be deleted, and that of a known author at its subject", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { as } = yield* Service.Service
      const { id } = yield* (yield* as("ada")).model.createModel({ params: { game: "snakes" }, payload: { name: "Talked about" } })
      const at = `/me/comments?model=${id}`
      const subject = yield* get("bob", `/models/${id}`)
      assert.isTrue(elementsOf(at, subject.text).some(({ attributes }) => attributes["href"] === at))
      const write = (body: string) => post({ as: "bob", path: at, body: { form: "write", body } })
      const long = yield* write("x".repeat(2_001))
      assert.strictEqual(long.status, 400)
      const area = elementsOf(at, long.text).find(({ name }) => name === "textarea")!.attributes
      assert.deepStrictEqual([area["name"], area["aria-invalid"]], ["body", "true"])
      for (const path of [`/me/comments?model=${id}&match=${id}`, "/me/comments?match=none"]) {
        assert.strictEqual((yield* get("bob", path)).status, 400, path)
      }
      const nothing = "/me/comments?match=01950001-0000-7000-8000-000000000999"
      assert.strictEqual((yield* post({ as: "bob", path: nothing, body: { form: "write", body: "x" } })).status, 404)
      for (const body of ["Soon deleted.", ILL]) {
        const { headers, status } = yield* write(body)
        assert.deepStrictEqual([status, headers.get("location")], [303, "/me/comments?done=pending"])
      }
      const waiting = yield* get("bob", "/me/comments")
      const ids = elementsOf(at, waiting.text).flatMap(({ attributes, name }) =>
        name === "input" && attributes["name"] === "id" ? (attributes["value"] ?? []) : []
      )
      assert.lengthOf(ids, 2)
      assert.isFalse(elementsOf(at, waiting.text).some(({ name }) => name === "ill" || name === "script"))
      assert.notInclude((yield* get("ada", "/me/comments")).text, "Soon deleted.")
      assert.strictEqual((yield* post({ as: "ada", path: "/me/comments", body: { form: "remove", id: ids[1]! } })).status, 404)
      assert.strictEqual((yield* post({ as: "bob", path: "/me/comments", body: { form: "remove", id: ids[1]! } })).status, 303)
      assert.notInclude((yield* get("bob", "/me/comments")).text, "Soon deleted.")
      const root = { cookie: "service_session=root-token" }
      const approved = yield* post({ headers: root, path: "/admin/comments", body: { form: "decide", id: ids[0]!, state: "approved" } })
      assert.strictEqual(approved.status, 303, approved.text)
      const { headers, status } = yield* write("Well played.")
      assert.strictEqual(status, 303)
      assert.match(headers.get("location")!, new RegExp(`^/private/models/${id}\\?comment=[^#]*#comment-`))
      yield* eventually(
        "the comment at its subject",
        Effect.map(get("bob", `/models/${id}`), ({ text }) => text.includes("Well played."))
      )
    })
  )

  it.effect("end all other sessions by one press, or say how many they have ended and what to do about the rest", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const sql = yield* SqlClient.SqlClient
      const path = "/me/sessions"
      const signIns = (n: number) => sql`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
        SELECT gen_random_uuid(), id, sha256(convert_to('other-' || now() || n, 'UTF8')), now(), now(), now() + interval '1 day'
        FROM account CROSS JOIN generate_series(1, ${n}::int) n WHERE username = 'ada'`
      const endOthers = post({ as: "ada", path, body: { form: "end-others" } })
      yield* signIns(6)
      const few = yield* endOthers
      assert.deepStrictEqual([few.status, few.headers.get("location")], [303, `${path}?done=others`])
      assert.lengthOf((yield* get("ada", path)).text.match(/End the session of/g) ?? [], 1)
      yield* signIns(40)
      const many = yield* endOthers
      assert.strictEqual(many.status, 429)
      const [, ended, of] =
        /role="alert"[^>]*><bdi>(\d+) of (\d+) other sessions have ended, and those below have not\. So many are/.exec(many.text) ?? []
      assert.strictEqual(of, "40", many.text)
      assert.isAtLeast(Number(ended), 4)
      const left = many.text.match(/>End <bdi>the session of/g)!.length - 1
      assert.isTrue(left === 40 - Number(ended) || left === 39 - Number(ended), `${left} are left`)
      assert.include(many.text, `>End all ${left} other sessions</summary>`)
      assert.notInclude(many.text, "You are signed in here alone.")
    })
  )

  it.effect("end a session, and the browser forgets it", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      for (const path of ["/me", "/me/comments", "/me/models", "/me/notifications", "/me/sessions", "/me/settings"]) {
        const own = yield* get("bob", path)
        assert.strictEqual(own.status, 200, path)
        assert.isFalse(
          elementsOf(path, own.text).some(({ name }) => name === "script"),
          `${path} needs none`
        )
      }
      assert.strictEqual((yield* post({ as: "bob", path: "/me/notifications", body: { form: "read", all: "yes" } })).status, 303)
      const out = yield* post({ as: "bob", path: "/me/sessions", body: { form: "sign-out" } })
      assert.deepStrictEqual([out.status, out.headers.get("location")], [303, "/"])
      assert.match(out.headers.get("set-cookie") ?? "", /^service_session=; Max-Age=0; Path=\//)
      assert.strictEqual((yield* get("bob", "/me")).status, 401)
    })
  )

  it.effect("have the starter kit beside them, with an address for each reason of a rejection", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { status, text } = yield* get("ada", "/kit/reject-reasons")
      assert.strictEqual(status, 200)
      const ids = elementsOf("/kit/reject-reasons", text).flatMap(({ attributes }) => attributes["id"] ?? [])
      for (const reason of RejectReason.literals) assert.include(ids, reason)
      assert.strictEqual((yield* get("ada", "/kit/none")).status, 404)
    })
  )

  it.effect("show the starter kit as text with headings, tables and links that lead to headings that are there", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const seen = new Map<string, string>()
      const wanted: Array<string> = ["/kit/readme"]
      for (const to of wanted) {
        const path = to.replace(/#.*/, "")
        const text = seen.get(path) ?? (yield* get("ada", path)).text
        if (!seen.has(path)) {
          seen.set(path, text)
          const main = text.slice(text.indexOf("<main"))
          assert.notMatch(main.replace(/<(pre|code)\b.*?<\/\1>/gs, ""), /\]\(|\*\*|```|^#|^\|/m, `${path} shows its Markdown`)
          for (const [, href = ""] of main.matchAll(/href="(\/kit\/[^"]*)"/g)) if (!wanted.includes(href)) wanted.push(href)
        }
        const id = to.split("#")[1]
        if (id !== undefined) assert.include(text, `id="${id}"`, to)
      }
      assert.isAbove(seen.size, 10)
      assert.isTrue(wanted.some((to) => to.includes("#")))
    })
  )
})
