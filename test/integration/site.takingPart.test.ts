/** How pages lead somebody into a season, and that what they say of the way is true of that season and of nobody else's. */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as Fixture from "../support/Fixture.ts"
import { assertPage, siteAnswers, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds: m, versionIds: v } = Fixture

const service = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(SiteService.layerFixture))

const shown = Effect.fnUntraced(function* (path: string, as?: string) {
  const page = yield* visit(path, as)
  assertPage(path, page)
  return page.text
})

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("taking part in a season", (it) => {
  it.effect("by a terminal is told by commands that name the season and the service", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.Service
      for (const season of ["spring", "secret"]) {
        const text = yield* shown(`/me/models/${m.alpha}/submit/${season}`, "ada")
        const terminal = text.slice(text.indexOf("<h2>Without scripts</h2>"))
        assert.include(terminal, `<code>npx agon examine policy.onnx policy.json --game snakes --season ${season} --url ${origin}</code>`)
        assert.include(terminal, `<code>GAME=snakes</code>, <code>MODEL=${m.alpha}</code> and <code>SEASON=${season}</code>`)
        assert.strictEqual(terminal.includes(`<code>npx agon login --url ${origin}</code>`), season === "secret", season)
      }
      const kit = yield* shown("/kit/submit")
      assert.include(kit, "/submission?model=$MODEL&amp;season=$SEASON")
      assert.include(kit, "\\&quot;season\\&quot;: \\&quot;$SEASON\\&quot;")
    })
  )

  it.effect("that is private begins at its page for those on its roster, as at that of a public season for everybody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`UPDATE season SET submissions_close_at = '2099-01-01' WHERE slug = 'secret'`
      const at = "/private/games/snakes/seasons/secret"
      const ways = ['<a class="act" href="/me/models">Enter a model</a>', '<a class="act aside" href="/kit/first-hour">How it is done</a>']
      const ada = yield* shown(at, "ada")
      for (const way of ways) assert.include(ada, way)
      const root = yield* shown(at, "root")
      for (const way of ways) assert.notInclude(root, way, "administers it, and is not on its roster")
      assert.include(root, "You are not on the season")
      assert.notInclude(ada, "You are not on the season")
    })
  )

  it.effect("again after a rejection begins with a command that runs for whoever never signed in by a terminal", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.Service
      const sql = yield* SqlClient.SqlClient
      const examine = (season: string) =>
        `<code>npx agon examine policy.onnx policy.json --game snakes --season ${season} --url ${origin}</code> finds it`
      const login = `<code>npx agon login --url ${origin}</code>`
      const open = yield* shown(`/me/versions/${v.beta2}`, "bob")
      assert.include(open, examine("spring"))
      assert.notInclude(open, login, "everybody may read that season")
      yield* sql`UPDATE version SET status = 'rejected', reject_reason = 'too_slow' WHERE id = ${v.alphaSecret}`
      const hidden = yield* shown(`/me/versions/${v.alphaSecret}`, "ada")
      assert.include(hidden, `After ${login}, ${examine("secret")}`)
    })
  )
})
