/**
 * Every refusal that a competitor's route declares is provoked over HTTP, and one that is not
 * fails this test. The refusals are read from the OpenAPI document; the requests that provoke
 * them are in the lists below.
 */

import { Api } from "@agon/api/Api.ts"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { OpenApi } from "effect/http-api"
import * as A from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { type Operation, operationsOf } from "../support/Operations.ts"
import { routeOf, table } from "../support/RoutesTable.ts"
import { entered, fresh, modelOf, over, submit } from "../support/Submitting.ts"
import type { Answered, Call } from "../support/Web.ts"

const competitors = new Set(table.filter((row) => /^4\.[1-5]$/.test(row.source)).map(routeOf))
const operations = operationsOf(OpenApi.fromApi(Api)).filter(({ route }) => competitors.has(route))

/** Rates, failures of ours and seasons on the move have tests of their own; 405 is no operation's. */
const ofAny = new Set(["rate_limited", "internal", "unavailable"])
/** A model whose id is none is null, and so nothing is not found there. */
const answersNull = /^\/v1\/(private\/)?models\/\{id\}$/

/** Why an operation cannot answer a code that it declares; undefined where it can, and must be seen to. */
const neverAnswers = ({ body, path, query }: Operation, code: string): string | undefined => {
  if (ofAny.has(code)) return "as any route"
  if (code === "invalid_cursor" && !query.includes("cursor")) return "takes no cursor"
  if (code === "invalid_request" && body === undefined && !query.some((name) => name in badValues)) return "takes nothing that could be bad"
  if (code === "not_found" && (!/\{(id|sid|map_id|username)\}/.test(path) || answersNull.test(path) || path.startsWith("/v1/admin"))) {
    return "names nothing but games, seasons and what is null"
  }
  if (code === "unknown_game" && path === "/v1/models/{id}/season") return "a model's game is one that the service knows"
  return undefined
}

/** A value that the parameter does not take. */
const badValues: Readonly<Record<string, string>> = { limit: "0", ladder: "huge", enabled: "perhaps", sort: "best" }

const unknownId = Fixture.uuid("model", 999)
const names: Readonly<Record<string, string>> = {
  game: "snakes",
  slug: "spring",
  map_id: "absent",
  username: "nobody",
  provider: "nowhere",
  sid: unknownId,
  id: unknownId
}
const filled = (path: string, over: Readonly<Record<string, string>> = {}) =>
  path.replace(/\{(\w+)\}/g, (_, name: string) => ({ ...names, ...over })[name]!)

type Provoked = readonly [code: string, url: string, given: Call]

/** Where a route of an owner is that of something the caller owns, so that its body is read. */
const owned = ({ path }: Operation, own: Own) => filled(path, { id: path.includes("/versions/") ? own.version : own.model })

/** Properties that follow from an operation's form alone. */
const ofForm = (operation: Operation, own: Own): ReadonlyArray<Provoked> => {
  const { answers, body, method, path, query } = operation
  const declares = (code: string) => [...answers].some((answer) => answer.endsWith(` ${code}`))
  const as = "ada"
  const url = filled(path)
  const bad = query.find((name) => name in badValues)
  const all: ReadonlyArray<Provoked | false> = [
    declares("unauthenticated") && ["unauthenticated", url, {}],
    declares("cross_origin") && method !== "GET" && ["cross_origin", url, { as, headers: { "sec-fetch-site": "cross-site" } }],
    declares("admin_only") && ["admin_only", url, { as }],
    declares("unknown_provider") && ["unknown_provider", url, {}],
    path.includes("{game}") && ["unknown_game", filled(path, { game: "chess" }), { as, json: body && { name: "x" } }],
    path.includes("{slug}") && ["unknown_season", filled(path, { slug: "absent" }), { as }],
    query.includes("game") && ["unknown_game", `${url}?game=chess`, { as }],
    query.includes("season") && ["unknown_season", `${filled(path, { id: own.model })}?season=absent`, { as }],
    /\{(id|sid|map_id|username)\}/.test(path) && !answersNull.test(path) && ["not_found", url, { as, json: body && {} }],
    query.includes("cursor") && ["invalid_cursor", `${url}?cursor=-1`, { as }],
    query.includes("cursor") && ["invalid_cursor", `${url}?cursor=01`, { as }],
    bad !== undefined && ["invalid_request", `${url}?${bad}=${badValues[bad]}`, { as }],
    ...(body === undefined ? [] : ofBody(owned(operation, own), as))
  ]
  return all.filter((one) => one !== false)
}

const ofBody = (url: string, as: string): ReadonlyArray<Provoked> => [
  ["invalid_json", url, { as, body: "{" }],
  ["invalid_json", url, { as, body: "" }],
  ["unsupported_media_type", url, { as, body: "{}", headers: { "content-type": "text/plain" } }],
  ["body_too_large", url, { as, body: `{"x":"${"x".repeat(1 << 20)}"}` }],
  ["invalid_request", url, { as, json: [] }]
]

interface Own {
  readonly model: string
  readonly version: string
}

/** Texts and names, in a season whose notes have ten characters. */
const ofTexts = (own: Own): ReadonlyArray<readonly [route: string, ...Provoked]> => [
  ["PATCH /v1/me", "note_word_listed", "/v1/me", { as: "ada", json: { bio: "well, darn" } }],
  ["POST /v1/games/{game}/models", "missing_name", "/v1/games/snakes/models", { as: "ada", json: {} }],
  ["POST /v1/games/{game}/models", "note_word_listed", "/v1/games/snakes/models", { as: "ada", json: { name: "Darn it" } }],
  ["PATCH /v1/models/{id}", "note_word_listed", `/v1/models/${own.model}`, { as: "ada", json: { name: "Darn it" } }],
  ["POST /v1/games/{game}/models", "model_name_taken", "/v1/games/snakes/models", { as: "ada", json: { name: "Taken" } }],
  ["POST /v1/games/{game}/models", "model_cap_reached", "/v1/games/snakes/models", { as: "bob", json: { name: "One more" } }],
  ["PATCH /v1/models/{id}", "model_name_taken", `/v1/models/${own.model}`, { as: "ada", json: { name: "Taken" } }],
  ["PATCH /v1/versions/{id}", "note_too_long", `/v1/versions/${own.version}`, { as: "ada", json: { note: "x".repeat(281) } }],
  ["PATCH /v1/versions/{id}", "note_word_listed", `/v1/versions/${own.version}`, { as: "ada", json: { note: "darn" } }],
  ["GET /v1/games/{game}/submission", "unknown_model", `/v1/games/snakes/submission?season=open&model=${unknownId}`, { as: "ada" }]
]

/** A submission and a re-entry of a model into a season, but for what is said otherwise. */
const ways = {
  "/v1/submissions": (season: string, model: string) => ({ game: "snakes", season, model, weights_hash: fresh(), manifest_hash: fresh() }),
  "/v1/submissions/reenter": (season: string, model: string) => ({ game: "snakes", season, model, from: "source" })
} as const
type Way = keyof typeof ways

const ofSubmissions = (way: Way, model: string): ReadonlyArray<readonly [code: string, json: unknown]> => {
  const right = ways[way]("open", model)
  const both: ReadonlyArray<readonly [code: string, json: unknown]> = [
    ["unknown_game", { ...right, game: "chess" }],
    ["unknown_season", { ...right, season: "absent" }],
    ["unknown_model", { ...right, model: unknownId }]
  ]
  if (way === "/v1/submissions/reenter") {
    return [...both, ["reenter_invalid", { ...right, from: undefined }], ["nothing_to_reenter", { ...right, from: "open" }]]
  }
  return [
    ...both,
    ["missing_hash", { ...right, manifest_hash: undefined }],
    ["note_too_long", { ...right, note: "x".repeat(281) }],
    ["note_word_listed", { ...right, note: "darn" }]
  ]
}

/** A model of ada's that is in the season `source`. */
const sourced = Effect.fnUntraced(function* (season_id: string) {
  const model = yield* modelOf("ada")
  return { model, version: yield* entered(season_id, model) }
})

/** For each conflict a season in which it stands in the way of ada's model, and what of. */
const conflicts = Effect.fnUntraced(function* (source: string) {
  const one = yield* sourced(source)
  const retired = yield* sourced(source)
  const stolen = yield* sourced(source)
  yield* A.patch(`/v1/models/${retired.model}`, { retired: true }, "ada")
  yield* A.season("early", { submissions_open_at: A.later })
  yield* A.season("late", { submissions_close_at: "2026-01-02T00:00:00Z" })
  yield* A.season("listed", { entry: "restricted" })
  yield* A.season("capped", { rules: { max_models_per_owner: 1, max_versions_per_model: 1, cooldown_s: 0 } })
  yield* A.season("paused", { rules: { cooldown_s: 3_600 } })
  yield* A.season("flying", { rules: { cooldown_s: 0 } })
  const robbed = yield* A.season("robbed", { rules: { cooldown_s: 0 } })
  const holder = yield* sourced(source)
  for (const season of ["capped", "paused", "flying"]) yield* submit(ways["/v1/submissions"](season, holder.model))
  const rival = ways["/v1/submissions"]("robbed", yield* modelOf("bob"))
  const { json: theirs } = yield* submit({ ...rival, weights_hash: stolen.version.weights_hash }, "bob")
  yield* A.tell(robbed.id, { _tag: "ReceiveFiles", version: theirs.version_id, weights_bytes: 2_000, manifest_bytes: 100 })
  return [
    ["season_not_open", "early", one.model, {}],
    ["season_closed", "late", one.model, {}],
    ["not_eligible", "listed", one.model, {}],
    ["model_retired", "open", retired.model, {}],
    ["model_cap_reached", "capped", one.model, {}],
    ["version_cap_reached", "capped", holder.model, {}],
    ["cooldown", "paused", one.model, {}],
    ["candidate_in_flight", "flying", one.model, {}],
    ["weights_already_entered", "robbed", stolen.model, { weights_hash: stolen.version.weights_hash }]
  ] as const
})

/** A model of ada's in a season whose quota she has used up. */
const crowded = Effect.fnUntraced(function* (source: string) {
  yield* A.season("crowded", { rules: { cooldown_s: 0, max_stored_bytes_per_owner: 1024 ** 2 } })
  const model = yield* modelOf("ada")
  yield* entered(source, model, { weights_bytes: 1024 ** 2 })
  return model
})

/** Counts what is still to be provoked. */
const makeLedger = () => {
  const missing = new Map(
    operations.map((operation) => {
      const answers = [...operation.answers].filter(
        (answer) => answer.includes(" ") && (!answer.endsWith("cross_origin") || operation.method !== "GET")
      )
      return [operation.route, new Set(answers.filter((answer) => neverAnswers(operation, answer.split(" ")[1]!) === undefined))] as const
    })
  )
  const seen = (route: string, code: string, { json, status, text }: Answered) => {
    assert.strictEqual(json?.code, code, `${route}: ${text.slice(0, 200)}`)
    missing.get(route)!.delete(`${status} ${code}`)
  }
  return { seen, left: () => [...missing].flatMap(([route, answers]) => [...answers].map((answer) => `${route} ${answer}`)) }
}

const web = Fixture.layer.pipe(Layer.provideMerge(A.layer))

layer(web, A.options)("the routes of competitors", (it) => {
  it.effect("answer every refusal that they declare, and none is left without a test", () =>
    Effect.gen(function* () {
      assert.isAbove(operations.length, 45)
      const { left, seen } = makeLedger()
      const provoke = Effect.fnUntraced(function* (route: string, [code, url, given]: Provoked) {
        seen(route, code, yield* A.ask(url, { method: route.split(" ")[0]!, ...given }))
      })
      yield* A.rows`INSERT INTO word (word, added_at) VALUES ('darn', now())`
      yield* A.season("open", { rules: { cooldown_s: 0 } })
      yield* A.post(A.urlOf("open", "/featured"))
      const source = yield* over("source", yield* modelOf("ada", "Taken"))
      const own = { model: Fixture.modelIds.alpha, version: Fixture.versionIds.alpha2 }
      for (let n = 0; n < 5; n++) yield* modelOf("bob")
      for (const operation of operations) yield* Effect.forEach(ofForm(operation, own), (one) => provoke(operation.route, one))
      for (const [route, ...one] of ofTexts(own)) yield* provoke(route, one)
      for (const way of ["/v1/submissions", "/v1/submissions/reenter"] as const) {
        const cases = ofSubmissions(way, yield* modelOf("ada"))
        for (const [code, json] of cases) yield* provoke(`POST ${way}`, [code, way, { as: "ada", json }])
      }
      for (const [code, season, model, change] of yield* conflicts(source.id)) {
        const foreseen = (yield* A.read(`/v1/games/snakes/submission?season=${season}&model=${model}`, "ada")).json.refusals[0]
        for (const way of ["/v1/submissions", "/v1/submissions/reenter"] as const) {
          const json = { ...ways[way](season, model), ...(way === "/v1/submissions" ? change : {}) }
          const answer = yield* A.post(way, json, "ada")
          seen(`POST ${way}`, code, answer)
          if (code !== "weights_already_entered") assert.deepStrictEqual({ code, detail: answer.json.detail }, foreseen, `${way} ${code}`)
        }
      }
      const full = yield* crowded(source.id)
      seen("POST /v1/submissions", "storage_full", yield* submit(ways["/v1/submissions"]("crowded", full)))
      assert.deepStrictEqual(left(), [], "these refusals are declared and nothing here provokes them")
    })
  )
})
