/** Texts and entries of people on the site, as a browser without scripts sends them, beside a real service. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { assertPage, ILL, refused, send, siteAnswers, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const model = Fixture.modelIds.alpha
const STORY = `/me/models/${model}/story`
const TEXT = `# How it came\n\n${ILL}\n\n<script>alert(1)</script> [there](javascript:alert(1)) *so*`

/** A season that takes submissions today; those of the fixture took them long ago. */
const opened = Effect.gen(function* () {
  const admin = yield* (yield* Service.Service).as("admin")
  yield* admin.seasonCreation.createSeason({
    params: { game: "snakes" },
    payload: {
      ...OPEN_SEASON,
      name: "Today",
      slug: "today",
      weight_classes: Fixture.classes,
      providers: ["dev"]
    }
  })
  yield* admin.platform.addWord({ payload: { word: "darn" } })
})

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(Effect.orDie(Effect.andThen(opened, siteAnswers))).pipe(Layer.provideMerge(service))

const leads = ({ headers, status }: { readonly headers: Headers; readonly status: number }) => [status, headers.get("location")]
const seen = (path: string, as?: string) => Effect.map(visit(path, as), ({ text }) => text)

layer(ready, { excludeTestServices: true, timeout: "300 seconds" })("a signed-in person", (it) => {
  it.effect("writes the story of their model, takes it back while it waits, and everybody reads it once it is approved", () =>
    Effect.gen(function* () {
      assert.include(yield* seen(`/me/models/${model}`, "ada"), `href="${STORY}"`)
      assert.include(yield* seen(STORY, "ada"), "Nothing is written yet")
      for (const [fields, fault] of [
        [{ body: " ", hand_in: "yes" }, [400, "body"]],
        [{ body: "x".repeat(20_001), hand_in: "" }, [400, "body"]],
        [{ body: `${ILL} Darn it.`, hand_in: "" }, [422, "body"]]
      ] as const) {
        const shown = yield* send(STORY, "ada", { form: "write", ...fields })
        assert.deepStrictEqual(refused(STORY, shown), fault)
        assert.include(shown.text, fields.body.slice(-8))
      }
      assert.deepStrictEqual(leads(yield* send(STORY, "ada", { form: "write", body: TEXT, hand_in: "" })), [303, `${STORY}?done=saved`])
      const draft = yield* visit(STORY, "ada")
      assert.deepStrictEqual([draft.status, draft.headers.get("cache-control")], [200, "private, no-store"])
      assertPage(STORY, draft)
      assert.include(draft.text, "A draft that nobody else reads")
      assert.match(draft.text, /As it reads<\/h2>\n<div class="markdown"><h3 dir="auto">How it came<\/h3>/)
      assert.deepStrictEqual(leads(yield* send(STORY, "ada", { form: "write", body: TEXT, hand_in: "yes" })), [303, `${STORY}?done=handed`])
      assert.include(yield* seen(STORY, "ada"), "Take it back")
      assert.deepStrictEqual(leads(yield* send(STORY, "ada", { form: "withdraw" })), [303, `${STORY}?done=withdrawn`])
      assert.include(yield* seen("/admin/stories", "root"), "There is none")
      assert.notInclude(yield* seen(STORY, "ada"), "Take it back")
      yield* send(STORY, "ada", { form: "write", body: TEXT, hand_in: "yes" })
      const admin = yield* (yield* Service.Service).as("admin")
      yield* admin.editorial.decideStory({ params: { model }, payload: { state: "approved" } })
      yield* eventually(
        "the story on the model's page",
        Effect.map(visit(`/models/${model}`), (shown) => {
          assertPage("the model", shown)
          return /<h2 id="story-title">Its story<\/h2>\n<div class="markdown"><h3 dir="auto">How it came/.test(shown.text)
        })
      )
      yield* send(STORY, "ada", { form: "write", body: "Another text", hand_in: "" })
      assert.include(yield* seen(STORY, "ada"), "The text that was approved last")
    })
  )

  it.effect("writes no story of somebody else's model, and none from the page of another origin", () =>
    Effect.gen(function* () {
      const fields = { form: "write", body: "Stolen", hand_in: "yes" }
      assert.deepStrictEqual([(yield* visit(STORY)).status, (yield* visit(STORY, "bob")).status], [401, 404])
      assert.strictEqual((yield* send(STORY, "bob", fields)).status, 404)
      for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
        assert.strictEqual((yield* send(STORY, "ada", fields, headers)).status, 403)
      }
      assert.notInclude(yield* seen(STORY, "ada"), "Stolen")
    })
  )

  it.effect("enters the version of another season again, and is told why where that is not possible", () =>
    Effect.gen(function* () {
      const at = `/me/models/${model}/submit/today`
      const page = yield* visit(at, "ada")
      assert.match(page.text, /<select id="reenter-from"[^>]*>(<option value="(spring|secret|winter)">[^<]*<\/option>){3}<\/select>/)
      const nothing = yield* send(at, "ada", { form: "reenter", from: "autumn" })
      assert.deepStrictEqual([nothing.status, /aria-invalid="true"/.test(nothing.text)], [404, true])
      assert.strictEqual((yield* send(at, "bob", { form: "reenter", from: "winter" })).status, 404)
      const taken = yield* send(at, "ada", { form: "reenter", from: "winter" })
      const [status, to] = leads(taken)
      assert.strictEqual(status, 303, taken.text)
      assert.match(String(to), /^\/me\/versions\/[0-9a-f-]{36}$/)
      assert.include(yield* seen(String(to), "ada"), "/games/snakes/seasons/today")
      assert.deepStrictEqual(leads(yield* send(at, "ada", { form: "reenter", from: "winter" })), [303, to])
      const closed = yield* send(`/me/models/${model}/submit/winter`, "ada", { form: "reenter", from: "spring" })
      assert.strictEqual(closed.status, 409)
      assert.match(closed.text, /<p class="bad alert" role="alert" tabindex="-1" autofocus><bdi>[^<]+<\/bdi><\/p>/)
      assert.include(closed.text, `<option value="spring" selected>`)
      assert.notInclude(yield* seen(`/me/models/${Fixture.modelIds.delta}/submit/today`, "ada"), "Enter a version of another season again")
    })
  )

  it.effect("who administers the platform changes an announcement, and sends everybody a notice", () =>
    Effect.gen(function* () {
      const admin = yield* (yield* Service.Service).as("admin")
      const written = { title: ILL, body: ILL, link: "/news", starts_at: "2026-01-01T00:00:00Z" }
      const { id } = yield* admin.editorial.announce({ payload: written })
      const at = `/admin/announcements?announcement=${id}`
      const shown = yield* visit(at, "root")
      const inputs = assertPage(at, shown).flatMap(({ attributes, name }) =>
        name === "input" ? [[attributes["name"], attributes["value"]]] : []
      )
      assert.includeDeepMembers(inputs, [
        ["id", id],
        ["title", ILL],
        ["link", "/news"],
        ["starts_at", "2026-01-01T00:00"],
        ["ends_at", ""]
      ])
      const fields = {
        form: "announce",
        id,
        was: inputs.find(([name]) => name === "was")![1]!,
        title: "Changed",
        body: "Anew.",
        link: "",
        starts_at: "2026-02-01T00:00",
        ends_at: ""
      }
      const ill = yield* send(at, "root", { ...fields, ends_at: "2026-01-01T00:00" })
      assert.deepStrictEqual(refused(at, ill), [400, "ends_at"])
      assert.include(ill.text, `name="id" value="${id}"`)
      assert.deepStrictEqual(leads(yield* send(at, "root", fields)), [303, "/admin/announcements?done=yes#outcome"])
      const { announcements } = yield* admin.editorial.allAnnouncements({ query: { limit: 10, cursor: 0 } })
      assert.deepStrictEqual(announcements, [
        { id, title: "Changed", body: "Anew.", link: null, starts_at: "2026-02-01T00:00:00.000Z", ends_at: null }
      ])
      assert.deepStrictEqual(leads(yield* send("/admin/notices", "root", { form: "notice", subject: ILL, link: "/news" })), [
        303,
        "/admin/notices?done=yes#outcome"
      ])
      for (const [path, as] of [
        ["/admin/notices", "root"],
        ["/me/notifications", "ada"]
      ] as const) {
        const listed = yield* visit(path, as)
        assertPage(path, listed)
        assert.include(listed.text, `<a href="/news"><bdi>&quot;&gt;&lt;ill`, path)
      }
      assert.strictEqual((yield* send("/admin/notices", "ada", { form: "notice", subject: "x", link: "" })).status, 403)
    })
  )
})
