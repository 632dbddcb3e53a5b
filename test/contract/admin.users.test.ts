/**
 * Accounts under administration (docs/contract.md#accounts): listed, found, put in and
 * out of office, and suspended.
 */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { say } from "../support/Commenting.ts"
import { blocked } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { newcomer } from "../support/newcomer.ts"
import { call } from "../support/Web.ts"
import { withoutLog } from "../support/withoutLog.ts"

const path = "/v1/admin/users"
const list = (query = "") => A.read(`${path}${query}`)
const edit = (username: string, change: unknown, as = "root") => A.patch(`${path}/${username}`, change, as)
/** The accounts that a search finds, in its order. */
const found = (q: string, more = "") =>
  Effect.map(list(`?q=${encodeURIComponent(q)}${more}`), ({ json, text }) => {
    assert.isArray(json.users, text)
    return json.users.map(({ username }: any) => username)
  })
const status = (as: string) => Effect.map(call("/v1/me", { as }), (answer) => answer.status)
const sessionsOf = (username: string) =>
  A.rows`SELECT 1 FROM session s JOIN account a ON a.id = s.account_id WHERE a.username = ${username}`
const log = Effect.map(
  A.rows<{ readonly actor: string; readonly subject: string; readonly detail: unknown }>`
    SELECT a.username AS actor, l.subject, l.detail FROM audit l JOIN account a ON a.id = l.actor WHERE l.action = 'user.edit' ORDER BY l.id`,
  (rows) => rows.map(({ actor, detail, subject }) => [actor, subject, detail])
)

layer(A.layer, A.options)("accounts", (it) => {
  it.effect("are listed newest first, page by page, with all that an administrator may know", () =>
    Effect.gen(function* () {
      for (const name of ["zoe", "yan", "xia"]) yield* newcomer(name)
      const { json } = yield* list()
      assert.deepStrictEqual(Object.keys(json), ["users", "next_cursor"])
      const [xia, ...others] = json.users
      const { created_at, ...rest } = xia
      assert.deepStrictEqual(rest, { username: "xia", display_name: "xia", admin: false, suspended: false, identities: [] })
      assert.match(created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      assert.deepStrictEqual(
        others.slice(0, 2).map(({ username }: any) => username),
        ["yan", "zoe"]
      )
      const ada = others.find(({ username }: any) => username === "ada")
      assert.deepStrictEqual([ada.identities, ada.admin], [[{ provider: "hub", login: "Ada" }], false])
      assert.isTrue(others.find(({ username }: any) => username === "root").admin)
      const paged: Array<string> = []
      for (let cursor: string | null = "0"; cursor !== null; ) {
        const page: any = (yield* list(`?limit=4&cursor=${cursor}`)).json
        paged.push(...page.users.map(({ username }: any) => username))
        cursor = page.next_cursor
      }
      assert.deepStrictEqual(
        paged,
        json.users.map(({ username }: any) => username)
      )
      assert.deepStrictEqual((yield* list("?cursor=2147483647")).json, { users: [], next_cursor: null })
      for (const query of ["?limit=0", `?q=${"x".repeat(101)}`])
        assert.deepStrictEqual(A.refusal(yield* list(query)), [400, "invalid_request"])
      assert.deepStrictEqual(A.refusal(yield* list("?cursor=-1")), [400, "invalid_cursor"])
    })
  )

  it.effect("are found by what a username, a display name or a login begins with", () =>
    Effect.gen(function* () {
      yield* newcomer("mona", "Ada Lovelace")
      yield* newcomer("ada-b")
      yield* newcomer("nils", "100% _right_ \\o/")
      yield* newcomer("olga", "Žofie 🐍")
      yield* A.rows`UPDATE identity SET login = 'Robert' WHERE login = 'Bob'`
      assert.deepStrictEqual(yield* found("ada"), ["ada", "ada-b", "mona"])
      assert.deepStrictEqual(yield* found(" ADA "), ["ada", "ada-b", "mona"], "of a name just so the account comes first")
      assert.deepStrictEqual(yield* found("ada l"), ["mona"])
      assert.deepStrictEqual(yield* found("rob"), ["bob"])
      assert.deepStrictEqual(yield* found("žofie 🐍"), ["olga"])
      assert.deepStrictEqual(yield* found("love"), [], "where a name goes on nobody looks")
      const [first, second] = [yield* list("?q=ada&limit=2"), yield* list("?q=ada&limit=2&cursor=2")]
      assert.deepStrictEqual([first.json.users.length, first.json.next_cursor], [2, "2"])
      assert.deepStrictEqual([second.json.users.length, second.json.next_cursor], [1, null])
      assert.strictEqual((yield* list("?q=%20&limit=100")).text, (yield* list("?limit=100")).text)
    })
  )

  it.effect("are found by what is written and nothing else: no character of a search means another", () =>
    Effect.gen(function* () {
      yield* newcomer("a_c")
      yield* newcomer("abc")
      for (const q of ["%", "_", "a%", "\\", "[a-z]", "^a", "(a+)+$", "'; DROP TABLE account; --", "%00", "\0", "a\0", "\u{10ffff}"]) {
        assert.deepStrictEqual(yield* found(q), [], JSON.stringify(q))
      }
      assert.deepStrictEqual(yield* found("a_"), ["a_c"])
      assert.deepStrictEqual(yield* found("100%"), ["nils"])
      assert.deepStrictEqual(yield* found("100% _right_ \\"), ["nils"])
      for (const broken of ["%ED%A0%80", "%FF", "%"]) assert.include([200, 400], (yield* list(`?q=${broken}`)).status, broken)
      for (const q of ["🐍".repeat(100), "\u0301".repeat(100), "İ".repeat(100)]) assert.deepStrictEqual(yield* found(q), [])
      assert.deepStrictEqual(A.refusal(yield* list(`?q=${"%F0%9F%90%8D".repeat(101)}`)), [400, "invalid_request"])
    })
  )
})

layer(A.layer, A.options)("an administrator", (it) => {
  it.effect("puts others in office and out of it, who notice with their next request", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(A.refusal(yield* A.read(path, "ada")), [403, "admin_only"])
      const put = yield* edit("ada", { admin: true })
      assert.deepStrictEqual([put.status, put.json.username, put.json.admin, put.json.suspended], [200, "ada", true, false])
      assert.deepStrictEqual(put.json, (yield* list("?q=ada")).json.users[0])
      assert.strictEqual((yield* A.read(path, "ada")).status, 200)
      yield* edit("ada", { admin: true, suspended: false })
      yield* edit("ada", {})
      assert.isFalse((yield* edit("ada", { admin: false })).json.admin)
      assert.deepStrictEqual(A.refusal(yield* A.read(path, "ada")), [403, "admin_only"])
      assert.deepStrictEqual(yield* log, [
        ["root", "ada", { admin: true }],
        ["root", "ada", { admin: false }]
      ])
    })
  )

  it.effect("cannot leave office or suspend themselves, and what is refused leaves no row in the log", () =>
    Effect.gen(function* () {
      const before = yield* log
      for (const change of [{ admin: false }, { suspended: true }, { admin: true, suspended: true }]) {
        assert.deepStrictEqual(A.refusal(yield* edit("root", change)), [409, "own_admin"], JSON.stringify(change))
      }
      assert.strictEqual((yield* edit("root", { admin: true, suspended: false })).status, 200)
      for (const name of ["nobody", "%00", "a%2Fb", "ADA"]) {
        assert.deepStrictEqual(A.refusal(yield* edit(name, { admin: 1 })), [404, "not_found"], `${name} is looked up before the body`)
      }
      for (const change of [{ admin: 1 }, { suspended: "yes" }, { admin: null }, []]) {
        assert.deepStrictEqual(A.refusal(yield* edit("ada", change)), [400, "invalid_request"], JSON.stringify(change))
      }
      assert.deepStrictEqual(A.refusal(yield* edit("ada", { admin: true }, "bob")), [403, "admin_only"])
      assert.deepStrictEqual(yield* log, before)
      assert.strictEqual(yield* status("root"), 200)
    })
  )

  it.effect("changes nothing where the log takes no row", () =>
    Effect.gen(function* () {
      yield* newcomer("una")
      const refused = yield* withoutLog(call(`${path}/una`, { method: "PATCH", as: "root", json: { admin: true, suspended: true } }))
      assert.strictEqual(refused.status, 500)
      const [una] = (yield* list("?q=una")).json.users
      assert.deepStrictEqual([una.admin, una.suspended, yield* status("una")], [false, false, 200])
    })
  )

  it.effect("and another cannot put each other out of office at one time, or suspend each other: one is left", () =>
    Effect.gen(function* () {
      for (const change of [{ admin: false }, { suspended: true }]) {
        for (let n = 0; n < 5; n++) {
          const [one, other] = [`one-${Object.keys(change)}-${n}`, `other-${Object.keys(change)}-${n}`]
          for (const name of [one, other]) yield* newcomer(name)
          yield* A.rows`UPDATE account SET admin = username IN (${one}, ${other})`
          const answers = yield* Effect.all([edit(other, change, one), edit(one, change, other)], { concurrency: "unbounded" })
          const [won, lost] = answers.toSorted((a, b) => a.status - b.status)
          assert.strictEqual(won!.status, 200)
          assert.include([401, 403], lost!.status, lost!.text)
          const left = yield* A.rows`SELECT username FROM account WHERE admin AND NOT suspended`
          assert.strictEqual(left.length, 1)
        }
      }
      yield* A.rows`UPDATE account SET admin = username = ${"root"}`
    })
  )
})

layer(Fixture.layer.pipe(Layer.provideMerge(A.layer)), A.options)("a suspension", (it) => {
  it.effect("ends every session at once: nothing can be read, said or submitted until it is lifted and they sign in anew", () =>
    Effect.gen(function* () {
      const { matchIds, modelIds } = Fixture
      const comment = say("bob", { match: matchIds.nano }, "Still here.")
      assert.strictEqual((yield* comment).status, 201)
      const answer = yield* edit("bob", { suspended: true })
      assert.deepStrictEqual([answer.status, answer.json.suspended], [200, true])
      const hashes = { weights_hash: `sha256:${"1".repeat(64)}`, manifest_hash: `sha256:${"2".repeat(64)}` }
      const submission = A.post("/v1/submissions", { game: "snakes", model: modelIds.beta, ...hashes }, "bob")
      for (const refused of [yield* comment, yield* submission, yield* A.read("/v1/me", "bob"), yield* A.patch("/v1/me", {}, "bob")]) {
        assert.deepStrictEqual(A.refusal(refused), [401, "unauthenticated"])
        assert.match(refused.headers.get("set-cookie") ?? "", /service_session=; Max-Age=0/)
      }
      assert.deepStrictEqual(yield* sessionsOf("bob"), [])
      assert.strictEqual((yield* A.ask("/v1/profiles/bob")).status, 200, "what they have done is there to be read")
      yield* edit("bob", { suspended: false })
      assert.strictEqual(yield* status("bob"), 401, "a session that has ended does not come back")
    })
  )

  it.effect("ends what the account has under way: it is refused, and nothing of it is there", () =>
    Effect.gen(function* () {
      yield* newcomer("wim")
      const sql = yield* SqlClient.SqlClient
      const writing = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`LOCK TABLE comment, model IN SHARE MODE` // both wait for it, and so are under way
          const writing = yield* Effect.forkChild(
            Effect.all(
              [say("wim", { match: Fixture.matchIds.nano }, "Wait."), A.post("/v1/games/snakes/models", { name: "Late" }, "wim")],
              {
                concurrency: "unbounded"
              }
            )
          )
          yield* blocked(2)
          assert.strictEqual((yield* edit("wim", { suspended: true })).status, 200)
          return writing
        })
      )
      for (const answer of yield* Fiber.join(writing)) {
        assert.deepStrictEqual(A.refusal(answer), [401, "unauthenticated"])
        assert.match(answer.headers.get("set-cookie") ?? "", /service_session=; Max-Age=0/)
      }
      const left = yield* A.rows`SELECT 1 FROM comment c JOIN account a ON a.id = c.account_id WHERE a.username = 'wim'
        UNION ALL SELECT 1 FROM model m JOIN account a ON a.id = m.owner_id WHERE a.username = 'wim'`
      assert.deepStrictEqual(left, [])
    })
  )

  const owns = (username: string, table: "model" | "version", id: string) =>
    Effect.flatMap(SqlClient.SqlClient, (sql) =>
      sql.unsafe(`UPDATE ${table} SET owner_id = (SELECT id FROM account WHERE username = $1) WHERE id = $2::uuid`, [username, id])
    )
  const { modelIds, versionIds } = Fixture
  const writes = [
    { as: "a model's owner", by: "wes", table: "model", office: owns("wes", "model", modelIds.delta) },
    { as: "a version's owner", by: "wil", table: "version", office: owns("wil", "version", versionIds.delta1) },
    { as: "an administrator of a season", by: "win", table: "participant", office: edit("win", { admin: true }) },
    { as: "an administrator of the platform", by: "wyn", table: "word", office: edit("wyn", { admin: true }) }
  ] as const
  const written = {
    model: A.patch(`/v1/models/${modelIds.delta}`, { name: "Late" }, "wes"),
    version: A.patch(`/v1/versions/${versionIds.delta1}`, { note: "late" }, "wil"),
    participant: A.post("/v1/games/snakes/seasons/spring/participants", { logins: ["late"] }, "win"),
    word: A.post("/v1/admin/words", { word: "late" }, "wyn")
  }
  for (const { as, by, office, table } of writes)
    it.effect(`ends what the account has under way as ${as}`, () =>
      Effect.gen(function* () {
        yield* newcomer(by)
        yield* office
        const sql = yield* SqlClient.SqlClient
        const writing = yield* sql.withTransaction(
          Effect.gen(function* () {
            yield* sql.unsafe(`LOCK TABLE ${table} IN SHARE MODE`)
            const writing = yield* Effect.forkChild(written[table])
            yield* blocked(1)
            assert.strictEqual((yield* edit(by, { suspended: true })).status, 200)
            return writing
          })
        )
        assert.deepStrictEqual(A.refusal(yield* Fiber.join(writing)), [401, "unauthenticated"])
      })
    )

  it.effect("and a sign-in follow one another: a session that opens at the same time is ended as well", () =>
    Effect.gen(function* () {
      yield* newcomer("vera")
      const sql = yield* SqlClient.SqlClient
      const suspending = yield* sql.withTransaction(
        Effect.gen(function* () {
          const [vera] = yield* sql<{ readonly id: string }>`SELECT id FROM account WHERE username = 'vera' FOR UPDATE`
          yield* sql`INSERT INTO session (id, account_id, token_sha256, created_at, last_seen_at, expires_at)
            VALUES (gen_random_uuid(), ${vera!.id}, sha256('late-token'::bytea), now(), now(), '2099-01-01')`
          const suspending = yield* Effect.forkChild(edit("vera", { suspended: true }))
          yield* blocked(1)
          return suspending
        })
      )
      assert.strictEqual((yield* Fiber.join(suspending)).status, 200)
      for (const token of ["vera", "late"]) assert.strictEqual(yield* status(token), 401, token)
      assert.deepStrictEqual(yield* sessionsOf("vera"), [])
    })
  )
})
