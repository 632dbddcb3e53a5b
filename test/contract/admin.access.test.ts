/**
 * In which order a request about a season's administration is judged (docs/contract.md#order-of-checks);
 * roles.test.ts says who may administer.
 */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { layer as administration, options, post, refusal, rows, scheduled, season, urlOf } from "../support/Administration.ts"
import { type Call, call } from "../support/Web.ts"

const uuid = "01950000-0000-7000-8000-000000000001"
const put = (method: string, path: string, json?: unknown): readonly [string, string, unknown] => [method, path, json]

/** Routes that take a body, with one of the right form. */
const ofSeason = [
  put("PATCH", "", { rules: { cooldown_s: 5 } }),
  put("PATCH", "/entry", { entry: "restricted" }),
  put("POST", "/participants", { logins: ["eve"] }),
  put("DELETE", "/participants", { id: uuid }),
  put("POST", "/maps", {}),
  put("PATCH", "/maps/plain", { enabled: true }),
  put("POST", "/maps/import", { from: "hidden" }),
  put("POST", "/baselines", { name: "x", weights_hash: `sha256:${"0".repeat(64)}`, manifest_hash: `sha256:${"0".repeat(64)}` }),
  put("PATCH", "/baselines/x", { enabled: true }),
  put("POST", "/baselines/import", { from: "hidden" }),
  put("POST", "/runner-keys", { name: "rack" }),
  put("POST", "/notify", { subject: "Hello" })
]
const ofPlatform = [
  put("PATCH", "/fleet", { matches: "own" }),
  put("PATCH", "/fill", { enabled: true }),
  put("POST", "/rounds", { kind: "round", games: 3, starts_at: "2091-01-01T00:00:00Z" }),
  put("PATCH", "/rounds/1", { games: 3 }),
  put("POST", "/admins", { username: "bob" }),
  put("DELETE", "/admins", { username: "bob" })
]

const say = ([method, , json]: readonly [string, string, unknown], url: string, given: Call = {}) => call(url, { method, json, ...given })

layer(administration, options)("the administration of a season", (it) => {
  it.effect("judges the origin before the role, and a body only once the role and what the path names are known", () =>
    Effect.gen(function* () {
      yield* scheduled("spring")
      yield* season("hidden", { visibility: "private", submissions_open_at: "2090-01-01T00:00:00Z" })
      const bad = { body: "{", json: undefined }
      for (const route of [...ofSeason, ...ofPlatform]) {
        const at = `${route[0]} ${route[1]}`
        const platform = ofPlatform.includes(route)
        const foreign = yield* say(route, urlOf("spring", route[1]), { as: "bob", headers: { "sec-fetch-site": "cross-site" } })
        assert.deepStrictEqual(refusal(foreign), [403, "cross_origin"], at)
        const refused = yield* say(route, urlOf("spring", route[1]), { as: "bob", ...bad })
        assert.deepStrictEqual(refusal(refused), platform ? [403, "admin_only"] : [403, "season_admin_only"], at)
        const absent = yield* say(route, urlOf("absent", route[1]), { as: "root", ...bad })
        assert.deepStrictEqual(refusal(absent), [404, "unknown_season"], at)
        const judged = yield* say(route, urlOf("spring", route[1]), { as: "root", ...bad })
        const names = /\/(maps\/plain|baselines\/x|rounds\/1)$/.test(route[1])
        assert.deepStrictEqual(refusal(judged), names ? [404, "not_found"] : [400, "invalid_json"], at)
        if (names) continue
        const other = yield* say(route, urlOf("spring", route[1]), { as: "root", headers: { "content-type": "text/plain" } })
        assert.deepStrictEqual(refusal(other), [415, "unsupported_media_type"], at)
      }
    })
  )

  it.effect("knows no board, baseline or round by a name of no sensible form", () =>
    Effect.gen(function* () {
      const names = ["/maps/No%20Slug", "/maps/nothing", "/baselines/UP", "/baselines/none", "/rounds/0", "/rounds/x", "/rounds/1.5"]
      for (const name of [...names, "/rounds/99999999999", "/rounds/-1"]) {
        const refused = yield* call(urlOf("spring", name), { method: "PATCH", as: "root", json: { enabled: true, games: 2 } })
        assert.deepStrictEqual(refusal(refused), [404, "not_found"], name)
      }
    })
  )

  it.effect("is for whom it was given to until it is taken back, asked anew with every request", () =>
    Effect.gen(function* () {
      const audit = (as: string) => Effect.map(call(urlOf("hidden", "/audit"), { as }), ({ status }) => status)
      assert.strictEqual(yield* audit("bob"), 404)
      assert.strictEqual((yield* post(urlOf("hidden", "/admins"), { username: "bob" })).status, 201)
      assert.strictEqual(yield* audit("bob"), 200)
      yield* call(urlOf("hidden", "/admins"), { method: "DELETE", as: "root", json: { username: "bob" } })
      assert.strictEqual(yield* audit("bob"), 404)
      yield* post(urlOf("hidden", "/participants"), { logins: ["BOB"] }) // a participant sees the season and administers nothing
      assert.strictEqual(yield* audit("bob"), 403)
      assert.deepStrictEqual(
        yield* rows`SELECT account_id FROM season_admin a JOIN season s ON s.id = a.season_id WHERE slug = 'hidden'`,
        []
      )
    })
  )
})
