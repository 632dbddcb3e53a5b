/**
 * A Postgres server of our own on the data in `postgres` in a directory, for as long as the scope lasts.
 *
 * Protocol.
 * 1. The directory is locked (DirectoryLock), so nobody else starts a server here, or the start is refused.
 * 2. Programs are found that run as the server's user: ourselves, or, since Postgres refuses root, the owner of
 *    the data or `postgres`.
 * 3. A server that a killed program left running is stopped, with its orphaned children. A server of anybody
 *    else is never stopped.
 * 4. The cluster is made in `postgres.initdb.*`, which becomes `postgres` when it is complete, so a kill in the
 *    middle leaves no half cluster: by initdb, or from one that was prepared, which is moved there or copied.
 * 5. The server starts; it is up when postmaster.pid says `ready`, which includes the recovery after a kill -9.
 *    One that has another password than the caller's is given the caller's: who owns the files may.
 * 6. If it dies while we run, steps 3 and 5 are repeated for ever, after 0.1 s, 0.2 s, ... at most 5 s. Pools
 *    reconnect to the same address by themselves.
 * 7. On release: fast shutdown, after 5 s an immediate one, after another 2 s a kill. Then the lock is given up.
 *
 * The server listens on a unix socket inside its data directory and on no port, so there is no port
 * conflict and no access from outside; it asks for the password all the same. The directory has mode 0700,
 * so the unprivileged server of a root program cannot enter it. Therefore root opens the data directory
 * and passes the descriptor down, and the server reaches the directory through it. The server gets a
 * process session of its own: an interrupt typed at the terminal reaches only the program, which finishes
 * its work before it stops the server.
 */

import { existsSync, readFileSync, statSync } from "node:fs"
import { join, resolve } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Option, Redacted, type Scope } from "effect"
import { SqlError } from "effect/sql"
import { type Candidate, find, sparePlaces } from "./binaries.ts"
import * as Cluster from "./cluster.ts"
import * as DirectoryLock from "./DirectoryLock.ts"
import { initdb, setPassword } from "./initdb.ts"
import { type PostgresUnavailable, unavailable } from "./PostgresUnavailable.ts"
import * as Prepared from "./prepared.ts"
import { launch, type Site, stop, supervise } from "./server.ts"
import { serverUser } from "./serverUser.ts"

export interface Options {
  /**
   * It exists, belongs to us and has mode 0700. Locked by this module; holds `postgres`,
   * `postgres.log`, `lock` and `service.pid`.
   */
  readonly directory: string
  /**
   * A word of the program's: the superuser, the database and the cluster among the
   * machine's processes are named for it.
   */
  readonly name: string
  /** The superuser's. A cluster that has another one is given this. Any printable text. */
  readonly password: Redacted.Redacted
  /** Settings of postgresql.conf beside ours or instead of them, as `{ max_connections: "100" }`. */
  readonly settings?: Readonly<Record<string, string>>
  /** Where `keep` may have left a cluster for this start to copy, if it has to make one. */
  readonly prepared?: Prepared.Shelf
  /** Where to look for Postgres's programs; tests name their own. */
  readonly candidates?: ReadonlyArray<Candidate>
}

export interface EmbeddedPostgres {
  readonly url: Redacted.Redacted
  readonly version: string
  /** The pid of the server, which changes with a restart. */
  readonly pid: () => number | undefined
}

/** A server that has just come up on a busy machine takes seconds for a connection. */
const CONNECT_TIMEOUT_MS = 60_000
/** Postgres names have 63 characters at most, of which the cluster's takes 17 for the directory. */
const NAME = /^[a-z][a-z0-9_]{0,39}$/
/** initdb reads the password as one line. */
const PASSWORD = /^\P{Cc}+$/u

const DEFAULTS = {
  max_connections: "60",
  log_min_messages: "log", // the program reports failed statements itself, and some failures are expected
  log_timezone: "UTC",
  timezone: "UTC",
  jit: "off" // compiling a plan costs more than short statements gain
}
/** The address of the server follows from these. */
const FIXED = { listen_addresses: "", unix_socket_directories: ".", port: "5432" }

export const start = Effect.fn("EmbeddedPostgres.start")(function* (
  options: Options
): Effect.fn.Return<EmbeddedPostgres, PostgresUnavailable, Scope.Scope> {
  const { directory, name, password } = yield* checked(options)
  yield* DirectoryLock.hold(directory)
  const data = join(directory, "postgres")
  const user = yield* ownerOf(data)
  const major = existsSync(join(data, "PG_VERSION")) ? Number(readFileSync(join(data, "PG_VERSION"), "utf8")) : undefined
  const binaries = yield* find({
    name,
    user,
    major,
    spare: sparePlaces(user, directory),
    ...(options.candidates === undefined ? {} : { candidates: options.candidates })
  })
  const settings = Object.entries({ ...DEFAULTS, ...options.settings, ...FIXED }).map(([key, value]) => `${key}=${value}`)
  const cluster = Cluster.nameOf(name, data)
  const site: Site = { data, log: join(directory, "postgres.log"), binaries, user, cluster, settings, child: undefined }
  const kind = { binaries, user, superuser: name }
  if (major === undefined) {
    const prepared = options.prepared === undefined ? undefined : Prepared.found(options.prepared, kind)
    yield* initdb({ ...kind, data, password, prepared })
  }
  yield* Effect.addFinalizer(() => stop(site))
  yield* launch(site)
  const url = addressOf(yield* Cluster.socketFolder(data), name, password)
  const renewed = Effect.gen(function* () {
    yield* Effect.logWarning("the embedded database has another password than ours, and is given ours", { directory })
    yield* stop(site)
    yield* setPassword({ ...kind, data, password })
    yield* launch(site)
    yield* createDatabase(url("postgres"), name)
  })
  const admitted = createDatabase(url("postgres"), name).pipe(
    Effect.catchIf(isAnotherPassword, () => renewed),
    Effect.mapError((error) =>
      error._tag === "PostgresUnavailable"
        ? error
        : unavailable("directory", `the embedded database does not let its own service in: ${whyRefused(error)}`)
    )
  )
  // A cluster that was made just now has the database and the password.
  if (major !== undefined) yield* admitted
  yield* Effect.forkScoped(supervise(site))
  return { url: url(name), version: binaries.version, pid: () => site.child?.pid }
})

/**
 * The URL of a server that another process has started on the directory and that accepts
 * connections; none where there is none.
 */
export const running = Effect.fn("EmbeddedPostgres.running")(function* ({ directory, name, password }: Options) {
  const data = join(resolve(directory), "postgres")
  if (!Cluster.isUp(data)) return Option.none<Redacted.Redacted>()
  return Option.some(addressOf(yield* Cluster.socketFolder(data), name, password)(name))
})

const checked = (options: Options) => {
  if (!NAME.test(options.name))
    return unavailable("options", `"${options.name}" is no name: it takes up to 40 of a-z, 0-9 and _, the first a letter`)
  if (!PASSWORD.test(Redacted.value(options.password))) return unavailable("options", "the password is empty or holds control characters")
  return Effect.succeed({ ...options, directory: resolve(options.directory) }) // clients read a relative host as a name
}

/** The owner of the data, as whom Postgres demands to run. */
const ownerOf = (data: string) =>
  Effect.suspend(() => {
    const chosen = serverUser()
    if (!existsSync(data)) return Effect.succeed(chosen)
    const { uid, gid } = statSync(data)
    if (chosen !== undefined) return Effect.succeed(uid === 0 ? chosen : { name: `with id ${uid}`, uid, gid })
    if (uid === process.getuid?.()) return Effect.succeed(undefined)
    return unavailable(
      "directory",
      `${data} belongs to the user with id ${uid}; start as that user or as root, or choose another directory`
    )
  })

const addressOf = (host: string, user: string, password: Redacted.Redacted) => (database: string) =>
  Redacted.make(`postgres://${user}:${encodeURIComponent(Redacted.value(password))}@localhost/${database}?host=${encodeURIComponent(host)}`)

/** Clusters that earlier versions were killed in the making of have none. */
const createDatabase = (url: Redacted.Redacted, name: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const found = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${name}`
    if (found.length === 0) yield* sql`CREATE DATABASE ${sql(name)}`
  }).pipe(
    Effect.provide(PgClient.layer({ url, maxConnections: 1, connectTimeout: CONNECT_TIMEOUT_MS, applicationName: `${name} start` })),
    Effect.timeout(2 * CONNECT_TIMEOUT_MS)
  )

/**
 * The password was lost or changed beside the data: the service's file of it, a part of
 * the directory that was copied.
 */
const isAnotherPassword = (error: unknown) => SqlError.isSqlError(error) && error.reason._tag === "AuthenticationError"

/** The server's own words. */
const whyRefused = (error: Error): string => (error.cause instanceof Error ? whyRefused(error.cause) : error.message)
