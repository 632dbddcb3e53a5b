/** Links to a comment in a thread of several pages: each leads to a page that has it. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, send, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds: m, uuid } = Fixture

const thread = uuid("match", 900)
/** Of bob: one in ten was deleted, and one waits. */
const COMMENTS = 260
/** Written at one instant, across the end of the second page. */
const SHARED = [108, 109, 110, 111, 112, 114]
const id = (n: number) => `01950009-0000-7000-8000-${String(n).padStart(12, "0")}`

const talk = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO thread (id, model_id, comments, created_at) VALUES (${thread}, ${m.alpha}, 0, '2026-01-01')`
  yield* sql`INSERT INTO comment (id, thread_id, account_id, body, state, created_at, published_at, approved_at)
    SELECT ('01950009-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, ${thread}, (SELECT id FROM account WHERE username = 'bob'),
      CASE WHEN n % 10 <> 7 THEN 'comment ' || n END, CASE n % 10 WHEN 7 THEN 'deleted' WHEN 3 THEN 'pending' ELSE 'published' END,
      w, CASE WHEN n % 10 <> 3 THEN w END, CASE WHEN n = 0 THEN w END
    FROM generate_series(0, ${COMMENTS - 1}) n,
      LATERAL (SELECT timestamptz '2026-01-02' + CASE WHEN n BETWEEN 108 AND 114 THEN 108 ELSE n END * interval '1 second' AS w) at`
  yield* sql`UPDATE thread SET comments = (SELECT count(*) FROM comment WHERE state = 'published') WHERE id = ${thread}`
})

const service = Layer.effectDiscard(talk).pipe(Layer.provideMerge(SiteService.layerFixture))

/** Follows a link as a browser does; the page where it ends has the element that the link names. */
const arrives = Effect.fnUntraced(function* (to: string, as?: string) {
  const [path, fragment] = to.split("#")
  let at = path!
  let shown = yield* visit(at, as)
  for (let hops = 0; shown.status === 303 && hops < 3; hops++) {
    at = shown.headers.get("location")!
    shown = yield* visit(at, as)
  }
  assert.strictEqual(shown.status, 200, at)
  const found = assertPage(at, shown).filter(({ attributes }) => attributes["id"] === fragment)
  assert.lengthOf(found, 1, `#${fragment} in ${at}`)
  return { at, shown }
})

const linksOf = (path: string, text: string) =>
  elementsOf(path, text).flatMap(({ attributes, name }) => (name === "a" ? [attributes["href"]!] : []))

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("a comment in a long thread", (it) => {
  it.effect("is on the page that the link on its author's profile leads to, wherever it stands", () =>
    Effect.gen(function* () {
      const links: Array<string> = []
      for (let cursor = 0; cursor < COMMENTS; cursor += 25) {
        const path = `/people/bob?cursor=${cursor}`
        links.push(...linksOf(path, (yield* visit(path)).text).filter((to) => to.includes("#comment-")))
      }
      assert.lengthOf(links, COMMENTS * 0.8)
      for (const [n, to] of links.entries()) if (n % 7 === 0 || SHARED.some((n) => to.endsWith(id(n)))) yield* arrives(to)
    })
  )

  it.effect("is where whoever writes it, or an answer, arrives, and where one's own list leads", () =>
    Effect.gen(function* () {
      const written = yield* send(`/me/comments?model=${m.alpha}`, "bob", { form: "write", body: "At the very end." })
      const { shown } = yield* arrives(written.headers.get("location")!, "bob")
      assert.include(shown.text, "At the very end.")
      const answered = yield* send(`/me/comments/${id(5)}?model=${m.alpha}`, "bob", { form: "answer", body: "After all of them." })
      assert.include((yield* arrives(answered.headers.get("location")!, "bob")).shown.text, "After all of them.")
      const own = linksOf("/me/comments", (yield* visit("/me/comments", "bob")).text).filter((to) => to.includes("#comment-"))
      yield* arrives(own[0]!, "bob")
    })
  )

  it.effect("stays where a link leads when others before it are approved", () =>
    Effect.gen(function* () {
      const link = `/models/${m.alpha}?comment=${id(54)}&written=2026-01-02T00:00:54.000Z#comment-${id(54)}`
      const pageOf = (shown: { readonly text: string }) => (shown.text.includes('rel="prev"') ? "second" : "first")
      assert.strictEqual(pageOf((yield* arrives(link)).shown), "first")
      const { as } = yield* Service.Service
      const admin = yield* as("admin")
      for (const n of [3, 13, 23, 33, 43, 53])
        yield* admin.moderation.moderateComment({ params: { id: id(n) }, payload: { state: "approved" } })
      yield* eventually(
        "the comment on the second page",
        Effect.map(arrives(link), ({ shown }) => pageOf(shown) === "second")
      )
      for (const ill of [
        "comment=x&written=2026-01-02T00:00:58.000Z",
        `comment=${id(58)}`,
        `comment=${id(58)}&written=now`,
        "written=2026-01-02T00:00:58.000Z"
      ])
        assert.strictEqual((yield* visit(`/models/${m.alpha}?${ill}`)).status, 400, ill)
      for (const none of [`comment=${id(999)}&written=2099-01-02T00:00:58.000Z`, `comment=${id(999)}&written=1999-01-02T00:00:58.000Z`])
        assert.include((yield* visit(`/models/${m.alpha}?${none}`)).text, 'class="comment"', none)
    })
  )

  it.effect("is reached by links to the pages before and after, which keep the season and the ladder and end at the thread", () =>
    Effect.gen(function* () {
      const at = `/models/${m.alpha}?season=spring&ladder=nano&cursor=50`
      const links = linksOf(at, (yield* visit(at)).text)
      const base = `/models/${m.alpha}?season=spring&ladder=nano`
      assert.includeMembers(links, [`${base}#comments`, `${base}&cursor=100#comments`])
    })
  )
})
