/** The pages of the site in a real browser, beside a real service: the player on a match's page, axe and the policy on every page. */
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { type Chromium, missingChromium, type WatchedPage } from "../support/Chromium.ts"
import * as Fixture from "../support/Fixture.ts"
import { siteAnswers } from "../support/Pages.ts"
import { retryPutOff } from "../support/putOff.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { sample } from "../support/slow.ts"
import { Browser } from "./Browser.ts"
import { PLAYED, played, said } from "./illNames.ts"
import { cutNames, lookAtTables } from "./tables.ts"

const service = SiteService.layerFixture
const ready = Layer.effectDiscard(
  Effect.gen(function* () {
    yield* played
    yield* siteAnswers
  })
)

let visitors = 0
const open = (path: string, options: Parameters<Chromium["open"]>[1] = {}) =>
  Effect.gen(function* () {
    const { origin } = yield* Service.Service
    const chromium = yield* Browser
    const extraHTTPHeaders = { "x-forwarded-for": `198.51.${Math.floor(++visitors / 250)}.${visitors % 250}` }
    return yield* Effect.promise(() => chromium.open(`${origin}${path}`, { extraHTTPHeaders, ...options }))
  })

const PER_KIND = 2
/** Pages of one kind differ in names, ids and parameters. */
const kindOf = (path: string) =>
  path.replace(/\?.*/, "?").replace(/\/(games|seasons|ladders|boards|matches|models|versions|people|posts|kit)\/[^/?]+/g, "/$1/:name")

/** Paths that the links of pages lead to from the first page on, some of each kind. */
const findPaths = Effect.gen(function* () {
  const { origin } = yield* Service.Service
  const found = ["/", `/matches/${PLAYED}`]
  const kinds = new Map<string, number>()
  for (const path of found) {
    const headers = { "x-forwarded-for": `203.0.113.${found.indexOf(path)}` }
    const answer = yield* Effect.promise(() => retryPutOff(path, () => fetch(`${origin}${path}`, { headers })))
    assert.strictEqual(answer.status, 200, path)
    const text = yield* Effect.promise(() => answer.text())
    for (const [, href = ""] of text.matchAll(/<a [^>]*href="(\/[^"#]*)/g)) {
      const to = href.replaceAll("&amp;", "&")
      const kind = kindOf(to)
      const count = kinds.get(kind) ?? 0
      if (/^\/(v1|docs|objects|me)\b|\/admin\b/.test(to) || found.includes(to) || count >= PER_KIND) continue
      kinds.set(kind, count + 1)
      found.push(to)
    }
  }
  return found
})

const assertClean = async (watched: WatchedPage, path: string) => {
  assert.deepStrictEqual(await watched.violations(), [], path)
  assert.deepStrictEqual(watched.faults, [], path)
}

/** 1280 pixels at 200 %, and a phone. */
const ZOOMED = [640, 2] as const
const PHONE = [360, 3] as const
const SPRING = "/games/snakes/seasons/spring"
const MAIN_PAGES = [
  ...["/", "/games/snakes", SPRING, `${SPRING}/ladders/open`, `${SPRING}/ladders/open/matrix`, `${SPRING}/boards/duel`],
  ...["/matches", `/matches/${PLAYED}`, `/models/${Fixture.modelIds.alpha}`, "/people/ada", "/news", "/kit/readme"]
]

const TABS_MAX = 200

/** Moves the keyboard on to the element with this name, every step to one that shows where it is. */
const tabTo = async (page: WatchedPage["page"], wanted: string | RegExp) => {
  for (let tabs = 0; tabs < TABS_MAX; tabs++) {
    const { name, shown } = await page.evaluate(() => {
      const { activeElement: element, body } = (globalThis as any).document
      const { outlineStyle, outlineWidth } = (globalThis as any).getComputedStyle(element)
      const name = element.getAttribute("aria-label") ?? element.getAttribute("name") ?? element.textContent.trim()
      return { name: element === body ? "" : name, shown: element === body || (outlineStyle !== "none" && outlineWidth !== "0px") }
    })
    assert.isTrue(shown, `${name} on ${page.url()}`)
    if (typeof wanted === "string" ? name === wanted : wanted.test(name)) return
    await page.keyboard.press("Tab")
  }
  assert.fail(`the keyboard does not reach ${wanted} on ${page.url()}`)
}

/** Follows the link or sends the form that the keyboard is at. */
const enter = async (page: WatchedPage["page"], path: string) => {
  await Promise.all([
    page.waitForURL(({ pathname }) => pathname === path || (path.endsWith("-idp/") && pathname.startsWith(path))),
    page.keyboard.press("Enter")
  ])
}

/** Found by the first test that asks, so that a page that fails names itself in a test. */
class Paths extends Context.Service<Paths, { readonly found: Effect.Effect<ReadonlyArray<string>> }>()("test/Paths") {}
const paths = Effect.flatMap(Paths, ({ found }) => found)

const foundPaths = Layer.effect(
  Paths,
  Effect.gen(function* () {
    const context = yield* Effect.context<Service.Service>()
    return { found: yield* Effect.cached(Effect.provide(findPaths, context)) }
  })
)
const all = foundPaths.pipe(Layer.provideMerge(ready), Layer.provideMerge(service), Layer.provideMerge(Browser.layer))

const missing = missingChromium()
if (missing !== undefined) it.skip(`the pages of the site: ${missing}`, () => {})
else
  layer(all, { excludeTestServices: true, timeout: "600 seconds" })("the pages of the site in a browser", (it) => {
    it.effect("play the replay of a match, prove it, and follow a link to a turn", () =>
      Effect.gen(function* () {
        const watched = yield* open(`/matches/${PLAYED}#turn=7`)
        const { page } = watched
        const verdict = page.locator("agon-replay .verdict strong")
        assert.strictEqual(yield* Effect.promise(() => verdict.textContent()), "Recomputed here: state hash equal.")
        assert.match((yield* Effect.promise(() => page.locator("agon-replay .at").textContent()))!, /^Turn 7 of 72$/)
        yield* Effect.promise(() => assertClean(watched, "the match"))
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("lead a visitor on a phone from the front page, and from a season, to a match and its proof with one click", () =>
      Effect.gen(function* () {
        for (const [path, screens] of [
          ["/", 1],
          [SPRING, 2]
        ] as const) {
          const watched = yield* open(path, { viewport: { width: 360, height: 780 } })
          const way = watched.page.getByRole("link", { name: "Watch it, and see it recomputed" })
          assert.strictEqual(yield* Effect.promise(() => way.getAttribute("href")), `/matches/${PLAYED}`) // the test above proves it there
          const { height, y } = (yield* Effect.promise(() => way.boundingBox()))!
          assert.isBelow(y + height, screens * 780, path)
          assert.strictEqual(yield* Effect.promise(() => watched.page.locator(".watch svg title").textContent()), "Snakes after 72 turns")
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("draw the course of a ladder, and tell its figures by keyboard", () =>
      Effect.gen(function* () {
        const watched = yield* open("/games/snakes/seasons/spring/ladders/open/course", { viewport: { width: 320, height: 800 } })
        const { page } = watched
        yield* Effect.promise(() => page.locator("agon-chart canvas").waitFor())
        assert.strictEqual(
          yield* Effect.promise(() => page.locator("agon-chart svg.graph").count()),
          0,
          "it takes the place of the picture"
        )
        const output = page.locator("agon-chart output")
        const last = yield* Effect.promise(() => output.textContent())
        assert.match(last!, / UTC: .*Beta\u2069 1520/)
        yield* Effect.promise(() => page.locator("agon-chart input").press("ArrowLeft"))
        assert.match((yield* Effect.promise(() => output.textContent()))!, / UTC: .*Beta\u2069 1510/)
        yield* Effect.promise(() => assertClean(watched, "the course"))
        assert.isAtMost(yield* Effect.promise(() => watched.width()), 320)
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect(
      "have nothing that axe finds, on any page that links lead to, on a phone and a screen, in both schemes, and never scroll sideways",
      () =>
        Effect.gen(function* () {
          const every = yield* paths
          assert.isAbove(every.length, 12)
          for (const [index, path] of sample(every, 5).entries()) {
            const width = index % 2 === 0 ? 320 : 1280
            const colorScheme = index % 4 < 2 ? "dark" : "light"
            const watched = yield* open(path, { viewport: { width, height: 800 }, colorScheme })
            yield* Effect.promise(() => assertClean(watched, path))
            assert.isAtMost(yield* Effect.promise(() => watched.width()), width, path)
            yield* Effect.promise(() => watched.close())
          }
        })
    )

    it.effect("never scroll sideways at a zoom of 200 %, and on a phone, on any of the main pages", () =>
      Effect.gen(function* () {
        for (const path of sample(MAIN_PAGES, 5)) {
          for (const [width, deviceScaleFactor] of [ZOOMED, PHONE]) {
            const watched = yield* open(path, { viewport: { width, height: 480 }, deviceScaleFactor })
            assert.isAtMost(yield* Effect.promise(() => watched.width()), width, path)
            assert.isTrue(yield* Effect.promise(() => watched.page.locator("h1").isVisible()), path)
            assert.deepStrictEqual(watched.faults, [], path)
            yield* Effect.promise(() => watched.close())
          }
        }
      })
    )

    it.effect("have tables whose figures stand below their headings, and whose captions and names are whole on a phone", () =>
      Effect.gen(function* () {
        for (const path of [SPRING, "/games/snakes", "/people/ada", `/models/${Fixture.modelIds.beta}`, `${SPRING}/ladders/open`]) {
          const watched = yield* open(path, { viewport: { width: 320, height: 480 } })
          const tables = yield* Effect.promise(() => watched.page.evaluate(lookAtTables))
          assert.isAbove(tables.length, 0, path)
          for (const { askew, broken, caption, cut } of tables) {
            assert.deepStrictEqual({ askew, broken, cut }, { askew: [], broken: [], cut: false }, `${path}: ${caption}`)
          }
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("show all of a model's versions on a phone, as cards", () =>
      Effect.gen(function* () {
        for (const width of [320, 375]) {
          const watched = yield* open(`/models/${Fixture.modelIds.alpha}`, { viewport: { width, height: 480 } })
          const region = watched.page.getByRole("region", { name: "Versions" })
          const sizes = yield* Effect.promise(() => region.evaluate(({ clientWidth, scrollWidth }: any) => ({ clientWidth, scrollWidth })))
          assert.isAtMost(sizes.scrollWidth, sizes.clientWidth, `${width}`)
          assert.match(yield* Effect.promise(() => region.innerText()), /Version 2[\s\S]*rank [\s\S]*nano/)
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("keep a long name within its cell, and the rating of who leads in sight, on a phone and a screen", () =>
      Effect.gen(function* () {
        for (const path of ["/", SPRING, `${SPRING}/ladders/open/matrix`, `/matches/${PLAYED}`]) {
          for (const width of [375, 1280]) {
            const watched = yield* open(path, { viewport: { width, height: 800 } })
            for (const name of ["W".repeat(40), "Longish names "]) {
              const cut = yield* Effect.promise(() => watched.page.evaluate(cutNames, name))
              assert.deepStrictEqual(cut, [], `${path} at ${width}`)
            }
            yield* Effect.promise(() => watched.close())
          }
        }
      })
    )

    it.effect("lose no column of a wide table on paper", () =>
      Effect.gen(function* () {
        const watched = yield* open(`${SPRING}/ladders/open`, { viewport: { width: 718, height: 1000 } })
        const { page } = watched
        const overflow = () =>
          page.evaluate(() => {
            const window = globalThis as any
            return window.getComputedStyle(window.document.querySelector("main .scroll")).overflowX as string
          })
        assert.strictEqual(yield* Effect.promise(overflow), "auto", "on a screen it scrolls")
        yield* Effect.promise(() => page.emulateMedia({ media: "print" }))
        assert.strictEqual(yield* Effect.promise(overflow), "visible", "a browser draws its page smaller then")
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("keep a wide table, and what is only read aloud in it, within the window of a phone", () =>
      Effect.gen(function* () {
        const watched = yield* open(`${SPRING}/ladders/open/matrix`, { viewport: { width: 320, height: 480 } })
        const { page } = watched
        yield* Effect.promise(() =>
          page.evaluate(() => {
            const heading = (globalThis as any).document.querySelector("table.matrix thead th:last-child")
            for (let more = 0; more < 20; more++) heading.parentNode.append(heading.cloneNode(true))
          })
        )
        assert.isAtMost(yield* Effect.promise(() => watched.width()), 320)
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("keep each filter of the matches within its form on a phone", () =>
      Effect.gen(function* () {
        const watched = yield* open("/matches?sort=longest", { viewport: { width: 375, height: 480 } })
        const out = yield* Effect.promise(() =>
          watched.page.evaluate(() => {
            const form = (globalThis as any).document.querySelector("form.filter")
            const { right } = form.getBoundingClientRect()
            return [...form.elements].filter((field) => field.getBoundingClientRect().right > right).map(({ name }) => name)
          })
        )
        assert.deepStrictEqual(out, [])
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("tell the times of a chart in UTC, by 24 hours", () =>
      Effect.gen(function* () {
        const watched = yield* open(`${SPRING}/ladders/open/course`)
        const { page } = watched
        yield* Effect.promise(() => page.locator("agon-chart canvas").waitFor())
        const drawn = yield* Effect.promise(() =>
          page.evaluate(async () => {
            const window = globalThis as any
            const [drawn, prototype] = [new Set<string>(), window.CanvasRenderingContext2D.prototype]
            const { fillText } = prototype
            prototype.fillText = function (text: string, ...at: ReadonlyArray<number>) {
              drawn.add(text)
              fillText.call(this, text, ...at)
            }
            const chart = window.document.querySelector("agon-chart")
            chart.style.width = "40rem"
            for (let frames = 0; frames < 600 && drawn.size === 0; frames++) await new Promise(window.requestAnimationFrame)
            return [...drawn]
          })
        )
        assert.include(drawn, "Time (UTC)")
        assert.notMatch(drawn.join(" "), /[ap]m\b|\//)
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("lead by keyboard alone from the front page through the sign-in to a ladder, and show where the keyboard is", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        const chromium = yield* Browser
        // The development sign-in answers nobody whom a proxy tells of.
        const watched = yield* Effect.promise(() => chromium.open(`${origin}/`))
        const { page } = watched
        yield* Effect.promise(async () => {
          await tabTo(page, "My page")
          await enter(page, "/me")
          await tabTo(page, /^Sign in with/)
          await enter(page, "/dev-idp/")
          await tabTo(page, "login")
          await page.keyboard.type("carol")
          await enter(page, "/me")
          await page.getByText("Signed in as carol").waitFor()
          await tabTo(page, "Agon")
          await enter(page, "/")
          await tabTo(page, "Season spring")
          await enter(page, "/games/snakes/seasons/spring")
          await tabTo(page, "nano")
          await enter(page, "/games/snakes/seasons/spring/ladders/nano")
          await tabTo(page, "Ladder")
          await watched.close()
        })
      })
    )

    it.effect("find a model on a ladder by keyboard, lead to its row, and have nothing that axe finds on the way", () =>
      Effect.gen(function* () {
        const path = `${SPRING}/ladders/nano`
        const watched = yield* open(path, { viewport: { width: 320, height: 800 } })
        const { page } = watched
        yield* Effect.promise(async () => {
          await tabTo(page, "name")
          await page.keyboard.type("no such")
          await enter(page, path)
          assert.include(await page.getByRole("status").innerText(), "No name on the nano ladder begins with")
          await assertClean(watched, "nobody found")
          await tabTo(page, "name")
          assert.strictEqual(await page.locator('input[name="name"]').inputValue(), "no such", "what was typed stays")
          await page.keyboard.press("Control+A")
          await page.keyboard.type("bob")
          await enter(page, path)
          await page.getByRole("table").getByText("1 entry found").waitFor()
          await assertClean(watched, "found")
          await tabTo(page, /^Place \d+, on the ladder$/)
          await Promise.all([page.waitForURL(({ search }) => search === ""), page.keyboard.press("Enter")])
          await assertClean(watched, "its row")
        })
        yield* Effect.promise(() => watched.close())
      })
    )

    it.effect("ask for the code of a device, say that a wrong one is wrong, and have nothing that axe finds on the way", () =>
      Effect.gen(function* () {
        const watched = yield* open("/device", {
          extraHTTPHeaders: { cookie: "service_session=ada-token", "x-forwarded-for": "203.0.113.250" }
        })
        const { page } = watched
        yield* Effect.promise(async () => {
          await assertClean(watched, "the code asked for")
          await page.getByLabel("Code").fill("BCDF-GHJK")
          await page.getByRole("button", { name: "Go on" }).click()
          await page.getByText("No device shows this code").first().waitFor()
          assert.strictEqual(
            await page.evaluate(() => (globalThis as any).document.activeElement.name),
            "user_code",
            "where it is to be mended"
          )
          assert.deepStrictEqual(await watched.violations(), [], "a wrong code")
          await watched.close()
        })
      })
    )

    it.effect("tell a competitor that a file is the wrong one, and submit nothing", () =>
      Effect.gen(function* () {
        const watched = yield* open(`/me/models/${Fixture.modelIds.alpha}/submit/spring`, {
          extraHTTPHeaders: { cookie: "service_session=ada-token", "x-forwarded-for": "203.0.113.249" }
        })
        const { page } = watched
        const asked: Array<string> = []
        page.on("request", (request) => void (/\/(v1|objects)\//.test(request.url()) && asked.push(request.url())))
        yield* Effect.promise(async () => {
          const [weights, manifest] = [page.getByLabel("Weights, an ONNX file"), page.getByLabel("Manifest, a JSON file")]
          const [model, json] = [Buffer.of(8, 8, 18, 0), Buffer.from("{}")]
          await weights.setInputFiles({ name: "policy.json", mimeType: "application/json", buffer: json })
          await manifest.setInputFiles({ name: "policy.onnx", mimeType: "application/octet-stream", buffer: model })
          await page.getByLabel("Note").fill("kept")
          await page.getByRole("button", { name: "Submit" }).click()
          await page.getByRole("alert").getByText("policy.onnx is no JSON.").waitFor()
          await weights.setInputFiles({ name: "policy.onnx", mimeType: "application/octet-stream", buffer: Buffer.of() })
          await manifest.setInputFiles({ name: "policy.json", mimeType: "application/json", buffer: json })
          await page.getByRole("button", { name: "Submit" }).click()
          await page.getByRole("alert").getByText("policy.onnx is empty.").waitFor()
          assert.strictEqual(await page.getByLabel("Note").inputValue(), "kept")
          assert.deepStrictEqual(asked, [])
          await assertClean(watched, "a wrong file")
          await watched.close()
        })
      })
    )

    it.effect("show a member a private season and its match, on a phone and a screen, with nothing that axe finds", () =>
      Effect.gen(function* () {
        const secret = "/private/games/snakes/seasons/secret"
        for (const [path, width] of [
          [secret, 320],
          [`${secret}/ladders/open`, 320],
          [`/private/matches/${Fixture.matchIds.secret}`, 1280]
        ] as const) {
          const watched = yield* open(path, {
            viewport: { width, height: 800 },
            extraHTTPHeaders: { cookie: "service_session=ada-token", "x-forwarded-for": "203.0.113.251" }
          })
          yield* Effect.promise(() => watched.page.getByText("Private seasons are shown here to those").waitFor())
          yield* Effect.promise(() => assertClean(watched, path))
          assert.isAtMost(yield* Effect.promise(() => watched.width()), width, path)
          yield* Effect.promise(() => watched.close())
        }
      })
    )

    it.effect("show a competitor the matches of theirs, and the replay of one, with nothing that axe finds", () =>
      Effect.gen(function* () {
        const own = [PLAYED, Fixture.matchIds.failed, Fixture.matchIds.openTrial].map((id) => `/me/matches/${id}`)
        for (const path of sample([own[0]!, "/me/matches", ...own.slice(1), `/me/versions/${Fixture.versionIds.delta1}`], 5)) {
          for (const width of [320, 1280]) {
            const watched = yield* open(path, {
              viewport: { width, height: 800 },
              colorScheme: width === 320 ? "dark" : "light",
              extraHTTPHeaders: { cookie: "service_session=ada-token", "x-forwarded-for": "203.0.113.253" }
            })
            if (path === own[0]) yield* Effect.promise(() => watched.page.getByText("Recomputed here: state hash equal.").waitFor())
            yield* Effect.promise(() => assertClean(watched, path))
            assert.isAtMost(yield* Effect.promise(() => watched.width()), width, path)
            yield* Effect.promise(() => watched.close())
          }
        }
      })
    )

    it.effect("have nothing that axe finds where somebody who is signed in writes, on a phone and a screen", () =>
      Effect.gen(function* () {
        const { announcement, comment, webhook } = yield* said
        for (const [path, as] of sample(
          [
            [`/me/comments?match=${PLAYED}`, "ada"],
            [`/me/comments/${comment}?match=${PLAYED}`, "ada"],
            [`/me/comments/${comment}?match=${PLAYED}`, "bob"],
            [`/me/models/${Fixture.modelIds.alpha}/story`, "ada"],
            ["/me/webhooks", "ada"],
            [`/me/webhooks/${webhook}`, "ada"],
            [`/me/models/${Fixture.modelIds.alpha}/submit/spring`, "ada"],
            [`/admin/announcements?announcement=${announcement}`, "root"],
            ["/admin/notices", "root"]
          ] as const,
          5
        )) {
          for (const width of [320, 1280]) {
            const watched = yield* open(path, {
              viewport: { width, height: 800 },
              colorScheme: width === 320 ? "dark" : "light",
              extraHTTPHeaders: { cookie: `service_session=${as}-token`, "x-forwarded-for": "203.0.113.252" }
            })
            yield* Effect.promise(() => watched.page.locator("form.typed").first().waitFor())
            yield* Effect.promise(() => assertClean(watched, `${path} for ${as}`))
            assert.isAtMost(yield* Effect.promise(() => watched.width()), width, path)
            yield* Effect.promise(() => watched.close())
          }
        }
      })
    )

    it.effect("say what they have to say without scripts, a match with the picture of its last position", () =>
      Effect.gen(function* () {
        for (const path of new Set([...sample(yield* paths, 5), `/matches/${PLAYED}`])) {
          const watched = yield* open(path, { javaScriptEnabled: false })
          assert.isTrue(yield* Effect.promise(() => watched.page.locator("h1").isVisible()), path)
          if (path === `/matches/${PLAYED}`) {
            const picture = watched.page.locator("agon-replay svg.agon-picture").first()
            assert.isTrue(yield* Effect.promise(() => picture.isVisible()))
          }
          assert.deepStrictEqual(watched.faults, [], path)
          yield* Effect.promise(() => watched.close())
        }
      })
    )
  })
