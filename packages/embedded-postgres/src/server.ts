/**
 * The server's process: started, waited for, started again whenever it ends, and stopped.
 * EmbeddedPostgres.ts says the protocol.
 */

import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, existsSync, fstatSync, openSync, readFileSync, statSync, truncateSync } from "node:fs"
import { join } from "node:path"
import { Clock, Effect } from "effect"
import type { Binaries } from "./binaries.ts"
import * as Cluster from "./cluster.ts"
import { unavailable } from "./PostgresUnavailable.ts"
import { environment, exited, identity, reasonIn } from "./processes.ts"
import type { ServerUser } from "./serverUser.ts"

/** Recovery after a crash reads at most max_wal_size (1 GB) of log. */
const READY_TIMEOUT_MS = 300_000
const POLL_MS = 20
const FAST_STOP_MS = 5_000
const IMMEDIATE_STOP_MS = 2_000
const FIRST_RESTART_MS = 100
const LAST_RESTART_MS = 5_000
/** A server that ran for this long resets the backoff. */
const HEALTHY_MS = 60_000
const LOG_BYTES = 10 * 1024 * 1024

/** Everything that one server needs to be started again. */
export interface Site {
  readonly data: string
  readonly log: string
  readonly binaries: Binaries
  readonly user: ServerUser | undefined
  readonly cluster: string
  /** Arguments of the form `name=value`; of two for one name Postgres takes the later. */
  readonly settings: ReadonlyArray<string>
  child: ChildProcess | undefined
}

/** Clears up after an earlier server, starts a new one and waits until it accepts connections. */
export const launch = (site: Site) =>
  Effect.gen(function* () {
    yield* Cluster.clear(site.data, site.cluster)
    const { child, from } = yield* Effect.try({
      try: () => spawnServer(site),
      catch: (error) => unavailable("directory", `the database in ${site.data} cannot be started: ${(error as Error).message}`)
    })
    site.child = child
    const up = untilReady(site, child.pid).pipe(
      Effect.timeout(READY_TIMEOUT_MS),
      Effect.mapError(() =>
        unavailable("directory", `the database in ${site.data} was not ready after ${READY_TIMEOUT_MS / 1000} s, see ${site.log}`)
      )
    )
    const died = Effect.flatMap(exited(child), () =>
      Effect.fail(unavailable("directory", `the database in ${site.data} does not start: ${reason(site, from)}`))
    )
    yield* Effect.raceFirst(up, died)
  })

const untilReady = (site: Site, pid: number | undefined) =>
  Effect.gen(function* () {
    while (!Cluster.isReady(site.data, pid)) yield* Effect.sleep(POLL_MS)
  })

/** The server, and where in the log its lines begin. */
const spawnServer = (site: Site) => {
  if (existsSync(site.log) && statSync(site.log).size > LOG_BYTES) truncateSync(site.log)
  const log = openSync(site.log, "a", 0o600)
  const from = fstatSync(log).size
  const directory = openSync(site.data, "r")
  const settings = [...site.settings, `cluster_name=${site.cluster}`].flatMap((setting) => ["-c", setting])
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
  return { child, from }
}

const reason = (site: Site, from: number) => {
  const said = existsSync(site.log) ? readFileSync(site.log).subarray(from).toString().trim() : ""
  return said === "" ? "it said nothing" : reasonIn(said)
}

/** Starts the server again whenever it ends before its scope. */
export const supervise = (site: Site): Effect.Effect<never> =>
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

export const stop = (site: Site) =>
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

/**
 * Fast: clients are cut off and a checkpoint is written. Immediate: the next start recovers
 * from the log, nothing is lost.
 */
const STOPS = [
  ["SIGINT", FAST_STOP_MS],
  ["SIGQUIT", IMMEDIATE_STOP_MS],
  ["SIGKILL", IMMEDIATE_STOP_MS]
] as const
