/** The page of a season's coincidences, as an administrator's browser without scripts has it, beside a real service. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { playOneSided } from "../support/oneSided.ts"
import { assertPage, siteAnswers, TURNED, visit } from "../support/Pages.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds: m, seasonIds, versionIds: v } = Fixture

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(service))
const at = (slug: string) => `/games/snakes/seasons/${slug}/admin/coincidences`

layer(Layer.orDie(ready), { excludeTestServices: true, timeout: "240 seconds" })("the page of a season's coincidences", (it) => {
  it.effect("says in words who gained from whom and which networks are the same, leads to both, and says what does not follow", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE model SET name = ${TURNED} WHERE id = ${m.alpha}`
      const accounts = yield* sql<{ id: string; username: string }>`SELECT id, username FROM account`
      const idOf = (username: string) => accounts.find((account) => account.username === username)!.id
      yield* playOneSided(seasonIds.spring, 10_000, 40, [idOf("bob"), idOf("ada")])
      yield* sql`UPDATE version SET weights_hash = (SELECT weights_hash FROM version WHERE id = ${v.alpha1}) WHERE id = ${v.beta1}`
      const shown = yield* visit(at("spring"), "root")
      assert.strictEqual(shown.status, 200, shown.text)
      const elements = assertPage(at("spring"), shown)
      const plain = shown.text.replaceAll(/<[^>]*>/g, "")
      assert.match(
        plain,
        /bob had 40\.3 points against ada in 42 matches, where their ratings expected 21\.0: 5\.9 standard deviations more/
      )
      assert.include(plain, "less than 0.1 % of seasons have such a pair among 1.")
      assert.match(plain, /version 1 of bob has the same network as .* version 1 of ada, which was submitted before it/)
      assert.include(plain, "it does not say why")
      assert.include(plain, "Honest pairs are listed too")
      const links = elements.flatMap(({ attributes, name }) => (name === "a" ? (attributes["href"] ?? []) : []))
      for (const to of [
        "/matches?game=snakes&season=spring&owner=bob",
        "/matches?game=snakes&season=spring&owner=ada",
        "/people/ada",
        `/versions/${v.alpha1}`,
        `/versions/${v.beta1}`
      ])
        assert.include(links, to)
      yield* sql`DELETE FROM seat WHERE match_id IN (SELECT id FROM match WHERE n >= 10000)` // they are of no models
      yield* sql`DELETE FROM match WHERE n >= 10000`
      for (const to of links.filter((to) => /^\/(people|versions)\//.test(to))) {
        const { headers, status } = yield* visit(to, "root")
        assert.strictEqual(status === 303 ? (yield* visit(headers.get("location")!, "root")).status : status, 200, to)
      }
    })
  )

  it.effect("says in words who seems to hinder whom against everybody else", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const accounts = yield* sql<{ id: string; username: string }>`SELECT id, username FROM account`
      const idOf = (username: string) => accounts.find((account) => account.username === username)!.id
      yield* playOneSided(seasonIds.winter, 20_000, 40, [null, idOf("ada"), idOf("bob")])
      yield* playOneSided(seasonIds.winter, 21_000, 30, [null, null, idOf("bob")])
      yield* playOneSided(seasonIds.winter, 22_000, 30, [idOf("bob"), null, null])
      const shown = yield* visit(at("winter"), "root")
      assertPage(at("winter"), shown)
      const plain = shown.text.replaceAll(/<[^>]*>/g, "")
      assert.match(
        plain,
        /bob was better than 0 % of the other seats in 40 matches beside ada, where 51 % were to be expected: \d\.\d standard deviations fewer, as if the one hindered the other/
      )
      yield* sql`DELETE FROM seat WHERE match_id IN (SELECT id FROM match WHERE n >= 20000)` // they are of no models
      yield* sql`DELETE FROM match WHERE n >= 20000`
    })
  )

  it.effect("says that nothing stands out where nothing does, and is shown to administrators of the season alone", () =>
    Effect.gen(function* () {
      const shown = yield* visit(at("autumn"), "root")
      assertPage(at("autumn"), shown)
      for (const sentence of [
        "No pair stands out.",
        "Nobody stands out.",
        "No two owners have the same network.",
        "0 rated matches were looked at",
        "0 versions were"
      ])
        assert.include(shown.text, sentence)
      assert.deepStrictEqual(
        [yield* visit(at("autumn"), "bob"), yield* visit(at("autumn")), yield* visit(at("none"), "root")].map(({ status }) => status),
        [403, 401, 404]
      )
    })
  )
})
