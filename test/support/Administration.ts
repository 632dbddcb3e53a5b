/**
 * The whole API over every service of the program, called without a socket, with seasons whose actors are at
 * work: for tests of what administrators do. `root` administers the platform; `ada` and `bob` are accounts
 * with the logins Ada and Bob at the provider `hub`. Layers run on the real clock.
 */

import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Command } from "@agon/domain/season/Command.ts"
import { Providers } from "@agon/server/account/signin/Providers.ts"
import { SignIn } from "@agon/server/account/signin/SignIn.ts"
import { SeasonActors } from "@agon/server/actor/SeasonActors.ts"
import type { ProviderConfig } from "@agon/server/config/ProviderConfig.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { MaxBody, makeRoutes } from "@agon/server/Http.ts"
import { Handlers } from "@agon/server/handlers.ts"
import { RateLimits } from "@agon/server/http/limit/RateLimits.ts"
import { LocalObjects } from "@agon/server/object/directory/LocalObjects.ts"
import { KnownRuntimes } from "@agon/server/runner/session/KnownRuntimes.ts"
import { Services } from "@agon/server/services.ts"
import { NodeCrypto } from "@effect/platform-node"
import { PgClient } from "@effect/sql-pg"
import { assert } from "@effect/vitest"
import { Effect, Layer, Logger, Redacted, Schedule, type Scope } from "effect"
import { SingleRunner } from "effect/cluster"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { eventually, untilSuccess } from "./eventually.ts"
import * as Fixture from "./Fixture.ts"
import { OPEN_SEASON } from "./openSeason.ts"
import * as Postgres from "./Postgres.ts"
import { type Answered, type Call, call, seedAccounts, unlimited, Web } from "./Web.ts"

/** Providers that nobody answers for: a sign-in can begin, and comes to nothing. */
const provider = (slug: string): ProviderConfig => ({
  slug,
  label: slug,
  kind: "oauth2",
  client_id: "agon",
  client_secret: "s3cret",
  scopes: [],
  login_claim: "login",
  subject_claim: "id",
  authorization_endpoint: `https://${slug}.example/authorize`,
  token_endpoint: `https://${slug}.example/token`,
  user_endpoint: `https://${slug}.example/user`
})
const SigningIn = SignIn.layer({ secret: "state", admin: undefined })

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-admin-"))),
  (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
)

const objectsIn = (directory: Effect.Effect<string, never, Scope.Scope>) =>
  Layer.unwrap(
    Effect.map(directory, (directory) =>
      LocalObjects.layer({ directory, secret: Redacted.make("s".repeat(32)), publicOrigin: "http://localhost:8080" })
    )
  )

const identities = Effect.flatMap(
  SqlClient.SqlClient,
  (sql) => sql`INSERT INTO identity (provider, subject, account_id, login, created_at)
    SELECT 'hub', username, id, initcap(username), '2026-01-01' FROM account WHERE NOT admin`
)

/**
 * With rate limits that a test brings to see what is counted, objects in a directory of its
 * own, or loggers that it reads.
 */
export const layerWith = (
  rates: Layer.Layer<RateLimits>,
  directory: Effect.Effect<string, never, Scope.Scope> = temporary,
  loggers: Layer.Layer<never> = Logger.layer([])
) =>
  Web.layer(makeRoutes(Handlers)).pipe(
    Layer.provide([MaxBody, HttpServer.layerServices]),
    Layer.provideMerge(SigningIn),
    Layer.provideMerge(Services),
    Layer.provideMerge(Providers.layer([provider("hub"), provider("lab")])),
    Layer.provideMerge(Layer.mergeAll(rates, objectsIn(directory), Layer.succeed(KnownRuntimes, new Set(["test"])))),
    Layer.provideMerge(SingleRunner.layer({ runnerStorage: "memory" }).pipe(Layer.provide(NodeCrypto.layerDigest))),
    Layer.provideMerge(Layer.effectDiscard(Effect.andThen(seedAccounts, identities))),
    Layer.provideMerge(Layer.effect(SeasonSql, PgClient.PgClient)),
    Layer.provideMerge(Postgres.layer({ migrate: true, maxConnections: 8 })),
    Layer.provideMerge(loggers)
  )

export const layer = layerWith(RateLimits.layer(unlimited))

export const options = { excludeTestServices: true } as const

/**
 * A call that waits for a season that is only waking; the log knows nothing of the
 * tries, since they changed nothing.
 */
export const ask = (path: string, given: Call = {}): Effect.Effect<Answered, never, Web> =>
  call(path, given).pipe(
    Effect.flatMap((answer) => (answer.status === 503 ? Effect.fail(answer) : Effect.succeed(answer))),
    Effect.retry(Schedule.max([Schedule.spaced("50 millis"), Schedule.upTo(Schedule.forever, { times: 200 })])),
    Effect.catch(Effect.succeed)
  )

export const urlOf = (slug: string, rest = "") => `/v1/games/snakes/seasons/${slug}${rest}`

/** By root where nobody is named. */
export const post = (path: string, json?: unknown, as = "root") => ask(path, { method: "POST", as, json })
export const patch = (path: string, json: unknown, as = "root") => ask(path, { method: "PATCH", as, json })
export const remove = (path: string, json?: unknown, as = "root") => ask(path, { method: "DELETE", as, json })
export const read = (path: string, as = "root") => ask(path, { as })

/** The code with which an answer refuses. */
export const refusal = ({ json, status }: Answered) => [status, json?.code]

export const past = "2026-01-01T00:00:00.000Z"
export const later = "2090-01-01T00:00:00.000Z"
export const latest = "2099-01-01T00:00:00.000Z"

/** The body that creates a season: live, public and open to all. */
export const seasonBody = (slug: string) => ({ ...OPEN_SEASON, name: `Season ${slug}`, slug, weight_classes: Fixture.classes })

/** A season that is live, public and open to all but for what is said otherwise, and whose actor is awake. */
export const season = Effect.fnUntraced(function* (slug: string, change: Readonly<Record<string, unknown>> = {}) {
  const made = yield* post("/v1/games/snakes/seasons", { ...seasonBody(slug), ...change })
  assert.strictEqual(made.status, 201, made.text)
  const id = (yield* rows<{ readonly id: string }>`SELECT id FROM season WHERE slug = ${slug}`)[0]!.id
  yield* tell(id, { _tag: "Tick" })
  return { id, record: made.json, url: (rest = "") => urlOf(slug, rest) }
})

/** Scheduled, with ada as its administrator. */
export const scheduled = (slug: string, change: Readonly<Record<string, unknown>> = {}) =>
  season(slug, { submissions_open_at: later, admins: ["ada"], ...change })

/** Straight to a season's actor. */
export const tell = <C extends Command>(season_id: string, command: C) =>
  Effect.flatMap(SeasonActors, (actors) => actors.ask(season_id, command)).pipe(untilSuccess)

/** Starts a round of the season; answers when it has begun. A busy machine plans it again for a later moment. */
export const startRound = (season_id: string, games: number, kind: "round" | "finals" = "round") => {
  const begun = Effect.gen(function* () {
    const starts_at = Date.now() + 100
    const planned = yield* tell(season_id, { _tag: "PlanRound", kind, games, starts_at })
    if ("refused" in planned) return false
    yield* eventually(
      "the round's start",
      Effect.sync(() => Date.now() > starts_at)
    )
    yield* tell(season_id, { _tag: "Tick" })
    return true
  })
  return eventually("a round was planned", begun)
}

export const rows = <Row extends object>(statement: TemplateStringsArray, ...values: ReadonlyArray<string>) =>
  Effect.orDie(Effect.flatMap(SqlClient.SqlClient, (sql) => sql<Row>(statement, ...values)))

const hashOf = (digit: string) => `sha256:${digit.repeat(64)}`

/** A version of a model of that id, straight into the season and through its review, unless `admit` is false. */
export const enter = Effect.fnUntraced(function* (
  season_id: string,
  n: number,
  model: string,
  owner: string | null,
  admit = true,
  weights_hash = hashOf(String(n % 10))
) {
  const version = Fixture.uuid("version", n)
  yield* tell(season_id, {
    _tag: "SubmitVersion",
    version,
    model,
    owner,
    number: 1,
    weights_hash,
    manifest_hash: hashOf("a"),
    note: null,
    eligible: true,
    retired: false,
    files: { weights_bytes: 1_000, manifest_bytes: 100 }
  })
  if (!admit) return version
  // Not the first that waits: on a slow machine another's lease may have run out by now.
  const works = yield* tell(season_id, { ...LEASE, matches: false, max: 50 })
  const work = works.find((each) => each.kind === "admission" && each.version === version)
  const verdict = { verdict: "admitted", runtime_version: "test", param_count: 1, infer_us: 1, memory: { flat: 0, cell: 0 } } as const
  yield* tell(season_id, { _tag: "ReportAdmission", key: LEASE.key, lease: work!.lease, verdict })
  return version
})

const LEASE = {
  _tag: "LeaseWork",
  runner: Fixture.uuid("runner", 1),
  key: Fixture.uuid("key", 1),
  fleet: "platform",
  engine_digest: Fixture.engineDigest,
  matches: true,
  admissions: true,
  max: 1
} as const

/** A baseline of the season, admitted and out of play. */
export const baseline = Effect.fnUntraced(function* (season_id: string, n: number, name: string, admit = true) {
  const [model] = yield* rows<{ readonly id: string }>`INSERT INTO model (id, game, baseline_season, name, created_at)
    VALUES (gen_random_uuid(), 'snakes', ${season_id}, ${name}, now()) RETURNING id`
  return yield* enter(season_id, n, model!.id, null, admit)
})

/** An entry of an account of its own, in a season that is live: it has passed its trial. */
export const entry = Effect.fnUntraced(function* (season_id: string, n: number) {
  const name = `entrant-${n}`
  const [owner] = yield* rows<{ readonly id: string }>`INSERT INTO account (id, username, display_name, created_at)
    VALUES (gen_random_uuid(), ${name}, ${name}, now()) RETURNING id`
  const [model] = yield* rows<{ readonly id: string }>`INSERT INTO model (id, game, owner_id, name, created_at)
    VALUES (gen_random_uuid(), 'snakes', ${owner!.id}::uuid, ${name}, now()) RETURNING id`
  yield* tell(season_id, { _tag: "AddBoard", board: "trials", players: 2, rows: 7, cols: 7, file: {} })
  yield* tell(season_id, { _tag: "SwitchBoard", board: "trials", enabled: true })
  const version = yield* enter(season_id, n, model!.id, owner!.id, true, `sha256:${String(n).padStart(64, "0")}`)
  for (const work of yield* tell(season_id, { ...LEASE, admissions: false, max: 50 })) {
    if (work.kind === "match" && !work.is_trial) yield* tell(season_id, { _tag: "Release", key: LEASE.key, lease: work.lease })
    if (work.kind !== "match" || !work.is_trial) continue
    const seats = work.versions.map((_, seat) => ({ score: 9 - seat, rank: seat + 1, strikes: 0 }))
    const played = { runtime_version: "test", reason: "turns", turns: 30, played_ms: 1, state_sha256: "0".repeat(64), replay: null }
    yield* tell(season_id, { _tag: "ReportMatch", key: LEASE.key, lease: work.lease, outcome: { ...played, seats } })
  }
  assert.deepStrictEqual(yield* rows`SELECT status FROM version WHERE id = ${version}`, [{ status: "entered" }])
  return version
})

interface Holder {
  readonly runner?: string
  readonly key?: string
}

/** A match between two baselines that a runner holds from now on. */
export const leaseMatch = Effect.fnUntraced(function* (season_id: string, holder: Holder = {}) {
  for (const n of [1, 2]) {
    yield* tell(season_id, { _tag: "SwitchBaseline", version: yield* baseline(season_id, n, `baseline${n}`), enabled: true })
  }
  yield* tell(season_id, { _tag: "AddBoard", board: "plain", players: 2, rows: 7, cols: 7, file: {} })
  yield* tell(season_id, { _tag: "SwitchBoard", board: "plain", enabled: true })
  return yield* leaseAnother(season_id, holder)
})

/** In a season that has matches to lease. */
export const leaseAnother = Effect.fnUntraced(function* (season_id: string, holder: Holder) {
  const [work] = yield* tell(season_id, { ...LEASE, ...holder, max: 1 })
  assert.strictEqual(work?.kind, "match")
  return work!.lease
})

/**
 * Rows of a match that was played and counts in no rating, or that was withdrawn; two
 * versions of the season sat in it.
 */
export const finished = Effect.fnUntraced(function* (id: string, season_id: string, status: "finished" | "cancelled" = "finished") {
  yield* rows`INSERT INTO match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, lease_n, released, created_at, ended_at)
    VALUES (${id}::uuid, ${season_id}::uuid, -1, 'open', 0, 'duel', 1, 'sha256:x', ${status}, 1, false, now(), now())`
  yield* rows`INSERT INTO seat (match_id, seat, season_id, version_id, model_id, owner_id, ended_at, rank, score, strikes)
    SELECT ${id}::uuid, n, v.season_id, v.id, v.model_id, v.owner_id, now(), n + 1, 10 - n, 0
    FROM (SELECT * FROM version WHERE season_id = ${season_id}::uuid LIMIT 1) v, generate_series(0, 1) n`
})

/** The season's log, newest first, as `[actor, action, subject]`; with the detail of each where that is asked for. */
export const log = (season_id: string) =>
  Effect.map(
    rows<{ readonly actor: string; readonly action: string; readonly subject: string; readonly detail: unknown }>`
      SELECT a.username AS actor, l.action, l.subject, l.detail FROM audit l LEFT JOIN account a ON a.id = l.actor
      WHERE l.season_id = ${season_id} AND l.action <> 'season.create' ORDER BY l.id DESC`,
    (found) => found.map(({ action, actor, detail, subject }) => [actor, action, subject, detail])
  )

/** A shared read's answer before and after a write: it must have been kept, and must have changed. */
export const changes = Effect.fnUntraced(function* <E, R>(paths: ReadonlyArray<string>, write: Effect.Effect<unknown, E, R>) {
  const before = yield* Effect.forEach(paths, (path) => ask(path))
  const again = yield* Effect.forEach(paths, (path) => ask(path))
  assert.deepStrictEqual(
    again.map(({ text }) => text),
    before.map(({ text }) => text)
  )
  yield* write
  const after = yield* Effect.forEach(paths, (path) => ask(path))
  for (const [i, path] of paths.entries()) {
    assert.strictEqual(before[i]!.status, 200, path)
    assert.notStrictEqual(after[i]!.headers.get("etag"), before[i]!.headers.get("etag"), path)
  }
})
