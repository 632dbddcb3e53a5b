/**
 * Answering, reporting and deleting a comment on the site, as a browser without scripts
 * does it, beside a real service.
 */
import { assert, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, ILL, refused, type Shown, send, siteAnswers, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const model = Fixture.modelIds.alpha

/** A comment on a model of ada's by bob, of whom a moderator has approved it. */
interface Ids {
  readonly comment: string
  readonly thread: string
}

const talked = Effect.gen(function* () {
  const { as } = yield* Service.Service
  const [bob, admin] = [yield* as("bob"), yield* as("admin")]
  const { id: comment } = yield* bob.community.postComment({ payload: { model, body: ILL } })
  yield* admin.moderation.moderateComment({ params: { id: comment }, payload: { state: "approved" } })
  const { thread } = yield* bob.community.thread({ query: { model, limit: 1, cursor: 0 } })
  yield* siteAnswers
  return { comment, thread: thread.id! }
})

class Talked extends Context.Service<Talked, Ids>()("test/Talked") {
  static readonly layer = Layer.effect(Talked, Effect.orDie(talked))
}

const service = SiteService.layerFixture

const pageOf = ({ comment }: Ids) => `/me/comments/${comment}?model=${model}`

const formsOf = (path: string, { text }: Shown) =>
  elementsOf(path, text).flatMap(({ attributes, below, name }) =>
    name === "form" && attributes["method"] === "post"
      ? below.flatMap((field) => (field.attributes["name"] === "form" ? [field.attributes["value"]!] : []))
      : []
  )

layer(Talked.layer.pipe(Layer.provideMerge(service)), { excludeTestServices: true, timeout: "300 seconds" })(
  "a comment on the site",
  (it) => {
    it.effect("is answered from the page that its thread leads to, and the answer says what it answers", () =>
      Effect.gen(function* () {
        const ids = yield* Talked
        const subject = yield* visit(`/models/${model}`)
        const link = assertPage("the model", subject).find(({ attributes }) => attributes["href"] === pageOf(ids))
        assert.strictEqual(link?.attributes["aria-label"], "Answer or report the comment of bob")
        const shown = yield* visit(pageOf(ids), "ada")
        assert.deepStrictEqual([shown.status, shown.headers.get("cache-control")], [200, "private, no-store"])
        assertPage(pageOf(ids), shown)
        assert.deepStrictEqual(formsOf(pageOf(ids), shown), ["answer", "report"])
        const long = yield* send(pageOf(ids), "ada", { form: "answer", body: `${ILL}${"x".repeat(2_000)}` })
        assert.deepStrictEqual(refused(pageOf(ids), long), [400, "body"])
        assert.include(long.text, "x".repeat(2_000))
        const first = yield* send(pageOf(ids), "ada", { form: "answer", body: "Thank you." })
        assert.deepStrictEqual([first.status, first.headers.get("location")], [303, "/me/comments?done=pending"])
        const waiting = yield* visit("/me/comments", "ada")
        assert.match(waiting.text, /it waits for a moderator<\/p>\s*<div class="prose"><p dir="auto">Thank you\./)
        const own = elementsOf("/me/comments", waiting.text).find(({ name, attributes }) => name === "input" && attributes["name"] === "id")
        yield* send("/admin/comments", "root", { form: "decide", id: own!.attributes["value"]!, state: "approved" })
        const second = yield* send(pageOf(ids), "ada", { form: "answer", body: "And again." })
        assert.strictEqual(second.status, 303)
        assert.match(second.headers.get("location")!, new RegExp(`^/private/models/${model}\\?comment=[^#]*#comment-`))
        const answers = new RegExp(`<a href="#comment-${ids.comment}">In answer to a comment above</a>`, "g")
        yield* eventually(
          "both answers in the thread",
          Effect.map(visit(`/models/${model}`), ({ text }) => text.match(answers)?.length === 2)
        )
        assert.match((yield* visit("/me/comments", "ada")).text, /everybody reads it<\/p>\s*<div class="prose"><p dir="auto">And again\./)
      })
    )

    it.effect("is reported to the moderators, who read the reason", () =>
      Effect.gen(function* () {
        const ids = yield* Talked
        const empty = yield* send(pageOf(ids), "ada", { form: "report", reason: "" })
        assert.deepStrictEqual(refused(pageOf(ids), empty), [400, "reason"])
        const long = yield* send(pageOf(ids), "ada", { form: "report", reason: ILL.repeat(20) })
        assert.deepStrictEqual(refused(pageOf(ids), long), [400, "reason"])
        const { headers, status } = yield* send(pageOf(ids), "ada", { form: "report", reason: ILL })
        assert.deepStrictEqual([status, headers.get("location")], [303, `${pageOf(ids)}&done=reported`])
        assert.include((yield* visit(headers.get("location")!, "ada")).text, "The moderators have your report.")
        const shelf = yield* visit("/admin/comments?state=reported", "root")
        assertPage("/admin/comments?state=reported", shelf)
        assert.include(shelf.text, "1 report")
        assert.include(shelf.text, `<li><bdi>&quot;&gt;&lt;ill`)
      })
    )

    it.effect("is for its author alone to delete, leaves its place empty, and can be answered no more where the thread is locked", () =>
      Effect.gen(function* () {
        const ids = yield* Talked
        const { as } = yield* Service.Service
        const [bob, admin] = [yield* as("bob"), yield* as("admin")]
        const { id: other } = yield* bob.community.postComment({ payload: { model: model, body: "Soon gone." } })
        const { comments } = yield* bob.community.thread({ query: { model: model, limit: 50, cursor: 0 } })
        const at = `/me/comments/${other}?model=${model}&at=${comments.findIndex(({ id }) => id === other)}`
        assert.deepStrictEqual(formsOf(at, yield* visit(at, "bob")), ["answer", "remove"])
        assert.strictEqual((yield* send(at, "ada", { form: "remove" })).status, 404)
        for (const headers of [{ origin: "https://evil.example" }, { "sec-fetch-site": "cross-site" }]) {
          assert.strictEqual((yield* send(at, "bob", { form: "remove" }, headers)).status, 403)
        }
        assert.include((yield* visit(at, "bob")).text, "Soon gone.")
        const gone = yield* send(at, "bob", { form: "remove" })
        assert.deepStrictEqual([gone.status, gone.headers.get("location")], [303, "/me/comments?done=removed"])
        const empty = yield* visit(at, "ada")
        assert.include(empty.text, "This comment was removed.")
        assert.deepStrictEqual(formsOf(at, empty), ["answer"])
        yield* admin.moderation.lockThread({ params: { id: ids.thread }, payload: { locked: true } })
        assert.deepStrictEqual(formsOf(pageOf(ids), yield* visit(pageOf(ids), "ada")), ["report"])
        const late = yield* send(pageOf(ids), "ada", { form: "answer", body: "Too late, and kept" })
        assert.deepStrictEqual(refused(pageOf(ids), late), [409, undefined])
        assert.include(late.text, "Too late, and kept")
        yield* eventually(
          "the thread locked, with reports still possible",
          Effect.map(
            visit(`/models/${model}`),
            ({ text }) => text.includes("Report the comment of bob") && text.includes("This comment was removed.")
          )
        )
      })
    )

    it.effect("has a page where the address names it and its thread, for whoever is signed in", () =>
      Effect.gen(function* () {
        const ids = yield* Talked
        const { comment } = ids
        assert.strictEqual((yield* visit(pageOf(ids))).status, 401)
        for (const ill of ["", `?model=${model}&match=${model}`, "?model=x", `?model=${model}&at=-1`, `?model=${model}&at=x`]) {
          assert.strictEqual((yield* visit(`/me/comments/${comment}${ill}`, "ada")).status, 400, ill)
        }
        for (const path of [
          `/me/comments/${model}?model=${model}`,
          `/me/comments/${comment}?match=${model}`,
          `/me/comments/${comment}?model=${model}&at=2000000000`,
          `/me/comments/none?model=${model}`
        ]) {
          const shown = yield* visit(path, "ada")
          assert.strictEqual(shown.status, 404, path)
          assertPage(path, shown)
        }
        const none = yield* send(`/me/comments/${model}?model=${model}`, "ada", { form: "answer", body: "To nobody" })
        assert.strictEqual(none.status, 404)
      })
    )
  }
)
