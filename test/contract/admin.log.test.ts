/**
 * Every administrative write leaves its row in the log in the transaction of the write
 * (docs/contract.md#audit-log): where the row cannot be written, nothing is. The routes are read from the
 * API, so a new one that writes must be added here.
 */

import { snakesBoards } from "@agon/engine/snakes/boards.ts"
import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  layer as administration,
  ask,
  baseline,
  entry,
  finished,
  options,
  post,
  rows,
  scheduled,
  season,
  seasonBody,
  tell
} from "../support/Administration.ts"
import { administrationRoutes, routeOf } from "../support/administrationRoutes.ts"
import * as Fixture from "../support/Fixture.ts"
import { runnerSession } from "../support/Fleet.ts"
import { call } from "../support/Web.ts"
import { withoutLog } from "../support/withoutLog.ts"

interface Write {
  readonly method: string
  readonly url: string
  readonly json?: unknown
  readonly action: string
  readonly subject: string
  /** Slug of the season it is logged under; null: of none. */
  readonly season: string | null
}

/** Everything that administration changes, but for what an actor writes of itself when it is started again. */
const TABLES = [
  "season_admin",
  "participant",
  "board",
  "board_switch",
  "version",
  "round",
  "match",
  "runner_key",
  "runner",
  "notice",
  "notification",
  "webhook_delivery"
]
const fingerprint = Effect.gen(function* () {
  const season = yield* rows`SELECT to_jsonb(s) - 'seq' - 'epoch' - 'head' AS row FROM season s ORDER BY id`
  const webhooks = yield* rows`SELECT to_jsonb(w) AS row FROM webhook w ORDER BY id`
  const others = yield* Effect.forEach(
    TABLES,
    (table) =>
      rows`SELECT t AS name, query_to_xml('SELECT * FROM ' || t || ' x ORDER BY x::text', true, true, '')::text AS xml
      FROM (SELECT ${table}::text AS t) q`
  )
  return JSON.stringify([season, webhooks, others])
})

const logged = rows<{ readonly actor: string; readonly action: string; readonly subject: string; readonly season: string | null }>`
  SELECT a.username AS actor, l.action, l.subject, s.slug AS season FROM audit l
  LEFT JOIN account a ON a.id = l.actor LEFT JOIN season s ON s.id = l.season_id ORDER BY l.id`

const board = JSON.parse(JSON.stringify({ ...snakesBoards[0], map_id: "plain" }))
const hashes = { weights_hash: `sha256:${"8".repeat(64)}`, manifest_hash: `sha256:${"9".repeat(64)}` }
const session = { ...runnerSession, accepts: ["match"], slots: 1 }

/** A key with a runner of it. */
const keyed = Effect.fnUntraced(function* (url: string) {
  const { id, key } = (yield* post(url, { name: "rack" })).json
  const headers = { authorization: `Bearer ${key}` }
  const { runner } = (yield* ask("/v1/runner/sessions", { method: "POST", json: session, headers })).json
  return { key: id as string, runner: runner as string }
})

type Ask = (method: string, rest: string, json: unknown, action: string, subject: string) => Write

const ofWebhooks = (ask: Ask, hook: string): ReadonlyArray<Write> => [
  ask("POST", "/webhooks", { url: "https://hooks.example/x" }, "webhook.create", "hooks.example"),
  ask("PATCH", `/webhooks/${hook}`, { url: "https://new.example/x" }, "webhook.edit", "new.example"),
  ask("POST", `/webhooks/${hook}/secret`, undefined, "webhook.rotate", "new.example"),
  ask("POST", `/webhooks/${hook}/test`, undefined, "webhook.test", "new.example"),
  ask("DELETE", `/webhooks/${hook}`, undefined, "webhook.remove", "new.example")
]

/**
 * One write of every route, in an order in which each changes something. `early` is scheduled, the others are live, and
 * several: an actor whose commits fail again and again waits longer every time before it is back.
 */
const writes = Effect.gen(function* () {
  const from = yield* season("from")
  yield* post(from.url("/maps"), { ...board, map_id: "copied" })
  yield* baseline(from.id, 1, "copied")
  const early = yield* scheduled("early")
  const spring = yield* season("spring")
  const [summer, autumn] = [yield* season("summer"), yield* season("autumn")]
  yield* baseline(summer.id, 2, "ready")
  const entrant = yield* entry(summer.id, 4)
  const suspended = yield* baseline(autumn.id, 3, "suspended")
  yield* tell(autumn.id, { _tag: "SwitchBaseline", version: suspended, enabled: true })
  yield* rows`UPDATE version SET phase = 'suspended' WHERE id = ${suspended}` // its actor reads it when a refused commit has ended it
  const uncounted = Fixture.uuid("match", 700)
  yield* finished(uncounted, autumn.id)
  const { id } = (yield* post(spring.url("/participants"), { logins: ["zoe"] })).json.participants[0]
  const own = yield* keyed(spring.url("/runner-keys"))
  const ours = yield* keyed("/v1/runner-keys")
  const of = (slug: string | null, base: string) => (method: string, rest: string, json: unknown, action: string, subject: string) => ({
    method,
    url: `${base}${rest}`,
    ...(json === undefined ? {} : { json }),
    action,
    subject,
    season: slug
  })
  const inEarly = of("early", early.url())
  const inSpring = of("spring", spring.url())
  const inSummer = of("summer", summer.url())
  const inAutumn = of("autumn", autumn.url())
  const platform = of(null, "/v1")
  const found: ReadonlyArray<Write> = [
    of("fresh", "/v1/games/snakes/seasons")("POST", "", seasonBody("fresh"), "season.create", "fresh"),
    inEarly("PATCH", "", { rules: { cooldown_s: 5 } }, "season.edit", "early"),
    inEarly("PATCH", "/entry", { entry: "restricted" }, "season.entry", "early"),
    inSpring("POST", "/featured", undefined, "season.feature", "spring"),
    inAutumn("PATCH", "/fleet", { matches: "own" }, "season.fleet", "autumn"),
    inAutumn("PATCH", "/fill", { enabled: true }, "season.fill", "autumn"),
    inSummer(
      "POST",
      `/versions/${entrant}/disqualify`,
      { reason: "It broke the rules.", void_matches: true },
      "version.disqualify",
      entrant
    ),
    inAutumn("POST", `/versions/${suspended}/reinstate`, undefined, "version.reinstate", suspended),
    inAutumn("POST", `/matches/${uncounted}/void`, { reason: "The board was wrong." }, "match.void", uncounted),
    inSummer("POST", "/rounds", { kind: "round", games: 3, starts_at: "2090-01-01T00:00:00Z" }, "round.plan", "round"),
    inSummer("PATCH", "/rounds/1", { games: 4 }, "round.patch", "1"),
    inSpring("POST", "/participants", { logins: ["eve"] }, "participant.add", "spring"),
    inSpring("DELETE", "/participants", { id }, "participant.remove", "spring"),
    inSpring("POST", "/admins", { username: "bob" }, "admin.appoint", "bob"),
    inSpring("DELETE", "/admins", { username: "bob" }, "admin.dismiss", "bob"),
    inSpring("POST", "/maps", board, "board.add", "plain"),
    inSpring("PATCH", "/maps/plain", { enabled: true }, "board.switch", "plain"),
    inSpring("POST", "/maps/import", { from: "from" }, "board.import", "copied"),
    inSummer("POST", "/baselines", { name: "recorded", ...hashes }, "baseline.record", "recorded"),
    inSummer("PATCH", "/baselines/ready", { enabled: true }, "baseline.switch", "ready"),
    inSummer("POST", "/baselines/import", { from: "from" }, "baseline.import", "copied"),
    inSpring("POST", "/runner-keys", { name: "more" }, "runner-key.create", "more"),
    inSpring("DELETE", `/runners/${own.runner}`, undefined, "runner.stop", "rack"),
    inSpring("DELETE", `/runner-keys/${own.key}`, undefined, "runner-key.revoke", "rack"),
    inSpring("POST", "/notify", { subject: "Hello" }, "season.notify", "spring"),
    ...ofWebhooks(inSpring, (yield* post(spring.url("/webhooks"), { url: "https://old.example/" })).json.id),
    inAutumn("POST", "/close", undefined, "season.close", "autumn"),
    platform("POST", "/runner-keys", { name: "more" }, "runner-key.create", "more"),
    platform("DELETE", `/runners/${ours.runner}`, undefined, "runner.stop", "rack"),
    platform("DELETE", `/runner-keys/${ours.key}`, undefined, "runner-key.revoke", "rack")
  ]
  return found
})

layer(administration, options)("the log of administration", (it) => {
  it.effect("has one row of every write, and a write whose row cannot be written does not happen", () =>
    Effect.gen(function* () {
      const routes = administrationRoutes()
      const silent = new Set(routes.filter(({ method }) => method !== "GET").map(({ method, path }) => `${method} ${path}`))
      for (const { action, json, method, season, subject, url } of yield* writes) {
        const at = `${method} ${url}`
        const before = { log: yield* logged, state: yield* fingerprint }
        const refused = yield* withoutLog(call(url, { method, as: "root", json }))
        assert.isAtLeast(refused.status, 500, at)
        assert.strictEqual(yield* fingerprint, before.state, `${at} is undone`)
        const written = yield* ask(url, { method, as: "root", json })
        assert.isBelow(written.status, 300, `${at} ${written.text}`)
        assert.notStrictEqual(yield* fingerprint, before.state, `${at} changes something`)
        assert.deepStrictEqual(yield* logged, [...before.log, { actor: "root", action, subject, season }], at)
        silent.delete(`${method} ${routeOf(routes, method, url)!.path}`)
      }
      assert.deepStrictEqual([...silent], [], "these routes write and nothing here looks at their log")
    })
  )
})
