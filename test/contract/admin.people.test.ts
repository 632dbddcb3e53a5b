/** Rosters, season administrators, notices and the log (docs/contract.md#participants). */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import {
  layer as administration,
  ask,
  enter,
  log,
  options,
  patch,
  post,
  read,
  refusal,
  remove,
  rows,
  scheduled,
  season,
  urlOf
} from "../support/Administration.ts"

const zeros = `sha256:${"0".repeat(64)}`

layer(administration, options)("a roster", (it) => {
  it.effect("takes logins at the first provider or a named one, each once however it is cased, and says whose they are", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("spring", { entry: "restricted" })
      const added = yield* post(url("/participants"), { logins: ["ADA", " eve ", "ada"] }, "ada")
      assert.strictEqual(added.status, 201, added.text)
      assert.deepStrictEqual(
        added.json.participants.map(({ login, provider, username }: any) => [login, provider, username]),
        [
          ["ada", "hub", "ada"],
          ["eve", "hub", null]
        ]
      )
      const again = yield* post(url("/participants"), { logins: ["Eve"], provider: "hub" })
      assert.deepStrictEqual(again.json.participants, [added.json.participants[1]])
      yield* post(url("/participants"), { logins: ["eve"], provider: "lab" })
      const { json } = yield* read(url("/participants"), "ada")
      assert.deepStrictEqual(Object.keys(json.participants[0]), ["id", "login", "provider", "username", "added_at"])
      assert.deepStrictEqual([json.participants.length, json.total, json.next_cursor], [3, 3, null])
      const page = (yield* read(url("/participants?limit=1&cursor=1"))).json
      assert.deepStrictEqual([page.participants[0].login, page.total, page.next_cursor], ["eve", 3, "2"])
      assert.deepStrictEqual((yield* read(url("/participants?cursor=9"))).json, { participants: [], total: 3, next_cursor: null })
      const found = (part: string) =>
        Effect.map(read(url(`/participants?limit=1&login=${encodeURIComponent(part)}`)), ({ json }) => [
          json.participants.map(({ login }: any) => login),
          json.total,
          json.next_cursor
        ])
      assert.deepStrictEqual(yield* found("D"), [["ada"], 1, null])
      assert.deepStrictEqual(yield* found(" eV "), [["eve"], 2, "1"])
      assert.deepStrictEqual(yield* found(" "), [["ada"], 3, "1"])
      for (const nobody of ["adb", "%", "_", "a%", ".*", "\0"]) assert.deepStrictEqual(yield* found(nobody), [[], 0, null], nobody)
      assert.strictEqual((yield* read(url(`/participants?login=${"x".repeat(101)}`))).status, 400)
      assert.deepStrictEqual(yield* log(id), [
        ["root", "participant.add", "spring", { provider: "lab", logins: ["eve"] }],
        ["ada", "participant.add", "spring", { provider: "hub", logins: ["ada", "eve"] }]
      ])
    })
  )

  it.effect("loses a participant by the row's id, in the body or the query, and answers the row", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("summer")
      const elsewhere = yield* scheduled("autumn")
      const { participants } = (yield* post(url("/participants"), { logins: ["ada", "eve"] })).json
      const [ada, eve] = participants
      assert.deepStrictEqual(refusal(yield* remove(elsewhere.url("/participants"), { id: ada.id })), [404, "not_found"])
      const removed = yield* remove(url("/participants"), { id: ada.id }, "ada")
      assert.deepStrictEqual([removed.status, removed.json], [200, ada])
      assert.deepStrictEqual((yield* remove(url(`/participants?id=${eve.id}`))).json, eve)
      assert.deepStrictEqual(refusal(yield* remove(url("/participants"), { id: eve.id })), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* remove(url("/participants"), { id: "no-uuid" })), [404, "not_found"])
      const nothing = yield* remove(url("/participants"))
      assert.deepStrictEqual([refusal(nothing), nothing.json.errors[0].path], [[400, "invalid_request"], "id"])
      assert.deepStrictEqual(refusal(yield* remove(url("/participants"), { id: 7 })), [400, "invalid_request"])
      assert.deepStrictEqual((yield* read(url("/participants"))).json.participants, [])
      assert.deepStrictEqual(
        (yield* log(id)).map(([, action]) => action),
        ["participant.remove", "participant.remove", "participant.add"]
      )
    })
  )

  it.effect("refuses a provider that is not there, no logins, empty ones and too many", () =>
    Effect.gen(function* () {
      const { id, url } = yield* scheduled("winter")
      const add = (body: unknown) => Effect.map(post(url("/participants"), body), refusal)
      const elsewhere = yield* post(url("/participants"), { logins: ["ada"], provider: "nowhere" })
      const detail = "There is no sign-in provider nowhere. Configured are: hub, lab."
      assert.deepStrictEqual([refusal(elsewhere), elsewhere.json.detail], [[404, "unknown_provider"], detail])
      assert.deepStrictEqual(yield* add({ logins: [] }), [400, "invalid_request"])
      assert.deepStrictEqual(yield* add({ logins: ["  "] }), [400, "invalid_request"])
      assert.deepStrictEqual(yield* add({}), [400, "invalid_request"])
      assert.deepStrictEqual(yield* add({ logins: Array.from({ length: 1_001 }, (_, i) => `login${i}`) }), [400, "invalid_request"])
      assert.deepStrictEqual(yield* log(id), [])
      assert.deepStrictEqual(refusal(yield* read(url("/participants?cursor=x"))), [400, "invalid_cursor"])
    })
  )

  it.effect("lets those on it into a restricted season, and nobody else, from the next request on", () =>
    Effect.gen(function* () {
      const { url } = yield* season("closed-doors", { entry: "restricted" })
      const { id: model } = (yield* rows<{ readonly id: string }>`INSERT INTO model (id, game, owner_id, name, created_at)
        SELECT gen_random_uuid(), 'snakes', id, 'm', now() FROM account WHERE username = 'bob' RETURNING id`)[0]!
      const submit = () =>
        post("/v1/submissions", { game: "snakes", season: "closed-doors", model, weights_hash: zeros, manifest_hash: zeros }, "bob")
      assert.deepStrictEqual(refusal(yield* submit()), [409, "not_eligible"])
      const { participants } = (yield* post(url("/participants"), { logins: ["bob"] })).json
      assert.strictEqual((yield* submit()).status, 201)
      yield* remove(url("/participants"), { id: participants[0].id })
      const other = yield* post(
        "/v1/submissions",
        { game: "snakes", season: "closed-doors", model, weights_hash: zeros.replace("0", "1"), manifest_hash: zeros },
        "bob"
      )
      assert.deepStrictEqual(refusal(other), [409, "not_eligible"])
    })
  )
})

layer(administration, options)("a season's administrators", (it) => {
  it.effect("are appointed and dismissed by username, once, and listed", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring")
      const appointed = yield* post(url("/admins"), { username: "bob" })
      assert.deepStrictEqual([appointed.status, Object.keys(appointed.json)], [201, ["username", "display_name", "added_at"]])
      assert.deepStrictEqual((yield* post(url("/admins"), { username: "bob" })).json, appointed.json)
      const { json } = yield* read(url("/admins"), "bob")
      assert.deepStrictEqual(json, { admins: [appointed.json], total: 1, next_cursor: null })
      assert.deepStrictEqual((yield* ask("/v1/me", { as: "bob" })).json.season_admin, [{ game: "snakes", season: "spring" }])
      assert.deepStrictEqual((yield* remove(url("/admins?username=bob"))).json, appointed.json)
      assert.deepStrictEqual(yield* log(id), [
        ["root", "admin.dismiss", "bob", null],
        ["root", "admin.appoint", "bob", null]
      ])
    })
  )

  it.effect("who are dismissed at the moment of their appointment are appointed all the same", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("busy")
      const dismissing = yield* Effect.forkChild(Effect.forever(rows`DELETE FROM season_admin WHERE season_id = ${id}`))
      for (let round = 0; round < 40; round++) {
        const { json, status, text } = yield* post(url("/admins"), { username: "bob" })
        assert.deepStrictEqual([status, json.username], [201, "bob"], text)
      }
      yield* Fiber.interrupt(dismissing)
      assert.sameMembers([...new Set((yield* log(id)).map(([, action]) => action))], ["admin.appoint"])
    })
  )

  it.effect("are accounts, and those who were appointed", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("summer")
      assert.deepStrictEqual(refusal(yield* post(url("/admins"), { username: "nobody" })), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* post(url("/admins"), {})), [400, "invalid_request"])
      assert.deepStrictEqual(refusal(yield* remove(url("/admins"), { username: "ada" })), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* remove(url("/admins"), {})), [400, "invalid_request"])
      assert.deepStrictEqual(yield* log(id), [])
    })
  )
})

layer(administration, options)("a notice", (it) => {
  it.effect("goes to the roster and to those who have entered, once each, but not to who wants none, and is kept", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("spring", { admins: ["ada"] })
      yield* rows`INSERT INTO identity (provider, subject, account_id, login, created_at)
        SELECT 'lab', username, id, 'x' || username, now() FROM account WHERE username IN ('ada', 'root')`
      yield* post(url("/participants"), { logins: ["ada", "stranger"] })
      yield* post(url("/participants"), { logins: ["xada", "xroot"], provider: "lab" })
      const [model] = yield* rows<any>`INSERT INTO model (id, game, owner_id, name, created_at)
        SELECT gen_random_uuid(), 'snakes', id, 'entry', now() FROM account WHERE username = 'bob' RETURNING id, owner_id AS owner`
      yield* enter(id, 99, model.id, model.owner, false)
      yield* rows`INSERT INTO notification_setting (account_id, kind, enabled)
        SELECT id, 'season_notice', username = 'ada' FROM account WHERE username IN ('root', 'ada')`
      const sent = yield* post(url("/notify"), { subject: "Boards are out", link: "/games/snakes" }, "ada")
      assert.strictEqual(sent.status, 201, sent.text)
      assert.deepStrictEqual(Object.keys(sent.json), ["id", "subject", "link", "sent_at", "sent_by", "recipients"])
      assert.deepInclude(sent.json, { subject: "Boards are out", link: "/games/snakes", sent_by: "ada", recipients: 2 })
      const told = yield* rows<any>`SELECT a.username, n.kind, n.subject, n.link, n.read_at FROM notification n
        JOIN account a ON a.id = n.account_id ORDER BY a.username`
      const notification = { kind: "season_notice", subject: "Boards are out", link: "/games/snakes", read_at: null }
      assert.deepStrictEqual(told, [
        { username: "ada", ...notification },
        { username: "bob", ...notification }
      ])
      const second = yield* post(url("/notify"), { subject: "And again" })
      assert.deepStrictEqual((yield* read(url("/notify"), "ada")).json, { notices: [second.json, sent.json], total: 2, next_cursor: null })
      assert.deepStrictEqual((yield* read(url("/notify?limit=1&cursor=1"))).json, { notices: [sent.json], total: 2, next_cursor: null })
      assert.deepStrictEqual(second.json.link, null)
      assert.deepStrictEqual((yield* log(id))[1], [
        "ada",
        "season.notify",
        "spring",
        { subject: "Boards are out", link: "/games/snakes", recipients: 2 }
      ])
    })
  )

  it.effect("of a private season goes to its roster alone: whoever has entered and was taken off hears no more of the season", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("secret", { visibility: "private", entry: "restricted" })
      const [, bob] = (yield* post(url("/participants"), { logins: ["ada", "bob"] })).json.participants
      const [model] = yield* rows<any>`INSERT INTO model (id, game, owner_id, name, created_at)
        SELECT gen_random_uuid(), 'snakes', id, 'secret entry', now() FROM account WHERE username = 'bob' RETURNING id, owner_id AS owner`
      yield* enter(id, 98, model.id, model.owner, false)
      const told = (subject: string) => rows<any>`SELECT a.username FROM notification n JOIN account a ON a.id = n.account_id
        WHERE n.subject = ${subject} ORDER BY a.username`
      yield* rows`DELETE FROM notification_setting`
      assert.strictEqual((yield* post(url("/notify"), { subject: "To both" })).json.recipients, 2)
      assert.deepStrictEqual(yield* told("To both"), [{ username: "ada" }, { username: "bob" }])
      assert.strictEqual((yield* remove(url("/participants"), { id: bob.id })).status, 200)
      assert.strictEqual((yield* read(url().replace("/v1", "/v1/private"), "bob")).status, 404)
      assert.strictEqual((yield* post(url("/notify"), { subject: "To one" })).json.recipients, 1)
      assert.deepStrictEqual(yield* told("To one"), [{ username: "ada" }])
    })
  )

  it.effect("has a subject and leads nowhere but to this origin or the web; to nobody it is sent as well", () =>
    Effect.gen(function* () {
      const { id, url } = yield* season("summer")
      const send = (body: unknown) => Effect.map(post(url("/notify"), body), refusal)
      for (const link of ["javascript:alert(1)", "//evil.example", "/\\evil.example", "games", "https://a b", ""]) {
        assert.deepStrictEqual(yield* send({ subject: "x", link }), [400, "invalid_request"], link)
      }
      assert.deepStrictEqual(yield* send({}), [400, "invalid_request"])
      assert.deepStrictEqual(yield* send({ subject: "" }), [400, "invalid_request"])
      assert.deepStrictEqual(yield* send({ subject: "x".repeat(201) }), [400, "invalid_request"])
      assert.deepStrictEqual(yield* log(id), [])
      assert.strictEqual((yield* post(url("/notify"), { subject: "x", link: "https://agon.example/a?b#c" })).json.recipients, 0)
    })
  )
})

layer(administration, options)("the log of a season", (it) => {
  it.effect("has every administrative write, newest first, with who, what and where, and nothing of other seasons", () =>
    Effect.gen(function* () {
      const { url } = yield* scheduled("spring")
      yield* scheduled("other")
      yield* patch(url(), { rules: { cooldown_s: 5 } }, "ada")
      yield* post(url("/participants"), { logins: ["eve"] })
      const { json } = yield* read(url("/audit"), "ada")
      assert.deepStrictEqual(
        json.audit.map(({ action, actor }: any) => [actor, action]),
        [
          ["root", "participant.add"],
          ["ada", "season.edit"],
          ["root", "season.create"]
        ]
      )
      const [, edited] = json.audit
      assert.deepStrictEqual(Object.keys(edited), ["id", "at", "actor", "action", "game", "season", "subject", "detail"])
      assert.deepInclude(edited, { game: "snakes", season: "spring", subject: "spring" })
      assert.deepStrictEqual(edited.detail, { rules: { cooldown_s: 5 } })
      const page = (yield* read(urlOf("spring", "/audit?limit=1&cursor=1"))).json
      assert.deepStrictEqual([page.audit, page.total, page.next_cursor], [[edited], 3, "2"])
      assert.deepStrictEqual((yield* read(urlOf("spring", "/audit?cursor=7"))).json, { audit: [], total: 3, next_cursor: null })
    })
  )
})
