/**
 * Notifications over the whole service: the feed, what is wanted of it, and notices to everybody
 * (docs/contract.md#notifications).
 */

import { hash } from "node:crypto"
import { unsubscribeToken } from "@agon/server/notification/mail/unsubscribing.ts"
import { makeTell } from "@agon/server/notification/Notifications.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { decide, published, say } from "../support/Commenting.ts"
import * as Fixture from "../support/Fixture.ts"
import { type Answered, call } from "../support/Web.ts"
import { withoutLog } from "../support/withoutLog.ts"

const { matchIds: x, modelIds: m, uuid } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const feed = (as: string, more = "") => Effect.map(A.read(`/v1/me/notifications${more}`, as), ({ json }) => json)
const subjects = (as: string, more = "") =>
  Effect.map(feed(as, more), ({ notifications }) => notifications.map(({ subject }: any) => subject as string))
const markRead = (as: string, body: unknown) => A.post("/v1/me/notifications/read", body, as)
const notifyAll = (subject: string, more: object = {}, as = "root") => A.post("/v1/admin/notifications", { subject, ...more }, as)
const idOf = (username: string) =>
  Effect.map(A.rows<{ readonly id: string }>`SELECT id FROM account WHERE username = ${username}`, ([row]) => row!.id)

/** Straight to the feed of accounts, as the service tells them. */
const tell = Effect.fnUntraced(function* (subject: string, ...usernames: ReadonlyArray<string>) {
  const accounts = yield* Effect.forEach(usernames, idOf)
  return yield* Effect.flatMap(makeTell, (tell) => tell({ kind: "season_notice", accounts, subject, link: "/games/snakes" }))
})

/** So many at once, a minute apart, the newest an hour old. */
const pile = (username: string, count: number) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`
    INSERT INTO notification (id, account_id, kind, subject, created_at)
    SELECT new_id(now() - n * interval '1 minute'), a.id, 'season_notice', 'no. ' || n, now() - interval '1 hour' - n * interval '1 minute'
    FROM account a, generate_series(1, ${count}::int) n WHERE a.username = ${username}`
  )

layer(web, A.options)("the feed", (it) => {
  it.effect("shows an account what it was told, and nobody else", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* feed("ada"), { notifications: [], total: 0, next_cursor: null })
      assert.strictEqual(yield* tell("Boards are out.", "ada", "ada"), 1, "who is named twice is told once")
      const { notifications, total } = yield* feed("ada")
      const { created_at, id, ...rest } = notifications[0]
      assert.deepStrictEqual(rest, { kind: "season_notice", subject: "Boards are out.", link: "/games/snakes", read_at: null })
      assert.match(created_at, /^\d{4}-.*\.\d{3}Z$/)
      assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      assert.strictEqual(total, 1)
      assert.deepStrictEqual(yield* feed("bob"), { notifications: [], total: 0, next_cursor: null })
      assert.deepStrictEqual(A.refusal(yield* A.ask("/v1/me/notifications")), [401, "unauthenticated"])
    })
  )

  it.effect("is read by ids or all at once, each once, and never by somebody else", () =>
    Effect.gen(function* () {
      for (const subject of ["one", "two", "three"]) yield* tell(subject, "bob")
      const { notifications } = yield* feed("bob")
      const [three, two] = notifications
      assert.deepStrictEqual((yield* markRead("ada", { ids: [two.id] })).json, { read: 0 })
      const marked = yield* markRead("bob", { ids: [two.id, two.id, uuid("match", 99)] })
      assert.deepStrictEqual([marked.status, marked.json], [200, { read: 1 }])
      assert.deepStrictEqual((yield* markRead("bob", { ids: [two.id] })).json, { read: 0 })
      assert.deepStrictEqual((yield* markRead("bob", { ids: [] })).json, { read: 0 })
      const after = (yield* feed("bob")).notifications
      assert.deepStrictEqual([after[0].read_at, after[2].read_at, after[0].id], [null, null, three.id])
      assert.match(after[1].read_at, /^\d{4}-.*Z$/)
      assert.deepStrictEqual((yield* markRead("bob", { all: true })).json, { read: 2 })
      const read = (yield* feed("bob")).notifications
      assert.isTrue(read.every(({ read_at }: any) => read_at !== null))
      assert.strictEqual(read[1].read_at, after[1].read_at, "what was read stays read when it was")
    })
  )

  it.effect("is marked by ids or by all, and by nothing that is neither", () =>
    Effect.gen(function* () {
      const many = Array.from({ length: 101 }, (_, n) => uuid("match", n))
      for (const body of [{}, { all: false }, { all: "yes" }, { ids: "x" }, { ids: ["x"] }, { ids: many }, [], null, { ids: null }]) {
        assert.deepStrictEqual(A.refusal(yield* markRead("ada", body)), [400, "invalid_request"], JSON.stringify(body))
      }
    })
  )

  it.effect("is told once where two mark the same at one time", () =>
    Effect.gen(function* () {
      for (let n = 0; n < 30; n++) yield* tell(`no. ${n}`, "root")
      const all = Array.from({ length: 6 }, () => Effect.map(markRead("root", { all: true }), ({ json }) => json.read as number))
      const counts = yield* Effect.all(all, { concurrency: "unbounded" })
      assert.strictEqual(
        counts.reduce((sum, n) => sum + n, 0),
        30
      )
    })
  )
})

layer(web, A.options)("a feed that is long", (it) => {
  it.effect("is paged a thousand deep, and what lies below goes as more is told", () =>
    Effect.gen(function* () {
      yield* pile("bob", 1_250)
      const at = (more: string) => feed("bob", more)
      const first = yield* at("?limit=100")
      assert.deepStrictEqual([first.total, first.next_cursor, first.notifications.length], [1_000, "100", 100])
      assert.strictEqual(first.notifications[0].subject, "no. 1")
      const last = yield* at("?limit=100&cursor=950")
      assert.deepStrictEqual([last.next_cursor, last.notifications.length], [null, 50])
      assert.strictEqual(last.notifications.at(-1).subject, "no. 1000")
      for (const cursor of [1_000, 1_200, 2_147_483_647]) {
        assert.deepStrictEqual(yield* at(`?cursor=${cursor}`), { notifications: [], total: 1_000, next_cursor: null })
      }
      assert.deepStrictEqual((yield* markRead("bob", { all: true })).json, { read: 1_000 }, "what nobody can page to stays as it is")
      const stored = A.rows<{ readonly n: number }>`SELECT count(*)::int AS n FROM notification`
      for (const left of [1_151, 1_052, 1_000, 1_000]) {
        yield* tell("More.", "bob")
        assert.strictEqual((yield* stored)[0]!.n, left)
      }
      assert.deepStrictEqual((yield* subjects("bob", "?limit=5")).slice(3), ["More.", "no. 1"])
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/me/notifications?cursor=-1", "bob")), [400, "invalid_cursor"])
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/me/notifications?limit=0", "bob")), [400, "invalid_request"])
    })
  )
})

layer(web, A.options)("a feed that many write to at one time", (it) => {
  it.effect("keeps every word of theirs, and lets go what lies below while its owner reads", () =>
    Effect.gen(function* () {
      yield* pile("bob", 3_000)
      const writes = Array.from({ length: 24 }, (_, n) => tell(`word ${n}`, ...(n % 2 === 0 ? ["ada", "bob"] : ["bob", "ada"])))
      const reads = Array.from({ length: 6 }, () => Effect.as(markRead("bob", { all: true }), 0))
      yield* Effect.all([...writes, ...reads], { concurrency: "unbounded" })
      const words = Array.from({ length: 24 }, (_, n) => `word ${n}`)
      for (const who of ["ada", "bob"]) assert.sameMembers((yield* subjects(who, "?limit=24")) as Array<string>, words)
      const [{ n }] = (yield* A.rows<{ readonly n: number }>`SELECT count(*)::int AS n FROM notification n
        JOIN account a ON a.id = n.account_id WHERE a.username = 'bob'`) as [{ n: number }]
      assert.isBelow(n, 3_000)
      assert.isAtLeast(n, 1_000)
    })
  )
})

layer(web, A.options)("settings", (it) => {
  const path = "/v1/me/notification-settings"
  const kinds = [
    ...["season_notice", "version_admitted", "version_rejected", "version_entered", "version_superseded"],
    ...["version_suspended", "version_disqualified", "version_reinstated", "comment_reply"],
    ...["comment_approved", "story_approved", "story_rejected", "season_closed", "platform_notice"]
  ]

  it.effect("have every kind on until it is turned off, and off until it is turned on", () =>
    Effect.gen(function* () {
      const all = Object.fromEntries(kinds.map((kind) => [kind, true]))
      assert.deepStrictEqual((yield* A.read(path, "ada")).json, { ...all, email: false, email_address: null })
      const off = yield* A.patch(path, { season_notice: false, comment_reply: false, platform_notice: true }, "ada")
      assert.strictEqual(off.status, 200)
      assert.deepStrictEqual(
        kinds.filter((kind) => !off.json[kind]),
        ["season_notice", "comment_reply"]
      )
      assert.deepStrictEqual((yield* A.read(path, "ada")).json, off.json)
      assert.isTrue((yield* A.read(path, "bob")).json.season_notice, "each has their own")
      assert.strictEqual(yield* tell("Not for ada.", "ada", "bob"), 1)
      assert.deepStrictEqual(yield* subjects("ada"), [])
      const on = yield* A.patch(path, { season_notice: true }, "ada")
      assert.deepStrictEqual(
        kinds.filter((kind) => !on.json[kind]),
        ["comment_reply"]
      )
      assert.strictEqual(yield* tell("For ada.", "ada"), 1)
      assert.deepStrictEqual((yield* A.patch(path, {}, "ada")).json, on.json)
    })
  )

  it.effect("keep notices of the platform on, and take nothing but yes and no", () =>
    Effect.gen(function* () {
      for (const body of [{ platform_notice: false }, { season_notice: "no" }, { season_notice: null }, { platform_notice: 1 }, [], null]) {
        assert.deepStrictEqual(A.refusal(yield* A.patch(path, body, "ada")), [400, "invalid_request"], JSON.stringify(body))
      }
      const odd = yield* A.patch(path, { no_such_kind: false }, "bob")
      assert.deepStrictEqual([odd.status, Object.keys(odd.json).length], [200, kinds.length + 2], "keys that are not known are ignored")
    })
  )
})

layer(web, A.options)("e-mail", (it) => {
  it.effect("is ended by the link in a mail, as mail programs send it, without a session", () =>
    Effect.gen(function* () {
      const [row] = yield* A.rows<{ readonly id: string }>`INSERT INTO webhook (id, account_id, url, secret, channel, created_at)
        SELECT gen_random_uuid(), id, 'mailto:', 'secret', 'mail', now() FROM account WHERE username = 'ada' RETURNING id`
      const isOn = Effect.map(A.rows`SELECT 1 FROM webhook WHERE disabled_at IS NULL`, ({ length }) => length === 1)
      const headers = { "content-type": "application/x-www-form-urlencoded" }
      const click = (query: string) => call(`/v1/unsubscribe${query}`, { method: "POST", headers, body: "List-Unsubscribe=One-Click" })
      const token = unsubscribeToken(row!.id, "secret")
      assert.deepStrictEqual(A.refusal(yield* click(`?token=${token}x`)), [404, "not_found"])
      assert.deepStrictEqual(A.refusal(yield* click(`?token=${unsubscribeToken(row!.id, "other")}`)), [404, "not_found"])
      assert.deepStrictEqual(A.refusal(yield* click("")), [400, "invalid_request"])
      assert.strictEqual((yield* call(`/v1/unsubscribe?token=${token}`)).status, 200)
      assert.isTrue(yield* isOn, "who only looks ends nothing")
      for (let n = 0; n < 2; n++) {
        const { json, status } = yield* click(`?token=${token}`)
        assert.deepStrictEqual([status, json, yield* isOn], [200, { unsubscribed: true }, false])
      }
      const webhooks = yield* A.read("/v1/me/webhooks", "ada")
      assert.deepStrictEqual(webhooks.json, { webhooks: [] }, "mails are not among the account's webhooks")
      assert.deepStrictEqual(A.refusal(yield* A.remove(`/v1/me/webhooks/${row!.id}`, undefined, "ada")), [404, "not_found"])
    })
  )

  it.effect("is ended by a person on a page with a button, which a mail program that looks at the link does not press", () =>
    Effect.gen(function* () {
      const [row] = yield* A.rows<{ readonly id: string }>`INSERT INTO webhook (id, account_id, url, secret, channel, created_at)
        SELECT gen_random_uuid(), id, 'mailto:', 'secret', 'mail', now() FROM account WHERE username = 'bob' RETURNING id`
      const isOn = Effect.map(A.rows`SELECT 1 FROM webhook WHERE id = ${row!.id} AND disabled_at IS NULL`, ({ length }) => length === 1)
      const evil = `"><script>alert(1)</script>`
      const link = `/v1/unsubscribe?token=${unsubscribeToken(row!.id, "secret")}`
      const at = (path: string, method: string, more: Readonly<Record<string, string>> = {}) =>
        call(path, { method, headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8", ...more } })
      const isPage = ({ headers, status, text }: Answered, title: string) => {
        assert.include(text, `<h1>${title}</h1>`)
        assert.deepStrictEqual([headers.get("content-type"), headers.get("cache-control")], ["text/html; charset=utf-8", "no-store"])
        const [style] = /(?<=<style>)[\s\S]*(?=<\/style>)/.exec(text)!
        const policy = `default-src 'none'; script-src 'none'; style-src 'sha256-${hash("sha256", style!, "base64")}'; form-action 'self'`
        assert.strictEqual(headers.get("content-security-policy"), `${policy}; frame-ancestors 'none'; base-uri 'none'`)
        assert.strictEqual(headers.get("referrer-policy"), "same-origin")
        assert.isNull(headers.get("set-cookie"))
        assert.notInclude(text, evil)
        return status
      }
      assert.strictEqual((yield* at(link, "HEAD")).status, 200)
      const shown = yield* at(link, "GET")
      assert.strictEqual(isPage(shown, "Stop e-mail"), 200)
      assert.include(shown.text, `<form method="post"><button>Stop these mails</button></form>`)
      assert.isTrue(yield* isOn, "who looks ends nothing")
      assert.strictEqual((yield* at(`/v1/unsubscribe?token=${encodeURIComponent(evil)}`, "GET")).text, shown.text, "the same for all")
      const form = { "content-type": "application/x-www-form-urlencoded", "sec-fetch-site": "same-origin" }
      assert.strictEqual(isPage(yield* at(`/v1/unsubscribe?token=${encodeURIComponent(evil)}`, "POST", form), "Unknown link"), 404)
      assert.isTrue(yield* isOn)
      for (let n = 0; n < 2; n++) {
        assert.strictEqual(isPage(yield* at(link, "POST", form), "E-mail is off"), 200)
        assert.isFalse(yield* isOn)
      }
      assert.strictEqual((yield* at(link, "DELETE")).status, 405)
    })
  )

  it.effect("is refused where there is none, and then nothing is changed", () =>
    Effect.gen(function* () {
      const path = "/v1/me/notification-settings"
      const before = (yield* A.read(path, "ada")).json
      const refused = yield* A.patch(path, { email: true, season_notice: false }, "ada")
      assert.deepStrictEqual(A.refusal(refused), [409, "email_unavailable"])
      assert.deepStrictEqual((yield* A.read(path, "ada")).json, before)
      assert.deepStrictEqual((yield* A.patch(path, { email: false }, "ada")).json, before)
    })
  )
})

layer(web, A.options)("a notice to everybody", (it) => {
  it.effect("is in every account's feed, in its place, and read by each for themselves", () =>
    Effect.gen(function* () {
      yield* tell("Before.", "ada")
      const sent = yield* notifyAll("We move.", { link: "https://example.org/move" })
      assert.strictEqual(sent.status, 201)
      const { id, sent_at, ...rest } = sent.json
      const [{ n }] = (yield* A.rows<{ readonly n: number }>`SELECT count(*)::int AS n FROM account`) as [{ n: number }]
      assert.deepStrictEqual(rest, { subject: "We move.", link: "https://example.org/move", sent_by: "root", recipients: n })
      yield* tell("After.", "ada")
      assert.deepStrictEqual(yield* subjects("ada"), ["After.", "We move.", "Before."])
      const [notice] = (yield* feed("bob")).notifications
      assert.deepStrictEqual(notice, {
        ...{ id, kind: "platform_notice", subject: "We move.", link: "https://example.org/move" },
        ...{ created_at: sent_at, read_at: null }
      })
      assert.deepStrictEqual((yield* markRead("ada", { ids: [id] })).json, { read: 1 })
      assert.deepStrictEqual((yield* markRead("ada", { ids: [id] })).json, { read: 0 })
      assert.isNotNull((yield* feed("ada")).notifications[1].read_at)
      assert.isNull((yield* feed("bob")).notifications[0].read_at)
      assert.deepStrictEqual((yield* markRead("ada", { all: true })).json, { read: 2 })
      assert.deepStrictEqual((yield* markRead("bob", { all: true })).json, { read: 1 })
      assert.deepStrictEqual(yield* A.rows`SELECT id FROM notification WHERE kind = 'platform_notice'`, [], "a row for all, none for each")
    })
  )

  it.effect("is none to who came after it", () =>
    Effect.gen(function* () {
      const { id } = (yield* notifyAll("Old news.")).json
      yield* A.rows`WITH a AS (INSERT INTO account (id, username, display_name, created_at)
          VALUES (gen_random_uuid(), 'newcomer', 'N', now() + interval '1 second') RETURNING id)
        INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
        SELECT gen_random_uuid(), id, sha256('newcomer-token'), now(), now(), '2099-01-01' FROM a`
      assert.deepStrictEqual(yield* subjects("newcomer"), [])
      assert.deepStrictEqual((yield* markRead("newcomer", { ids: [id] })).json, { read: 0 })
      assert.deepStrictEqual((yield* markRead("newcomer", { all: true })).json, { read: 0 })
    })
  )

  it.effect("is listed, newest first, and logged; notices of seasons are not among them", () =>
    Effect.gen(function* () {
      const { url } = yield* A.season("told")
      yield* A.post(url("/notify"), { subject: "Of the season." })
      const { json } = yield* A.read("/v1/admin/notifications")
      assert.deepStrictEqual(
        json.notices.map(({ subject }: any) => subject),
        ["Old news.", "We move."]
      )
      assert.notInclude(yield* subjects("bob"), "Of the season.")
      assert.deepStrictEqual([json.total, json.next_cursor], [2, null])
      const page = (yield* A.read("/v1/admin/notifications?limit=1")).json
      assert.deepStrictEqual([page.notices.length, page.total, page.next_cursor], [1, 2, "1"])
      const log = yield* A.rows<any>`SELECT subject, game, season_id, detail FROM audit WHERE action = 'platform.notify' ORDER BY id`
      assert.deepStrictEqual([log.length, log[0].subject, log[0].game, log[0].season_id], [2, json.notices[1].id, null, null])
      assert.deepStrictEqual(log[0].detail, {
        subject: "We move.",
        link: "https://example.org/move",
        recipients: json.notices[1].recipients
      })
    })
  )

  it.effect("is sent by administrators of the platform, with a subject and a link that leads somewhere", () =>
    Effect.gen(function* () {
      const before = yield* A.rows`SELECT id FROM notice`
      const log = yield* A.rows`SELECT id FROM audit`
      assert.deepStrictEqual(A.refusal(yield* notifyAll("Hm.", {}, "ada")), [403, "admin_only"])
      assert.deepStrictEqual(A.refusal(yield* A.read("/v1/admin/notifications", "ada")), [403, "admin_only"])
      for (const body of [
        {},
        { subject: "" },
        { subject: "x".repeat(201) },
        { subject: "x", link: "javascript:alert(1)" },
        { subject: 1 }
      ]) {
        assert.deepStrictEqual(A.refusal(yield* A.post("/v1/admin/notifications", body)), [400, "invalid_request"], JSON.stringify(body))
      }
      const unlogged = yield* withoutLog(call("/v1/admin/notifications", { method: "POST", as: "root", json: { subject: "Hm." } }))
      assert.strictEqual(unlogged.status, 500)
      assert.deepStrictEqual(yield* A.rows`SELECT id FROM notice`, before)
      assert.deepStrictEqual(yield* A.rows`SELECT id FROM audit`, log)
    })
  )

  it.effect("is one row where there are many accounts", () =>
    Effect.gen(function* () {
      yield* A.rows`INSERT INTO account (id, username, display_name, created_at)
        SELECT gen_random_uuid(), 'crowd' || n, 'C', '2026-01-01' FROM generate_series(1, 20000) n`
      const { json } = yield* notifyAll("To the crowd.")
      assert.isAbove(json.recipients, 20_000)
      const [{ rows }] = (yield* A.rows<{ rows: number }>`SELECT count(*)::int AS rows FROM notice WHERE subject = 'To the crowd.'`) as any
      assert.strictEqual(rows, 1)
      assert.strictEqual((yield* subjects("ada"))[0], "To the crowd.")
    })
  )
})

layer(web, A.options)("a comment", (it) => {
  /** To a comment in its thread. */
  const linkTo = ({ created_at, id }: { readonly id: string; readonly created_at: string }) =>
    `/v1/private/threads?match=${x.nano}&comment=${id}&written=${created_at}`

  it.effect("tells its author when it is approved, once, and whom it answers when it can be read", () =>
    Effect.gen(function* () {
      const waiting = yield* say("ada", { match: x.nano }, "First!")
      assert.deepStrictEqual(yield* feed("ada"), { notifications: [], total: 0, next_cursor: null })
      for (const state of ["approved", "removed", "approved"] as const) yield* decide(waiting.json.id, state)
      const told = (yield* feed("ada")).notifications
      assert.deepStrictEqual(
        told.map(({ kind, link, subject }: any) => [kind, subject, link]),
        [["comment_approved", "Your comment was approved.", linkTo(waiting.json)]]
      )
      const reply = yield* say("bob", { match: x.nano }, "Second!", waiting.json.id)
      assert.strictEqual(reply.json.state, "pending")
      assert.strictEqual((yield* feed("ada")).total, 1, "what waits answers nobody yet")
      yield* decide(reply.json.id, "approved")
      assert.deepStrictEqual((yield* subjects("ada")).slice(0, 1), ["bob answered your comment."])
      const third = yield* say("bob", { match: x.nano }, "Third!", waiting.json.id)
      const answers = (yield* feed("ada")).notifications.filter(({ kind }: any) => kind === "comment_reply")
      assert.deepStrictEqual(
        answers.map(({ link }: any) => link),
        [linkTo(third.json), linkTo(reply.json)]
      )
      for (const { link } of answers) assert.strictEqual((yield* A.read(link, "ada")).status, 200, link)
    })
  )

  it.effect("tells nobody who answers themselves, took back what they said, or wants no word of it", () =>
    Effect.gen(function* () {
      const about = { model: m.alpha }
      const own = yield* published("ada", about, "Mine.")
      const before = (yield* feed("ada")).total
      yield* say("ada", about, "To myself.", own)
      yield* A.patch("/v1/me/notification-settings", { comment_reply: false }, "ada")
      yield* say("bob", about, "To you.", own)
      yield* A.patch("/v1/me/notification-settings", { comment_reply: true }, "ada")
      yield* A.remove(`/v1/comments/${own}`, undefined, "ada")
      yield* say("bob", about, "To what was there.", own)
      assert.strictEqual((yield* feed("ada")).total, before)
    })
  )

  it.effect("of a season that its author may not see any more tells them nothing", () =>
    Effect.gen(function* () {
      const parent = yield* published("ada", { match: x.secret }, "Between us.")
      const before = (yield* feed("ada")).total
      yield* say("root", { match: x.secret }, "Quite.", parent)
      const pending = yield* A.rows<{ readonly id: string }>`SELECT id FROM comment WHERE state = 'pending' AND parent_id = ${parent}`
      for (const { id } of pending) yield* decide(id, "approved")
      assert.strictEqual((yield* feed("ada")).total, before + 1)
      yield* A.rows`DELETE FROM participant WHERE season_id = ${Fixture.seasonIds.secret}`
      yield* say("root", { match: x.secret }, "Again.", parent)
      assert.strictEqual((yield* feed("ada")).total, before + 1)
    })
  )
})
