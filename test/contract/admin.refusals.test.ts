/**
 * Every refusal that an administration route declares is provoked over HTTP, and one that is not fails this
 * test. The refusals are read from the API itself; the requests that provoke them are in the lists below.
 */

import { SEASON_WEBHOOKS_MAX } from "@agon/api/notification/seasonWebhooks.ts"
import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as administration,
  ask,
  baseline,
  finished,
  log,
  options,
  post,
  refusal,
  scheduled,
  season,
  seasonBody,
  startRound
} from "../support/Administration.ts"
import { administrationRoutes, type Route, routeOf } from "../support/administrationRoutes.ts"
import * as Fixture from "../support/Fixture.ts"
import type { Call } from "../support/Web.ts"

const routes = administrationRoutes()
const uuid = Fixture.uuid("key", 77)
const names: Readonly<Record<string, string>> = {
  game: "snakes",
  slug: "spring",
  map_id: "plain",
  baseline: "waiting",
  n: "1",
  key: uuid,
  runner: uuid,
  id: Fixture.uuid("version", 1)
}
const filled = (path: string, over: Readonly<Record<string, string>> = {}) =>
  path.replace(/:(\w+)/g, (_, name: string) => ({ ...names, ...over })[name]!)
/** A level's refusal is the same at every route; the body does not matter, since it is not read by then. */
const ofLevel = ({ byPlatform, method, path }: Route): ReadonlyArray<readonly [code: string, url: string, given: Call]> => {
  const others = byPlatform ? (["admin_only", "ada"] as const) : (["season_admin_only", "bob"] as const)
  return [
    ["unauthenticated", filled(path), {}],
    ...(method === "GET" ? [] : [["cross_origin", filled(path), { as: "root", headers: { "sec-fetch-site": "cross-site" } }] as const]),
    [others[0], filled(path), { as: others[1] }],
    ...(path.includes(":game") ? [["unknown_game", filled(path, { game: "chess" }), { as: "root" }] as const] : []),
    ...(path.includes(":slug") ? [["unknown_season", filled(path, { slug: "absent" }), { as: "root" }] as const] : [])
  ]
}

const board = JSON.parse(JSON.stringify({ ...snakesBoards[0], map_id: "plain" }))
const hashes = (digit: string) => ({ weights_hash: `sha256:${digit.repeat(64)}`, manifest_hash: `sha256:${"c".repeat(64)}` })
const hook = { url: "https://hooks.example/" }
const inYear = (year: number) => `${year}-01-01T00:00:00Z`
/** Seasons: spring is live, early scheduled, secret private, over closed, running in its first round. */
const ofRoutes: ReadonlyArray<readonly [method: string, path: string, json: unknown, code: string]> = [
  ["POST", "", seasonBody("spring"), "season_exists"],
  ["POST", "", { ...seasonBody("new"), rules: { speed: 1 } }, "rules_invalid"],
  ["PATCH", "/early", { rules: { cooldown_s: -1 } }, "rules_invalid"],
  ["PATCH", "/spring", { rules: { cooldown_s: 1 } }, "season_not_scheduled"],
  ["PATCH", "/over", { rules: { cooldown_s: 1 } }, "season_not_scheduled"],
  ["PATCH", "/secret/entry", { entry: "restricted" }, "entry_fixed"],
  ["PATCH", "/spring/entry", { entry: "restricted" }, "season_not_scheduled"],
  ["POST", "/secret/featured", undefined, "season_private"],
  ["PATCH", "/over/fleet", { matches: "own" }, "season_closed"],
  ["PATCH", "/over/fill", { enabled: true }, "season_closed"],
  ["POST", "/over/rounds", { kind: "round", games: 3, starts_at: inYear(2091) }, "season_closed"],
  ["PATCH", "/over/rounds/1", { games: 3 }, "season_closed"],
  ["PATCH", "/spring/rounds/1", { games: 3 }, "not_found"],
  ["PATCH", "/running/rounds/1", { games: 3 }, "round_started"],
  ["POST", "/spring/participants", { logins: ["eve"], provider: "nowhere" }, "unknown_provider"],
  ["DELETE", "/spring/participants", { id: uuid }, "not_found"],
  ["POST", "/spring/admins", { username: "nobody" }, "not_found"],
  ["DELETE", "/spring/admins", { username: "bob" }, "not_found"],
  ["POST", "/spring/maps", board, "board_exists"],
  ["POST", "/spring/maps", {}, "board_invalid"],
  ["POST", "/over/maps", { ...board, map_id: "another" }, "season_closed"],
  ["PATCH", "/spring/maps/absent", { enabled: true }, "not_found"],
  ["PATCH", "/over/maps/plain", { enabled: true }, "season_closed"],
  ["POST", "/spring/maps/import", { from: "absent" }, "unknown_season"],
  ["POST", "/over/maps/import", { from: "spring" }, "season_closed"],
  ["POST", "/spring/baselines", { name: "x" }, "missing_hash"],
  ["POST", "/spring/baselines", { name: "waiting", ...hashes("d") }, "baseline_exists"],
  ["POST", "/over/baselines", { name: "late", ...hashes("e") }, "season_closed"],
  ["PATCH", "/spring/baselines/absent", { enabled: true }, "not_found"],
  ["PATCH", "/spring/baselines/waiting", { enabled: true }, "baseline_not_admitted"],
  ["PATCH", "/over/baselines/ready", { enabled: true }, "season_closed"],
  ["POST", "/spring/baselines/import", { from: "absent" }, "unknown_season"],
  ["POST", "/over/baselines/import", { from: "spring" }, "season_closed"],
  ["POST", `/spring/versions/${uuid}/disqualify`, { reason: "x", void_matches: true }, "not_found"],
  ["POST", `/spring/versions/${Fixture.uuid("version", 1)}/disqualify`, { reason: "x", void_matches: true }, "not_in_contention"],
  ["POST", `/over/versions/${Fixture.uuid("version", 2)}/disqualify`, { reason: "x", void_matches: true }, "season_closed"],
  ["POST", `/spring/versions/${uuid}/reinstate`, undefined, "not_found"],
  ["POST", `/over/versions/${Fixture.uuid("version", 2)}/reinstate`, undefined, "season_closed"],
  ["POST", `/spring/matches/${uuid}/void`, { reason: "x" }, "not_found"],
  ["POST", `/spring/matches/${Fixture.uuid("match", 700)}/void`, { reason: "x" }, "match_not_finished"],
  ["POST", `/over/matches/${Fixture.uuid("match", 701)}/void`, { reason: "x" }, "season_closed"],
  ["DELETE", `/spring/runner-keys/${uuid}`, undefined, "not_found"],
  ["DELETE", `/spring/runners/${uuid}`, undefined, "not_found"],
  ["POST", "/spring/webhooks", hook, "webhook_cap_reached"],
  ["PATCH", `/spring/webhooks/${uuid}`, hook, "not_found"],
  ["DELETE", `/spring/webhooks/${uuid}`, undefined, "not_found"],
  ["POST", `/spring/webhooks/${uuid}/secret`, undefined, "not_found"],
  ["POST", `/spring/webhooks/${uuid}/test`, undefined, "not_found"],
  ["GET", `/spring/webhooks/${uuid}/deliveries`, undefined, "not_found"]
].map(([method, path, json, code]) => [method, `/v1/games/snakes/seasons${path as string}`, json, code] as any)
const ofFleet: typeof ofRoutes = [
  ["DELETE", `/v1/runner-keys/${uuid}`, undefined, "not_found"],
  ["DELETE", `/v1/runners/${uuid}`, undefined, "not_found"]
]

const seasons = Effect.gen(function* () {
  const spring = yield* season("spring", { admins: ["ada"] })
  yield* post(spring.url("/maps"), board)
  yield* baseline(spring.id, 1, "waiting", false)
  for (let n = 0; n < SEASON_WEBHOOKS_MAX; n++) yield* post(spring.url("/webhooks"), hook, "ada")
  yield* scheduled("early")
  yield* season("secret", { visibility: "private" })
  const over = yield* season("over")
  yield* post(over.url("/maps"), board)
  yield* baseline(over.id, 2, "ready")
  yield* post(over.url("/rounds"), { kind: "round", games: 3, starts_at: inYear(2090) })
  yield* post(over.url("/close"))
  yield* finished(Fixture.uuid("match", 700), spring.id, "cancelled")
  yield* finished(Fixture.uuid("match", 701), over.id)
  const running = yield* season("running")
  yield* startRound(running.id, 3)
  return [spring.id, over.id, running.id]
})

layer(administration, options)("the administration of seasons and fleets", (it) => {
  it.effect("answers every refusal that its routes declare, and no other is left without a test", () =>
    Effect.gen(function* () {
      const ids = yield* seasons
      const logged = yield* Effect.forEach(ids, log)
      const missing = new Map(routes.map(({ method, path, refusals }) => [`${method} ${path}`, new Map(refusals)]))
      for (const codes of missing.values()) codes.delete("storage_full") // takes a small disk: storage.test.ts
      const provoke = Effect.fnUntraced(function* (method: string, url: string, given: Call, code: string) {
        const { path, refusals } = routeOf(routes, method, url)!
        const at = `${method} ${url} ${code}`
        assert.deepStrictEqual(refusal(yield* ask(url, { method, ...given })), [refusals.get(code), code], at)
        missing.get(`${method} ${path}`)!.delete(code)
      })
      for (const route of routes) {
        for (const [code, url, given] of ofLevel(route)) yield* provoke(route.method, url, given, code)
      }
      for (const [method, url, json, code] of [...ofRoutes, ...ofFleet]) yield* provoke(method, url, { as: "root", json }, code)
      assert.deepStrictEqual(
        [...missing].flatMap(([route, codes]) => [...codes.keys()].map((code) => `${route} ${code}`)),
        [],
        "these refusals are declared and nothing here provokes them"
      )
      assert.deepStrictEqual(yield* Effect.forEach(ids, log), logged)
    })
  )
})
