/** Comment threads over the whole service (docs/contract.md#comments). */

import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { decide, published, say } from "../support/Commenting.ts"
import { blocked } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { newcomer } from "../support/newcomer.ts"
import type { Answered } from "../support/Web.ts"
import { unlimited } from "../support/Web.ts"

const { matchIds: x, modelIds: m, uuid } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const threadOf = (match: string, more = "") => `/v1/threads?match=${match}${more}`
const bodies = ({ json }: Answered) => json.comments.map(({ body }: any) => body)

layer(web, A.options)("a thread", (it) => {
  it.effect("that nobody has started is an empty one; of what is unknown there is none", () =>
    Effect.gen(function* () {
      for (const [kind, id] of [
        ["match", x.winter],
        ["model", m.beta]
      ]) {
        const { json, status } = yield* A.ask(`/v1/threads?${kind}=${id}`)
        assert.strictEqual(status, 200)
        assert.deepStrictEqual(json, {
          thread: { id: null, subject: { kind, id }, locked: false, comments: 0 },
          comments: [],
          next_cursor: null
        })
      }
      for (const match of [x.passedTrial, x.cancelled, x.uncounted, x.queued, x.secret, uuid("match", 999)]) {
        assert.deepStrictEqual(A.refusal(yield* A.ask(threadOf(match))), [404, "not_found"], match)
        assert.deepStrictEqual(A.refusal(yield* say("bob", { match }, "x")), [404, "not_found"], match)
      }
      for (const model of [m.secretBase, uuid("model", 999)]) {
        assert.deepStrictEqual(A.refusal(yield* A.ask(`/v1/threads?model=${model}`)), [404, "not_found"])
      }
    })
  )

  it.effect("is of a match or of a model: neither, both, and what is no id are refused", () =>
    Effect.gen(function* () {
      for (const query of ["", `?match=${x.nano}&model=${m.alpha}`, "?match=x", "?model=", `?match=${x.nano}&limit=0`]) {
        assert.deepStrictEqual(A.refusal(yield* A.ask(`/v1/threads${query}`)), [400, "invalid_request"], query)
        assert.deepStrictEqual(A.refusal(yield* A.ask(`/v1/private/threads${query}`)), [400, "invalid_request"], query)
      }
      for (const about of [{}, { match: x.nano, model: m.alpha }, { match: "x" }]) {
        assert.deepStrictEqual(A.refusal(yield* say("ada", about, "x")), [400, "invalid_request"])
      }
      assert.deepStrictEqual(A.refusal(yield* A.ask(threadOf(x.nano, "&cursor=x"))), [400, "invalid_cursor"])
    })
  )

  it.effect("shows an account's first comment once a moderator has approved it, and its later ones at once", () =>
    Effect.gen(function* () {
      yield* newcomer("eve")
      const first = yield* say("eve", { match: x.nano }, "First!")
      assert.strictEqual(first.status, 201)
      const { created_at, id, ...rest } = first.json
      assert.deepStrictEqual(rest, { parent_id: null, body: "First!", state: "pending" })
      assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/)
      const before = yield* A.ask(threadOf(x.nano))
      assert.deepStrictEqual([before.json.thread.comments, before.json.comments], [0, []])
      const waiting = (yield* A.read("/v1/admin/comments")).json
      assert.deepInclude(
        waiting.comments.find((one: any) => one.id === id),
        { author: "eve", body: "First!", state: "pending", reports: 0, subject: { kind: "match", id: x.nano } }
      )
      const approved = yield* decide(id, "approved")
      assert.deepStrictEqual([approved.status, approved.json.state], [200, "published"])
      const after = yield* A.ask(threadOf(x.nano))
      assert.deepStrictEqual(after.json.thread, {
        id: waiting.comments[0].thread_id,
        subject: { kind: "match", id: x.nano },
        locked: false,
        comments: 1
      })
      assert.deepStrictEqual(after.json.comments, [{ id, parent_id: null, author: "eve", body: "First!", created_at, deleted: false }])
      const second = yield* say("eve", { model: m.alpha }, "Strong.", null)
      assert.strictEqual(second.json.state, "published")
      assert.deepStrictEqual(bodies(yield* A.ask(`/v1/threads?model=${m.alpha}`)), ["Strong."])
    })
  )

  it.effect("takes replies to what can be read in it, and to nothing else", () =>
    Effect.gen(function* () {
      const about = { match: x.open }
      const parent = yield* published("ada", about, "Why up?")
      const elsewhere = yield* published("ada", { model: m.beta }, "Elsewhere.")
      yield* newcomer("fay")
      const pending = (yield* say("fay", about, "Hello?")).json.id
      for (const id of [elsewhere, pending, uuid("comment", 999)]) {
        assert.deepStrictEqual(A.refusal(yield* say("ada", about, "x", id)), [404, "not_found"])
      }
      assert.deepStrictEqual(A.refusal(yield* say("ada", { match: x.winter }, "x", parent)), [404, "not_found"])
      const reply = yield* say("ada", about, "Because.", parent)
      assert.strictEqual(reply.json.parent_id, parent)
      const { json } = yield* A.ask(threadOf(x.open))
      assert.deepStrictEqual(
        json.comments.map(({ body, parent_id }: any) => [body, parent_id]),
        [
          ["Why up?", null],
          ["Because.", parent]
        ]
      )
    })
  )

  it.effect("is read page by page, oldest first", () =>
    Effect.gen(function* () {
      const about = { model: m.gamma }
      for (const n of [1, 2, 3, 4, 5]) yield* published("ada", about, `no. ${n}`)
      const at = (more: string) => A.ask(`/v1/threads?model=${m.gamma}${more}`)
      const pages = [yield* at("&limit=2"), yield* at("&limit=2&cursor=2"), yield* at("&limit=2&cursor=4"), yield* at("&cursor=9")]
      assert.deepStrictEqual(pages.map(bodies), [["no. 1", "no. 2"], ["no. 3", "no. 4"], ["no. 5"], []])
      assert.deepStrictEqual(
        pages.map(({ json }) => json.next_cursor),
        ["2", "4", null, null]
      )
    })
  )

  it.effect("takes 2,000 characters as people count them, no listed word, and nothing that the database does not keep", () =>
    Effect.gen(function* () {
      yield* A.rows`INSERT INTO word (word, added_at) VALUES ('darn', now())`
      const about = { model: m.delta }
      assert.strictEqual((yield* say("ada", about, "🐍".repeat(2_000))).status, 201)
      for (const body of ["", "🐍".repeat(2_001), "x".repeat(2_001), "a\0b", "half \ud83d"]) {
        assert.deepStrictEqual(A.refusal(yield* say("ada", about, body)), [400, "invalid_request"], body.slice(0, 9))
      }
      assert.deepStrictEqual(A.refusal(yield* say("ada", about, "Well, DÄRN!")), [422, "comment_word_listed"])
      assert.strictEqual((yield* say("ada", about, "A darning needle.")).status, 201)
    })
  )

  it.effect("is locked and opened by administrators of the platform, each with its row in the log", () =>
    Effect.gen(function* () {
      const about = { model: m.random }
      yield* published("ada", about)
      const path = `/v1/threads?model=${m.random}`
      const { id } = (yield* A.ask(path)).json.thread
      const lock = (locked: boolean) => A.patch(`/v1/admin/threads/${id}`, { locked })
      const locked = yield* lock(true)
      assert.deepStrictEqual([locked.status, locked.json.locked], [200, true])
      assert.isTrue((yield* A.ask(path)).json.thread.locked)
      assert.deepStrictEqual(A.refusal(yield* say("ada", about, "x")), [409, "thread_locked"])
      assert.deepStrictEqual(A.refusal(yield* say("ada", about, "darn")), [422, "comment_word_listed"], "texts come before states")
      yield* lock(true)
      yield* lock(false)
      assert.isFalse((yield* A.ask(path)).json.thread.locked)
      assert.strictEqual((yield* say("ada", about, "x")).status, 201)
      const log = yield* A.rows<{ readonly action: string }>`SELECT action FROM audit WHERE subject = ${id} ORDER BY id`
      assert.deepStrictEqual(
        log.map(({ action }) => action),
        ["thread.lock", "thread.open"]
      )
      assert.deepStrictEqual(A.refusal(yield* A.patch(`/v1/admin/threads/${uuid("thread", 999)}`, { locked: true })), [404, "not_found"])
      assert.deepStrictEqual(A.refusal(yield* A.patch("/v1/admin/threads/x", { locked: 1 })), [404, "not_found"])
    })
  )
})

layer(web, A.options)("a comment", (it) => {
  it.effect("leaves its place in the thread when its author deletes it, and nobody else can", () =>
    Effect.gen(function* () {
      const about = { match: x.nano }
      const id = yield* published("ada", about, "Oops.")
      const reply = yield* published("bob", about, "What?", id)
      const remove = (as: string) => A.remove(`/v1/comments/${id}`, undefined, as)
      assert.deepStrictEqual(A.refusal(yield* remove("bob")), [404, "not_found"])
      const removed = yield* remove("ada")
      assert.strictEqual(removed.status, 200)
      const { json } = yield* A.ask(threadOf(x.nano))
      assert.deepStrictEqual(removed.json, json.comments[0])
      assert.deepInclude(removed.json, { id, author: "ada", body: null, deleted: true })
      assert.deepStrictEqual([json.thread.comments, json.comments[1].id], [1, reply])
      assert.deepStrictEqual(A.refusal(yield* remove("ada")), [404, "not_found"])
      assert.deepStrictEqual(A.refusal(yield* decide(id, "approved")), [404, "not_found"], "its author has the last word")
      assert.strictEqual((yield* say("ada", about, "Still here.", id)).status, 201)
      const stored = yield* A.rows`SELECT body FROM comment WHERE id = ${id}`
      assert.deepStrictEqual(stored, [{ body: null }])
    })
  )

  it.effect("on a match since voided, which nobody reads any more, is deleted by its author", () =>
    Effect.gen(function* () {
      yield* newcomer("gia")
      const ids = [
        yield* published("ada", { match: x.nano }, "I take this back."),
        (yield* say("gia", { match: x.nano }, "And I this.")).json.id
      ]
      yield* A.rows`UPDATE match SET status = 'failed' WHERE id = ${x.nano}`
      assert.deepStrictEqual(A.refusal(yield* A.remove(`/v1/comments/${ids[0]}`, undefined, "bob")), [404, "not_found"])
      const answers = yield* Effect.forEach(["ada", "gia"], (as, n) => A.remove(`/v1/comments/${ids[n]}`, undefined, as))
      assert.deepStrictEqual(
        answers.map(({ json, status }) => [status, json.id, json.body, json.deleted]),
        ids.map((id) => [200, id, null, true])
      )
      assert.deepStrictEqual(
        yield* A.rows`SELECT body FROM comment WHERE id = ${ids[0]} OR id = ${ids[1]}`,
        [{ body: null }],
        "the one that waited is gone"
      )
      yield* A.rows`UPDATE match SET status = 'rated' WHERE id = ${x.nano}`
    })
  )

  it.effect("of a newcomer that waits on a match since voided takes none of their places", () =>
    Effect.gen(function* () {
      yield* newcomer("gil")
      yield* Effect.forEach(Array.from({ length: 20 }), (_, n) => say("gil", { match: x.nano }, `no. ${n}`))
      assert.deepStrictEqual(A.refusal(yield* say("gil", { match: x.open }, "one more")), [409, "pending_cap_reached"])
      yield* A.rows`UPDATE match SET status = 'failed' WHERE id = ${x.nano}`
      assert.strictEqual((yield* A.read("/v1/me/comments", "gil")).json.total, 0)
      assert.strictEqual((yield* say("gil", { match: x.open }, "one more")).status, 201)
      yield* A.rows`UPDATE match SET status = 'rated' WHERE id = ${x.nano}`
    })
  )

  it.effect("of a newcomer waits among their own until it is approved or taken back; so many wait and no more", () =>
    Effect.gen(function* () {
      yield* newcomer("gus")
      const about = { match: x.open }
      const said = yield* Effect.forEach(Array.from({ length: 20 }), (_, n) => say("gus", about, `no. ${n}`))
      assert.deepStrictEqual(A.refusal(yield* say("gus", about, "one more")), [409, "pending_cap_reached"])
      const mine = (yield* A.read("/v1/me/comments?limit=1", "gus")).json
      const { created_at: _, ...last } = mine.comments[0]
      const subject = { kind: "match", id: x.open }
      assert.deepStrictEqual(last, { id: said.at(-1)!.json.id, subject, parent_id: null, body: "no. 19", state: "pending" })
      assert.deepStrictEqual([mine.total, mine.next_cursor], [20, "1"])
      assert.deepStrictEqual((yield* A.read("/v1/me/comments", "bob")).json, { comments: [], total: 0, next_cursor: null })
      assert.strictEqual((yield* A.remove(`/v1/comments/${said[0]!.json.id}`, undefined, "gus")).status, 200)
      assert.strictEqual((yield* A.read("/v1/me/comments?cursor=50", "gus")).json.total, 19)
      assert.strictEqual((yield* say("gus", about, "one more")).status, 201)
      yield* decide(said[1]!.json.id, "approved")
      assert.deepStrictEqual(bodies(yield* A.ask(threadOf(x.open))), ["no. 1"])
      assert.strictEqual((yield* A.read("/v1/me/comments", "gus")).json.total, 19)
    })
  )

  it.effect("is reported once by each, and a moderator removes it or finds nothing wrong", () =>
    Effect.gen(function* () {
      const id = yield* published("ada", { match: x.winter }, "Rude words.")
      const report = (as: string, reason: string) => A.post(`/v1/comments/${id}/reports`, { reason }, as)
      const first = yield* report("bob", "rude")
      assert.deepStrictEqual([first.status, first.json.comment_id, first.json.reason], [201, id, "rude"])
      assert.strictEqual((yield* report("bob", "again")).text, first.text)
      yield* report("root", "yes, rude")
      const listed = (yield* A.read("/v1/admin/comments?state=reported")).json.comments
      assert.strictEqual(listed.length, 1)
      assert.deepInclude(listed[0], { id, reports: 2, reasons: ["yes, rude", "rude"], state: "published" })
      yield* decide(id, "approved")
      assert.deepStrictEqual((yield* A.read("/v1/admin/comments?state=reported")).json.comments, [])
      assert.strictEqual((yield* decide(id, "removed")).json.state, "removed")
      const { json } = yield* A.ask(threadOf(x.winter))
      assert.deepStrictEqual([json.thread.comments, json.comments[0].body, json.comments[0].deleted], [0, null, true])
      assert.deepStrictEqual(A.refusal(yield* report("bob", "x")), [404, "not_found"])
      assert.deepStrictEqual(A.refusal(yield* A.post("/v1/comments/x/reports", {}, "bob")), [404, "not_found"], "before the body is read")
      yield* decide(id, "removed")
      yield* decide(id, "approved")
      yield* newcomer("hugo")
      yield* report("hugo", "still rude")
      yield* decide(id, "removed")
      assert.deepStrictEqual(
        (yield* A.read("/v1/admin/comments?state=reported")).json.comments,
        [],
        "what was removed is not asked about again"
      )
      yield* decide(id, "approved")
      assert.deepStrictEqual(bodies(yield* A.ask(threadOf(x.winter))), ["Rude words."])
      const log = yield* A.rows<{ readonly action: string }>`SELECT action FROM audit WHERE subject = ${id} ORDER BY id`
      assert.deepStrictEqual(
        log.map(({ action }) => action.slice("comment.".length)),
        ["approve", "remove", "approve", "remove", "approve"],
        "once for each change"
      )
    })
  )

  it.effect("that can be read stands on its author's page", () =>
    Effect.gen(function* () {
      yield* newcomer("hal")
      const id = yield* published("hal", { model: m.alpha }, "One.")
      const other = yield* published("hal", { match: x.nano }, "Two.")
      const path = "/v1/profiles/hal/comments"
      const { json } = yield* A.ask(path)
      assert.deepStrictEqual(
        json.comments.map(({ created_at: _, ...one }: any) => one),
        [
          { id: other, subject: { kind: "match", id: x.nano }, parent_id: null, body: "Two." },
          { id, subject: { kind: "model", id: m.alpha }, parent_id: null, body: "One." }
        ]
      )
      assert.strictEqual((yield* A.ask(`${path}?limit=1`)).json.next_cursor, "1")
      yield* A.remove(`/v1/comments/${id}`, undefined, "hal")
      yield* decide(other, "removed")
      assert.deepStrictEqual((yield* A.ask(path)).json, { comments: [], next_cursor: null })
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/profiles/nobody/comments")), [404, "not_found"])
    })
  )
})

/** A list's count of comments for each match, in its order. */
const discussed = (query: string) =>
  Effect.map(A.ask(`/v1/matches?sort=discussed&${query}`), ({ json }) => json.matches.map(({ comments, id }: any) => [id, comments]))

layer(web, A.options)("comments on matches", (it) => {
  it.effect("are counted on their cards, and make the order of what is discussed", () =>
    Effect.gen(function* () {
      const silent = [
        [x.open, 0],
        [x.nano, 0]
      ]
      assert.deepStrictEqual(yield* discussed("season=spring"), silent)
      const id = yield* published("ada", { match: x.nano })
      const counted = [
        [x.nano, 1],
        [x.open, 0]
      ]
      for (const query of ["season=spring", "season=spring&ladder=nano", `model=${m.alpha}`, "owner=ada", "season=spring&map=duel"]) {
        const all = query.includes("ladder") || query.includes("map") ? counted.slice(0, 1) : counted
        const found = yield* discussed(query)
        assert.deepStrictEqual(found.slice(0, all.length), all, query)
      }
      assert.deepStrictEqual(yield* discussed("season=spring&limit=1&cursor=1"), [[x.open, 0]])
      assert.strictEqual((yield* A.ask(`/v1/matches/${x.nano}`)).json.comments, 1)
      assert.strictEqual((yield* A.ask(`/v1/matches/${x.open}/related`)).json.matches[0].comments, 1)
      assert.strictEqual((yield* A.read("/v1/me/matches", "ada")).json.matches.find((one: any) => one.id === x.nano).comments, 1)
      yield* published("ada", { match: x.open })
      yield* published("bob", { match: x.open })
      assert.deepStrictEqual(yield* discussed("season=spring"), [
        [x.open, 2],
        [x.nano, 1]
      ])
      yield* A.remove(`/v1/comments/${id}`, undefined, "ada")
      assert.strictEqual((yield* A.ask(`/v1/matches/${x.nano}`)).json.comments, 0)
    })
  )

  it.effect("of a private season are there for those who see it, and for nobody else", () =>
    Effect.gen(function* () {
      const about = { match: x.secret }
      const before = (yield* A.ask("/v1/profiles/ada/comments")).text
      const id = yield* published("ada", about, "Between us.")
      const read = (as?: string) => A.ask(`/v1/private/threads?match=${x.secret}`, as === undefined ? {} : { as })
      for (const as of ["ada", "root"]) assert.deepStrictEqual(bodies(yield* read(as)), ["Between us."], as)
      for (const as of ["bob", undefined]) assert.deepStrictEqual(A.refusal(yield* read(as)), [404, "not_found"])
      for (const as of ["ada", "root"])
        assert.deepStrictEqual(A.refusal(yield* A.read(threadOf(x.secret), as)), [404, "not_found"], "the public route knows no members")
      assert.strictEqual((yield* A.ask("/v1/profiles/ada/comments")).text, before)
      assert.deepStrictEqual(A.refusal(yield* A.post(`/v1/comments/${id}/reports`, { reason: "x" }, "bob")), [404, "not_found"])
      assert.strictEqual((yield* A.read(`/v1/private/matches/${x.secret}`, "ada")).json.comments, 1)
      const open = yield* A.ask(threadOf(x.nano))
      const member = yield* A.read(`/v1/private/threads?match=${x.nano}`, "bob")
      assert.deepStrictEqual([member.text, member.headers.get("cache-control")], [open.text, "no-store"])
      // Somebody who is off the roster has nothing there, not even their own comments.
      yield* A.rows`DELETE FROM participant WHERE season_id = ${Fixture.seasonIds.secret}`
      assert.deepStrictEqual(A.refusal(yield* A.remove(`/v1/comments/${id}`, undefined, "ada")), [404, "not_found"])
    })
  )
})

const atOnce = { concurrency: "unbounded" } as const

layer(web, A.options)("at one time", (it) => {
  it.effect("first comments start one thread, and count once each", () =>
    Effect.gen(function* () {
      yield* published("ada", { model: m.beta })
      const answers = yield* Effect.forEach(Array.from({ length: 8 }), () => say("ada", { match: x.open }, "me"), atOnce)
      assert.deepStrictEqual(new Set(answers.map(({ status }) => status)), new Set([201]))
      assert.strictEqual((yield* A.ask(threadOf(x.open))).json.thread.comments, 8)
      assert.strictEqual((yield* A.rows`SELECT id FROM thread WHERE match_id = ${x.open}`).length, 1)
    })
  )

  it.effect("a newcomer's comments do not pass the limit together", () =>
    Effect.gen(function* () {
      yield* newcomer("ivy")
      const abouts = [x.nano, x.open, x.winter].map((match) => ({ match }))
      const answers = yield* Effect.forEach(Array.from({ length: 24 }), (_, n) => say("ivy", abouts[n % 3]!, "me"), atOnce)
      assert.strictEqual(answers.filter(({ status }) => status === 201).length, 20)
    })
  )

  it.effect("approvals, removals and deletions follow one another, and the count is that of what can be read", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 6; n++) {
        const id = (yield* say("bob", { match: x.winter }, `no. ${n}`)).json.id
        const answers = yield* Effect.all(
          [decide(id, "approved"), A.remove(`/v1/comments/${id}`, undefined, "bob"), decide(id, "removed"), decide(id, "approved")],
          atOnce
        )
        for (const { status, text } of answers) assert.include([200, 404], status, text)
      }
      const { json } = yield* A.ask(threadOf(x.winter))
      assert.strictEqual(json.thread.comments, json.comments.filter(({ deleted }: any) => !deleted).length)
      const counted = yield* A.rows`SELECT t.id FROM thread t
        WHERE t.comments <> (SELECT count(*) FROM comment c WHERE c.thread_id = t.id AND c.state = 'published')`
      assert.deepStrictEqual(counted, [])
    })
  )

  it.effect("what is said and the lock of its thread follow one another: nothing comes after the lock", () =>
    Effect.gen(function* () {
      const { id } = (yield* A.ask(threadOf(x.open))).json.thread
      const sql = yield* SqlClient.SqlClient
      const lock = (locked: boolean) => A.patch(`/v1/admin/threads/${id}`, { locked })
      // Held where it is written, the comment is in the thread before the lock, which waits for it.
      const [saying, locking, early] = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT id FROM account WHERE username = 'ada' FOR UPDATE`
          const saying = yield* Effect.forkChild(say("ada", { match: x.open }, "me"))
          yield* blocked(1)
          const locking = yield* Effect.forkChild(lock(true))
          yield* blocked(2)
          return [saying, locking, yield* sql`SELECT id FROM thread WHERE id = ${id} AND locked`] as const
        })
      )
      assert.deepStrictEqual([(yield* Fiber.join(saying)).status, early.length, (yield* Fiber.join(locking)).status], [201, 0, 200])
      yield* lock(false)
      const answers = yield* Effect.all([lock(true), ...Array.from({ length: 6 }, () => say("ada", { match: x.open }, "me"))], atOnce)
      for (const { status, text } of answers) assert.include([200, 201, 409], status, text)
      const { json } = yield* A.ask(threadOf(x.open))
      assert.deepStrictEqual([json.thread.comments, json.thread.locked], [9 + answers.filter(({ status }) => status === 201).length, true])
      assert.deepStrictEqual(A.refusal(yield* say("ada", { match: x.open }, "me")), [409, "thread_locked"])
    })
  )

  it.effect("a thread that two lock at one time is locked once, with one row in the log", () =>
    Effect.gen(function* () {
      const { id } = (yield* A.ask(threadOf(x.open))).json.thread
      const sql = yield* SqlClient.SqlClient
      const lock = (locked: boolean) => A.patch(`/v1/admin/threads/${id}`, { locked })
      const logged = Effect.map(sql`SELECT 1 FROM audit WHERE action = 'thread.lock' AND subject = ${id}`, (rows) => rows.length)
      yield* lock(false)
      const before = yield* logged
      const locking = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`SELECT id FROM thread WHERE id = ${id} FOR UPDATE`
          const locking = yield* Effect.forkChild(Effect.all([lock(true), lock(true)], atOnce))
          yield* blocked(2)
          return locking
        })
      )
      assert.deepStrictEqual(
        (yield* Fiber.join(locking)).map(({ json }) => json.locked),
        [true, true]
      )
      assert.strictEqual(yield* logged, before + 1)
    })
  )
})

layer(
  Fixture.layer.pipe(Layer.provideMerge(A.layerWith(RateLimits.layer({ ...unlimited, comment: { per_s: 1 / 30, burst: 3 } })))),
  A.options
)("comments of one account", (it) => {
  it.effect("are so many and then few, however many requests it has: each stays, and tells whom it answers", () =>
    Effect.gen(function* () {
      const about = { match: x.nano }
      const first = yield* published("ada", about, "me")
      const parent = yield* published("bob", about, "ask me")
      const told = () => Effect.map(A.read("/v1/me/notifications", "bob"), ({ json }) => json.total)
      const before = yield* told()
      yield* say("ada", about, "one", parent)
      yield* say("ada", about, "two", parent)
      const refused = yield* say("ada", about, "three", parent)
      assert.deepStrictEqual(A.refusal(refused), [429, "rate_limited"])
      assert.isAtMost(Number(refused.headers.get("retry-after")), 30)
      yield* A.remove(`/v1/comments/${first}`, undefined, "ada")
      assert.deepStrictEqual(A.refusal(yield* say("ada", about, "three", parent)), [429, "rate_limited"], "a deleted one counts")
      assert.strictEqual(yield* told(), before + 2)
      assert.strictEqual((yield* say("bob", about, "I am another")).status, 201)
    })
  )
})
