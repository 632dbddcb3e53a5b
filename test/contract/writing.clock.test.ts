/**
 * Texts that are shown from a time on, or until one, while its answers are kept: over a real database,
 * on a clock that the test sets. Nobody writes when the time comes, so nothing is purged; an answer is
 * kept until then and no longer.
 */

import { ResponseCache } from "@agon/server/http/cache/ResponseCache.ts"
import { Announcements } from "@agon/server/writing/Announcements.ts"
import { EditorialHandlers } from "@agon/server/writing/editorialHttp.ts"
import { WritingHandlers } from "@agon/server/writing/http.ts"
import { Posts } from "@agon/server/writing/Posts.ts"
import { Stories } from "@agon/server/writing/Stories.ts"
import { StoryFeed } from "@agon/server/writing/StoryFeed.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { at } from "../support/Fixture.ts"
import * as Web from "../support/Web.ts"

const services = Layer.mergeAll(Announcements.layer, Posts.layer, Stories.layer, StoryFeed.layer)
const handlers = Layer.mergeAll(WritingHandlers, EditorialHandlers).pipe(Layer.provide(services))
const web = Web.layer({ handlers, served: ["writing", "editorial"] }).pipe(Layer.provide(Web.noLookups))

const made = (path: string, json: unknown) =>
  Effect.map(Web.call(path, { method: "POST", as: "root", json }), ({ status, text }) => assert.strictEqual(status, 201, text))
const announce = (title: string, starts_at: string | null, ends_at: string | null = null) =>
  made("/v1/admin/announcements", { title, body: "x", starts_at, ends_at })
const post = (slug: string, published_at: string) => made("/v1/admin/posts", { slug, title: "x", body: "x", published_at })

const shown = Effect.map(Web.call("/v1/announcements"), ({ json }) => json.announcements.map(({ title }: any) => title).join())
const fed = Effect.map(Web.call("/v1/stories"), ({ json }) => json.items.map(({ slug }: any) => slug).join())
const isKept = (path: string) => Effect.map(ResponseCache, (cache) => cache.getUnsafe(path) !== undefined)
const lifeOf = (path: string) => Effect.map(Web.call(path), ({ headers }) => headers.get("cache-control"))

layer(web)("what is kept", (it) => {
  it.effect("shows an announcement from the moment it starts until the moment it ends", () =>
    Effect.gen(function* () {
      yield* announce("always", null)
      assert.strictEqual(yield* lifeOf("/v1/announcements"), "public, max-age=0, s-maxage=600", "nothing is to come")
      yield* announce("for a while", at(2), at(5))
      assert.strictEqual(yield* shown, "always")
      assert.strictEqual(yield* lifeOf("/v1/announcements"), "public, max-age=0, s-maxage=120", "nor do caches further on keep it longer")
      yield* TestClock.adjust("119999 millis")
      assert.isTrue(yield* isKept("/v1/announcements"))
      assert.strictEqual(yield* shown, "always")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* shown, "for a while,always")
      assert.strictEqual(yield* lifeOf("/v1/announcements"), "public, max-age=0, s-maxage=180")
      yield* TestClock.adjust("179999 millis")
      assert.strictEqual(yield* shown, "for a while,always")
      yield* TestClock.adjust("1 millis")
      assert.strictEqual(yield* shown, "always")
    })
  )

  it.effect("knows of an announcement that was written after it, and starts before it would have been asked for again", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* shown, "always")
      yield* announce("soon", at(6))
      assert.strictEqual(yield* shown, "always")
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* shown, "soon,always")
    })
  )

  it.effect("has a post in the feed, and at its own address, from its publication on", () =>
    Effect.gen(function* () {
      const there = Effect.map(Web.call("/v1/posts/soon"), ({ status }) => status)
      yield* post("first", at(0))
      assert.strictEqual(yield* fed, "first")
      yield* post("soon", at(8))
      assert.deepStrictEqual([yield* fed, yield* there], ["first", 404])
      yield* TestClock.adjust("119999 millis")
      assert.deepStrictEqual([yield* fed, yield* there], ["first", 404])
      assert.isTrue(yield* isKept("/v1/stories"))
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual([yield* fed, yield* there], ["soon,first", 200])
    })
  )

  it.effect("is kept for ten minutes where what is to come is further away", () =>
    Effect.gen(function* () {
      yield* announce("far away", at(1_000))
      yield* shown
      yield* TestClock.adjust("599999 millis")
      assert.isTrue(yield* isKept("/v1/announcements"))
      yield* TestClock.adjust("1 millis")
      assert.isFalse(yield* isKept("/v1/announcements"))
    })
  )
})
