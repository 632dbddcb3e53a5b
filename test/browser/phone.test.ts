/** The pages of the site under a thumb, on the narrowest phone: administration, lists and one's own beside those that everybody sees. */
import { assert, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { platformPages, seasonPages } from "../support/adminPages.ts"
import { missingChromium } from "../support/Chromium.ts"
import * as Fixture from "../support/Fixture.ts"
import { siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { sample } from "../support/slow.ts"
import { Browser } from "./Browser.ts"
import { PLAYED, played, said } from "./illNames.ts"
import { columnsOutOfSight, dotsTwice, missedByThumbs, scrollsUnseen, textsOutOfCells, unseenOfNav } from "./phones.ts"

const WIDTH = 320
const SPRING = "/games/snakes/seasons/spring"

let visitors = 0
/** Of somebody who is signed in, on a screen that is touched. */
const open = (path: string, as?: "ada" | "root") =>
  Effect.gen(function* () {
    const { origin } = yield* Service.Service
    const chromium = yield* Browser
    const cookie = as === undefined ? {} : { cookie: `service_session=${as}-token` }
    const extraHTTPHeaders = { "x-forwarded-for": `198.51.100.${++visitors}`, ...cookie }
    const viewport = { width: WIDTH, height: 700 }
    return yield* Effect.promise(() => chromium.open(`${origin}${path}`, { extraHTTPHeaders, viewport, hasTouch: true, isMobile: true }))
  })

const ALPHA = Fixture.modelIds.alpha
const PUBLIC = [
  ...["/", "/games/snakes", SPRING, `${SPRING}/ladders/open`, `${SPRING}/ladders/open?name=b`, `${SPRING}/ladders/open/matrix`],
  ...[
    `${SPRING}/boards/duel`,
    "/games/snakes/seasons/winter",
    "/matches?sort=longest",
    "/matches?game=othello",
    `/matches/${PLAYED}`,
    `/models/${ALPHA}`
  ],
  ...["/people/ada", "/news", "/kit/readme", "/kit/submit", "/me", "/nothing"]
]
const OWN = [
  ...["/me", "/me/models", `/me/models/${ALPHA}`, `/me/models/${ALPHA}/submit/spring`, `/me/models/${ALPHA}/story`, "/me/matches"],
  ...[`/me/matches/${Fixture.matchIds.failed}`, `/me/versions/${Fixture.versionIds.delta1}`, "/me/comments", "/me/webhooks"],
  ...["/me/notifications", "/me/settings", "/me/sessions", "/device", "/private/games/snakes/seasons/secret"]
]

const all = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* played
    yield* said
    yield* siteAnswers
  })
).pipe(Layer.provideMerge(SiteService.layerFixture), Layer.provideMerge(Browser.layer))

const everyPage = (perKind: number): ReadonlyArray<readonly [string, "ada" | "root" | undefined]> => [
  ...sample(PUBLIC, perKind).map((path) => [path, undefined] as const),
  ...sample(OWN, perKind).map((path) => [path, "ada"] as const),
  ...sample([...seasonPages("spring"), ...platformPages()], perKind).map((path) => [path, "root"] as const)
]

const missing = missingChromium()
if (missing !== undefined) it.skip(`the pages of the site on a phone: ${missing}`, () => {})
else
  layer(all, { excludeTestServices: true, timeout: "600 seconds" })("the pages of the site on a phone", (it) => {
    it.effect("fit its width, have what is pressed as high as a thumb needs, and rows without a column out of sight", () =>
      Effect.gen(function* () {
        for (const [path, as] of everyPage(5)) {
          const watched = yield* open(path, as)
          const look = <A>(ask: () => A) => Effect.promise(() => watched.page.evaluate(ask))
          assert.isAtMost(yield* Effect.promise(() => watched.width()), WIDTH, path)
          assert.deepStrictEqual(yield* look(missedByThumbs), [], path)
          assert.deepStrictEqual(yield* look(columnsOutOfSight), [], path)
          assert.deepStrictEqual(yield* look(unseenOfNav), [], path)
          assert.deepStrictEqual(yield* Effect.promise(() => watched.page.evaluate(scrollsUnseen)), [], path)
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("and the sign-in for this machine, which is the service's own, have what a thumb hits", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        const chromium = yield* Browser
        const viewport = { width: WIDTH, height: 700 }
        const watched = yield* Effect.promise(() => chromium.open(`${origin}/v1/auth/dev`, { viewport, hasTouch: true, isMobile: true }))
        assert.isTrue(yield* Effect.promise(() => watched.page.locator('input[name="login"]').isVisible()))
        assert.isAtMost(yield* Effect.promise(() => watched.width()), WIDTH)
        assert.deepStrictEqual(yield* Effect.promise(() => watched.page.evaluate(missedByThumbs)), [])
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("and a screen keep every text within its cell, beside the longest names", () =>
      Effect.gen(function* () {
        for (const [path, as] of [["/me/matches", "ada"], ["/me", "ada"], ["/matches?owner=ada"], [SPRING]] as const) {
          const watched = yield* open(path, as)
          for (const width of [WIDTH, 768, 1000, 1280]) {
            yield* Effect.promise(() => watched.page.setViewportSize({ width, height: 800 }))
            const out = yield* Effect.promise(() => watched.page.evaluate(textsOutOfCells))
            assert.deepStrictEqual(out, [], `${path} at ${width}`)
          }
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("have no list wider than they are, a ladder among them, and show where a matrix goes on", () =>
      Effect.gen(function* () {
        for (const path of ["", "/matrix", "/course"].map((page) => `${SPRING}/ladders/open${page}`)) {
          const watched = yield* open(path)
          assert.deepStrictEqual(yield* Effect.promise(() => watched.page.evaluate(columnsOutOfSight)), [], path)
          assert.deepStrictEqual(yield* Effect.promise(() => watched.page.evaluate(scrollsUnseen)), [], path)
          assert.deepStrictEqual(yield* Effect.promise(() => watched.page.evaluate(dotsTwice)), [], path)
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("show the rating of each model of a ladder beside the longest name, and two boards beside each other", () =>
      Effect.gen(function* () {
        const watched = yield* open(`${SPRING}/ladders/open`)
        const unseen = yield* Effect.promise(() =>
          watched.page.evaluate((longest) => {
            const { document, innerWidth } = globalThis as any
            for (const name of document.querySelectorAll(".ladder bdi")) name.textContent = longest
            return [...document.querySelectorAll(".ladder tbody td:nth-child(3)")].filter(
              (rating: any) => rating.getBoundingClientRect().right > innerWidth
            ).length
          }, "W".repeat(64))
        )
        assert.strictEqual(unseen, 0)
        yield* Effect.promise(() => watched.close())
        const season = yield* open(SPRING)
        const tops = yield* Effect.promise(() =>
          season.page.evaluate(() =>
            [...(globalThis as any).document.querySelectorAll(".boards > li")].slice(0, 2).map((board: any) => board.offsetTop as number)
          )
        )
        assert.strictEqual(tops[0], tops[1])
        yield* Effect.promise(() => season.close())
      })
    )
  })
