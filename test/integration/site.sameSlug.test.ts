/** Seasons of two games may have one slug: every link leads to that of its own game. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, elementsOf, visit } from "../support/Pages.ts"
import * as SiteService from "../support/SiteService.ts"

const { versionIds: v } = Fixture

/** The seasons of the fixture are of the second game; the first one has another spring, without a match. Two models are on the private ladder. */
const twins = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE season SET game = 'othello'`
  yield* Fixture.insert("rating", [Fixture.rating(v.hiddenSecret, "open", -5, { season_id: Fixture.seasonIds.secret })])
  yield* Fixture.insert("season", [Fixture.season(Fixture.uuid("season", 5), "spring", { name: "The other spring" })])
})
const service = Layer.effectDiscard(twins).pipe(Layer.provideMerge(SiteService.layerFixture))

const linksOf = Effect.fnUntraced(function* (path: string, as?: string) {
  const shown = yield* visit(path, as)
  assert.strictEqual(shown.status, 200, path)
  return assertPage(path, shown).flatMap(({ attributes, name }) => (name === "a" ? attributes["href"]! : []))
})

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("two seasons of one slug", (it) => {
  for (const [at, slug, as] of [
    ["", "spring", undefined],
    ["/private", "secret", "ada"]
  ] as const)
    it.effect(`a cell of a matrix leads to matches of its game: ${at}/games/othello/seasons/${slug}`, () =>
      Effect.gen(function* () {
        const season = `${at}/games/othello/seasons/${slug}`
        const cells = (yield* linksOf(`${season}/ladders/open/matrix`, as)).filter((to) => to.startsWith(`${at}/matches?`))
        assert.isNotEmpty(cells)
        for (const to of cells) {
          const links = yield* linksOf(to, as)
          assert.include(links, season, to)
          assert.isTrue(
            links.some((each) => /\/matches\/[0-9a-f-]{36}$/.test(each)),
            to
          )
        }
      })
    )

  it.effect("a list by a season's slug alone says which game's it is", () =>
    Effect.gen(function* () {
      for (const [path, season] of [
        ["/matches?season=winter", "/games/othello/seasons/winter"],
        ["/matches?season=autumn", "/games/othello/seasons/autumn"],
        ["/matches?season=spring", "/games/snakes/seasons/spring"],
        ["/matches", "/games/snakes/seasons/spring"],
        ["/matches?game=othello&season=spring", "/games/othello/seasons/spring"]
      ] as const) {
        const { text } = yield* visit(path)
        assert.match(text, new RegExp(`<p>Of season <a href="${season}">`), path)
      }
      const { text } = yield* visit("/private/matches?season=secret", "ada")
      assert.include(text, '<p>Of season <a href="/private/games/othello/seasons/secret">')
    })
  )

  it.effect("one of them alone is marked as the current one", () =>
    Effect.gen(function* () {
      const path = "/matches?game=othello&season=spring"
      const current = elementsOf(path, (yield* visit(path)).text).filter(
        ({ attributes }) => attributes["aria-current"] === "page" && attributes["href"]?.startsWith("/matches?") === true
      )
      assert.deepStrictEqual(
        current.map(({ attributes }) => attributes["href"]!.replaceAll("&amp;", "&")),
        [path]
      )
    })
  )
})
