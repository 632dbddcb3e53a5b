/** Texts over a socket and with the typed client: from an owner's draft to the feed, with the cache in front. */

import { firstPage } from "@agon/api/Pages.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import * as Service from "../support/Service.ts"

const page = { query: firstPage() }
const minutes = (n: number) => new Date(Date.now() + n * 60_000).toISOString()

layer(Service.layer(), { excludeTestServices: true })("what is written", (it) => {
  it.effect("goes from its owner by a moderator to everybody", () =>
    Effect.gen(function* () {
      const { as, origin } = yield* Service.Service
      const [ada, admin] = [yield* as("ada"), yield* as("admin")]
      const { id } = yield* ada.model.createModel({ params: { game: "snakes" }, payload: { name: "Adder" } })
      const mine = yield* ada.writing.writeStory({ params: { id }, payload: { body: "How it began.", submit: true } })
      assert.deepInclude(mine, { model: id, state: "pending", body: "How it began." })
      const unread = yield* Effect.flip(ada.writing.story({ params: { id } }))
      assert.deepInclude(unread, { code: "not_found", status: 404 })

      const { stories } = yield* admin.editorial.submittedStories({ query: { state: "pending", ...firstPage() } })
      const [{ updated_at }] = stories as readonly [(typeof stories)[number]]
      yield* admin.editorial.decideStory({ params: { model: id }, payload: { state: "approved", featured: true, updated_at } })
      const post = { slug: "hello", title: "Hello", body: "All of you.", published_at: minutes(-1) }
      yield* admin.editorial.addPost({ payload: post })
      yield* admin.editorial.addPost({ payload: { ...post, slug: "later", published_at: minutes(2) } })
      yield* admin.editorial.announce({ payload: { title: "Now", body: "Soon over.", ends_at: minutes(1) } })

      const { items } = yield* ada.writing.feed(page)
      assert.deepStrictEqual(
        items.map((item) => (item.kind === "story" ? [item.name, item.body] : [item.slug, item.author])),
        [
          ["Adder", "How it began."],
          ["hello", "admin"]
        ]
      )
      assert.strictEqual((yield* ada.writing.announcements(page)).announcements[0]?.title, "Now")
      const told = yield* Effect.promise(() => fetch(`${origin}/v1/announcements`))
      const [, s_maxage] = /^public, max-age=0, s-maxage=(\d+)$/.exec(told.headers.get("cache-control")!)!
      assert.isAtMost(Number(s_maxage), 60)
      const etag = told.headers.get("etag")!
      const again = yield* Effect.promise(() => fetch(`${origin}/v1/announcements`, { headers: { "if-none-match": etag } }))
      assert.deepStrictEqual([again.status, again.headers.get("etag")], [304, etag])
      assert.deepInclude(yield* Effect.flip(admin.editorial.addPost({ payload: post })), { code: "post_exists", status: 409 })
    })
  )
})
