/** Models of an owner who has more of them than one page of a list shows. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, send, visit } from "../support/Pages.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds: m } = Fixture

const MORE = 150

/** Newer than all that ada has. */
const manyModels = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`INSERT INTO model (id, game, owner_id, name, retired, last_number, created_at)
    SELECT ('01950002-0000-7000-8000-00000001' || to_char(n, 'FM0000'))::uuid, 'snakes', owner_id, 'more ' || n, false, 0, now()
    FROM model, generate_series(1, ${MORE}) n WHERE id = ${m.alpha}`
})

const service = Layer.effectDiscard(manyModels).pipe(Layer.provideMerge(SiteService.layerFixture))

const shown = Effect.fnUntraced(function* (path: string, as = "ada") {
  const page = yield* visit(path, as)
  assertPage(path, page)
  assert.strictEqual(page.status, 200, path)
  return elementsOf(path, page.text).flatMap(({ attributes, name }) => (name === "a" ? [attributes["href"]!] : []))
})

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("models past the first page of a list", (it) => {
  it.effect("are listed on the pages after it, and the owner's own page says that there are more", () =>
    Effect.gen(function* () {
      const alpha = `/me/models/${m.alpha}`
      const first = yield* shown("/me/models")
      assert.notInclude(first, alpha)
      const next = first.find((href) => href.startsWith("/me/models?cursor="))!
      const second = yield* shown(next)
      assert.include(second, alpha)
      const own = [...first, ...second].filter((href) => /^\/me\/models\/[0-9a-f-]{36}$/.test(href))
      assert.strictEqual(new Set(own).size, own.length)
      assert.isAtLeast(own.length, MORE + 3)
      assert.include((yield* visit("/me", "ada")).text, '<a href="/me/models">All my models</a>')
      assert.notInclude((yield* visit("/me", "bob")).text, "All my models")
      assert.strictEqual((yield* visit("/me/models?cursor=x", "ada")).status, 400)
    })
  )

  it.effect("have their own pages for their owner and for nobody else", () =>
    Effect.gen(function* () {
      const paths = [`/me/models/${m.alpha}`, `/me/models/${m.alpha}/submit/spring`, `/me/models/${m.alpha}/story`]
      for (const path of paths) {
        yield* shown(path)
        assert.strictEqual((yield* visit(path, "bob")).status, 404, path)
      }
      for (const id of [m.random, m.secretBase, "none", Fixture.uuid("model", 999)])
        for (const as of ["ada", "root"]) assert.strictEqual((yield* visit(`/me/models/${id}`, as)).status, 404, id)
      const submit = (yield* visit(`/me/models/${m.alpha}/submit/spring`, "ada")).text
      assert.match(submit, /<p>In the season are \d+ of 5 models, and \d+ of 50 versions of this one\.<\/p>/)
      const again = yield* send(`/me/models/${m.alpha}/submit/spring`, "ada", { form: "reenter", from: "winter" })
      assert.notStrictEqual(again.status, 404)
      const foreign = yield* send(`/me/models/${m.alpha}/submit/spring`, "bob", { form: "reenter", from: "winter" })
      assert.strictEqual(foreign.status, 404)
    })
  )
})
