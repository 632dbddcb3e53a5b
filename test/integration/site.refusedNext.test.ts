/**
 * A form that is refused on the page which the form before it has led to, beside a real service: the page has the refusal alone, not what
 * the other has done as well. The browser posts it to the address that says so.
 */
import { routes } from "@agon/site/routes.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, send, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds, versionIds } = Fixture
const MODEL = `/me/models/${modelIds.alpha}`

interface Refused {
  /** As the site's routes have it. */
  readonly route: string
  /** With the parameter that says what was done. */
  readonly address: string
  readonly form: Readonly<Record<string, string>>
  /** 200 for a form that shows what has come of it. */
  readonly status: number
}

/** One of each page of ada's that tells what was done. */
const pages = Effect.gen(function* () {
  const { as } = yield* Service.Service
  const [ada, bob, admin] = [yield* as("ada"), yield* as("bob"), yield* as("admin")]
  const { id: comment } = yield* bob.community.postComment({ payload: { model: modelIds.alpha, body: "Read." } })
  yield* admin.moderation.moderateComment({ params: { id: comment }, payload: { state: "approved" } })
  const { id: webhook } = yield* ada.webhook.createWebhook({ payload: { url: "https://10.9.8.7/next" } })
  const one = (route: string, address: string, form: Refused["form"], status: number): Refused => ({ route, address, form, status })
  const about = `model=${modelIds.alpha}`
  return [
    one("/me/models/:id", `${MODEL}?done=renamed`, { form: "rename", name: "" }, 400),
    one("/me/models/:id/story", `${MODEL}/story?done=saved`, { form: "write", body: "x".repeat(20_001) }, 400),
    one("/me/versions/:id", `/me/versions/${versionIds.alpha2}?done=noted`, { form: "note", note: "x".repeat(281) }, 400),
    one("/me/settings", "/me/settings?done=saved", { form: "profile", display_name: "", bio: "" }, 400),
    one("/me/comments", `/me/comments?${about}&done=pending`, { form: "write", body: "" }, 400),
    one("/me/comments/:id", `/me/comments/${comment}?${about}&done=reported`, { form: "report", reason: "" }, 400),
    one("/me/sessions", "/me/sessions?done=ended", { form: "end", sid: modelIds.alpha }, 404),
    one("/me/webhooks", "/me/webhooks?done=tested", { form: "test", id: modelIds.alpha }, 404),
    one("/me/webhooks/:id", `/me/webhooks/${webhook}?done=on`, { form: "rotate" }, 200),
    one("/device", "/device?done=approved", { form: "code", user_code: "BCDF" }, 404)
  ]
})

/** Administration pages have one place that tells what became of the last form. */
const telling = routes.flatMap((route) =>
  "forms" in route && route.query?.includes("done") === true && !/\/admin\b/.test(route.path) ? [route.path] : []
)

const DONE = '<p class="good" role="status">'

layer(Layer.orDie(SiteService.layerFixture), { excludeTestServices: true, timeout: "240 seconds" })(
  "a page that tells what was done",
  (it) => {
    it.effect("does not tell it beside the refusal of the next form", () =>
      Effect.gen(function* () {
        const all = yield* pages
        assert.deepStrictEqual(all.map(({ route }) => route).toSorted(), telling.toSorted(), "every such page")
        for (const { address, form, status } of all) {
          assert.include((yield* visit(address, "ada")).text, DONE, address)
          const shown = yield* send(address, "ada", form)
          assert.strictEqual(shown.status, status, `${address}: ${shown.text}`)
          assertPage(address, shown)
          assert.notInclude(shown.text, DONE, address)
        }
      })
    )
  }
)
