/**
 * The Postgres cluster in a directory, seen from outside: its name among the machine's processes, whether it
 * accepts connections, where its socket is, and the cleanup after an earlier run.
 */

import { createHash } from "node:crypto"
import { closeSync, existsSync, openSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { join } from "node:path"
import { Effect, type Scope } from "effect"
import { type PostgresUnavailable, unavailable } from "./PostgresUnavailable.ts"
import { exists, isElsewhere, type Process, processesNaming, processOf, signal } from "./processes.ts"

/**
 * The path by which a process reaches a directory inherited as descriptor 3, also where
 * it may not reach it by name.
 */
export const INHERITED_DIRECTORY = "/proc/self/fd/3"

const SOCKET = ".s.PGSQL.5432"
/** A socket's address holds 108 bytes on Linux and 104 on macOS, the closing zero included. */
const ADDRESS_BYTES = 103
const ORPHAN_PATIENCE_MS = 8_000
const POLL_MS = 20

/** The same directory has the same name in every run of the program, whatever path leads to it. */
export const nameOf = (name: string, data: string) => `${name}-${createHash("sha256").update(real(data)).digest("hex").slice(0, 16)}`

const real = (data: string) => (existsSync(data) ? realpathSync(data) : join(realpathSync(join(data, "..")), "postgres"))

/** `postmaster.pid`: line 1 is the server's pid, line 8 its state. */
const pidFile = (data: string) => {
  const path = join(data, "postmaster.pid")
  return existsSync(path) ? readFileSync(path, "utf8").split("\n") : []
}

/** Whether the server of that pid, and no earlier one, accepts connections. */
export const isReady = (data: string, pid: number | undefined) => {
  const lines = pidFile(data)
  return Number(lines[0]) === pid && lines[7]?.trim() === "ready"
}

/** Whether a server, whoever started it, accepts connections. */
export const isUp = (data: string) => {
  const pid = Number(pidFile(data)[0] ?? 0)
  return isReady(data, pid) && isServerOf(data, pid)
}

/**
 * The folder that clients get as `host`. Where its address would be too long, it is held open and
 * addressed by its descriptor.
 */
export const socketFolder = (data: string): Effect.Effect<string, PostgresUnavailable, Scope.Scope> =>
  Effect.suspend(() => {
    if (Buffer.byteLength(join(data, SOCKET)) <= ADDRESS_BYTES) return Effect.succeed(data)
    if (process.platform !== "linux")
      return Effect.fail(unavailable("directory", `${data} is too long for a socket; it takes a directory of at most 80 bytes`))
    return Effect.acquireRelease(
      Effect.sync(() => openSync(data, "r")),
      (descriptor) => Effect.sync(() => closeSync(descriptor))
    ).pipe(Effect.map((descriptor) => `/proc/self/fd/${descriptor}`))
  })

/**
 * Stops processes that a killed service or a killed server left running on these data, and removes lock files
 * whose pid exists but is no Postgres of these data: an unrelated process that reuses the pid, the Postgres of
 * another database too, a zombie, or an empty file, which a kill or a full disk left in the writing.
 * Postgres would refuse to start on such a file for ever; both are usual in containers, where pids are small
 * and the first process may reap nothing. The pid file of a process that is gone stays, because Postgres
 * finds in it the shared memory that orphaned backends might still hold. A Postgres that somebody else
 * started on the data is left alone, and the start is refused.
 */
export const clear = (data: string, cluster: string): Effect.Effect<void, PostgresUnavailable> =>
  Effect.gen(function* () {
    yield* stopOrphans(cluster)
    // Postgres writes a minus before the pid of a server without clients, as `postgres --single`.
    const pid = Math.abs(Number(pidFile(data)[0] ?? 0))
    if (isServerOf(data, pid))
      return yield* unavailable("directory", `a Postgres that this service did not start (pid ${pid}) runs on ${data}; stop it`)
    if (!(pid > 0) || exists(pid)) rmSync(join(data, "postmaster.pid"), { force: true })
    rmSync(join(data, `${SOCKET}.lock`), { force: true })
  })

/** A server is called by its path, its children title themselves `postgres: <cluster> ...`. */
const isPostgres = ({ program }: Process) => /^(.*\/)?(postgres|postmaster)($|:)/.test(program)

/** Whether the process is a Postgres that may have these data: its processes work in the directory of their data, as its owner. */
const isServerOf = (data: string, pid: number) => {
  const found = processOf(pid)
  return found !== undefined && isPostgres(found) && !isElsewhere(pid, data)
}

/** Stops the server first, which ends its children. Children without a server end when they notice, or are killed. */
const stopOrphans = (cluster: string) =>
  Effect.gen(function* () {
    const found = membersOf(cluster)
    if (found.length === 0) return
    yield* Effect.logInfo(
      `stopping what is left of an earlier server of the embedded database (pid ${found.map(({ pid }) => pid).join(", ")})`
    )
    const servers = found.filter(isServer)
    for (const { pid } of servers) signal(pid, "SIGINT")
    if (servers.length === 0) for (const { pid } of found) signal(pid, "SIGQUIT")
    if (yield* ended(cluster)) return
    for (const { pid } of membersOf(cluster)) signal(pid, "SIGKILL")
    yield* ended(cluster)
  })

/** Only Postgres processes: others may name the cluster too, such as a `grep` for it. */
const membersOf = (cluster: string) => processesNaming(cluster).filter(isPostgres)

/** The server keeps the arguments that we gave it. */
const isServer = ({ command }: Process) => command.includes("cluster_name=")

const ended = (cluster: string) =>
  Effect.gen(function* () {
    for (let waited_ms = 0; waited_ms < ORPHAN_PATIENCE_MS; waited_ms += POLL_MS) {
      if (membersOf(cluster).length === 0) return true
      yield* Effect.sleep(POLL_MS)
    }
    return false
  })
