/**
 * The first write to a season (docs/contract.md#creating-a-season and docs/contract.md#closing-a-season):
 * one that was just made obeys it, and one that is closed says so at once, though its actor sleeps.
 * Nothing here is tried twice.
 */

import { Api } from "@agon/api/Api.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { HttpApi } from "effect/http-api"
import {
  layer as administration,
  finished,
  later,
  options,
  past,
  post,
  refusal,
  rows,
  seasonBody,
  urlOf
} from "../support/Administration.ts"
import * as Fixture from "../support/Fixture.ts"
import { runnerSession } from "../support/Fleet.ts"
import { bodyOf, entered, modelOf } from "../support/Submitting.ts"
import { call } from "../support/Web.ts"

const board = JSON.parse(JSON.stringify(snakesBoards[0]))
const hashes = { weights_hash: `sha256:${"1".repeat(64)}`, manifest_hash: `sha256:${"2".repeat(64)}` }
const uuid = "01950000-0000-7000-8000-000000000001"
const send = (method: string, path: string, json?: unknown, as = "root") => call(path, { method, as, json })

/** Writes by which a season is set up. */
const setUp: ReadonlyArray<readonly [method: string, rest: string, json: unknown, status: number]> = [
  ["PATCH", "", { rules: { cooldown_s: 5 } }, 200],
  ["POST", "/maps", board, 201],
  ["POST", "/baselines", { name: "first", ...hashes }, 201],
  ["PATCH", "/fleet", { matches: "platform" }, 200],
  ["POST", "/rounds", { kind: "round", games: 1, starts_at: "2091-01-01T00:00:00Z" }, 201],
  ["POST", "/participants", { logins: ["Ada"] }, 201]
]

layer(administration, options)("a season that was just made", (it) => {
  it.effect("has a secret of its own, from which the seeds of its matches come, and keeps it", () =>
    Effect.gen(function* () {
      for (const slug of ["secret-1", "secret-2"]) {
        yield* send("POST", "/v1/games/snakes/seasons", { ...seasonBody(slug), submissions_open_at: later })
        assert.strictEqual((yield* send("POST", `/v1/games/snakes/seasons/${slug}/maps`, board)).status, 201) // claims it
      }
      const secrets = rows<{ secret: string }>`SELECT head->>'secret' AS secret FROM season WHERE slug LIKE 'secret-%' ORDER BY slug`
      const made = yield* secrets
      for (const { secret } of made) assert.match(secret, /^[0-9a-f]{64}$/)
      assert.notStrictEqual(made[0]!.secret, made[1]!.secret)
      assert.strictEqual((yield* send("POST", "/v1/games/snakes/seasons/secret-1/close")).status, 200) // writes its head
      assert.deepStrictEqual(yield* secrets, made)
    })
  )

  it.effect("obeys its first write, whichever it is", () =>
    Effect.gen(function* () {
      for (const [i, [method, rest, json, status]] of setUp.entries()) {
        const slug = `made-${i}`
        const made = yield* send("POST", "/v1/games/snakes/seasons", { ...seasonBody(slug), submissions_open_at: later })
        assert.strictEqual(made.status, 201)
        const answer = yield* send(method, urlOf(slug, rest), json)
        assert.strictEqual(answer.status, status, `${method} ${rest} ${answer.text}`)
      }
    })
  )

  it.effect("takes submissions at once, and says what stands in their way, beside others that are made in the same moment", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      const one = Effect.fnUntraced(function* (n: number) {
        const slug = `beside-${n}`
        assert.strictEqual((yield* send("POST", "/v1/games/snakes/seasons", { ...seasonBody(slug), rules: { cooldown_s: 0 } })).status, 201)
        const foreseen = yield* call(`/v1/games/snakes/submission?season=${slug}&model=${model}`, { as: "ada" })
        assert.deepStrictEqual([foreseen.status, foreseen.json?.open], [200, true], foreseen.text)
        const submitted = yield* send("POST", "/v1/submissions", bodyOf(slug, model), "ada")
        assert.strictEqual(submitted.status, 201, submitted.text)
      })
      yield* Effect.forEach([1, 2, 3, 4, 5], one, { concurrency: "unbounded", discard: true })
    })
  )
})

/** Every write that names a season in its path. */
const writes = () => {
  const found: Array<readonly [method: string, path: string]> = []
  HttpApi.reflect(Api as any, {
    onGroup: () => {},
    onEndpoint: ({ endpoint }: any) => {
      if (endpoint.method !== "GET" && endpoint.path.includes(":slug") && endpoint.path.startsWith("/v1/games/"))
        found.push([endpoint.method, endpoint.path])
    }
  })
  return found
}

const CLOSED = "409 season_closed"
const TOO_LATE = "409 season_not_scheduled"
/** Writes to a closed season: those of its play and rules are refused, those of people and fleets are not. */
const ofClosed: Readonly<Record<string, readonly [answer: string, json?: unknown]>> = {
  "PATCH ": [TOO_LATE, { rules: { cooldown_s: 5 } }],
  "PATCH /entry": [TOO_LATE, { entry: "restricted" }],
  "POST /close": ["200"],
  "POST /featured": ["200"],
  "PATCH /fleet": [CLOSED, { matches: "own" }],
  "PATCH /fill": [CLOSED, { enabled: true }],
  "POST /rounds": [CLOSED, { kind: "round", games: 1, starts_at: "2091-01-01T00:00:00Z" }],
  "PATCH /rounds/:n": [CLOSED, { games: 3 }],
  "POST /participants": ["201", { logins: ["Ada"] }],
  "DELETE /participants": ["404 not_found", { id: uuid }],
  "POST /admins": ["201", { username: "ada" }],
  "DELETE /admins": ["404 not_found", { username: "bob" }],
  "POST /maps": [CLOSED, { ...board, map_id: "another" }],
  "PATCH /maps/:map_id": [CLOSED, { enabled: true }],
  "POST /maps/import": [CLOSED, { from: "spring" }],
  "POST /baselines": [CLOSED, { name: "another", ...hashes }],
  "PATCH /baselines/:baseline": [CLOSED, { enabled: true }],
  "POST /baselines/import": [CLOSED, { from: "spring" }],
  "POST /matches/:id/void": [CLOSED, { reason: "x" }],
  "POST /versions/:id/disqualify": [CLOSED, { reason: "x", void_matches: false }],
  "POST /versions/:id/reinstate": [CLOSED],
  "POST /runner-keys": ["201", { name: "rack" }],
  "DELETE /runner-keys/:key": ["404 not_found"],
  "DELETE /runners/:runner": ["404 not_found"],
  "POST /notify": ["201", { subject: "Thanks" }],
  "POST /webhooks": ["201", { url: "https://hooks.example/" }],
  "PATCH /webhooks/:id": ["404 not_found", { enabled: true }],
  "DELETE /webhooks/:id": ["404 not_found"],
  "POST /webhooks/:id/secret": ["404 not_found"],
  "POST /webhooks/:id/test": ["404 not_found"]
}

let made = 0
/** A season that closed before this service started: rows alone, with something for each name that a path may have. */
const closed = Effect.fnUntraced(function* (slug: string) {
  const id = Fixture.uuid("season", 5_000 + ++made)
  const over = { closed_at: past, close_requested_at: past, submissions_open_at: "2025-01-01T00:00:00Z" }
  yield* Fixture.insert("season", [Fixture.season(id, slug, { ...over, submissions_close_at: "2099-01-01T00:00:00Z" })])
  yield* rows`INSERT INTO board (season_id, map_id, ord, players, rows, cols, file, enabled, used, added_at)
    VALUES (${id}::uuid, 'plain', 1, 2, 7, 7, '{}', true, '{}', now())`
  yield* rows`INSERT INTO round (season_id, n, kind, games, starts_at, withdrawn) VALUES (${id}::uuid, 1, 'round', 3, now(), false)`
  const [base] = yield* rows<{ readonly id: string }>`INSERT INTO model (id, game, baseline_season, name, created_at)
    VALUES (gen_random_uuid(), 'snakes', ${id}::uuid, 'base', now()) RETURNING id`
  const { id: version } = yield* entered(id, base!.id, { owner_id: null, status: "disabled" })
  const match = Fixture.uuid("match", 5_000 + made)
  yield* finished(match, id)
  return { id, version, match }
})

layer(administration, options)("a season that is closed", (it) => {
  it.effect("answers every write at once as closed seasons do, the first one too", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* post("/v1/games/snakes/seasons", seasonBody("spring"))).status, 201)
      for (const [method, path] of writes()) {
        const rest = path.replace("/v1/games/:game/seasons/:slug", "")
        const [expected, json] = ofClosed[`${method} ${rest}`] ?? assert.fail(`say what a closed season answers to ${method} ${path}`)
        const slug = `closed-${made}`
        const { match, version } = yield* closed(slug)
        const id = path.includes("/matches/") ? match : version
        const names: Readonly<Record<string, string>> = { map_id: "plain", baseline: "base", n: "1", id, key: uuid, runner: uuid }
        const url = urlOf(
          slug,
          rest.replace(/:(\w+)/g, (_, name: string) => names[name]!)
        )
        for (const time of ["first", "second"]) {
          const answer = yield* send(method, url, json)
          const said = answer.status < 400 ? String(answer.status) : refusal(answer).join(" ")
          assert.strictEqual(said, expected, `${method} ${rest} ${time} ${answer.text}`)
          if (expected === CLOSED)
            assert.deepStrictEqual([answer.json.title, answer.json.detail], ["The season is closed for this", "The season is closed."])
        }
      }
    })
  )

  it.effect("takes no submission and gives no work, and says so at once", () =>
    Effect.gen(function* () {
      const model = yield* modelOf("ada")
      yield* closed("submitted")
      const source = yield* closed("source")
      const submitted = yield* send("POST", "/v1/submissions", bodyOf("submitted", model), "ada")
      assert.deepStrictEqual(refusal(submitted), [409, "season_closed"], submitted.text)
      const again = { game: "snakes", season: "submitted", from: "source", model }
      yield* entered(source.id, model)
      assert.deepStrictEqual(refusal(yield* send("POST", "/v1/submissions/reenter", again, "ada")), [409, "season_closed"])

      const { key } = (yield* send("POST", urlOf("submitted", "/runner-keys"), { name: "rack" })).json
      const say = (path: string, json: unknown) =>
        call(`/v1/runner${path}`, { method: "POST", json, headers: { authorization: `Bearer ${key}` } })
      const opened = yield* say("/sessions", runnerSession)
      const { runner } = opened.json
      const leased = yield* say("/leases", { runner, max: 1, wait_s: 0 })
      assert.deepStrictEqual([opened.status, leased.status, leased.json.leases], [201, 200, []])
      assert.deepStrictEqual((yield* say("/heartbeat", { runner, leases: [`${uuid}.1`] })).status, 200)
      const fault = { kind: "match", fault_reason: "engine_fault", detail: "x" }
      assert.deepStrictEqual(refusal(yield* say(`/leases/${uuid}.1/result`, fault)), [404, "not_found"])
      assert.deepStrictEqual(refusal(yield* say(`/leases/${uuid}.1/release`, {})), [404, "not_found"])
    })
  )
})
