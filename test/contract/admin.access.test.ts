/** Who may administer a season, and in which order a request is judged (DECISIONS.md section 2), for every route there is. */
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { type Answered, type Call, call } from "../support/Web.ts"
import { layer as administration, log, options, post, refusal, rows, scheduled, season, urlOf } from "../support/Administration.ts"

const uuid = "01950000-0000-7000-8000-000000000001"
const put = (method: string, path: string, json?: unknown): readonly [string, string, unknown] => [method, path, json]

const ofSeason = [
  put("PATCH", "", { rules: { cooldown_s: 5 } }),
  put("PATCH", "/entry", { entry: "restricted" }),
  put("POST", "/close"),
  put("GET", "/participants"),
  put("POST", "/participants", { logins: ["eve"] }),
  put("DELETE", "/participants", { id: uuid }),
  put("GET", "/admins"),
  put("POST", "/maps", {}),
  put("PATCH", "/maps/plain", { enabled: true }),
  put("POST", "/maps/import", { from: "hidden" }),
  put("GET", "/baselines"),
  put("POST", "/baselines", { name: "x", weights_hash: `sha256:${"0".repeat(64)}`, manifest_hash: `sha256:${"0".repeat(64)}` }),
  put("PATCH", "/baselines/x", { enabled: true }),
  put("POST", "/baselines/import", { from: "hidden" }),
  put("GET", "/runner-keys"),
  put("POST", "/runner-keys", { name: "rack" }),
  put("DELETE", `/runner-keys/${uuid}`),
  put("DELETE", `/runners/${uuid}`),
  put("GET", "/notify"),
  put("POST", "/notify", { subject: "Hello" }),
  put("GET", "/audit")
]
const ofPlatform = [
  put("POST", "/featured"),
  put("PATCH", "/fleet", { matches: "own" }),
  put("PATCH", "/fill", { enabled: true }),
  put("GET", "/rounds"),
  put("POST", "/rounds", { kind: "round", games: 3, starts_at: "2091-01-01T00:00:00Z" }),
  put("PATCH", "/rounds/1", { games: 3 }),
  put("POST", "/admins", { username: "bob" }),
  put("DELETE", "/admins", { username: "bob" })
]
const takeBodies = [...ofSeason, ...ofPlatform].filter(([method, , json]) => method !== "GET" && json !== undefined)

const say = ([method, , json]: readonly [string, string, unknown], url: string, given: Call = {}) => call(url, { method, json, ...given })

/** All that a client can see of an answer, but for the name it asked for and the request's id. */
const seen = ({ headers, status, text }: Answered, slug: string) => ({
  status,
  text: text.replaceAll(slug, "..."),
  headers: [...headers].filter(([name]) => name !== "x-request-id" && name !== "date")
})

layer(administration, options)("the administration of a season", (it) => {
  const made = Effect.gen(function* () {
    const { id } = yield* scheduled("spring")
    yield* season("hidden", { visibility: "private", submissions_open_at: "2090-01-01T00:00:00Z" })
    return id
  })

  it.effect("is for its administrators: others are told so where they see the season, and that there is none where they do not", () =>
    Effect.gen(function* () {
      const id = yield* made
      for (const route of ofSeason) {
        const at = `${route[0]} ${route[1]}`
        assert.deepStrictEqual(refusal(yield* say(route, urlOf("spring", route[1]))), [401, "unauthenticated"], at)
        assert.deepStrictEqual(refusal(yield* say(route, urlOf("spring", route[1]), { as: "bob" })), [403, "season_admin_only"], at)
        const hidden = yield* say(route, urlOf("hidden", route[1]), { as: "bob" })
        assert.deepStrictEqual(refusal(hidden), [404, "unknown_season"], at)
        const none = yield* say(route, urlOf("absent", route[1]), { as: "bob" })
        assert.deepStrictEqual(seen(hidden, "hidden"), seen(none, "absent"), at)
        const otherwise = `/v1/games/chess/seasons/spring${route[1]}`
        assert.deepStrictEqual(refusal(yield* say(route, otherwise, { as: "bob" })), [404, "unknown_game"], at)
      }
      assert.deepStrictEqual(yield* log(id), [])
    })
  )

  it.effect("is for the platform's administrators alone where it decides about capacity, rounds and roles, whatever there is", () =>
    Effect.gen(function* () {
      for (const route of ofPlatform) {
        const at = `${route[0]} ${route[1]}`
        assert.deepStrictEqual(refusal(yield* say(route, urlOf("spring", route[1]))), [401, "unauthenticated"], at)
        for (const slug of ["spring", "hidden", "absent"]) {
          const refused = yield* say(route, urlOf(slug, route[1]), { as: "ada" })
          assert.deepStrictEqual(refusal(refused), [403, "admin_only"], `${at} ${slug}`)
        }
        assert.deepStrictEqual(refusal(yield* say(route, urlOf("absent", route[1]), { as: "root" })), [404, "unknown_season"], at)
        const otherwise = `/v1/games/chess/seasons/spring${route[1]}`
        assert.deepStrictEqual(refusal(yield* say(route, otherwise, { as: "root" })), [404, "unknown_game"], at)
      }
    })
  )

  it.effect("judges the origin before the role, and a body only once the role and what the path names are known", () =>
    Effect.gen(function* () {
      const bad = { body: "{", json: undefined }
      for (const route of takeBodies) {
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
