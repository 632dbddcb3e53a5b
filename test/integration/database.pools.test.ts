import { type AddressInfo, createConnection, createServer, type Server } from "node:net"
import { join } from "node:path"
import { layer, layerPools, type Options, SeasonSql } from "@agon/server/database/Database.ts"
import { DatabaseName, databaseName } from "@agon/server/database/DatabaseName.ts"
import { migrate } from "@agon/server/database/migrate.ts"
import { onUnique } from "@agon/server/database/rows.ts"
import { startAgain } from "@agon/server/database/startAgain.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Fiber, Layer, Logger, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import * as Postgres from "../support/Postgres.ts"

const on = (options: Partial<Options> = {}, migrate = true) =>
  Layer.unwrap(Effect.map(Postgres.url({ migrate }), (url) => (migrate ? layerPools : layer)({ url, ...options }).pipe(Layer.orDie)))

const setting = (sql: PgClient.PgClient, name: string) =>
  Effect.map(sql<{ value: string }>`SELECT current_setting(${name}) AS value`, (rows) => rows[0]!.value)

const refusal = (options: Options) => Effect.flip(Effect.scoped(Layer.build(layer(options)))).pipe(Effect.map(({ message }) => message))

/** Terminates every other connection of the database, as a restarted server does. */
const terminateOthers = Effect.flatMap(
  PgClient.PgClient,
  (sql) => sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`
)

/** FATAL, as a server says it before it ends the connection. */
const fatal = (code: string, message: string) => {
  const fields = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`)
  const length = Buffer.alloc(4)
  length.writeInt32BE(fields.length + 4)
  return Buffer.concat([Buffer.from("E"), length, fields])
}
/** The words of a server that takes no connections yet. */
const STARTING_UP = fatal("57P03", "the database system is starting up")
const WRONG_PASSWORD = fatal("28P01", 'password authentication failed for user "agon"')

interface Front {
  readonly server: Server
  readonly url: Redacted.Redacted
  /** Connections so far that did not lead to the server. */
  readonly refused: () => number
}

/**
 * A port that leads to the server of that database; the connections of these numbers, from 0,
 * get `answer`, or none for ever.
 */
const behind = (database: Redacted.Redacted, refuses: (connection: number) => boolean, answer?: Buffer) =>
  Effect.acquireRelease(
    Effect.callback<Front>((resume) => {
      const url = new URL(Redacted.value(database))
      const directory = url.searchParams.get("host")!
      let [connections, refused] = [0, 0]
      const server = createServer((client) => {
        client.on("error", () => {})
        if (refuses(connections++)) {
          refused++
          if (answer !== undefined) client.once("data", () => client.end(answer))
          return
        }
        const socket = createConnection(join(directory, ".s.PGSQL.5432")).on("error", () => client.destroy())
        client.pipe(socket).pipe(client)
      }).listen(0, "127.0.0.1", () => {
        url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
        url.search = ""
        resume(Effect.succeed({ server, url: Redacted.make(url.toString()), refused: () => refused }))
      })
    }),
    ({ server }) => Effect.sync(() => server.close())
  )

const AGAIN = "the database was not reached, the start tries again"

/** The messages of the log, in order. */
const listening = () => {
  const lines: Array<string> = []
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String((message as ReadonlyArray<unknown>)[0])))])
  return { lines, logger }
}

describe("the pools", () => {
  it.live("a season's statement does not wait for a connection when requests hold all of theirs", () =>
    Effect.gen(function* () {
      const requests = yield* PgClient.PgClient
      const seasons = yield* SeasonSql
      const busy = yield* Effect.forkChild(Effect.all([requests`SELECT pg_sleep(30)`, requests`SELECT pg_sleep(30)`], { concurrency: 2 }))
      yield* Effect.repeat(
        Effect.flatMap(
          seasons<{
            n: number
          }>`SELECT count(*)::int AS n FROM pg_stat_activity WHERE query LIKE '%pg_sleep(30)%' AND application_name = 'agon requests'`,
          (rows) => Effect.succeed(rows[0]!.n)
        ),
        { until: (n) => n === 2 }
      )
      const waiting = yield* Effect.forkChild(requests`SELECT 1`)
      assert.strictEqual((yield* seasons<{ one: number }>`SELECT 1 AS one`)[0]!.one, 1)
      assert.isUndefined(waiting.pollUnsafe())
      yield* Fiber.interrupt(waiting)
      yield* Fiber.interrupt(busy)
    }).pipe(Effect.provide(on({ request_connections: 2 })))
  )

  it.effect("the server bounds every statement, lock and open transaction of both, and knows whose they are", () =>
    Effect.gen(function* () {
      for (const [sql, name] of [
        [yield* PgClient.PgClient, "agon requests"],
        [yield* SeasonSql, "agon seasons"]
      ] as const) {
        assert.strictEqual(yield* setting(sql, "application_name"), name)
        assert.strictEqual(yield* setting(sql, "statement_timeout"), "15s")
        assert.strictEqual(yield* setting(sql, "lock_timeout"), "10s")
        assert.strictEqual(yield* setting(sql, "idle_in_transaction_session_timeout"), "30s")
      }
    }).pipe(Effect.provide(on()))
  )

  it.effect("every pool writes dates, spans and bytes in one form, whatever forms the database has by default", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const others = ["DateStyle = 'German, DMY'", "IntervalStyle = 'sql_standard'", "TimeZone = 'Asia/Kolkata'", "bytea_output = 'escape'"]
      for (const other of [...others, "default_transaction_isolation = 'serializable'"])
        yield* sql.unsafe(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${other.replaceAll("'", "''")}', current_database()); END $$`)
      yield* terminateOthers
      const asked = `SELECT '2026-11-30'::date::text AS day, '2026-11-30T23:30:00Z'::timestamptz::text AS at, '26 hours'::interval::text AS span,
        '\\x00ff'::bytea::text AS bytes, current_setting('transaction_isolation') AS sees`
      const said = [{ day: "2026-11-30", at: "2026-11-30 23:30:00+00", span: "26:00:00", bytes: "\\x00ff", sees: "read committed" }]
      const { url } = yield* PgClient.PgClient.pipe(Effect.map(({ config }) => config))
      const pools = Effect.gen(function* () {
        for (const pool of [yield* SqlClient.SqlClient, (yield* SeasonSql)!, yield* PgClient.PgClient])
          assert.deepStrictEqual([...(yield* pool.unsafe(asked))], said)
      })
      yield* Effect.provide(pools, layerPools({ url: url! }))
      assert.notDeepEqual(
        [
          ...(yield* Effect.provide(
            Effect.flatMap(PgClient.PgClient, (plain) => plain.unsafe(asked)),
            PgClient.layer({ url: url! })
          ))
        ],
        said
      )
    }).pipe(Effect.provide(Postgres.layer({ migrate: true })))
  )

  it.live("connections that the server cut off, idle ones too, are replaced", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* Effect.all([sql`SELECT pg_sleep(0.05)`, sql`SELECT pg_sleep(0.05)`, sql`SELECT pg_sleep(0.05)`], { concurrency: 3 })
      yield* terminateOthers.pipe(Effect.provideServiceEffect(PgClient.PgClient, SeasonSql))
      yield* Effect.sleep("100 millis")
      for (const _ of [1, 2, 3, 4]) assert.strictEqual((yield* sql<{ one: number }>`SELECT 1 AS one`)[0]!.one, 1)
    }).pipe(Effect.provide(on()))
  )
})

describe("the start", () => {
  it.live("services that start at the same time apply the migrations once, and each finds the schema", () =>
    Effect.gen(function* () {
      const url = yield* Postgres.url()
      const start = Effect.scoped(Layer.build(layer({ url })))
      yield* Effect.all([start, start, start], { concurrency: 3 })
      const rows = yield* Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql<{ n: number }>`SELECT count(*)::int AS n FROM agon_migration WHERE migration_id = 1`
      ).pipe(Effect.provide(PgClient.layer({ url })))
      assert.strictEqual(rows[0]!.n, 1)
    })
  )

  for (const [how, answer] of [
    ["by saying so", STARTING_UP],
    ["by saying nothing", undefined]
  ] as const) {
    it.live(`a server that is coming up is waited for, ${how}, and each attempt is one line of the log`, () =>
      Effect.gen(function* () {
        const { lines, logger } = listening()
        const { refused, url } = yield* behind(yield* Postgres.url(), (n) => n < 2, answer)
        yield* Effect.scoped(Layer.build(layer({ url, patience_s: 50, connect_s: answer === undefined ? 2 : 20 }))).pipe(
          Effect.provide(logger)
        )
        assert.strictEqual(refused(), 2)
        assert.isAtLeast(lines.length, 2) // one more for each that a busy machine delays
        assert.deepStrictEqual([...new Set(lines)], [AGAIN])
      })
    )
  }

  it.live("a start whose later connections time out begins anew, and releases what it had before", () =>
    Effect.gen(function* () {
      const { lines, logger } = listening()
      const { refused, url } = yield* behind(yield* Postgres.url(), (n) => n === 2)
      const had = { begun: 0, released: 0 }
      const counted = Layer.effectDiscard(
        Effect.acquireRelease(
          Effect.sync(() => had.begun++),
          () => Effect.sync(() => had.released++)
        )
      )
      const stating = Layer.effectDiscard(Effect.flatMap(PgClient.PgClient, (sql) => Effect.orDie(sql`SELECT 1 FROM agon_migration`)))
      const start = startAgain(stating.pipe(Layer.provideMerge(counted), Layer.provideMerge(layer({ url, patience_s: 50, connect_s: 2 }))))
      yield* Effect.scoped(
        Effect.gen(function* () {
          yield* Layer.build(start)
          assert.strictEqual(refused(), 1)
          assert.isAtLeast(had.begun, 2)
          assert.strictEqual(had.released, had.begun - 1)
        })
      ).pipe(Effect.provide(logger))
      assert.strictEqual(had.released, had.begun)
      assert.deepStrictEqual([...new Set(lines)], [AGAIN])
    })
  )

  it.live("a server that never answers ends the start with one sentence once the time is up, and any other fault at once", () =>
    Effect.gen(function* () {
      const { lines, logger } = listening()
      const database = yield* Postgres.url()
      const silent = yield* behind(database, () => true)
      const said = yield* Effect.provide(refusal({ url: silent.url, patience_s: 1, connect_s: 0.3 }), logger)
      assert.match(said, /^DATABASE_URL: the server cannot be used: Connection timed out \(\d attempts in \d s\)$/)
      assert.isAbove(lines.length, 0)
      const own = refusal({ url: silent.url, patience_s: 0, connect_s: 0.3 })
      const embedded = Effect.provideService(own, DatabaseName, databaseName({ database_url: undefined }))
      assert.match(yield* embedded, /^the embedded database: the server cannot be used: /)
      const locked = yield* behind(database, () => true, WRONG_PASSWORD)
      assert.strictEqual(
        yield* refusal({ url: locked.url }),
        'DATABASE_URL: the server cannot be used: password authentication failed for user "agon"'
      )
      const unknown = Redacted.make(Redacted.value(database).replace(/test_\d+/, "no_such_database"))
      assert.match(yield* refusal({ url: unknown }), /"no_such_database" does not exist$/)
      assert.strictEqual(locked.refused(), 1)
      const broken = startAgain(Layer.effectDiscard(Effect.die(new Error("something else"))))
      assert.strictEqual(
        String(Cause.squash(yield* Effect.flip(Effect.sandbox(Effect.scoped(Layer.build(broken)))))),
        "Error: something else"
      )
    })
  )

  it.live("a server that is not there, a wrong password and a wrong encoding are refused in one line", () =>
    Effect.gen(function* () {
      const nowhere = yield* refusal({ url: Redacted.make("postgres://agon:hunter2@127.0.0.1:1/agon"), patience_s: 0 })
      assert.match(nowhere, /^DATABASE_URL: the server cannot be used: [^\n]*ECONNREFUSED/)
      assert.notInclude(nowhere, "hunter2")
      const url = yield* Postgres.url()
      const unknown = yield* refusal({ url: Redacted.make(Redacted.value(url).replace(/test_\d+/, "no_such_database")), patience_s: 0 })
      assert.match(unknown, /^DATABASE_URL: the server cannot be used: [^\n]*"no_such_database" does not exist/)
      yield* Effect.flatMap(
        PgClient.PgClient,
        (sql) => sql`CREATE DATABASE in_ascii TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C'`
      ).pipe(Effect.provide(PgClient.layer({ url })))
      const ascii = yield* refusal({ url: Redacted.make(Redacted.value(url).replace(/test_\d+/, "in_ascii")) })
      assert.strictEqual(ascii, "DATABASE_URL: the database is encoded in SQL_ASCII; it takes one in UTF8")
    })
  )

  const set = (setting: string) => `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`
  const unwritable: ReadonlyArray<readonly [string, ReadonlyArray<string>, string]> = [
    [
      "takes no writes",
      [set("default_transaction_read_only = on")],
      "the database takes no writes; set default_transaction_read_only to off"
    ],
    [
      "shows its role no schema",
      [set("search_path = nowhere")],
      'no schema of its search_path is there for the role "agon"; mend the search_path, or grant the role USAGE and CREATE on the schema'
    ],
    [
      "lets its role make no tables",
      ["CREATE ROLE weak", set("role = weak")],
      'the role "weak" may not make tables; grant it CREATE on the schema "public", or make it the database\'s owner'
    ]
  ]
  it.live.each(unwritable)("a database that %s is refused in one line that says so", ([, statements, says]) =>
    Effect.gen(function* () {
      const url = yield* Postgres.url()
      const prepared = Effect.flatMap(PgClient.PgClient, (sql) => Effect.forEach(statements, (one) => sql.unsafe(one)))
      yield* prepared.pipe(Effect.provide(PgClient.layer({ url })))
      assert.strictEqual(yield* refusal({ url }), `DATABASE_URL: ${says}`)
    })
  )
})

describe.each(Postgres.majors)("Postgres %i", (major) => {
  it.effect("takes every migration, and finds nothing to do the second time", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      assert.isAtLeast((yield* migrate).length, 1)
      assert.deepStrictEqual(yield* migrate, [])
      assert.strictEqual((yield* setting(sql, "server_version")).split(".")[0], String(major))
    }).pipe(Effect.provide(Postgres.layer({ major })))
  )
})

describe("rows", () => {
  it.effect("a unique violation becomes the refusal of the constraint it names, and no other", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      yield* sql`CREATE TABLE one (id int CONSTRAINT one_id UNIQUE, name text CONSTRAINT one_name UNIQUE)`
      yield* sql`INSERT INTO one VALUES (1, 'a')`
      assert.strictEqual(yield* Effect.flip(sql`INSERT INTO one VALUES (1, 'b')`.pipe(onUnique("one_id", () => "taken"))), "taken")
      const other = yield* Effect.exit(sql`INSERT INTO one VALUES (2, 'a')`.pipe(onUnique("one_id", () => "taken")))
      assert.isTrue(other._tag === "Failure" && other.cause.reasons.every((reason) => reason._tag === "Die"))
    }).pipe(Effect.provide(Postgres.layer()))
  )
})
