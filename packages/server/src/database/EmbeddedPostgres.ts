/**
 * The embedded database: a Postgres server of our own on the data in `AGON_DATA/postgres`, for as long as the scope lasts.
 *
 * Protocol. The caller holds the lock on AGON_DATA (ServiceLock), so nobody else starts a server here.
 *  1. Programs are found that run as the server's user: ourselves, or, since Postgres refuses root, the owner of the data or `postgres`.
 *  2. A server that a killed service left running is stopped, with its orphaned children. A server of anybody else is never stopped.
 *  3. initdb works in `postgres.initdb`, which becomes `postgres` when it is complete, so a kill in the middle leaves no half cluster.
 *  4. The server starts; it is up when postmaster.pid says `ready`, which includes the recovery after a kill -9.
 *  5. If it dies while we run, steps 2 and 4 are repeated for ever, after 0.1 s, 0.2 s, ... at most 5 s. The pools reconnect to the
 *     same address by themselves.
 *  6. On release: fast shutdown, after 5 s an immediate one, after another 2 s a kill.
 *
 * The server listens on a unix socket inside its data directory and on no port, so there is no port conflict and no access from outside;
 * its password is random all the same. AGON_DATA has mode 0700, so the unprivileged server of a root service cannot enter it. Therefore
 * root opens the data directory and passes the descriptor down, and the server reaches the directory through it.
 * The server gets a process session of its own: an interrupt typed at the terminal reaches only the service, which finishes its requests
 * before it stops the server.
 */

import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, existsSync, openSync, readFileSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Redacted, type Scope } from "effect"
import { refuse, type StartRefused } from "../config/StartRefused.ts"
import { type Binaries, type Candidate, find, sharedPlaces } from "./binaries.ts"
import * as Cluster from "./cluster.ts"
import { initdb } from "./initdb.ts"
import { environment, exited, identity, lastLines } from "./processes.ts"
import { type ServerUser, serverUser } from "./serverUser.ts"

export interface Options {
  /** AGON_DATA; it exists, has mode 0700 and is locked by this service. */
  readonly directory: string
  readonly password: Redacted.Redacted
  /** Where to look for Postgres's programs; tests name their own. */
  readonly candidates?: ReadonlyArray<Candidate>
}

export interface EmbeddedPostgres {
  readonly url: Redacted.Redacted
  readonly version: string
  /** The pid of the server, which changes with a restart. */
  readonly pid: () => number | undefined
}

const USER = "agon"
const DATABASE = "agon"
/** Recovery after a crash reads at most max_wal_size (1 GB) of log. */
const READY_TIMEOUT_MS = 300_000
const POLL_MS = 20
const FAST_STOP_MS = 5_000
const IMMEDIATE_STOP_MS = 2_000
const FIRST_RESTART_MS = 100
const LAST_RESTART_MS = 5_000
/** A server that ran for this long resets the backoff. */
const HEALTHY_MS = 60_000
const CONNECT_TIMEOUT_MS = 30_000
const LOG_BYTES = 10 * 1024 * 1024

const SETTINGS = [
  "listen_addresses=",
  "unix_socket_directories=.",
  "max_connections=60",
  "log_min_messages=log", // the service reports failed statements itself, and some failures are expected
  "log_timezone=UTC",
  "timezone=UTC",
  "jit=off" // compiling a plan costs more than short statements gain
]

/** Everything that one server needs to be started again. */
interface Site {
  readonly data: string
  readonly log: string
  readonly binaries: Binaries
  readonly user: ServerUser | undefined
  readonly cluster: string
  child: ChildProcess | undefined
}

export const start = Effect.fn("EmbeddedPostgres.start")(function* (
  options: Options
): Effect.fn.Return<EmbeddedPostgres, StartRefused, Scope.Scope> {
  const data = join(options.directory, "postgres")
  const user = yield* ownerOf(data)
  const major = existsSync(join(data, "PG_VERSION")) ? Number(readFileSync(join(data, "PG_VERSION"), "utf8")) : undefined
  const spare = user === undefined ? [options.directory] : sharedPlaces
  const binaries = yield* find({ user, major, spare, ...(options.candidates === undefined ? {} : { candidates: options.candidates }) })
  const site: Site = { data, log: join(options.directory, "postgres.log"), binaries, user, cluster: Cluster.nameOf(data), child: undefined }
  if (major === undefined) yield* initdb({ data, binaries, user, superuser: USER, password: options.password })
  yield* Effect.addFinalizer(() => stop(site))
  yield* launch(site)
  const url = addressOf(yield* Cluster.socketFolder(data), options.password)
  yield* createDatabase(url("postgres"))
  yield* Effect.forkScoped(supervise(site))
  return { url: url(DATABASE), version: binaries.version, pid: () => site.child?.pid }
})

/** The owner of the data, as whom Postgres demands to run. */
const ownerOf = (data: string) =>
  Effect.suspend(() => {
    const chosen = serverUser()
    if (!existsSync(data)) return Effect.succeed(chosen)
    const { uid, gid } = statSync(data)
    if (chosen !== undefined) return Effect.succeed(uid === 0 ? chosen : { name: `with id ${uid}`, uid, gid })
    if (uid === process.getuid?.()) return Effect.succeed(undefined)
    return Effect.fail(
      refuse(`AGON_DATA: ${data} belongs to the user with id ${uid}; start as that user or as root, or choose another directory`)
    )
  })

/** Clears up after an earlier server, starts a new one and waits until it accepts connections. */
const launch = (site: Site) =>
  Effect.gen(function* () {
    yield* Cluster.clear(site.data, site.cluster)
    const child = yield* Effect.sync(() => (site.child = spawnServer(site)))
    const up = untilReady(site, child.pid).pipe(
      Effect.timeout(READY_TIMEOUT_MS),
      Effect.mapError(() =>
        refuse(`AGON_DATA: the database in ${site.data} was not ready after ${READY_TIMEOUT_MS / 1000} s, see ${site.log}`)
      )
    )
    const died = Effect.flatMap(exited(child), () =>
      Effect.fail(refuse(`AGON_DATA: the database in ${site.data} does not start: ${reason(site)}`))
    )
    yield* Effect.raceFirst(up, died)
  })

const untilReady = (site: Site, pid: number | undefined) =>
  Effect.gen(function* () {
    while (!Cluster.isReady(site.data, pid)) yield* Effect.sleep(POLL_MS)
  })

const spawnServer = (site: Site) => {
  if (existsSync(site.log) && statSync(site.log).size > LOG_BYTES) truncateSync(site.log)
  const log = openSync(site.log, "a", 0o600)
  const directory = openSync(site.data, "r")
  const settings = [...SETTINGS, `cluster_name=${site.cluster}`].flatMap((setting) => ["-c", setting])
  const data = site.user === undefined ? site.data : Cluster.INHERITED_DIRECTORY
  const child = spawn(join(site.binaries.bin, "postgres"), ["-D", data, ...settings], {
    ...identity(site.user),
    cwd: "/",
    env: environment(),
    detached: true,
    stdio: ["ignore", log, log, directory]
  })
  child.on("error", () => undefined) // a child that failed to start has no pid, which `exited` handles
  closeSync(log)
  closeSync(directory)
  return child
}

const reason = (site: Site) => lastLines(existsSync(site.log) ? readFileSync(site.log, "utf8") : "it said nothing")

const addressOf = (host: string, password: Redacted.Redacted) => (database: string) =>
  Redacted.make(`postgres://${USER}:${Redacted.value(password)}@localhost/${database}?host=${encodeURIComponent(host)}`)

const createDatabase = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    const found = yield* sql`SELECT 1 FROM pg_database WHERE datname = ${DATABASE}`
    if (found.length === 0) yield* sql`CREATE DATABASE ${sql(DATABASE)}`
  }).pipe(
    Effect.provide(PgClient.layer({ url, maxConnections: 1, applicationName: "agon start" })),
    Effect.timeout(CONNECT_TIMEOUT_MS),
    Effect.mapError((error) => refuse(`AGON_DATA: the embedded database refuses its own service: ${error.message}`))
  )

/** Starts the server again whenever it ends before we do. */
const supervise = (site: Site): Effect.Effect<never> =>
  Effect.gen(function* () {
    let wait_ms = FIRST_RESTART_MS
    while (true) {
      const began = yield* Clock.currentTimeMillis
      if (site.child !== undefined) yield* exited(site.child)
      if ((yield* Clock.currentTimeMillis) - began > HEALTHY_MS) wait_ms = FIRST_RESTART_MS
      yield* Effect.logWarning(`the embedded database has ended and is started again in ${wait_ms} ms`)
      yield* Effect.sleep(wait_ms)
      yield* Effect.catchCause(launch(site), (cause) => Effect.logError("the embedded database could not be started", cause))
      wait_ms = Math.min(wait_ms * 2, LAST_RESTART_MS)
    }
  })

const stop = (site: Site) =>
  Effect.gen(function* () {
    const child = site.child
    if (child === undefined) return
    for (const [signal, patience_ms] of STOPS) {
      if (child.exitCode === null && child.signalCode === null) child.kill(signal)
      const gone = yield* exited(child).pipe(
        Effect.as(true),
        Effect.timeoutOrElse({ duration: patience_ms, orElse: () => Effect.succeed(false) })
      )
      if (gone) return
    }
  })

/** Fast: clients are cut off and a checkpoint is written. Immediate: the next start recovers from the log, nothing is lost. */
const STOPS = [
  ["SIGINT", FAST_STOP_MS],
  ["SIGQUIT", IMMEDIATE_STOP_MS],
  ["SIGKILL", IMMEDIATE_STOP_MS]
] as const
