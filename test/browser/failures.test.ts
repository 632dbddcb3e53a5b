/** The pages of failures in a real browser: each says its status, whose site it is, what to do and the way home, in the site's look. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Site from "@agon/site/Site.ts"
import { assert, it, layer } from "@effect/vitest"
import { Context, Effect, Layer } from "effect"
import { HttpServer } from "effect/http"
import { missingChromium } from "../support/Chromium.ts"
import { page, publicAddress, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { sample } from "../support/slow.ts"
import { Browser } from "./Browser.ts"

/** The narrowest is the one where most goes wrong. */
const WIDTHS = sample([320, 390, 1280])

/** The parts of a page that its visitor sees, as the browser lays them out. */
const seen = () => {
  const { document, getComputedStyle, innerWidth } = globalThis as any
  const all = (selector: string) => [...document.querySelectorAll(selector)]
  const [name] = all("header > a")
  return {
    h1: all("h1").length,
    text: document.querySelector("main")?.textContent as string | undefined,
    titled: document.title.endsWith(" – Agon"),
    named: [name?.textContent, name?.getAttribute("href")],
    home: all('main a[href="/"]').length,
    again: all('main a[href=""]').length,
    styled: [getComputedStyle(document.body).fontFamily, name === undefined ? "" : getComputedStyle(name).fontWeight],
    wide: document.documentElement.scrollWidth > innerWidth
  }
}

interface Asked {
  readonly as?: string
  /** A script that leads from the page at the address to the failure. */
  readonly act?: string
  /** Whether the page has a link that asks for it again. */
  readonly again?: boolean
  /** The links home beside the site's name. */
  readonly home?: number
}

/** The pages at each width; answers the text of the last. */
const shows = Effect.fnUntraced(function* (address: string, status: number, { act, again = false, as, home = 1 }: Asked = {}) {
  const chromium = yield* Browser
  let text = ""
  for (const width of WIDTHS) {
    const headers = { "x-forwarded-for": publicAddress(), ...(as === undefined ? {} : { cookie: `service_session=${as}-token` }) }
    const found = yield* Effect.promise(async () => {
      const tab = await chromium.blank({ viewport: { width, height: 700 }, extraHTTPHeaders: headers })
      const first = await tab.goto(address)
      const [answer] = act === undefined ? [first] : await Promise.all([tab.waitForNavigation(), tab.evaluate(act)])
      const found = { ...(await tab.evaluate(seen)), status: answer?.status() }
      await tab.context().close()
      return found
    })
    const { text: says, ...rest } = found
    text = says ?? ""
    const styled = ["system-ui, sans-serif", "800"]
    const right = { h1: 1, titled: true, named: ["Agon", "/"], home, again: again ? 1 : 0, styled, wide: false, status }
    assert.deepStrictEqual(rest, right, `${address} at ${width}`)
  }
  return text
})

/** A service that answers everything so, as JSON. */
const answering = (status: number, body: unknown) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer((_, response) => {
        response.writeHead(status, { "content-type": status < 400 ? "application/json" : "application/problem+json" })
        response.end(JSON.stringify(body))
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`))

/** The site beside this service; answers its origin. */
const siteBeside = (service: string) =>
  Effect.map(
    Layer.build(Layer.orDie(Site.layer({ host: "127.0.0.1", port: 0, service, origin: "http://localhost", objects: undefined }))),
    (context) => `http://127.0.0.1:${(Context.get(context, HttpServer.HttpServer).address as { readonly port: number }).port}`
  )

/** A form with one field, which the page does not have, is sent from it. */
const posts = (action: string, name: string, value: string) =>
  `(() => {
    const form = Object.assign(document.createElement("form"), { method: "post", action: "${action}" })
    form.append(Object.assign(document.createElement("textarea"), { name: "${name}", value: "${value}" }))
    document.body.append(form)
    form.submit()
  })()`

const AGAIN_AFTER_FORM = "look whether it was taken before you send it again"

/** Nobody listens on port 9. */
const away = Service.layer({ ...SiteService.settings, site: { host: "127.0.0.1", port: 9 } })

const missing = missingChromium()
if (missing !== undefined) it.skip(`pages of failures in a browser: ${missing}`, () => {})
else {
  const options = { excludeTestServices: true, timeout: "600 seconds" } as const

  layer(Browser.layer, options)("a page that the site cannot make", (it) => {
    it.effect("says why, with its status, and has a link that asks for it again where that may help", () =>
      Effect.gen(function* () {
        const gone = yield* siteBeside("http://127.0.0.1:9")
        yield* shows(`${gone}/matches`, 503, { again: true })
        yield* shows(`${gone}/me`, 503, { again: true, as: "ada" })
        const limited = {
          type: "/errors#rate_limited",
          code: "rate_limited",
          title: "Too many requests",
          detail: "x",
          status: 429,
          retry_after_ms: 1_000
        }
        yield* shows(`${yield* siteBeside(yield* answering(429, limited))}/matches`, 429, { again: true })
        const broken = yield* siteBeside(yield* answering(200, {}))
        yield* shows(`${broken}/matches`, 500, { again: true })
        yield* shows(`${broken}/me`, 500, { again: true, as: "ada" })
        yield* shows(`${broken}/nothing`, 404)
        yield* shows(`${broken}/matches?model=${"a".repeat(3_000)}`, 414)
      })
    )

    it.effect("and a form that it could not send on is never asked for again: the page says what to do with what was typed", () =>
      Effect.gen(function* () {
        const broken = yield* siteBeside(yield* answering(500, {}))
        const text = yield* shows(`${broken}/nothing`, 500, { as: "ada", act: posts("/me/settings", "form", "profile") })
        assert.include(text, AGAIN_AFTER_FORM)
      })
    )
  })

  layer(Layer.merge(SiteService.layerFixture, Browser.layer), options)("a page that the service refuses", (it) => {
    it.effect("says so with its status, also where the address is one of the API's that people are led to", () =>
      Effect.gen(function* () {
        yield* siteAnswers
        const { origin } = yield* Service.Service
        yield* shows(`${origin}/nothing`, 404)
        yield* shows(`${origin}/news?cursor=x`, 400)
        yield* shows(`${origin}/admin`, 403, { as: "ada" })
        assert.include(yield* shows(`${origin}/v1/auth/none`, 404), "There is no sign-in through none.")
        const { headers } = yield* page(origin, "/v1/auth/none")
        assert.strictEqual(headers.get("content-type"), "application/problem+json", "to programs")
        assert.include(yield* shows(`${origin}/v1/auth/%3Cb%3Ex%3C%2Fb%3E/callback?code=x&state=y`, 404), "<b>x</b>")
        yield* shows(`${origin}/me`, 413, { as: "ada", act: posts("/me/settings", "bio", "x".repeat(300_000)) })
        yield* shows(`${origin}/me`, 405, { as: "ada", act: posts("/news", "bio", ""), again: true })
        yield* shows(`${origin}/errors`, 200, { home: 0 })
      })
    )
  })

  layer(Layer.merge(away, Browser.layer), options)("while the site is away", (it) => {
    it.effect("the service's own page has the same look", () =>
      Effect.gen(function* () {
        const { origin } = yield* Service.Service
        yield* shows(`${origin}/matches`, 503, { again: true })
        yield* shows(`${origin}/`, 503, { again: true })
      })
    )
  })
}
