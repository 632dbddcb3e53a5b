/**
 * A database that the first release wrote, with this release's service on it; and nodes that are restarted in
 * turn while a schema that they do not know yet comes into being beneath them.
 *
 * The code of the release before is not at hand, so the second part shows the older node's side by this
 * release's: every table gets a column that no statement here knows, while a node holds the season and plays.
 * So it shows that statements of a node outlive an additive migration, and that play outlives its locks. It
 * cannot show that a migration to come is additive: that is what database.rolling.test.ts asks of each.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Client } from "@agon/api/Client.ts"
import { retryRefused } from "@agon/api/retryRefused.ts"
import { MIGRATION_NUMBERS } from "@agon/server/database/migrate.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Exit, Fiber, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { after, BASE, type Belief, near, START } from "../e2e/Ledger.ts"
import { eventually, untilSuccess } from "../support/eventually.ts"
import * as FirstRelease from "../support/FirstRelease.ts"
import { freePort } from "../support/freePort.ts"
import * as Postgres from "../support/Postgres.ts"
import { retryPutOff } from "../support/putOff.ts"
import { about, isMatch, keyed, report } from "../support/Referee.ts"
import { table } from "../support/RoutesTable.ts"
import * as Service from "../support/Service.ts"

const here = { game: "snakes", slug: "demo" }
const MORE = 5
const TIMEOUT = 180_000

const temporary = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "agon-upgrade-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 }))
)

/** A database as the first release left it. */
const firstRelease = Effect.gen(function* () {
  const url = yield* Postgres.url()
  const sql = yield* Layer.build(PgClient.layer({ url, maxConnections: 2 }))
  yield* Effect.provide(FirstRelease.restore, sql)
  return { url, sql: Context.get(sql, SqlClient.SqlClient) }
})

interface Rated {
  readonly id: string
  readonly ladder: string
  readonly round: number
  readonly version_id: string
  readonly rank: number
  readonly made_mu: number
  readonly made_sigma: number
  readonly open_mu: number | null
  readonly open_sigma: number | null
}

/** The log of matches and the ladders in one snapshot, since play goes on. */
const snapshot = (sql: SqlClient.SqlClient) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY`
      const log = yield* sql<Rated>`SELECT m.id, m.ladder, m.round, s.version_id, s.rank, s.made_mu, s.made_sigma, s.open_mu, s.open_sigma
        FROM match m JOIN seat s ON s.match_id = m.id WHERE m.status = 'rated' ORDER BY m.rated_n, s.seat`
      const standing = yield* sql<any>`SELECT ladder, version_id, mu, sigma, matches, (head->>'round')::int AS now
        FROM standing JOIN season ON season.id = season_id WHERE active`
      return { log, standing }
    })
  )

/** Every rating is what the log of matches makes of it, each round begun anew (test/e2e/Ledger.ts has the formula). */
const replayed = Effect.fnUntraced(function* (sql: SqlClient.SqlClient) {
  const { log, standing } = yield* snapshot(sql)
  const beliefs = new Map<string, Belief & { readonly round: number; readonly matches: number }>()
  const matches = [...Map.groupBy(log, ({ id }) => id).values()]
  for (const seats of matches) {
    const { ladder, round } = seats[0]!
    for (const on of new Set([ladder, BASE])) {
      const of = ({ version_id }: Rated) => beliefs.get(`${on} ${version_id}`)
      const now = seats.map((seat): Belief => (of(seat)?.round === round ? of(seat)! : START))
      const made = after(
        now,
        seats.map(({ rank }) => rank)
      )
      seats.forEach((seat, i) => {
        near(on === ladder ? seat.made_mu : seat.open_mu, made[i]!.mu, `the mean of seat ${i} of ${seat.id} on ${on}`)
        near(on === ladder ? seat.made_sigma : seat.open_sigma, made[i]!.sigma, `the deviation of seat ${i} of ${seat.id} on ${on}`)
        beliefs.set(`${on} ${seat.version_id}`, { ...made[i]!, round, matches: (of(seat)?.matches ?? 0) + 1 })
      })
    }
  }
  for (const { ladder, matches, mu, now, sigma, version_id } of standing) {
    const belief = beliefs.get(`${ladder} ${version_id}`)
    const made = belief?.round === now ? belief! : START
    near(mu, made.mu, `the mean of ${version_id} on ${ladder}`)
    near(sigma, made.sigma, `the deviation of ${version_id} on ${ladder}`)
    assert.strictEqual(matches, belief?.matches ?? 0)
  }
  assert.isNotEmpty(standing)
  return matches.length
})

/** A runner's session at this node, for the season's engine. */
const runnerOf = Effect.fnUntraced(function* (client: Client, engine_digest: string) {
  const session = { ...about, engines: [{ game: here.game, engine_digest }], accepts: ["match"], slots: 1 } as const
  return (yield* client.runner.openSession({ payload: session })).runner
})

/** Plays one match, whichever node has the season. */
const playOne = Effect.fnUntraced(function* (client: Client, runner: string) {
  const { leases } = yield* retryRefused(client.runner.lease({ payload: { runner, max: 1, wait_s: 10, holds: [] } }))
  for (const work of leases.filter(isMatch)) yield* retryRefused(report(client, work))
})

/** Lets idle runners play, so that there is a match for whoever asks. */
const endless = (admin: Client) =>
  retryRefused(admin.seasonSteering.changeFill({ params: here, payload: { enabled: true, max_per_hour: null } }))

const tables = FirstRelease.readTables()
const [season, match, board] = [tables["season"]![0]!, tables["match"]!.find(({ status }) => status === "rated")!, tables["board"]![0]!]
const model = tables["model"]!.find(({ owner_id }) => owner_id !== null)!
const version = tables["version"]!.find(({ model_id }) => model_id === model["id"])!
const username = tables["account"]!.find(({ id }) => id === model["owner_id"])!["username"]
const ids: Readonly<Record<string, string>> = { models: model["id"], versions: version["id"], matches: match["id"] }

/** Reads that lead elsewhere, a page of a link in a mail, and reads of what that release had none of. */
const OTHERS = ["/v1/auth/{provider}", "/v1/auth/{provider}/callback", "/v1/unsubscribe", "/v1/posts/{slug}", "/v1/models/{id}/story"]
const reads = table
  .filter(({ auth, method, path }) => method === "GET" && (auth === "public" || auth === "optional") && !OTHERS.includes(path))
  .map(({ path }) => {
    const kind = /\/(models|versions|matches)\/\{id\}/.exec(path)?.[1]
    const named = { game: here.game, slug: here.slug, map_id: board["map_id"], username, id: kind === undefined ? "" : ids[kind] }
    const query = /\/threads$/.test(path) ? `?match=${match["id"]}` : `?season=${here.slug}`
    return `${path.replace(/\{(\w+)\}/g, (_, name: keyof typeof named) => named[name])}${query}`
  })

const readsAnswer = Effect.fnUntraced(function* (origin: string) {
  for (const path of reads) {
    const { status } = yield* Effect.promise(() => retryPutOff(path, () => fetch(`${origin}${path}`)))
    assert.strictEqual(status, 200, path)
  }
})

describe("an upgrade", () => {
  it.live(
    "brings a database of the first release up to date, keeps all that it has, and its season goes on",
    () =>
      Effect.gen(function* () {
        const { sql, url } = yield* firstRelease
        const played = tables["match"]!.filter(({ status }) => status === "rated").length
        yield* Effect.gen(function* () {
          const { origin } = yield* Service.Service
          const applied = yield* sql<any>`SELECT migration_id AS n FROM agon_migration ORDER BY 1`
          assert.deepStrictEqual(
            applied.map(({ n }) => n),
            [...MIGRATION_NUMBERS]
          )
          assert.strictEqual(yield* replayed(sql), played, "every match that was rated is rated")
          yield* readsAnswer(origin)
          const fleet = yield* keyed("rack")
          yield* endless(fleet.admin)
          const runner = yield* runnerOf(fleet.client, season["engine_digest"])
          for (let done = played; done < played + MORE; done = yield* replayed(sql)) yield* playOne(fleet.client, runner)
          yield* readsAnswer(origin)
        }).pipe(Effect.provide(Service.layer({ database_url: url })))
        const kept =
          yield* sql<any>`SELECT id, status, rated_n, (SELECT json_agg(s.made_mu ORDER BY seat) FROM seat s WHERE match_id = m.id) AS mus
          FROM match m WHERE id = ANY(${sql.literal(`'{${tables["match"]!.map(({ id }) => id).join()}}'::uuid[]`)}) ORDER BY id`
        const seats = Map.groupBy(tables["seat"]!, ({ match_id }) => match_id)
        const had = tables["match"]!.map(({ id, rated_n, status }) => ({
          ...{ id, status, rated_n },
          mus: seats
            .get(id)!
            .toSorted((a, b) => a["seat"] - b["seat"])
            .map(({ made_mu }) => made_mu)
        }))
        assert.deepStrictEqual(
          kept,
          had.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        )
      }).pipe(Effect.scoped),
    TIMEOUT
  )

  it.live(
    "is survived by the node that plays while every table gets a column, and by the season when nodes are restarted in turn",
    () =>
      Effect.gen(function* () {
        const { sql, url } = yield* firstRelease
        const directory = yield* temporary
        const node = Effect.gen(function* () {
          const scope = yield* Scope.fork(yield* Effect.scope)
          const address = { host: "127.0.0.1", port: yield* Effect.promise(freePort) }
          const services = yield* Layer.buildWithScope(Layer.fresh(Service.layer({ database_url: url, directory, node: address })), scope)
          return { ...Context.get(services, Service.Service), stop: Scope.close(scope, Exit.void) }
        })
        const older = yield* node
        const fleet = yield* keyed("rack").pipe(Effect.provideService(Service.Service, older))
        yield* endless(fleet.admin)
        const runner = yield* runnerOf(fleet.client, season["engine_digest"])
        let at = fleet.client
        const play = yield* Effect.forkScoped(Effect.forever(Effect.suspend(() => untilSuccess(Effect.sandbox(playOne(at, runner))))))
        const goesOn = Effect.fnUntraced(function* (what: string) {
          const before = yield* replayed(sql)
          yield* eventually(
            what,
            Effect.map(replayed(sql), (now) => now >= before + MORE)
          )
          assert.isUndefined(play.pollUnsafe(), "the runner plays on")
        })
        yield* goesOn("play before the migration")
        const names =
          yield* sql<any>`SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace AND relname NOT LIKE 'cluster_%'`
        for (const { name } of names) yield* sql`ALTER TABLE ${sql(name)} ADD COLUMN added_later int NOT NULL DEFAULT 0`
        yield* goesOn("play at the older node")
        yield* readsAnswer(older.origin)
        const newer = yield* node
        at = yield* newer.runner(fleet.secret)
        yield* goesOn("play through the newer node")
        yield* older.stop
        yield* goesOn("play when the older node is stopped")
        yield* readsAnswer(newer.origin)
        yield* Fiber.interrupt(play)
      }).pipe(Effect.scoped),
    TIMEOUT
  )
})
