/** Announcements, posts and the feed over the whole service (docs/contract.md#community). */
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import * as W from "../support/Writing.ts"

const { modelIds: m, uuid } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const announcements = "/v1/admin/announcements"
const posts = "/v1/admin/posts"
const titles = (path: string) => Effect.map(A.read(path), ({ json }) => json.announcements.map(({ title }: any) => title))
const invalid = [400, "invalid_request"]
const missing = [404, "not_found"]

/** The log's rows about a subject, oldest first. */
const logged = (subject: string) =>
  Effect.map(
    A.rows<{ readonly action: string; readonly actor: string; readonly detail: unknown }>`
      SELECT l.action, a.username AS actor, l.detail FROM audit l JOIN account a ON a.id = l.actor WHERE l.subject = ${subject} ORDER BY l.id`,
    (rows) => rows.map(({ action, actor }) => `${action} by ${actor}`)
  )
const logSize = Effect.map(A.rows<{ readonly n: number }>`SELECT count(*)::int AS n FROM audit`, ([row]) => row!.n)

/** Refused, and nothing is logged. */
const refused = Effect.fnUntraced(function* <E, R>(asked: Effect.Effect<any, E, R>, with_: ReadonlyArray<unknown>, why?: string) {
  const before = yield* logSize
  assert.deepStrictEqual(A.refusal(yield* asked), with_, why)
  assert.strictEqual(yield* logSize, before, why)
})

layer(web, A.options)("an announcement", (it) => {
  it.effect("is shown to everybody as it was written, at once where it has no start, and for ever where it has no end", () =>
    Effect.gen(function* () {
      const { id, ...rest } = yield* W.announce("Hello", { link: "/docs" })
      assert.deepStrictEqual(rest, { title: "Hello", body: "Soon.", link: "/docs", starts_at: null, ends_at: null })
      const { json } = yield* A.ask("/v1/announcements")
      assert.deepStrictEqual(json, { announcements: [{ id, ...rest }], total: 1, next_cursor: null })
      assert.deepStrictEqual((yield* A.read(announcements)).json, json)
      assert.deepStrictEqual(yield* logged(id), ["announcement.add by root"])
    })
  )

  it.effect("is shown in its time only; administrators see it before and after", () =>
    Effect.gen(function* () {
      yield* W.announce("Over", { starts_at: "2026-01-01T01:00:00+01:00", ends_at: "2026-01-02T00:00:00Z" })
      yield* W.announce("To come", { starts_at: A.later })
      yield* W.announce("Now", { starts_at: A.past, ends_at: A.later })
      assert.deepStrictEqual(yield* titles("/v1/announcements"), ["Hello", "Now"])
      assert.deepStrictEqual(yield* titles(announcements), ["To come", "Hello", "Now", "Over"])
      const over = (yield* A.read(announcements)).json.announcements[3]
      assert.strictEqual(over.starts_at, "2026-01-01T00:00:00.000Z")
    })
  )

  it.effect("is listed page by page, the one that was shown last first", () =>
    Effect.gen(function* () {
      const page = yield* A.ask("/v1/announcements?limit=1")
      assert.deepStrictEqual([page.json.announcements[0].title, page.json.total, page.json.next_cursor], ["Hello", 2, "1"])
      assert.deepStrictEqual(yield* titles("/v1/announcements?limit=1&cursor=1"), ["Now"])
      assert.deepStrictEqual((yield* A.ask("/v1/announcements?cursor=9")).json, { announcements: [], total: 2, next_cursor: null })
      for (const path of ["/v1/announcements", announcements, "/v1/stories", posts, "/v1/admin/stories"]) {
        for (const cursor of ["x", "-1", "2147483648", "1.5", "0x1", "%00"]) {
          const answer = yield* A.read(`${path}?cursor=${cursor}`)
          assert.deepStrictEqual(A.refusal(answer), [400, "invalid_cursor"], `${path} ${cursor}`)
        }
        assert.deepStrictEqual(A.refusal(yield* A.read(`${path}?limit=0`)), invalid, path)
        assert.strictEqual((yield* A.read(`${path}?limit=1000&cursor=2147483647`)).status, 200, path)
      }
    })
  )

  it.effect("is changed in what is named and in nothing else, and logged where anything was", () =>
    Effect.gen(function* () {
      const { id, ...before } = yield* W.announce("Typo", { link: "https://agon.example/", starts_at: A.past, ends_at: A.later })
      const path = `${announcements}/${id}`
      const changed = yield* A.patch(path, { title: "Mended", link: null })
      assert.deepStrictEqual([changed.status, changed.json], [200, { ...before, id, title: "Mended", link: null }])
      yield* A.patch(path, { title: "Mended" })
      yield* A.patch(path, {})
      yield* A.patch(path, { starts_at: null, ends_at: null })
      const { json } = yield* A.ask("/v1/announcements?limit=1")
      assert.deepStrictEqual(json.announcements[0], { ...before, id, title: "Mended", link: null, starts_at: null, ends_at: null })
      assert.deepStrictEqual(yield* logged(id), ["announcement.add by root", "announcement.edit by root", "announcement.edit by root"])
    })
  )

  it.effect("is removed, and answered once more as it was", () =>
    Effect.gen(function* () {
      const one = yield* W.announce("Gone")
      const removed = yield* A.remove(`${announcements}/${one.id}`)
      assert.deepStrictEqual([removed.status, removed.json], [200, one])
      assert.notInclude(yield* titles("/v1/announcements"), "Gone")
      yield* refused(A.remove(`${announcements}/${one.id}`), missing)
      yield* refused(A.patch(`${announcements}/${one.id}`, { title: "x" }), missing)
      assert.deepStrictEqual(yield* logged(one.id), ["announcement.add by root", "announcement.remove by root"])
    })
  )

  it.effect("that ends before it starts, leads nowhere or is too long is refused, and so is what is unknown before its body is read", () =>
    Effect.gen(function* () {
      const whole = { title: "x", body: "x" }
      const wrong: ReadonlyArray<object> = [
        ...[{}, { title: "x" }, { title: "", body: "x" }, { title: "x", body: "" }],
        ...[
          { ...whole, title: "x".repeat(201) },
          { ...whole, body: "🐍".repeat(2_001) },
          { ...whole, body: "a\0b" }
        ],
        ...["javascript:alert(1)", "//evil.example", "", "mailto:x"].map((link) => ({ ...whole, link })),
        ...["now", "2026-13-01T00:00:00Z", "0000-01-01T00:00:00+14:00", "9999-12-31T23:59:59.999-14:00", 5].map((starts_at) => ({
          ...whole,
          starts_at
        })),
        { ...whole, starts_at: A.later, ends_at: A.later },
        { ...whole, starts_at: A.later, ends_at: A.past }
      ]
      for (const json of wrong) yield* refused(A.post(announcements, json), invalid, JSON.stringify(json).slice(0, 60))
      const { id } = yield* W.announce("Held", { starts_at: A.past })
      yield* refused(A.patch(`${announcements}/${id}`, { ends_at: A.past }), invalid)
      yield* refused(A.patch(`${announcements}/${id}`, { title: "" }), invalid)
      for (const unknown of [uuid("thread", 9), "x", "%00"]) {
        yield* refused(A.ask(`${announcements}/${unknown}`, { method: "PATCH", as: "root", body: "{" }), missing, unknown)
        yield* refused(A.remove(`${announcements}/${unknown}`), missing, unknown)
      }
      yield* refused(A.ask(`${announcements}/${id}`, { method: "PATCH", as: "root", body: "{" }), [400, "invalid_json"])
      assert.strictEqual((yield* A.post(announcements, { ...whole, body: "🐍".repeat(2_000) })).status, 201)
    })
  )

  it.effect("may stand at the ends of what a timestamp can say", () =>
    Effect.gen(function* () {
      const { id } = yield* W.announce("Far", { starts_at: "0000-01-01T00:00:00Z", ends_at: "9999-12-31T23:59:59.999Z" })
      const shown = (yield* A.ask("/v1/announcements")).json.announcements.find((one: any) => one.id === id)
      assert.deepStrictEqual([shown.starts_at, shown.ends_at], ["0000-01-01T00:00:00.000Z", "9999-12-31T23:59:59.999Z"])
    })
  )

  it.effect("is the platform's administrators' to write and to list", () =>
    Effect.gen(function* () {
      const { id } = yield* W.announce("Ours")
      for (const path of [announcements, posts, "/v1/admin/stories"]) {
        assert.deepStrictEqual(A.refusal(yield* A.read(path, "ada")), [403, "admin_only"])
        assert.deepStrictEqual(A.refusal(yield* A.ask(path)), [401, "unauthenticated"])
      }
      yield* refused(A.post(announcements, { title: "x", body: "x" }, "ada"), [403, "admin_only"])
      for (const known of [id, "x"]) {
        yield* refused(A.patch(`${announcements}/${known}`, {}, "ada"), [403, "admin_only"])
        yield* refused(A.remove(`${announcements}/${known}`, undefined, "ada"), [403, "admin_only"])
      }
    })
  )
})

layer(web, A.options)("a post", (it) => {
  const slugs = Effect.map(A.ask("/v1/stories"), ({ json }) => json.items.map(({ slug }: any) => slug))

  it.effect("is there to be read from its publication on, a draft for administrators only", () =>
    Effect.gen(function* () {
      const { author, ...draft } = yield* W.post("draft", { published_at: null })
      assert.deepStrictEqual(draft, { slug: "draft", title: "About draft", body: "Long ago.", published_at: null })
      assert.strictEqual(author, "root")
      const bare = yield* A.post(posts, { slug: "bare", title: "x", body: "x" })
      assert.isNull(bare.json.published_at)
      yield* W.post("to-come", { published_at: A.later })
      const published = yield* W.post("first")
      for (const slug of ["draft", "bare", "to-come", "nothing", "x".repeat(65), "No", "a--b", "%00", "..%2F"]) {
        assert.deepStrictEqual(A.refusal(yield* A.ask(`/v1/posts/${slug}`)), missing, slug)
      }
      assert.deepStrictEqual((yield* A.ask("/v1/posts/first")).json, published)
      assert.deepStrictEqual((yield* A.ask("/v1/stories")).json, { items: [{ kind: "post", ...published }], next_cursor: null })
      const all = (yield* A.read(posts)).json
      assert.deepStrictEqual(
        all.posts.map(({ slug }: any) => slug),
        ["first", "to-come", "bare", "draft"]
      )
      assert.deepStrictEqual(all.posts[0], published)
      assert.deepStrictEqual([all.total, all.next_cursor], [4, null])
      assert.strictEqual((yield* A.read(`${posts}?limit=3`)).json.next_cursor, "3")
    })
  )

  it.effect("is edited, published, withdrawn and renamed, each logged, and once where it changes anything", () =>
    Effect.gen(function* () {
      yield* A.patch(`${posts}/draft`, { published_at: "2026-02-01T00:00:00Z" })
      assert.strictEqual((yield* A.ask("/v1/posts/draft")).json.published_at, "2026-02-01T00:00:00.000Z")
      assert.deepStrictEqual(yield* slugs, ["draft", "first"])
      const edited = yield* A.patch(`${posts}/draft`, { title: "Better", body: "Now." })
      assert.deepStrictEqual([edited.status, edited.json.title, edited.json.body], [200, "Better", "Now."])
      assert.deepStrictEqual((yield* A.ask("/v1/posts/draft")).json, edited.json)
      const renamed = yield* A.patch(`${posts}/draft`, { slug: "final" })
      assert.deepStrictEqual(renamed.json, { ...edited.json, slug: "final" })
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/posts/draft")), missing)
      assert.deepStrictEqual((yield* A.ask("/v1/posts/final")).json, renamed.json)
      yield* A.patch(`${posts}/final`, { slug: "final", title: "Better" })
      yield* A.patch(`${posts}/final`, { published_at: null })
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/posts/final")), missing)
      assert.deepStrictEqual(yield* slugs, ["first"])
      assert.deepStrictEqual(yield* logged("draft"), ["post.add by root", ...Array(3).fill("post.edit by root")])
      assert.deepStrictEqual(yield* logged("final"), ["post.edit by root"])
    })
  )

  it.effect("has a slug that no other has", () =>
    Effect.gen(function* () {
      yield* refused(A.post(posts, { slug: "first", title: "x", body: "x" }), [409, "post_exists"])
      yield* refused(A.patch(`${posts}/bare`, { slug: "first", title: "y" }), [409, "post_exists"])
      assert.strictEqual((yield* A.read(posts)).json.posts.find(({ slug }: any) => slug === "bare").title, "x", "nothing of it was changed")
      const at_once = { concurrency: "unbounded" } as const
      const answers = yield* Effect.forEach([1, 2, 3, 4], (n) => A.post(posts, { slug: "race", title: `no. ${n}`, body: "x" }), at_once)
      assert.deepStrictEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409])
    })
  )

  it.effect("is removed, and answered once more as it was", () =>
    Effect.gen(function* () {
      const one = yield* W.post("gone")
      assert.strictEqual((yield* A.ask("/v1/posts/gone")).status, 200)
      const removed = yield* A.remove(`${posts}/gone`)
      assert.deepStrictEqual([removed.status, removed.json], [200, one])
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/posts/gone")), missing)
      assert.deepStrictEqual(yield* slugs, ["first"])
      for (const unknown of ["gone", "No", "%00", "a%2Fb"]) {
        yield* refused(A.remove(`${posts}/${unknown}`), missing, unknown)
        yield* refused(A.ask(`${posts}/${unknown}`, { method: "PATCH", as: "root", body: "{" }), missing, unknown)
      }
      assert.deepStrictEqual(yield* logged("gone"), ["post.add by root", "post.remove by root"])
    })
  )

  it.effect("without a slug that is one, a title and a body of bounded length is refused, and so is who may not write", () =>
    Effect.gen(function* () {
      const whole = { slug: "x", title: "x", body: "x" }
      for (const slug of ["", "No", "a--b", "-a", "ä", "x".repeat(65), "a/b", null, 5])
        yield* refused(A.post(posts, { ...whole, slug }), invalid)
      for (const wrong of [
        { title: "" },
        { body: "" },
        { title: "x".repeat(201) },
        { body: "x".repeat(20_001) },
        { published_at: "now" }
      ]) {
        yield* refused(A.post(posts, { ...whole, ...wrong }), invalid)
        yield* refused(A.patch(`${posts}/first`, wrong), invalid)
      }
      yield* refused(A.patch(`${posts}/first`, { slug: "a--b" }), invalid)
      yield* refused(A.post(posts, whole, "ada"), [403, "admin_only"])
      yield* refused(A.patch(`${posts}/first`, { title: "x" }, "ada"), [403, "admin_only"])
      yield* refused(A.remove(`${posts}/first`, undefined, "ada"), [403, "admin_only"])
      const longest = yield* A.post(posts, { ...whole, body: "🐍".repeat(20_000), published_at: "0000-01-01T00:00:00Z" })
      assert.strictEqual(longest.status, 201)
      assert.strictEqual((yield* A.ask("/v1/posts/x")).json.body.length, 40_000)
      assert.strictEqual((yield* A.remove(`${posts}/x`)).status, 200)
    })
  )
})

layer(web, A.options)("the feed", (it) => {
  it.effect("has posts and featured stories, newest first, page by page", () =>
    Effect.gen(function* () {
      yield* W.post("old")
      yield* W.story("ada", m.alpha, "How Alpha came to be.", true)
      yield* W.story("bob", m.beta, "Beta is not featured.")
      yield* W.post("new", { published_at: new Date(Date.now() - 1).toISOString() })
      const { json } = yield* A.ask("/v1/stories")
      const names = (items: ReadonlyArray<any>) => items.map(({ kind, slug, name }) => `${kind} ${slug ?? name}`)
      const all = names(json.items)
      assert.sameMembers(all, ["post new", "story Alpha", "post old"])
      assert.strictEqual(all.at(-1), "post old")
      const [{ published_at, updated_at, ...story }] = json.items.filter(({ kind }: any) => kind === "story")
      assert.deepStrictEqual(story, {
        ...{ kind: "story", model: m.alpha, name: "Alpha", owner: "ada", game: "snakes" },
        ...{ body: "How Alpha came to be.", state: "approved", featured: true }
      })
      assert.isAtLeast(Date.parse(published_at), Date.parse(updated_at))
      const times = json.items.map(({ published_at }: any) => Date.parse(published_at))
      assert.deepStrictEqual(
        times,
        times.toSorted((a: number, b: number) => b - a)
      )
      const first = (yield* A.ask("/v1/stories?limit=2")).json
      const second = (yield* A.ask(`/v1/stories?limit=2&cursor=${first.next_cursor}`)).json
      assert.deepStrictEqual([...first.items, ...second.items], json.items)
      assert.deepStrictEqual([first.next_cursor, second.next_cursor], ["2", null])
      assert.deepStrictEqual((yield* A.ask("/v1/stories?cursor=9")).json, { items: [], next_cursor: null })
    })
  )

  it.effect("names a model as it is called now, and lets a story go that is featured no more", () =>
    Effect.gen(function* () {
      const named = Effect.map(A.ask("/v1/stories"), ({ json }) => json.items.flatMap(({ name }: any) => name ?? []))
      yield* A.changes(["/v1/stories", `/v1/models/${m.alpha}/story`], A.patch(`/v1/models/${m.alpha}`, { name: "Alpha II" }, "ada"))
      assert.deepStrictEqual(yield* named, ["Alpha II"])
      yield* A.changes(["/v1/stories"], W.decide(m.alpha, "approved", { featured: false }))
      assert.deepStrictEqual(yield* named, [])
    })
  )
})
