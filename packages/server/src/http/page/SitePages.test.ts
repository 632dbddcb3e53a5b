import { createHash } from "node:crypto"
import { createServer, type IncomingMessage, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { PrometheusMetrics } from "effect/observability"
import { eventually } from "../../../../../test/support/eventually.ts"
import { valueOf } from "../../../../../test/support/scrape.ts"
import { publicOrigin } from "../../config/publicOrigin.ts"
import { telling } from "../ClientAddress.ts"
import { makeSitePages, type SiteShape } from "./SitePages.ts"

const SECRET = "s3cret-of-the-service"

const listening = (listener: RequestListener) =>
  Effect.acquireRelease(
    Effect.callback<ReturnType<typeof createServer>>((resume) => {
      const server = createServer(listener).listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => (server.address() as AddressInfo).port))

/** The front of a service before a site that answers as it is told to; answers the front's address. */
const front = (site: RequestListener) => Effect.flatMap(listening(site), (port) => frontOf(() => ({ host: "127.0.0.1", port })))

/** The front of a service whose site is there. */
const frontOf = (at: SiteShape["at"]) =>
  Effect.gen(function* () {
    const shape = { at, told: telling(Redacted.make(SECRET)) }
    const pages = makeSitePages(shape, {
      clientOf: ({ headers }) => String(headers["x-of"] ?? "198.51.100.7"),
      take: () => 0,
      fork: Effect.runFork,
      tagOf: () => undefined,
      origin: publicOrigin("http://localhost")
    })
    const own = yield* listening((request, response) => {
      if (!pages(request, response)) response.end("the service's own")
    })
    return `http://127.0.0.1:${own}`
  })

const get = (url: string, headers: Readonly<Record<string, string>> = {}) => Effect.promise(() => fetch(url, { headers }))

it.live("the site is told the visitor's address, signed, and of the visitor's cookies the session alone, for personal pages", () =>
  Effect.gen(function* () {
    const asked: Array<IncomingMessage> = []
    const origin = yield* front((request, response) => {
      asked.push(request)
      response.setHeader("content-type", "text/html").end("a page")
    })
    const cookie = "theme=dark; service_session=session-of-ada; other=secret"
    const personal = [
      "/me",
      "/me?x=1",
      "/me/settings",
      "/admin",
      "/admin/users",
      "/device?code=x",
      "/games/snakes/seasons/spring/admin/rounds",
      "/private/games/snakes/seasons/secret",
      "/private/matches?season=secret"
    ]
    const shared = [
      "/",
      "/news",
      "/mean",
      "/privately",
      "/games/private",
      "/me.html",
      "/administrators",
      "/games/me",
      "/games/snakes/seasons/admin",
      "/people/me?next=/me"
    ]
    for (const path of [...personal, ...shared]) yield* get(origin + path, { cookie, authorization: "Bearer x", "x-other": "x" })
    assert.deepStrictEqual(
      asked.map(({ headers, url }) => [url, headers.cookie]),
      [...personal.map((path) => [path, "service_session=session-of-ada"]), ...shared.map((path) => [path, undefined])]
    )
    for (const { headers } of asked) {
      assert.match(String(headers["agon-visitor"]), /^198\.51\.100\.7 [0-9a-f]{64}$/)
      assert.notInclude(JSON.stringify(headers), SECRET)
      assert.includeMembers(["accept-encoding", "agon-visitor", "connection", "cookie", "host"], Object.keys(headers))
    }
  })
)

const PAGE = { "content-type": "text/html", "cache-control": "public, no-cache", etag: '"a"', vary: "Accept-Encoding" }

/** A site that counts what it is asked for, by path and coding; its pages hold for as long as their path says. */
const counting = Effect.gen(function* () {
  const asked: Array<string> = []
  const origin = yield* front((request, response) => {
    asked.push(`${request.url} ${request.headers["accept-encoding"]}`)
    const [, status = "200", fresh = ""] = /^\/(\d+)\/(\d+)/.exec(request.url!) ?? []
    const own = request.url!.startsWith("/me") || status !== "200"
    const headers = { ...PAGE, ...(own ? { "cache-control": "no-store" } : {}), "agon-fresh-ms": fresh }
    response.writeHead(Number(status), headers).end(`page ${asked.length}`)
  })
  return {
    asked,
    origin,
    text: (path: string, headers = {}) => Effect.promise(async () => (await fetch(origin + path, { headers })).text())
  }
})

it.live("a page that the site has just confirmed is answered without the site, to each coding its own", () =>
  Effect.gen(function* () {
    const { asked, origin, text } = yield* counting
    const gzip = { "accept-encoding": "gzip" }
    const plain = { "accept-encoding": "identity" }
    assert.deepStrictEqual([yield* text("/200/60000", gzip), yield* text("/200/60000", gzip)], ["page 1", "page 1"])
    assert.deepStrictEqual([yield* text("/200/60000", plain), yield* text("/200/60000?x", plain)], ["page 2", "page 3"])
    const whole = yield* get(`${origin}/200/60000`, gzip)
    const known = yield* get(`${origin}/200/60000`, { ...gzip, "if-none-match": 'W/"a"' })
    assert.deepStrictEqual([whole.status, known.status, yield* Effect.promise(() => known.text())], [200, 304, ""])
    assert.isNull(whole.headers.get("agon-fresh-ms"))
    assert.deepStrictEqual(
      [whole, known].map(({ headers }) => headers.get("etag")),
      ['"a"', '"a"']
    )
    assert.deepStrictEqual([known.headers.get("cache-control"), known.headers.get("content-type")], ["public, no-cache", null])
    assert.strictEqual(asked.length, 3)
  })
)

it.live("a page is asked for again when it no longer holds, and each time where it never does: personal, refused, posted to", () =>
  Effect.gen(function* () {
    const { asked, origin, text } = yield* counting
    yield* text("/200/1")
    yield* eventually(
      "the page no longer holds",
      Effect.map(text("/200/1"), (text) => text !== "page 1")
    )
    for (const path of ["/me/60000", "/404/60000", "/503/60000", "/200/0", "/200/"]) {
      assert.notStrictEqual(yield* text(path), yield* text(path), path)
    }
    const before = asked.length
    yield* Effect.promise(() => fetch(`${origin}/200/60000`, { method: "HEAD" }))
    yield* text("/200/60000")
    yield* Effect.promise(() => fetch(`${origin}/200/60000`, { method: "HEAD" }))
    assert.strictEqual(asked.length, before + 3)
  })
)

it.live("a visitor who has a page that nobody else has asked for lately gets a 304, and the page is kept for others", () =>
  Effect.gen(function* () {
    const { asked, origin, text } = yield* counting
    assert.strictEqual((yield* get(`${origin}/200/60000`, { "if-none-match": '"b", "a"' })).status, 304)
    assert.deepStrictEqual([yield* text("/200/60000"), asked.length], ["page 1", 1])
  })
)

it.live("while the site is away, and where a request is none of a page's, a page of the service's own says so, and leads home", () =>
  Effect.gen(function* () {
    const origin = yield* front((request) => request.socket.destroy())
    const asked = (path: string, init: RequestInit = {}) =>
      Effect.promise(async () => {
        const { headers, status, text } = await fetch(origin + path, init).then(async (answer) => ({
          headers: answer.headers,
          status: answer.status,
          text: await answer.text()
        }))
        assert.include(text, '<header>\n<a href="/">Agon</a>')
        assert.match(text, /<main>\n<h1>[^<]+<\/h1>\n<p>[^<]+<\/p>/)
        const [, style = ""] = /<style>([\s\S]*?)<\/style>/.exec(text) ?? []
        const allowed = `style-src 'sha256-${createHash("sha256").update(style).digest("base64")}'`
        assert.include(headers.get("content-security-policy"), `default-src 'none'; script-src 'none'; ${allowed}; form-action 'none'`)
        assert.notMatch(text, /<(script|img|link|form)|style="|url\(/, "it loads nothing and asks nobody")
        return { status, text, refresh: headers.get("refresh") }
      })
    const form = {
      method: "POST",
      headers: { origin: "http://localhost", "content-type": "application/x-www-form-urlencoded" },
      body: "a=b"
    }
    const away = yield* asked("/matches")
    assert.strictEqual(away.status, 503)
    assert.include(away.text, '<a href="">Ask for this page again</a>')
    assert.strictEqual(away.refresh, "10", "the browser asks again, without a script")
    const lost = yield* asked("/me/settings", form)
    assert.strictEqual(lost.status, 503)
    assert.include(lost.text, "look whether it was taken before you send it again")
    assert.notInclude(lost.text, 'href=""', "the browser goes back to what was typed")
    assert.isNull(lost.refresh)
    assert.strictEqual(
      (yield* asked("/me/settings", { ...form, headers: { ...form.headers, origin: "https://elsewhere.example" } })).status,
      403
    )
    const refused = yield* asked("/news", form)
    assert.deepStrictEqual([refused.status, refused.refresh], [405, null])
    assert.strictEqual((yield* asked("/news", { method: "DELETE" })).status, 405)
    assert.strictEqual((yield* asked("/me/settings", { ...form, body: "x".repeat(300 * 1024) })).status, 413)
  })
)

const pagesFailed = Effect.map(PrometheusMetrics.format(), (text) => valueOf(text, "agon_site_pages_failed_total") ?? 0)

it.live("each page that visitors do not get is counted: the site does not run, takes no connection, or has too many under way", () =>
  Effect.gen(function* () {
    const refused = Effect.fnUntraced(function* (origin: string, what: string) {
      const before = yield* pagesFailed
      assert.strictEqual((yield* get(`${origin}/matches`)).status, 503, what)
      yield* eventually(
        what,
        Effect.map(pagesFailed, (now) => now === before + 1)
      )
    })
    yield* refused(yield* frontOf(() => undefined), "it does not run")
    const gone = yield* Effect.scoped(listening(() => {}))
    yield* refused(yield* frontOf(() => ({ host: "127.0.0.1", port: gone })), "it takes no connection")

    const busy = yield* front(() => {})
    const before = yield* pagesFailed
    const leaving = new AbortController()
    const asked = Array.from({ length: 257 }, (_, i) => fetch(busy, { headers: { "x-of": `of ${i % 9}` }, signal: leaving.signal }))
    assert.strictEqual((yield* Effect.promise(() => Promise.race(asked))).status, 503)
    leaving.abort()
    yield* Effect.promise(() => Promise.allSettled(asked))
    yield* eventually(
      "it is busy",
      Effect.map(pagesFailed, (now) => now > before)
    )
  })
)

it.live("an address has a part of the pages under way, so two cannot keep the others from theirs, and gets its own back", () =>
  Effect.gen(function* () {
    let held = 0
    const origin = yield* front((request, response) => {
      if (request.method === "POST") held++
      else response.end("a page")
    })
    const leaving = new AbortController()
    const post = (of: string, signal?: AbortSignal) =>
      fetch(`${origin}/me/sessions`, {
        method: "POST",
        headers: { "x-of": of, "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" },
        body: "form=end-others",
        ...(signal === undefined ? {} : { signal })
      })
    const posted: Array<Promise<unknown>> = []
    // An address may send four forms at a time.
    for (let sent = 0; sent < 64; sent += 4) {
      for (let i = 0; i < 4; i++) posted.push(post(`rival-${i % 2}`, leaving.signal))
      yield* eventually(
        "the forms are with the site",
        Effect.sync(() => held === sent + 4)
      )
    }
    for (let i = 0; i < 2; i++) {
      const form = yield* Effect.promise(() => post(`rival-${i}`))
      assert.deepStrictEqual([form.status, form.headers.get("retry-after")], [429, "2"])
      assert.include(yield* Effect.promise(() => form.text()), "Nothing has happened")
      assert.strictEqual((yield* get(`${origin}/me`, { "x-of": `rival-${i}` })).status, 429)
    }
    assert.strictEqual(held, 64)
    assert.strictEqual((yield* get(`${origin}/matches`, { "x-of": "another" })).status, 200)
    leaving.abort()
    yield* Effect.promise(() => Promise.allSettled(posted))
    yield* eventually(
      "the address has its part again",
      Effect.map(get(`${origin}/me`, { "x-of": "rival-0" }), ({ status }) => status === 200)
    )
  })
)
