/** How pages lead somebody into a season, and that what they say of the way is true of that season and of nobody else's. */
import { assert, layer } from "@effect/vitest"
import { Clock, DateTime, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { OPEN_SEASON } from "../support/openSeason.ts"
import { assertPage, siteAnswers, visit } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"

const { modelIds: m, versionIds: v } = Fixture

const service = Layer.effectDiscard(siteAnswers).pipe(Layer.provideMerge(SiteService.layerFixture))

/** Long enough to look at four pages before; a machine that is busier takes its time (`offered`). */
const TAKES_MS = 4_000

interface Offered {
  readonly slug: string
  /** ms */
  readonly closes_at: number
  readonly offers: Effect.Effect<ReadonlyArray<boolean>, never, Service.Service>
}

const shown = Effect.fnUntraced(function* (path: string, as?: string) {
  const page = yield* visit(path, as)
  assertPage(path, page)
  return page.text
})

/** The season on the front page, empty where it is not there. */
const cardOf = (slug: string) =>
  Effect.map(shown("/"), (text) => new RegExp(`<h3><a href="/games/snakes/seasons/${slug}">.*?</p>`, "s").exec(text)?.[0] ?? "")

/** A live season that takes models for so long, or longer where the time ends before four pages were seen to say that it does. */
const offered = (takes_ms: number): Effect.Effect<Offered, unknown, Service.Service> =>
  Effect.gen(function* () {
    const admin = yield* (yield* Service.Service).as("admin")
    const slug = `takes-${takes_ms}`
    const closes_at = (yield* Clock.currentTimeMillis) + takes_ms
    const until = DateTime.formatIso(DateTime.makeUnsafe(closes_at))
    const payload = { ...OPEN_SEASON, name: slug, slug, weight_classes: Fixture.classes, submissions_close_at: until }
    yield* admin.seasonCreation.createSeason({ params: { game: "snakes" }, payload })
    const page = shown(`/games/snakes/seasons/${slug}`)
    const offers = Effect.all([
      Effect.map(page, (text) => text.includes('href="/me/models">Enter a model</a>')),
      Effect.map(page, (text) => !text.includes("<dt>Takes models</dt><dd>no more since <time")),
      Effect.map(cardOf(slug), (text) => text.includes("Takes models until <time")),
      Effect.map(shown(`/me/models/${m.alpha}`, "ada"), (text) => text.includes(`/me/models/${m.alpha}/submit/${slug}`))
    ])
    yield* eventually(
      "the season on the front page",
      Effect.map(cardOf(slug), (text) => text !== "")
    )
    const seen = yield* offers
    if ((yield* Clock.currentTimeMillis) >= closes_at) return yield* offered(2 * takes_ms)
    assert.deepStrictEqual(seen, [true, true, true, true])
    return { closes_at, offers, slug }
  })

layer(Layer.orDie(service), { excludeTestServices: true, timeout: "240 seconds" })("taking part in a season", (it) => {
  it.effect("by a terminal is told by commands that name the season and the service", () =>
    Effect.gen(function* () {
      const { origin } = yield* Service.Service
      for (const season of ["spring", "secret"]) {
        const text = yield* shown(`/me/models/${m.alpha}/submit/${season}`, "ada")
        const terminal = text.slice(text.indexOf("<h2>Without scripts</h2>"))
        assert.include(terminal, `<code>agon examine policy.onnx policy.json --game snakes --season ${season} --url ${origin}</code>`)
        assert.include(terminal, `<code>GAME=snakes</code>, <code>MODEL=${m.alpha}</code> and <code>SEASON=${season}</code>`)
        assert.strictEqual(terminal.includes(`<code>agon login --url ${origin}</code>`), season === "secret", season)
      }
      const kit = yield* shown("/kit/submit")
      assert.include(kit, "/submission?model=$MODEL&amp;season=$SEASON")
      assert.include(kit, "\\&quot;season\\&quot;: \\&quot;$SEASON\\&quot;")
    })
  )

  it.effect("is read about in the order in which its first page leads on", () =>
    Effect.gen(function* () {
      const [, list = ""] = /<nav class="sections" aria-label="Starter kit">(.*?)<\/nav>/s.exec(yield* shown("/kit/submit"))!
      const pages = Array.from(list.matchAll(/href="\/kit\/([^"]*)"/g), ([, page]) => page)
      assert.deepStrictEqual(pages.slice(0, 4), ["readme", "first-hour", "rules", "model-contract"])
      assert.lengthOf(pages, 13)
      assert.strictEqual(pages.at(-1), "submit")
    })
  )

  it.effect("is offered until the season takes models no more, though it is live after that, and whoever keeps the page", () =>
    Effect.gen(function* () {
      const admin = yield* (yield* Service.Service).as("admin")
      const { closes_at, offers, slug } = yield* offered(TAKES_MS)
      // Somebody looks all the while, so that whatever keeps a page keeps it.
      yield* eventually(
        "pages that offer the season no more",
        Effect.map(offers, (each) => !each.includes(true))
      )
      assert.isAtLeast(yield* Clock.currentTimeMillis, closes_at)
      assert.include(yield* cardOf(slug), "Takes no more models.")
      assert.strictEqual((yield* admin.season.season({ params: { game: "snakes", slug } })).state, "live")
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
        `<code>agon examine policy.onnx policy.json --game snakes --season ${season} --url ${origin}</code> finds it`
      const login = `<code>agon login --url ${origin}</code>`
      const open = yield* shown(`/me/versions/${v.beta2}`, "bob")
      assert.include(open, examine("spring"))
      assert.notInclude(open, login, "everybody may read that season")
      yield* sql`UPDATE version SET status = 'rejected', reject_reason = 'too_slow' WHERE id = ${v.alphaSecret}`
      const hidden = yield* shown(`/me/versions/${v.alphaSecret}`, "ada")
      assert.include(hidden, `After ${login}, ${examine("secret")}`)
    })
  )
})
