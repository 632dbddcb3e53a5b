/**
 * The search of a ladder: a visitor without scripts who knows a part of a name finds the model, its place
 * and the page with that place.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, siteAnswers, TURNED, visit } from "../support/Pages.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds: m, versionIds: v } = Fixture

/** More than two pages of entries, `entrant 1` the last of them. */
const ENTRANTS = 120
const entrants = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const like = (id: string) => `(left('${id}', 24) || lpad(to_hex(1000000 + i), 12, '0'))::uuid`
  const copies = (table: string, of: string, change: Record<string, string>) =>
    sql.unsafe(`INSERT INTO ${table} SELECT copy.* FROM ${table} row CROSS JOIN generate_series(1, ${ENTRANTS}) i
      CROSS JOIN LATERAL jsonb_populate_record(row, jsonb_build_object(${Object.entries(change).map(([name, value]) => `'${name}', ${value}`)})) copy
      WHERE ${of}`)
  yield* copies("model", `row.id = '${m.alpha}'`, { id: like(m.alpha), name: "'entrant ' || i" })
  yield* copies("version", `row.id = '${v.alpha2}'`, { id: like(v.alpha2), model_id: like(m.alpha), ord: "100 + i" })
  yield* copies("rating", `row.version_id = '${v.alpha2}' AND row.ladder = 'open'`, { version_id: like(v.alpha2), mu: "i - 500" })
  yield* sql.unsafe(`UPDATE season SET head = head || '{"active": ${ENTRANTS + 4}}' WHERE slug = 'spring'`)
  yield* sql`UPDATE model SET name = ${`z${TURNED}`.slice(0, 60)} WHERE id = ${m.gamma}`
})

const seeded = Layer.effectDiscard(entrants).pipe(Layer.provideMerge(SiteService.layerFixture))

const ladder = "/games/snakes/seasons/spring/ladders/open"
const search = (name: string, of = ladder) =>
  Effect.map(visit(`${of}?name=${encodeURIComponent(name)}`), (answer) => {
    const elements = assertPage(name, answer)
    const rows = [
      ...answer.text.matchAll(
        /<tr>\n<td class="n"><span class="unit">place <\/span><a href="([^"]*)"[^>]*>([\d,]+)<\/a><\/td>\n<th scope="row">(.*)<\/th>/g
      )
    ]
    return { ...answer, elements, rows: rows.map(([, to, place, model]) => [to, place, /<bdi>(.*)<\/bdi>/.exec(model!)![1]!]) }
  })

layer(Layer.orDie(seeded), { excludeTestServices: true, timeout: "300 seconds" })("the search of a ladder", (it) => {
  it.effect("is a form of its page, which browsers send without a script", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { text } = yield* visit(ladder)
      const form = elementsOf(ladder, text).find(({ attributes }) => attributes["role"] === "search")!
      assert.deepInclude(form.attributes, { method: "get", action: ladder })
      const input = form.below.find(({ name }) => name === "input")!
      assert.deepInclude(input.attributes, { name: "name", maxlength: "100" })
      assert.isAbove(text.indexOf("<table"), text.indexOf('role="search"'), "before the rows")
      assert.notInclude((yield* visit("/games/snakes/seasons/spring/ladders/large")).text, 'role="search"', "nobody is there to be found")
    })
  )

  it.effect("finds a model by the beginning of its name, in any case, with its place and the page where that is", () =>
    Effect.gen(function* () {
      yield* siteAnswers
      const { elements, rows, text } = yield* search("ENTRANT 1 ".trim())
      assert.isTrue(
        elements.some(({ attributes, name }) => name === "input" && attributes["value"] === "ENTRANT 1"),
        "as it was typed"
      )
      assert.include(text, "32 entries found")
      const last = rows.at(-1)!
      assert.deepStrictEqual(last.slice(1), ["124", "entrant 1"])
      const [to] = last
      assert.match(to!, /\?cursor=100#:~:text=entrant%201%20v2$/)
      const page = yield* visit(to!.replace(/#.*/, ""))
      assert.include(page.text, '<td>124<th scope="row"><a href="/models/')
      assert.match(page.text, /<td>124<th scope="row"><a [^>]*><bdi>entrant 1<\/bdi><\/a> v2/)
      for (const [at, place, model] of rows)
        assert.include(at!, Number(place) > 100 ? "cursor=100#" : Number(place) > 50 ? "cursor=50#" : `${ladder}#`, model!)
      assert.include(text, `<a href="${ladder}">The whole ladder</a>`)
    })
  )

  it.effect("finds the models of an owner, and shows what people call things safely", () =>
    Effect.gen(function* () {
      const { rows, text } = yield* search("bo")
      assert.includeMembers(
        rows.map(([, , model]) => model),
        ["Beta"]
      )
      assert.include(text, '<a href="/people/bob">bob</a>')
      const ill = yield* search(`z${TURNED}`.slice(0, 20))
      assert.lengthOf(ill.rows, 1)
      assert.notInclude(ill.rows[0]![0]!, "<")
    })
  )

  it.effect("has pages where many are found, and says where it ends", () =>
    Effect.gen(function* () {
      const first = yield* search("entrant")
      assert.lengthOf(first.rows, 50)
      const next = /<a href="([^"]*)" rel="next">/.exec(first.text)![1]!.replaceAll("&amp;", "&")
      assert.strictEqual(next, `${ladder}?name=entrant&cursor=50`)
      const second = yield* visit(next)
      assert.include(second.text, `<a href="${ladder}?name=entrant" rel="prev">`)
      const past = yield* visit(`${ladder}?name=entrant&cursor=500`)
      assert.deepStrictEqual([past.status, past.text.includes("None of the 120 entries found is on this page.")], [200, true])
    })
  )

  it.effect("says in a sentence that nobody is found, and where else to look", () =>
    Effect.gen(function* () {
      for (const nobody of ["ntrant", "%", "_", TURNED.slice(1, 90), "\u202e", "-1", "' OR 1=1 --", "\u{1f40d}".repeat(50)]) {
        const { rows, status, text } = yield* search(nobody)
        assert.deepStrictEqual([status, rows], [200, []], nobody)
        assert.match(text, /<p role="status">No name on the open ladder begins with &#8220;<bdi>[\s\S]*<\/bdi>&#8221;/, nobody)
      }
      const nano = yield* search("gam", ladder.replace("open", "nano"))
      assert.include(nano.text, `<a href="${ladder}?name=gam">Search the open ladder, where every model is</a>`)
      assert.notInclude((yield* search("ntrant")).text, "Search the open ladder")
    })
  )

  it.effect("is the ladder where nothing is typed, and says at the field how long a name is at most", () =>
    Effect.gen(function* () {
      const plain = yield* visit(ladder)
      for (const blank of ["", "%20%20"]) assert.strictEqual((yield* visit(`${ladder}?name=${blank}`)).text, plain.text)
      const { elements, status, text } = yield* search("x".repeat(101))
      assert.strictEqual(status, 400)
      assert.include(text, "A name has at most 100 characters.")
      const input = elements.find(({ attributes, name }) => name === "input" && attributes["name"] === "name")!
      assert.deepInclude(input.attributes, { "aria-invalid": "true", "aria-describedby": "refusal" })
      assert.strictEqual((yield* visit(`${ladder}?name=${"x".repeat(201)}`)).status, 400)
      assert.strictEqual((yield* visit(`${ladder}?name=a%00b`)).status, 400)
    })
  )
})
