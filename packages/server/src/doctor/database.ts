/**
 * The database: whether it answers, its version and encoding, the schema, whether commits are on its disk, its clock, its
 * connections, and the other nodes that it knows of. The embedded one is asked where it runs; where none runs it is started as the service
 * would, unless there is none yet.
 */

import { existsSync } from "node:fs"
import { join } from "node:path"
import { find, OLDEST_MAJOR, sparePlaces } from "@agon/embedded-postgres/binaries.ts"
import { serverUser } from "@agon/embedded-postgres/serverUser.ts"
import { PgClient } from "@effect/sql-pg"
import { Clock, Duration, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { AHEAD_MAX_MS } from "../actor/ClockGuard.ts"
import { secretIn } from "../config/Secrets.ts"
import type { SettingsShape } from "../config/Settings.ts"
import { refuse } from "../config/StartRefused.ts"
import { type Applied, tooOld } from "../database/beside.ts"
import { CONNECTIONS_OF_A_NODE } from "../database/Database.ts"
import { explain } from "../database/explain.ts"
import { has, MIGRATION_NUMBERS } from "../database/migrate.ts"
import { openBeside } from "../database/open.ts"
import { unwritable } from "../database/writable.ts"
import { about, type Finding, refusedIsBroken } from "./Finding.ts"
import { checkNodes } from "./nodes.ts"

const ANSWER_TIMEOUT = "10 seconds"
/** Leases and rounds end by the clock, whose differences between nodes are seen from here on. */
const SKEW_MEND_MS = 2_000

const database = about("database")
const migrations = about("migrations")
const durability = about("durability")
const clock = about("clock")
const connections = about("connections")

export const checkDatabase = (settings: SettingsShape): Effect.Effect<ReadonlyArray<Finding>> =>
  (settings.database_url === undefined && !existsSync(join(settings.directory, "postgres/PG_VERSION"))
    ? programs
    : answering(settings)
  ).pipe(refusedIsBroken("database"))

/** There is no embedded database yet: whether one could be made. */
const programs = Effect.map(
  find({ name: "agon", user: serverUser(), spare: sparePlaces(serverUser()) }).pipe(
    Effect.mapError(({ message }) => refuse(`DATABASE_URL: not set, and ${message}; install it, or set DATABASE_URL`))
  ),
  ({ version }) => [database.fine(`the first start makes an embedded database with Postgres ${version}`)]
)

const answering = (settings: SettingsShape) =>
  Effect.gen(function* () {
    const { url } = yield* openBeside(settings, { postgres: passwordOf(settings) })
    const pool = PgClient.layer({ url, maxConnections: 1, applicationName: "agon_doctor", connectTimeout: Duration.seconds(5) })
    const both = Effect.all([asked, checkNodes(settings)])
    return yield* both.pipe(
      Effect.map((found) => found.flat()),
      Effect.provide(Layer.orDie(pool)),
      Effect.mapError((error) => refuse(`DATABASE_URL: the server cannot be used: ${explain(error)}; start it, or mend the address`)),
      Effect.timeoutOrElse({
        duration: ANSWER_TIMEOUT,
        orElse: () =>
          Effect.fail(refuse(`DATABASE_URL: the server did not answer in ${ANSWER_TIMEOUT}; look at its machine and the network`))
      })
    )
  }).pipe(Effect.scoped)

/** The embedded database's, read and never made. */
const passwordOf = ({ database_url, directory }: SettingsShape) =>
  database_url === undefined ? secretIn(directory, "postgres") : Redacted.make("")

interface Server {
  readonly version: number
  readonly encoding: string
  /** Settings that are off, by which a crash loses commits. */
  readonly off: ReadonlyArray<string>
  readonly now: number
  readonly max: number
  readonly used: number
  readonly ours: number
}

const asked = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`SELECT 1` // opens the connection, so that the clocks are compared within one answer
  const before = yield* Clock.currentTimeMillis
  const [server] = yield* sql<Server>`
    SELECT current_setting('server_version_num')::int AS version, current_setting('server_encoding') AS encoding,
      ARRAY(SELECT name FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'synchronous_commit') AND setting = 'off' ORDER BY name) AS off,
      extract(epoch FROM clock_timestamp())::float8 * 1000 AS now,
      narrowest.max, narrowest.used,
      (SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND application_name LIKE 'agon %') AS ours
    FROM (${limits(sql)}) AS narrowest`
  const after = yield* Clock.currentTimeMillis
  const skew = before > server!.now ? before - server!.now : Math.min(0, after - server!.now)
  const applied = yield* has
  const lacks = MIGRATION_NUMBERS.at(-1)! > (applied.at(-1)?.[0] ?? 0)
  return [
    serverSays(server!, yield* unwritable(lacks)),
    migrationsSay(applied),
    durabilitySays(server!),
    clockSays(skew),
    connectionsSay(server!)
  ]
})

/**
 * The limit on connections with the fewest left: the server's, the role's or the database's. A superuser has the first
 * alone. Who is connected is known by their role: `backend_type` is hidden from a role that may not look at others.
 */
const limits = (sql: SqlClient.SqlClient) => sql`
  SELECT one.max, one.used::int FROM pg_roles r, pg_database d, LATERAL (VALUES
    (current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
      (SELECT count(*) FROM pg_stat_activity WHERE usesysid IS NOT NULL AND datid IS NOT NULL)),
    (CASE WHEN r.rolsuper THEN -1 ELSE r.rolconnlimit END, (SELECT count(*) FROM pg_stat_activity WHERE usesysid = r.oid)),
    (CASE WHEN r.rolsuper THEN -1 ELSE d.datconnlimit END, (SELECT count(*) FROM pg_stat_activity WHERE datid = d.oid))
  ) AS one(max, used)
  WHERE r.rolname = session_user AND d.datname = current_database() AND one.max >= 0 ORDER BY one.max - one.used LIMIT 1`

const serverSays = ({ encoding, version }: Server, reason: string | undefined): Finding => {
  const major = Math.floor(version / 10_000)
  if (major < OLDEST_MAJOR) return database.broken(`DATABASE_URL: the server is Postgres ${major}; use ${OLDEST_MAJOR} or later`)
  if (encoding !== "UTF8") return database.broken(`DATABASE_URL: the database is encoded in ${encoding}; make one in UTF8`)
  return reason === undefined ? database.fine(`Postgres ${major} answers`) : database.broken(`DATABASE_URL: ${reason}`)
}

const migrationsSay = (applied: ReadonlyArray<Applied>): Finding => {
  if (applied.length === 0) return migrations.fine("the database is empty; the first start makes the tables")
  const last = MIGRATION_NUMBERS.at(-1)!
  const reason = tooOld(applied, last)
  if (reason !== undefined) return migrations.broken(reason)
  const newest = applied.at(-1)![0]
  if (newest > last) {
    return migrations.mend(
      `the database is at migration ${newest}, which this release does not know; it works beside later nodes and after going back one release: upgrade it when that is over`
    )
  }
  const waiting = MIGRATION_NUMBERS.length - applied.length
  return waiting === 0
    ? migrations.fine("the schema is this release's")
    : migrations.mend(`${waiting} migrations wait for the next start; make a backup before it`)
}

/** A runner forgets a result once it is told that it was taken. */
const durabilitySays = ({ off }: Server): Finding =>
  off.length === 0
    ? durability.fine("results are on the database's disk before runners are told that they were taken")
    : durability.mend(
        `the database has ${off.join(" and ")} off, so a crash loses results that runners were told were taken; set ${off.length === 1 ? "it" : "them"} to on`
      )

const clockSays = (skew_ms: number): Finding => {
  const by = `${(Math.abs(skew_ms) / 1000).toFixed(1)} s ${skew_ms > 0 ? "ahead of" : "behind"} the database's`
  if (Math.abs(skew_ms) > AHEAD_MAX_MS) return clock.broken(`this machine's clock is ${by}, too far to be believed; set both by NTP`)
  if (Math.abs(skew_ms) > SKEW_MEND_MS)
    return clock.mend(
      `this machine's clock is ${by}${skew_ms < 0 ? ", and seasons that it is first to host open as much late" : ""}; set both by NTP`
    )
  return clock.fine("this machine's clock agrees with the database's")
}

/** A node that runs has its connections already. */
const connectionsSay = ({ max, ours, used }: Server): Finding => {
  const free = max - used
  const room = `${free} of ${max} connections are free`
  return ours > 0 || free >= CONNECTIONS_OF_A_NODE
    ? connections.fine(room)
    : connections.mend(
        `${room}, and a node takes up to ${CONNECTIONS_OF_A_NODE}; raise max_connections, or the limit of the role or of the database`
      )
}
