/** The note on a version, changed on its page by its owner, as a browser without scripts does it. */
import { said } from "@agon/site/html/Html.ts"
import { withTimes } from "@agon/site/html/instants.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, ILL, refused, send, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { versionIds: v } = Fixture

const service = SiteService.layerFixture

const AT = `/me/versions/${v.alpha2}`
const save = (note: string, as = "ada", path = AT) => send(path, as, { form: "note", note })
const noteOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql<{ note: string | null }>`SELECT note FROM version WHERE id = ${id}`, ([row]) => row!.note)
  )

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("the note on a version", (it) => {
  it.effect("is changed and taken away on the version's page, which says so", () =>
    Effect.gen(function* () {
      const before = yield* visit(AT, "ada")
      assertPage(AT, before)
      assert.match(before.text, /<textarea[^>]*name="note"[^>]*>\ndeeper<\/textarea>/)
      assert.include(before.text, "At most 280 characters.")
      const saved = yield* save(` ${ILL} `)
      assert.deepStrictEqual([saved.status, saved.headers.get("location")], [303, `${AT}?done=noted`])
      assert.strictEqual(yield* noteOf(v.alpha2), ILL)
      const after = yield* visit(`${AT}?done=noted`, "ada")
      assertPage(AT, after)
      assert.include(after.text, "The note is saved.")
      assert.strictEqual((yield* save(" \r\n ")).status, 303)
      assert.isNull(yield* noteOf(v.alpha2))
      assert.strictEqual((yield* save("on its way", "ada", `/me/versions/${v.delta1}`)).status, 303, "in whatever state")
      assert.strictEqual(yield* noteOf(v.delta1), "on its way")
    })
  )

  it.effect("leaves a rejected version's page saying what to mend, and why no other would be taken just now", () =>
    Effect.gen(function* () {
      const bob = yield* (yield* Service.Service).as("bob")
      const at = `/me/versions/${v.beta2}`
      const shown = yield* visit(at, "bob")
      assertPage(at, shown)
      const query = { model: Fixture.modelIds.beta, season: "spring" }
      const { refusals } = yield* bob.submission.preflight({ params: { game: "snakes" }, query })
      assert.isNotEmpty(refusals, "bob's other version is on its way, or the season is over")
      for (const { detail } of refusals) assert.include(shown.text, `<br>${said(withTimes(detail))}`)
      assert.include(shown.text, ">Submit the mended files</a><br>")
      assert.notInclude(shown.text, 'class="steps"', "it is on no way any more")
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO notification (id, account_id, kind, subject, link, created_at)
        SELECT gen_random_uuid(), id, 'version_rejected', 'It was rejected', ${`/v1${at}`}, now() FROM account WHERE username = 'bob'`
      const model = yield* visit(`/me/models/${Fixture.modelIds.beta}`, "bob")
      assert.match(model.text, new RegExp(`<h2>Rejected lately</h2>\\n<ul><li><a href="${at}">Version 2 in `), "no list of the API has it")
    })
  )

  it.effect("is missed by lists of what was rejected lately where its owner is not told of that, and they say so", () =>
    Effect.gen(function* () {
      const bob = yield* (yield* Service.Service).as("bob")
      const told = (version_rejected: boolean) => bob.notification.changeNotificationSettings({ payload: { version_rejected } })
      const sentence =
        /<p class="faint">You are not told when a version is rejected, and this list is made of what you are told\. <a href="\/me\/settings">Be told from now on<\/a>\.<\/p>/
      for (const path of ["/me", ...[Fixture.modelIds.beta, Fixture.modelIds.gamma].map((id) => `/me/models/${id}`)]) {
        yield* told(false)
        const off = yield* visit(path, "bob")
        assertPage(path, off)
        assert.match(off.text.slice(off.text.indexOf("<h2>Rejected lately</h2>")), sentence, path)
        yield* told(true)
        assert.notMatch((yield* visit(path, "bob")).text, sentence, path)
      }
      const settings = yield* visit("/me/settings", "bob")
      assert.include(settings.text, "> A version of mine was rejected; my pages list those that I was told of</label>")
    })
  )

  it.effect("leaves it saying the reason in a sentence on every page, and naming the tool only where that finds it", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const at = `/me/versions/${v.beta2}`
      const { origin } = yield* Service.Service
      const tool = `<code>agon examine policy.onnx policy.json --game snakes --season spring --url ${origin}</code>`
      for (const [reason, sentence, isFound] of [
        ["hash_mismatch", "A file is not the one whose hash was submitted.", false],
        ["too_slow", "One move takes it longer than the season allows.", true],
        ["trial_failed", "It reached the strike limit in a trial match.", false]
      ] as const) {
        yield* sql`UPDATE version SET reject_reason = ${reason}, reject_detail = 'As measured.' WHERE id = ${v.beta2}`
        const { text } = yield* visit(at, "bob")
        assert.include(text, `<p class="bad alert">${sentence} <bdi>As measured.</bdi></p>`)
        assert.strictEqual(text.includes(tool), isFound, reason)
        for (const path of ["/me", `/me/models/${Fixture.modelIds.beta}`]) {
          const page = (yield* visit(path, "bob")).text
          assert.include(page.toLowerCase(), sentence.toLowerCase().slice(0, -1), path)
          assert.notInclude(page, reason.replace("_", " "), path)
        }
      }
    })
  )

  it.effect("stays as typed beside the reason where it is too long or has a listed word, and nothing changes", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`INSERT INTO word (word, added_at) VALUES ('darn', now())`
      const kept = yield* noteOf(v.alpha2)
      for (const [note, status] of [
        ["🐍".repeat(281), 400],
        ["oh, Darn", 422]
      ] as const) {
        const shown = yield* save(note)
        assert.deepStrictEqual(refused(AT, shown), [status, "note"])
        assert.include(shown.text, `>\n${note}</textarea>`)
        assert.strictEqual(shown.headers.get("cache-control"), "private, no-store")
      }
      assert.strictEqual(yield* noteOf(v.alpha2), kept)
      assert.strictEqual((yield* save("🐍".repeat(280))).status, 303)
    })
  )

  it.effect("is its owner's alone: to others the page is not there, and another site's form changes nothing", () =>
    Effect.gen(function* () {
      const kept = yield* noteOf(v.alpha2)
      for (const as of ["bob", "root"]) {
        const refusal = yield* save("mine", as)
        assert.strictEqual(refusal.status, 404, as)
        assert.isEmpty(elementsOf(AT, refusal.text).filter(({ name }) => name === "form"))
      }
      assert.strictEqual((yield* save("mine", "forged")).status, 401)
      assert.strictEqual((yield* send(AT, "ada", { form: "note", note: "mine" }, { "sec-fetch-site": "cross-site" })).status, 403)
      assert.strictEqual(yield* noteOf(v.alpha2), kept)
    })
  )
})
