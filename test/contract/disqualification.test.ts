/** A season's administrator disqualifies an entry and reinstates it (docs/contract.md#disqualification). */
import { VoidOrders } from "@agon/server/version/VoidOrders.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, log, options, post, read, refusal, rows, urlOf } from "../support/Administration.ts"
import { eventually } from "../support/eventually.ts"
import * as Fixture from "../support/Fixture.ts"
import { play, world } from "../support/SmallWorld.ts"

const reason = "It was trained on the boards of the finals."
const ladder = "/v1/games/snakes/leaderboard?season=one"
const entryOf = (version: string) =>
  Effect.map(read(ladder), ({ json }) => json.entries.find(({ version_id }: any) => version_id === version))
const podiumOf = Effect.map(read("/v1/games/snakes/seasons/one/podium"), ({ json }) =>
  Object.values(json.ladders as Record<string, Array<any>>).flatMap((places) => places.map(({ version_id }) => version_id as string))
)
const feed = (as: string) =>
  Effect.map(read("/v1/me/notifications", as), ({ json }) =>
    json.notifications.filter(({ kind }: any) => /disqualified|reinstated/.test(kind)).map(({ kind, subject }: any) => [kind, subject])
  )
const counted = (version: string) =>
  Effect.map(
    rows<{ readonly id: string }>`SELECT m.id FROM match m JOIN seat x ON x.match_id = m.id
      WHERE x.version_id = ${version} AND m.status = 'rated'`,
    (found) => found.map(({ id }) => id)
  )

layer(administration, options)("disqualifying an entry", (it) => {
  it.effect(
    "takes it out of ladder and podium, tells its owner why, and can be undone; its matches are voided where that is asked for",
    () =>
      Effect.gen(function* () {
        const { adder, boa, cobra, one } = yield* world
        yield* post(urlOf("one", "/admins"), { username: "bob" })
        yield* post(urlOf("two", "/admins"), { username: "bob" })
        const url = urlOf("one", `/versions/${adder.version}/disqualify`)
        const body = { reason, void_matches: false }
        const logged = yield* log(one.id)
        const before = yield* entryOf(adder.version)
        const [base] = yield* rows<{ readonly id: string }>`SELECT id FROM version WHERE season_id = ${one.id} AND owner_id IS NULL LIMIT 1`

        for (const [path, json, as, expected] of [
          [url, body, "ada", [403, "season_admin_only"]],
          [urlOf("two", `/versions/${adder.version}/disqualify`), body, "bob", [404, "not_found"]], // an entry of another season
          [urlOf("one", `/versions/${cobra.version}/disqualify`), body, "bob", [404, "not_found"]],
          [urlOf("one", `/versions/${Fixture.uuid("version", 901)}/disqualify`), body, "bob", [404, "not_found"]],
          [url, { reason }, "bob", [400, "invalid_request"]],
          [url, { ...body, reason: " " }, "bob", [400, "invalid_request"]],
          [url, { ...body, reason: "x".repeat(501) }, "bob", [400, "invalid_request"]],
          [url, { ...body, void_matches: "yes" }, "bob", [400, "invalid_request"]],
          [urlOf("one", `/versions/${base!.id}/disqualify`), body, "bob", [409, "not_in_contention"]]
        ] as const)
          assert.deepStrictEqual(refusal(yield* post(path, json, as)), [...expected], `${path} ${JSON.stringify(json)}`)
        assert.deepStrictEqual(yield* log(one.id), logged, "a refused one leaves no row")

        const done = yield* post(url, body, "bob")
        assert.deepStrictEqual([done.status, done.json.version_id, done.json.status], [200, adder.version, "disqualified"], done.text)
        assert.notProperty(done.json, "reject_detail")
        const shown = (yield* read(`/v1/versions/${adder.version}`)).json
        assert.deepInclude(shown, { status: "disqualified", phase: null, reject_reason: null })
        assert.deepStrictEqual([shown.ratings.open.rank, shown.ratings.open.rating], [null, before.rating], "its page is purged")
        assert.strictEqual((yield* read(`/v1/me/versions/${adder.version}`, "ada")).json.reject_detail, reason)
        assert.isUndefined(yield* entryOf(adder.version))
        assert.notInclude(yield* podiumOf, adder.version)
        assert.lengthOf(yield* rows`SELECT id FROM live WHERE until IS NULL AND ${adder.version}::uuid = ANY (versions)`, 0)
        const told = ["version_disqualified", `Version 1 of Adder was disqualified in Season one: ${reason}`]
        assert.deepStrictEqual([yield* feed("ada"), yield* feed("bob")], [[told], []])
        const row = ["bob", "version.disqualify", adder.version, body]
        assert.deepStrictEqual(yield* log(one.id), [row, ...logged])
        for (let i = 0; i < 6; i++) yield* play(one.id, i % 2)
        assert.deepStrictEqual((yield* post(url, { ...body, reason: "Another." }, "bob")).json, done.json, "twice the same answer")
        assert.deepStrictEqual([yield* feed("ada"), yield* log(one.id)], [[told], [row, ...logged]])

        const back = yield* post(urlOf("one", `/versions/${adder.version}/reinstate`), undefined, "bob")
        assert.deepStrictEqual([back.status, back.json.status], [200, "entered"], back.text)
        assert.deepInclude(yield* entryOf(adder.version), { rating: before.rating, deviation: before.deviation, matches: before.matches })
        assert.deepStrictEqual((yield* feed("ada"))[0], ["version_reinstated", "Version 1 of Adder plays again in Season one"])
        assert.isNull((yield* read(`/v1/me/versions/${adder.version}`, "ada")).json.reject_detail)

        const matches = yield* counted(adder.version)
        assert.isNotEmpty(matches)
        assert.strictEqual((yield* post(url, { reason, void_matches: true }, "bob")).status, 200)
        const { look } = yield* VoidOrders
        const isDone = Effect.map(
          Effect.andThen(look, rows`SELECT 1 FROM void_order UNION ALL SELECT 1 FROM voiding`),
          (waiting) => waiting.length === 0
        )
        yield* eventually("every match is voided, and ratings are without them", isDone)
        assert.deepStrictEqual(yield* counted(adder.version), [])
        const voids = (yield* log(one.id)).filter(([, action]) => action === "match.void")
        assert.deepStrictEqual(
          new Set(voids.map((each) => JSON.stringify(each))),
          new Set(matches.map((match) => JSON.stringify(["bob", "match.void", match, { reason, disqualified: adder.version }])))
        )
        assert.strictEqual(voids.length, matches.length, "each once")
        assert.strictEqual((yield* entryOf(boa.version)).matches, (yield* counted(boa.version)).length)
      })
  )
})

layer(administration, options)("reinstating an entry", (it) => {
  it.effect("drops the voids that have not been made, also where it is disqualified again without any", () =>
    Effect.gen(function* () {
      const { boa } = yield* world
      const url = urlOf("one", `/versions/${boa.version}`)
      const { look } = yield* VoidOrders
      assert.strictEqual((yield* post(`${url}/disqualify`, { reason, void_matches: true })).status, 200)
      assert.strictEqual((yield* post(`${url}/reinstate`)).status, 200)
      const matches = yield* counted(boa.version)
      assert.isNotEmpty(matches)
      assert.strictEqual((yield* post(`${url}/disqualify`, { reason, void_matches: false })).status, 200)
      yield* look
      assert.deepStrictEqual(yield* counted(boa.version), matches)
    })
  )
})

layer(administration, options)("an order to void whose version is not disqualified yet", (it) => {
  it.effect("is left alone for a minute, and then gone", () =>
    Effect.gen(function* () {
      const { adder, one } = yield* world
      const [bob] = yield* rows<{ readonly id: string }>`SELECT id FROM account WHERE username = 'bob'`
      for (let i = 0; i < 6; i++) yield* play(one.id, i % 2)
      const matches = yield* counted(adder.version)
      const { add, look } = yield* VoidOrders
      const left = Effect.map(Effect.andThen(look, rows`SELECT version_id FROM void_order`), (found) => found.length)
      yield* add({ season_id: one.id, version_id: adder.version, actor: bob!.id, reason })
      assert.strictEqual(yield* left, 1)
      yield* rows`UPDATE void_order SET created_at = created_at - interval '61 seconds'`
      assert.strictEqual(yield* left, 0)
      assert.deepStrictEqual(yield* counted(adder.version), matches)

      const baseline = (yield* rows<{ readonly id: string }>`SELECT id FROM version WHERE season_id = ${one.id} AND owner_id IS NULL`)[0]!
        .id
      const refused = yield* post(urlOf("one", `/versions/${baseline}/disqualify`), { reason, void_matches: true })
      assert.deepStrictEqual([refused.status, yield* left], [409, 0], "a refused one leaves none")
    })
  )
})

layer(administration, options)("a season that closes right after", (it) => {
  it.effect("waits for the voids of the disqualified entry's matches", () =>
    Effect.gen(function* () {
      const { adder, one } = yield* world
      for (let i = 0; i < 6; i++) yield* play(one.id, i % 2)
      assert.isNotEmpty(yield* counted(adder.version))
      yield* post(urlOf("one", `/versions/${adder.version}/disqualify`), { reason, void_matches: true })
      assert.strictEqual((yield* post(urlOf("one", "/close"))).status, 200)
      const { look } = yield* VoidOrders
      const isClosed = Effect.map(
        Effect.andThen(look, rows<{ readonly closed: boolean }>`SELECT closed_at IS NOT NULL AS closed FROM season WHERE id = ${one.id}`),
        ([season]) => season?.closed === true
      )
      yield* eventually("the season is closed", isClosed)
      assert.deepStrictEqual(yield* counted(adder.version), [])
      assert.deepStrictEqual(
        (yield* log(one.id)).filter(([, action]) => String(action).endsWith(".doubt")),
        []
      )
    })
  )
})
