/** Atom feeds of the site beside a real service, read by a real parser of XML, whatever people call themselves. */
import { atom, ENTRIES_MAX, type Feed } from "@agon/site/html/atom.ts"
import { assert, describe, it, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { missingReader, readFeed } from "../support/Atom.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { page, siteAnswers } from "../support/Pages.ts"
import * as Service from "../support/Service.ts"
import * as SiteService from "../support/SiteService.ts"
import { seedAccounts } from "../support/Web.ts"

const { matchIds: x, modelIds: m, uuid } = Fixture
const ORIGIN = "https://agon.example"
const TYPE = "application/atom+xml"

/** Markup, the ends of sections, characters that XML has not, and those that turn a line. */
const MARKUP = `]]></title></entry><ill a='"'>&amp;&#1;<!--<![CDATA[`
const HOSTILE = [
  MARKUP,
  "\u0001\u0002\u0008\u000b\u000c\u001f\u007f\u0085",
  "\ud83d half \ude00 pairs \ud83d\ude00",
  "\ufffe\uffff\ufffd",
  "\u202egnihtyna\u2066\u200f",
  "line\r\nbreak\ttab"
]
/** Of these a database keeps every one. */
const STORED = HOSTILE.map((text) => text.toWellFormed()).join(" ")

const missing = missingReader()
const unread = describe.skipIf(missing !== undefined)

const feedOf = (entries: Feed["entries"]): Feed => ({ path: "/x.atom", title: HOSTILE.join(""), page: "/x", entries })
const entryOf = (text: string, n = 0): Feed["entries"][number] => ({
  id: `urn:uuid:${uuid("match", n)}`,
  title: text,
  published: "2026-01-01T00:00:00.000Z",
  updated: `2026-01-01T00:00:00.${String(n).padStart(3, "0")}Z`,
  link: `/x?${encodeURIComponent(text.toWellFormed())}&y='"`,
  author: text,
  summary: { type: n % 2 === 0 ? "html" : "text", text }
})

unread(`a feed${missing === undefined ? "" : `: ${missing}`}`, () => {
  it("is well formed whatever is in it, and keeps every character that XML has", () => {
    for (const [n, text] of HOSTILE.entries()) {
      const [read, ...others] = readFeed(atom(feedOf([entryOf(text, n)]), ORIGIN)).entries
      assert.lengthOf(others, 0)
      assert.notMatch(read!.title, /[\p{Cc}\u202a-\u202e\u2066-\u2069\p{Cs}]/u)
      const { link } = entryOf(text, n)
      assert.strictEqual(read!.link, ORIGIN + link)
    }
    assert.strictEqual(readFeed(atom(feedOf([entryOf(MARKUP)]), ORIGIN)).entries[0]!.summary, MARKUP)
    const whole = "\ud83d\ude00 é 漢 \u{10ffff}"
    assert.strictEqual(readFeed(atom(feedOf([entryOf(whole)]), ORIGIN)).entries[0]!.title, whole)
  })

  it("says when it changed last, and has a bounded number of entries", () => {
    const many = Array.from({ length: 2 * ENTRIES_MAX }, (_, n) => entryOf("entry", n))
    const { entries, id, updated } = readFeed(atom(feedOf(many), ORIGIN))
    assert.lengthOf(entries, ENTRIES_MAX)
    assert.strictEqual(id, `${ORIGIN}/x.atom`)
    assert.strictEqual(updated, many.at(-1)!.updated)
    assert.match(readFeed(atom(feedOf([]), ORIGIN)).updated, /^\d{4}-\d\d-\d\dT/)
  })
})

const proxied = { ...SiteService.settings, public_origin: ORIGIN }
const seeded = Fixture.layer.pipe(Layer.provide(Layer.effectDiscard(seedAccounts)))
const service = seeded.pipe(Layer.provideMerge(Service.layer(proxied)))

const get = (path: string, headers?: Readonly<Record<string, string>>, method?: string) =>
  Effect.flatMap(Service.Service, ({ origin }) => page(origin, path, headers, method))

const ANNOUNCED = "01950008-0000-7000-8000-000000000001"
const spoil = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`UPDATE model SET name = ${STORED} || id`
  yield* sql`UPDATE season SET name = ${STORED}`
  yield* sql`INSERT INTO announcement (id, title, body, link, created_at) VALUES (${ANNOUNCED}, ${STORED}, ${STORED}, NULL, '2026-01-01')`
  yield* sql`INSERT INTO post (id, slug, title, body, author_id, published_at, created_at)
    SELECT gen_random_uuid(), 'ill-' || n, ${STORED}, ${STORED}, id, '2026-01-01'::timestamptz + n * interval '1 second', '2026-01-01'
    FROM account, generate_series(1, 40) n WHERE username = 'ada'`
})

/** The feeds that a page names in its head. */
const feedsOf = (path: string) =>
  Effect.map(get(path), ({ status, text }) => {
    assert.strictEqual(status, 200, path)
    return [...text.matchAll(/<link rel="alternate" type="([^"]*)" title="[^"]+" href="([^"]+)">/g)].map(([, type, href]) => {
      assert.strictEqual(type, TYPE)
      return href!
    })
  })

/** The service's origin is that of a proxy, so the administrator's browser is one behind it. */
const announce = (written: { readonly title: string; readonly body: string }) =>
  Effect.gen(function* () {
    const { origin } = yield* Service.Service
    const headers = { cookie: "service_session=root-token", "content-type": "application/json", origin: ORIGIN }
    const sent = { method: "POST", headers, body: JSON.stringify(written) }
    assert.strictEqual((yield* Effect.promise(() => fetch(`${origin}/v1/admin/announcements`, sent))).status, 201)
  })

const feedAt = (path: string) =>
  Effect.map(get(path), ({ headers, status, text }) => {
    assert.deepStrictEqual([status, headers.get("content-type")], [200, `${TYPE}; charset=utf-8`], path)
    return readFeed(text)
  })

const results = (model: string) => `/models/${model}/results.atom`

unread(`the feeds of the site${missing === undefined ? "" : `: ${missing}`}`, () => {
  layer(service, { excludeTestServices: true, timeout: "300 seconds" })((it) => {
    it.effect("are named by the pages that they belong to, and well formed whatever people call themselves", () =>
      Effect.gen(function* () {
        yield* spoil
        yield* siteAnswers
        const pages = ["/", "/news", "/posts/ill-1", "/games/snakes", "/games/snakes/seasons/spring", `/models/${m.alpha}`]
        const named = new Set((yield* Effect.forEach(pages, feedsOf)).flat())
        assert.sameMembers([...named], ["/news.atom", "/announcements.atom", results(m.alpha)])
        for (const path of named) {
          const feed = yield* feedAt(path)
          assert.deepStrictEqual([feed.id, feed.links["self"]], [ORIGIN + path, ORIGIN + path])
          assert.isNotEmpty(feed.entries, path)
          assert.strictEqual(new Set(feed.entries.map(({ id }) => id)).size, feed.entries.length, path)
          for (const { link, published, updated } of feed.entries) {
            assert.strictEqual((yield* get(link.replace(ORIGIN, ""))).status, 200, link)
            assert.isAtMost(Date.parse(published), Date.parse(updated))
            assert.isAtMost(Date.parse(updated), Date.parse(feed.updated))
          }
        }
      })
    )

    it.effect("have ids that stay, the newest first, and no more than their share", () =>
      Effect.gen(function* () {
        yield* siteAnswers
        const news = yield* feedAt("/news.atom")
        assert.deepStrictEqual(
          news.entries.map(({ id }) => id),
          Array.from({ length: ENTRIES_MAX }, (_, n) => `${ORIGIN}/posts/ill-${40 - n}`)
        )
        assert.strictEqual(news.entries[0]!.author, "ada")
        const [announced] = (yield* feedAt("/announcements.atom")).entries
        assert.strictEqual(announced!.id, `urn:uuid:${ANNOUNCED}`)
        assert.strictEqual(announced!.published, new Date(0x019500080000).toISOString())
        assert.include(announced!.summary, "&lt;ill")
      })
    )

    it.effect("tell a model's matches in public seasons, no trial, and nothing of private seasons", () =>
      Effect.gen(function* () {
        yield* siteAnswers
        const ids = (feed: { readonly entries: ReadonlyArray<{ readonly id: string }> }) => feed.entries.map(({ id }) => id)
        assert.deepStrictEqual(
          ids(yield* feedAt(results(m.alpha))),
          [x.open, x.nano, x.winter].map((id) => `urn:uuid:${id}`)
        )
        const [beta] = (yield* feedAt(results(m.beta))).entries
        assert.match(beta!.title, /^Place 1 of 3, shared, against /)
        assert.notInclude((yield* get(results(m.hidden))).text, "secret")
        assert.deepStrictEqual(ids(yield* feedAt(results(m.hidden))), [])
        for (const path of [results(uuid("model", 999)), results("none"), "/models/results.atom", "/none.atom", "/news.atom/"]) {
          assert.strictEqual((yield* get(path)).status, 404, path)
        }
        const posted = yield* get("/news.atom", {}, "POST")
        assert.deepStrictEqual([posted.status, posted.headers.get("allow")], [405, "GET, HEAD"])
      })
    )

    it.effect("are kept by their tag as pages are, until something is new", () =>
      Effect.gen(function* () {
        yield* siteAnswers
        const plain = yield* get("/announcements.atom", { "accept-encoding": "identity" })
        const etag = plain.headers.get("etag")!
        assert.strictEqual(plain.headers.get("cache-control"), "public, no-cache")
        const again = { "accept-encoding": "identity", "if-none-match": etag }
        assert.strictEqual((yield* get("/announcements.atom", again)).status, 304)
        const packed = yield* get("/announcements.atom", { "accept-encoding": "gzip" })
        assert.deepStrictEqual([packed.headers.get("content-encoding"), packed.text], ["gzip", plain.text])
        yield* announce({ title: "New", body: "Something is new." })
        yield* eventually(
          "the feed has what is new",
          Effect.map(get("/announcements.atom", again), ({ status, text }) => status === 200 && text.includes("<title>New</title>"))
        )
      })
    )
  })
})
