/**
 * Forms that are sent twice, as a double click on a page without scripts does it, beside a real
 * service: each is taken once.
 */
import { routes } from "@agon/site/routes.ts"
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { formsOf } from "../support/PageForms.ts"
import { assertPage, elementsOf, publicAddress, type Shown, send, siteAnswers, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(Effect.orDie(siteAnswers)).pipe(Layer.provideMerge(service))

const COMMENT = `/me/comments?model=${Fixture.modelIds.alpha}`

/** The form of that name as the page shows it: its hidden fields, with what is typed. */
const formOn = Effect.fnUntraced(function* (path: string, as: string, form: string, typed: Readonly<Record<string, string>>) {
  const shown = yield* visit(path, as)
  assertPage(path, shown)
  const [, body = ""] = new RegExp(`<form[^>]* id="${form}"[^>]*>([\\s\\S]*?)</form>`).exec(shown.text) ?? []
  const hidden = elementsOf(path, `<!doctype html><title>a form</title>${body}`).filter(({ attributes }) => attributes["type"] === "hidden")
  const fields = Object.fromEntries(hidden.map(({ attributes }) => [attributes["name"]!, attributes["value"]!]))
  assert.match(fields["once"] ?? "", /^[0-9a-f-]{36}$/, path)
  return { ...fields, ...typed }
})

const count = (table: string, column: string, text: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(
      sql<{ n: number }>`SELECT count(*)::int AS n FROM ${sql.literal(table)} WHERE ${sql.literal(column)} = ${text}`,
      ([row]) => row!.n
    )
  )

const leads = ({ headers, status }: Shown) => [status, headers.get("location")]

it("comments, answers and notices are forms that add something each time", () => {
  const adding = routes.flatMap((route) => ("forms" in route ? (route.forms ?? []) : [])).filter(({ adds }) => adds === true)
  assert.deepStrictEqual(
    adding.map(({ name }) => name),
    ["notice", "notice", "write", "answer"]
  )
})

layer(Layer.orDie(ready), { excludeTestServices: true, timeout: "240 seconds" })("a form that is sent twice", (it) => {
  it.effect("makes one comment, announcement, post and notice, and both are led to the same page", () =>
    Effect.gen(function* () {
      const until = { starts_at: "", ends_at: "" }
      for (const [path, as, form, typed, table, column, text] of [
        [COMMENT, "ada", "write", { body: "Sent twice." }, "comment", "body", "Sent twice."],
        [
          "/admin/announcements",
          "root",
          "announce",
          { title: "Once", body: "A text.", link: "", ...until },
          "announcement",
          "title",
          "Once"
        ],
        ["/admin/posts", "root", "write", { slug: "once", title: "Once", body: "A text.", published_at: "" }, "post", "title", "Once"],
        ["/admin/notices", "root", "notice", { subject: "Told once", link: "" }, "notice", "subject", "Told once"]
      ] as const) {
        const fields = yield* formOn(path, as, form, typed)
        const [first, second] = yield* Effect.all([send(path, as, fields), send(path, as, fields)], { concurrency: "unbounded" })
        assert.strictEqual(first.status, 303, `${path}: ${first.text}`)
        assert.deepStrictEqual(leads(second), leads(first), path)
        assert.deepStrictEqual(leads(yield* send(path, as, fields)), leads(first), "a moment later")
        assert.strictEqual(yield* count(table, column, text), 1, path)
      }
    })
  )

  it.effect("is taken once where it is only a button, in a row of a table", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO word (word, added_at) VALUES ('drat', now())`
      const shown = yield* visit("/admin/words", "root")
      assertPage("/admin/words", shown)
      const remove = formsOf(shown.text).find(({ buttons }) => buttons.some(({ label }) => label === "Remove the word drat"))!
      const fields = Object.fromEntries(remove.fields)
      const both = yield* Effect.all([send("/admin/words", "root", fields), send("/admin/words", "root", fields)], {
        concurrency: "unbounded"
      })
      assert.deepStrictEqual(
        both.map(leads),
        Array(2).fill([303, "/admin/words?done=yes#outcome"]),
        "the second is not told that there is no such word"
      )
      assert.strictEqual(yield* count("word", "word", "drat"), 0)
    })
  )

  it.effect("is the same comment or notice with the same words on a page that was loaded again, as a browser does that goes back", () =>
    Effect.gen(function* () {
      for (const [path, as, form, typed, table, column] of [
        [COMMENT, "ada", "write", { body: "Gone back to." }, "comment", "body"],
        ["/games/snakes/seasons/spring/admin/notices", "root", "notice", { subject: "Gone back to.", link: "" }, "notice", "subject"],
        ["/admin/notices", "root", "notice", { subject: "All gone back to.", link: "" }, "notice", "subject"]
      ] as const) {
        const first = yield* send(path, as, yield* formOn(path, as, form, typed))
        assert.strictEqual(first.status, 303, `${path}: ${first.text}`)
        assert.deepStrictEqual(leads(yield* send(path, as, yield* formOn(path, as, form, typed))), leads(first), path)
        assert.strictEqual(yield* count(table, column, "subject" in typed ? typed.subject : typed.body), 1, path)
      }
    })
  )

  it.effect("writes the same comment again where the first was deleted", () =>
    Effect.gen(function* () {
      const write = Effect.flatMap(formOn(COMMENT, "root", "write", { body: "Once more." }), (fields) => send(COMMENT, "root", fields))
      yield* write
      const sql = yield* SqlClient.SqlClient
      const [row] = yield* sql<{ id: string }>`SELECT id FROM comment WHERE body = 'Once more.'`
      assert.strictEqual((yield* send("/me/comments", "root", { form: "remove", id: row!.id })).status, 303)
      assert.strictEqual((yield* write).status, 303)
      assert.strictEqual(yield* count("comment", "body", "Once more."), 1)
    })
  )

  it.effect("is another form with other words, of another visitor, and on a page that was loaded again where it adds nothing", () =>
    Effect.gen(function* () {
      const fields = yield* formOn(COMMENT, "bob", "write", { body: "The same words." })
      yield* send(COMMENT, "bob", fields)
      yield* send(COMMENT, "bob", { ...fields, body: "Other words." })
      assert.strictEqual(yield* count("comment", "body", "Other words."), 1)
      yield* send(COMMENT, "root", fields)
      assert.strictEqual(yield* count("comment", "body", "The same words."), 2)
      const make = Effect.flatMap(formOn("/me/webhooks", "bob", "add", { url: "https://10.9.8.7/again" }), (typed) =>
        send("/me/webhooks", "bob", typed)
      )
      const secrets = [yield* make, yield* make].map(({ text }) => /whsec_[\w-]{43}/.exec(text)?.[0])
      assert.strictEqual(new Set(secrets).size, 2)
    })
  )

  it.effect("shows the same secret twice, of one webhook", () =>
    Effect.gen(function* () {
      const fields = yield* formOn("/me/webhooks", "ada", "add", { url: "https://10.9.8.7/twice" })
      const both = yield* Effect.all([send("/me/webhooks", "ada", fields), send("/me/webhooks", "ada", fields)], {
        concurrency: "unbounded"
      })
      const secrets = both.map(({ text }) => /whsec_[\w-]{43}/.exec(text)?.[0])
      assert.isDefined(secrets[0])
      assert.strictEqual(secrets[0], secrets[1])
      assert.strictEqual(yield* count("webhook", "url", "https://10.9.8.7/twice"), 1)
      const others = yield* send("/me/webhooks", "bob", fields)
      assert.notInclude(others.text, secrets[0]!, "another session's form is another form")
    })
  )

  it.effect("is taken once where the first request is broken off, as browsers do on a second click", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.Service
      const fields = yield* formOn(COMMENT, "root", "write", { body: "Broken off." })
      const breakOff = Effect.promise(async () => {
        const left = new AbortController()
        const headers = {
          "content-type": "application/x-www-form-urlencoded",
          ...{ origin, "x-forwarded-for": publicAddress(), cookie: "service_session=root-token" }
        }
        const body = new URLSearchParams(fields).toString()
        const sent = fetch(`${origin}${COMMENT}`, { method: "POST", redirect: "manual", headers, body, signal: left.signal })
        setImmediate(() => left.abort())
        await sent.then(
          () => {},
          () => {}
        )
      })
      for (let clicks = 0; clicks < 5; clicks++) yield* breakOff
      assert.strictEqual((yield* send(COMMENT, "root", fields)).status, 303)
      assert.strictEqual(yield* count("comment", "body", "Broken off."), 1)
    })
  )

  it.effect("can be sent again where it was refused", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO word (word, added_at) VALUES ('darn', now())`
      const fields = yield* formOn(COMMENT, "root", "write", { body: "Oh, darn." })
      assert.strictEqual((yield* send(COMMENT, "root", fields)).status, 422)
      yield* sql`DELETE FROM word`
      assert.strictEqual((yield* send(COMMENT, "root", fields)).status, 303)
      assert.strictEqual(yield* count("comment", "body", "Oh, darn."), 1)
    })
  )
})
