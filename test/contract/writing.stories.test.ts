/** Stories of models over the whole service (docs/contract.md#stories). */
import { assert, layer } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as A from "../support/Administration.ts"
import { blocked } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { decide, story, write } from "../support/Writing.ts"

const { modelIds: m, uuid } = Fixture
const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

const missing = [404, "not_found"]
const invalid = [400, "invalid_request"]
const publicOf = (model: string) => `/v1/models/${model}/story`
const read = (model: string) => A.ask(publicOf(model))
const own = (as: string, model: string) => A.read(`/v1/me/models/${model}/story`, as)
const bodyOf = (model: string) => Effect.map(read(model), ({ json }) => json.body)
const shelf = (state: string) => Effect.map(A.read(`/v1/admin/stories?state=${state}`), ({ json }) => json.stories)

const logged = (model: string) =>
  Effect.map(A.rows<{ readonly action: string }>`SELECT action FROM audit WHERE subject = ${model} ORDER BY id`, (rows) =>
    rows.map(({ action }) => action)
  )
const told = (as: string) =>
  Effect.map(
    A.rows<{ readonly kind: string; readonly subject: string }>`
      SELECT n.kind, n.subject FROM notification n JOIN account a ON a.id = n.account_id WHERE a.username = ${as} ORDER BY n.created_at, n.id`,
    (rows) => rows.map(({ kind, subject }) => `${kind}: ${subject}`)
  )

/** Refused, and nothing is logged or told. */
const refused = Effect.fnUntraced(function* <E, R>(asked: Effect.Effect<any, E, R>, with_: ReadonlyArray<unknown>, why?: string) {
  const size = A.rows<{ readonly n: number }>`SELECT (SELECT count(*) FROM audit)::int + (SELECT count(*) FROM notification)::int AS n`
  const [before] = yield* size
  assert.deepStrictEqual(A.refusal(yield* asked), with_, why)
  assert.deepStrictEqual((yield* size)[0], before, why)
})

layer(web, A.options)("a story", (it) => {
  it.effect("is an empty draft until its owner writes it, and read by nobody else before it is approved", () =>
    Effect.gen(function* () {
      const about = { model: m.alpha, name: "Alpha", owner: "ada", game: "snakes" }
      const empty = yield* own("ada", m.alpha)
      assert.deepStrictEqual([empty.status, empty.json], [200, { ...about, body: "", state: "draft", featured: false, updated_at: null }])
      const { json } = yield* write("ada", m.alpha, "A first line.", false)
      const { updated_at, ...draft } = json
      assert.deepStrictEqual(draft, { ...about, body: "A first line.", state: "draft", featured: false })
      assert.match(updated_at, /^\d{4}-.*\.\d{3}Z$/)
      assert.deepStrictEqual((yield* own("ada", m.alpha)).json, json)
      assert.deepStrictEqual(A.refusal(yield* read(m.alpha)), missing)
      assert.deepStrictEqual(yield* shelf("pending"), [], "a draft is no moderator's to see")
      yield* refused(decide(m.alpha, "approved"), missing, "nor to decide of")
      const pending = yield* write("ada", m.alpha, "A first line, and a second.")
      assert.strictEqual(pending.json.state, "pending")
      assert.deepStrictEqual(A.refusal(yield* read(m.alpha)), missing)
      assert.deepStrictEqual(yield* shelf("pending"), [pending.json])
      assert.deepStrictEqual(yield* shelf("approved"), [])
      assert.deepStrictEqual((yield* A.read("/v1/admin/stories")).json, { stories: [pending.json], next_cursor: null })
    })
  )

  it.effect("is there for everybody once a moderator has approved it, and its owner hears of it", () =>
    Effect.gen(function* () {
      const { json, status } = yield* decide(m.alpha, "approved")
      assert.deepStrictEqual([status, json.state, json.featured], [200, "approved", false])
      assert.deepStrictEqual((yield* read(m.alpha)).json, json)
      assert.deepStrictEqual((yield* own("ada", m.alpha)).json, json)
      assert.deepStrictEqual(yield* shelf("approved"), [json])
      assert.deepStrictEqual(yield* shelf("pending"), [])
      assert.deepStrictEqual((yield* A.ask("/v1/stories")).json.items, [], "approved is not featured")
      yield* decide(m.alpha, "approved")
      assert.deepStrictEqual(yield* logged(m.alpha), ["story.approve"], "once for each change")
      assert.deepStrictEqual(yield* told("ada"), ["story_approved: Your story of Alpha was approved."])
    })
  )

  it.effect("stays as it was approved while its owner writes on, whatever becomes of that, until another text is approved", () =>
    Effect.gen(function* () {
      const first = yield* read(m.alpha)
      yield* write("ada", m.alpha, "Unfinished.", false)
      assert.strictEqual((yield* read(m.alpha)).text, first.text)
      assert.strictEqual((yield* own("ada", m.alpha)).json.body, "Unfinished.")
      yield* write("ada", m.alpha, "Buy my book.")
      assert.strictEqual((yield* read(m.alpha)).text, first.text)
      const rejected = yield* decide(m.alpha, "rejected")
      assert.deepStrictEqual([rejected.json.body, rejected.json.state], ["Buy my book.", "rejected"])
      assert.strictEqual((yield* read(m.alpha)).text, first.text)
      assert.strictEqual((yield* own("ada", m.alpha)).json.state, "rejected")
      yield* decide(m.alpha, "rejected")
      assert.strictEqual((yield* read(m.alpha)).text, first.text, "rejecting it again is about the same text")
      yield* A.changes([publicOf(m.alpha)], Effect.andThen(write("ada", m.alpha, "A better one."), decide(m.alpha, "approved")))
      assert.strictEqual(yield* bodyOf(m.alpha), "A better one.")
      assert.deepStrictEqual(yield* logged(m.alpha), ["story.approve", "story.reject", "story.approve"])
      assert.deepStrictEqual((yield* told("ada")).slice(1), [
        "story_rejected: Your story of Alpha was rejected.",
        "story_approved: Your story of Alpha was approved."
      ])
    })
  )

  it.effect("is decided of as it was read: a text that was replaced meanwhile is neither approved nor rejected", () =>
    Effect.gen(function* () {
      const seen = (yield* write("bob", m.beta, "Harmless.")).json.updated_at
      const swapped = (yield* write("bob", m.beta, "Spiteful.")).json.updated_at
      assert.notStrictEqual(swapped, seen)
      for (const state of ["approved", "rejected"] as const) {
        yield* refused(decide(m.beta, state, { updated_at: seen }), [409, "story_changed"])
      }
      assert.deepStrictEqual(A.refusal(yield* read(m.beta)), missing)
      assert.strictEqual((yield* own("bob", m.beta)).json.state, "pending")
      assert.strictEqual((yield* decide(m.beta, "rejected", { updated_at: swapped })).status, 200)
      assert.deepStrictEqual(A.refusal(yield* read(m.beta)), missing)
      assert.strictEqual((yield* decide(m.beta, "approved", { updated_at: swapped })).status, 200, "a moderator may think again")
      assert.strictEqual(yield* bodyOf(m.beta), "Spiteful.")
    })
  )

  it.effect("is taken back by a moderator, also while another text of it waits, which goes on waiting", () =>
    Effect.gen(function* () {
      const { updated_at } = (yield* read(m.beta)).json
      yield* decide(m.beta, "approved", { featured: true })
      const pending = yield* write("bob", m.beta, "Kind.")
      const gone = yield* decide(m.beta, "rejected", { updated_at })
      assert.deepStrictEqual([gone.status, gone.json.body, gone.json.featured], [200, "Spiteful.", false])
      assert.deepStrictEqual(A.refusal(yield* read(m.beta)), missing)
      assert.deepStrictEqual((yield* A.ask("/v1/stories")).json.items, [])
      assert.deepStrictEqual(
        (yield* shelf("pending")).map(({ body, updated_at }: any) => [body, updated_at]),
        [["Kind.", pending.json.updated_at]]
      )
      yield* refused(decide(m.beta, "rejected", { updated_at }), [409, "story_changed"])
      yield* decide(m.beta, "approved")
      yield* write("bob", m.beta, "A draft.", false)
      yield* decide(m.beta, "rejected")
      assert.deepStrictEqual(A.refusal(yield* read(m.beta)), missing, "a draft does not shelter the text that stands")
      assert.deepStrictEqual([(yield* own("bob", m.beta)).json.state, (yield* own("bob", m.beta)).json.body], ["draft", "A draft."])
      yield* refused(decide(m.beta, "rejected"), missing)
    })
  )

  it.effect("is featured and no more, which is no other word on its text", () =>
    Effect.gen(function* () {
      yield* story("bob", m.gamma, "Gamma's.")
      const before = (yield* told("bob")).length
      const items = Effect.map(A.ask("/v1/stories"), ({ json }) => json.items.map(({ body }: any) => body))
      assert.isTrue((yield* decide(m.gamma, "approved", { featured: true })).json.featured)
      assert.isTrue((yield* read(m.gamma)).json.featured)
      assert.deepStrictEqual(yield* items, ["Gamma's."])
      yield* story("bob", m.gamma, "Gamma's second.", true)
      assert.deepStrictEqual(yield* items, ["Gamma's second."])
      yield* write("bob", m.gamma, "Gamma's third.")
      yield* decide(m.gamma, "approved")
      assert.deepStrictEqual(yield* items, ["Gamma's third."], "what is featured stays so")
      yield* decide(m.gamma, "approved", { featured: false })
      assert.deepStrictEqual(yield* items, [])
      assert.deepStrictEqual(
        (yield* logged(m.gamma)).map((action) => action.slice("story.".length)),
        ["approve", "feature", "approve", "approve", "unfeature"]
      )
      assert.strictEqual((yield* told("bob")).length, before + 2)
      yield* refused(decide(m.gamma, "rejected", { featured: true }), invalid)
    })
  )

  it.effect("that is written again as it stands keeps its time, its place and what was decided of it", () =>
    Effect.gen(function* () {
      const waiting = yield* write("ada", m.delta, "Delta.")
      assert.strictEqual((yield* write("ada", m.delta, "Delta.")).text, waiting.text)
      const { json } = yield* decide(m.delta, "approved")
      for (const submit of [true, false]) assert.deepStrictEqual((yield* write("ada", m.delta, "Delta.", submit)).json, json)
      assert.strictEqual((yield* write("ada", m.delta, "Delta!", false)).json.state, "draft")
      assert.strictEqual((yield* write("ada", m.delta, "Delta!")).json.state, "pending")
      assert.strictEqual((yield* write("ada", m.delta, "Delta!", false)).json.state, "draft", "taken back from the moderators")
      assert.deepStrictEqual(yield* shelf("pending"), [])
    })
  )

  it.effect("takes 20,000 characters as people count them, no listed word, and nothing empty to submit", () =>
    Effect.gen(function* () {
      yield* A.rows`INSERT INTO word (word, added_at) VALUES ('darn', now())`
      assert.strictEqual((yield* write("ada", m.hidden, "🐍".repeat(20_000))).status, 200)
      for (const body of ["🐍".repeat(20_001), "x".repeat(20_001), "a\0b", "half \ud83d"]) {
        yield* refused(write("ada", m.hidden, body), invalid, body.slice(0, 9))
      }
      for (const submit of [true, false]) yield* refused(write("ada", m.hidden, "Well, DÄRN!", submit), [422, "story_word_listed"])
      for (const body of ["", " \n\t"]) yield* refused(write("ada", m.hidden, body), invalid)
      assert.strictEqual((yield* own("ada", m.hidden)).json.body.length, 40_000, "what is refused changes nothing")
      assert.strictEqual((yield* write("ada", m.hidden, "", false)).json.body, "")
      const put = (json: unknown) => A.ask(publicOf(m.hidden), { method: "PUT", as: "ada", json })
      for (const json of [{}, { body: 5 }, { body: "x", submit: "yes" }, [], null]) yield* refused(put(json), invalid)
      for (const json of [{}, { state: "draft" }, { state: "approved", featured: 1 }, { state: "approved", updated_at: "now" }]) {
        yield* refused(A.patch(`/v1/admin/stories/${m.alpha}`, json), invalid, JSON.stringify(json))
      }
    })
  )

  it.effect("has a time of its own for each of its texts, also where the clock stands still or is set back", () =>
    Effect.gen(function* () {
      yield* story("ada", m.hidden, "None.")
      yield* A.rows`UPDATE story SET updated_at = '2090-01-01', public_updated_at = '2090-01-01' WHERE model_id = ${m.hidden}`
      const times: Array<string> = []
      for (const body of ["One.", "Two.", "Three."]) times.push((yield* write("ada", m.hidden, body)).json.updated_at)
      assert.deepStrictEqual(
        times,
        ["001", "002", "003"].map((ms) => `2090-01-01T00:00:00.${ms}Z`)
      )
    })
  )
})

layer(web, A.options)("nobody", (it) => {
  it.effect("but its owner writes a story or reads its draft; to others the model is not there", () =>
    Effect.gen(function* () {
      yield* write("ada", m.alpha, "Mine.", false)
      for (const model of [m.alpha, m.random, m.secretBase, uuid("model", 999), "x", "%00"]) {
        yield* refused(write("bob", model, "Yours."), missing, model)
        yield* refused(own("bob", model), missing, model)
        yield* refused(A.ask(publicOf(model), { method: "PUT", as: "bob", body: "{" }), missing, model)
      }
      yield* refused(own("root", m.alpha), missing, "nor do administrators")
      yield* refused(A.ask(publicOf(m.alpha), { method: "PUT", json: { body: "x" } }), [401, "unauthenticated"])
      assert.strictEqual((yield* own("ada", m.alpha)).json.body, "Mine.")
      assert.strictEqual((yield* own("ada", m.alpha)).headers.get("cache-control"), "no-store")
    })
  )

  it.effect("tells a model without a story from one with a draft, one that is hidden, and one that is not there", () =>
    Effect.gen(function* () {
      yield* write("bob", m.beta, "Waiting.")
      const seen = yield* Effect.forEach([m.alpha, m.beta, m.delta, m.random, m.secretBase, uuid("model", 999), "x"], (model) =>
        Effect.map(read(model), ({ headers, status, text }) => [status, text, headers.get("cache-control"), headers.get("etag")])
      )
      for (const one of seen.slice(0, -1)) assert.deepStrictEqual(one, seen[0])
      assert.deepStrictEqual([seen[0]![0], seen.at(-1)![0]], [404, 404])
    })
  )

  it.effect("learns from a story where the model plays that plays in a private season alone", () =>
    Effect.gen(function* () {
      const shown = yield* story("ada", m.hidden, "Hidden's.", true)
      const page = (yield* A.ask(`/v1/models/${m.hidden}`)).json
      assert.deepStrictEqual([page.name, page.owner, page.versions], ["Hidden", "ada", []], "that there is such a model everybody knows")
      assert.sameMembers(Object.keys(shown), ["model", "name", "owner", "game", "body", "state", "featured", "updated_at"])
      assert.deepStrictEqual((yield* read(m.hidden)).json, shown)
      for (const path of [publicOf(m.hidden), "/v1/stories"]) assert.notInclude((yield* A.ask(path)).text, "secret", path)
      yield* decide(m.hidden, "rejected")
    })
  )

  it.effect("loses the story of a model that is retired, or sees more of it", () =>
    Effect.gen(function* () {
      const shown = yield* story("bob", m.gamma, "Gamma's.", true)
      yield* write("bob", m.gamma, "A draft.", false)
      yield* A.patch(`/v1/models/${m.gamma}`, { retired: true }, "bob")
      assert.deepStrictEqual((yield* read(m.gamma)).json, shown)
      assert.strictEqual((yield* A.ask("/v1/stories")).json.items[0].body, "Gamma's.")
      assert.notInclude((yield* A.ask("/v1/stories")).text, "A draft.")
      assert.strictEqual((yield* write("bob", m.gamma, "Looking back.")).status, 200)
    })
  )

  it.effect("but administrators decides, whatever there is", () =>
    Effect.gen(function* () {
      for (const model of [m.beta, m.alpha, "x"]) {
        yield* refused(A.patch(`/v1/admin/stories/${model}`, { state: "approved" }, "ada"), [403, "admin_only"])
      }
      for (const model of [m.alpha, m.secretBase, uuid("model", 999), "x", "%00"]) {
        yield* refused(A.ask(`/v1/admin/stories/${model}`, { method: "PATCH", as: "root", body: "{" }), missing, model)
      }
    })
  )

  it.effect("is told who wants not to be", () =>
    Effect.gen(function* () {
      yield* A.rows`INSERT INTO notification_setting SELECT id, 'story_approved', false FROM account WHERE username = 'bob'`
      const before = yield* told("bob")
      yield* story("bob", m.beta, "Quietly.")
      assert.deepStrictEqual(yield* told("bob"), before)
    })
  )
})

layer(web, A.options)("at one time", (it) => {
  it.effect("a text and the decision on it follow one another: who decides first waits for the text that is being written", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const seen = (yield* write("bob", m.beta, "Harmless.")).json.updated_at
      const waiting = yield* sql.withTransaction(
        Effect.gen(function* () {
          yield* sql`UPDATE story SET body = 'Spiteful.', updated_at = updated_at + interval '1 second' WHERE model_id = ${m.beta}`
          const waiting = yield* Effect.forkChild(decide(m.beta, "approved", { updated_at: seen }))
          yield* blocked(1)
          return waiting
        })
      )
      assert.deepStrictEqual(A.refusal(yield* Fiber.join(waiting)), [409, "story_changed"])
      assert.deepStrictEqual(A.refusal(yield* read(m.beta)), missing)
    })
  )

  it.effect("owners write and moderators decide, and what is public is a text that one of them has approved", () =>
    Effect.gen(function* () {
      const approved = new Set<string>()
      const rounds = Array.from({ length: 6 }, (_, n) => n)
      yield* Effect.forEach(
        rounds,
        (n) =>
          Effect.gen(function* () {
            yield* write("ada", m.alpha, `no. ${n}`, n % 2 === 0)
            const { json, status } = yield* decide(m.alpha, "approved")
            if (status === 200) approved.add(json.body)
            else assert.include([404, 409], status)
            const shown = yield* read(m.alpha)
            if (shown.status === 200) assert.match(shown.json.body, /^no\. [024]$/)
          }),
        { concurrency: "unbounded" }
      )
      const shown = yield* read(m.alpha)
      if (shown.status === 200) assert.isTrue(approved.has(shown.json.body))
      const sql = yield* SqlClient.SqlClient
      const drafts = yield* sql`SELECT 1 FROM story WHERE public_body LIKE 'no. 1' OR public_body LIKE 'no. 3' OR public_body LIKE 'no. 5'`
      assert.deepStrictEqual(drafts, [])
    })
  )
})
