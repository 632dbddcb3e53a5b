/** Runs a launcher as a process of its own, as ourselves or as `nobody`, on directories that are removed afterwards. */

import { spawn } from "node:child_process"
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { serverUser } from "../serverUser.ts"

export const isRoot = process.getuid?.() === 0

export interface User {
  readonly title: string
  readonly uid?: number
  readonly gid?: number
}

/** Everybody whom this machine lets us start a service as. */
export const ourselves: User = { title: isRoot ? "root" : "a plain user" }
export const users: ReadonlyArray<User> = isRoot ? [ourselves, { title: "a plain user", uid: 65534, gid: 65534 }] : [ourselves]

export interface Up {
  readonly pid: number
  readonly url: string
  /** Facts that this package's own launcher adds: the server's pid and its version. */
  readonly postgres?: number
  readonly version?: string
}

/** As whom, which program and with what; ourselves, this package's launcher and any Postgres where it says nothing. */
export interface Options {
  readonly user?: User
  readonly launcher?: string
  /** A folder with Postgres's programs. */
  readonly programs?: string
}

export interface Service {
  readonly pid: number
  /** Its first line when it was up; undefined when it ended instead. */
  readonly up: Promise<Up | undefined>
  readonly ended: Promise<number | null>
  readonly errors: () => string
}

const LAUNCHER = join(import.meta.dirname, "launcher.ts")
const running = new Set<number>()
const directories = new Set<string>()

export const launch = (directory: string, { user = ourselves, launcher = LAUNCHER, programs }: Options = {}): Service => {
  const as = user.uid === undefined ? {} : { uid: user.uid, gid: user.gid! }
  const child = spawn(process.execPath, [launcher, directory, ...(programs === undefined ? [] : [programs])], {
    ...as,
    cwd: "/",
    stdio: "pipe"
  })
  let errors = ""
  child.stderr.on("data", (chunk) => (errors += chunk))
  running.add(child.pid!)
  const ended = new Promise<number | null>((resolve) => child.on("close", resolve))
  const up = new Promise<Up | undefined>((resolve) => {
    child.stdout.on("data", (chunk: Buffer) => chunk.toString().startsWith("{") && resolve(JSON.parse(chunk.toString().split("\n")[0]!)))
    child.on("close", () => resolve(undefined))
  })
  return { pid: child.pid!, up, ended, errors: () => errors }
}

export interface Running extends Up, Pick<Service, "ended" | "errors"> {}

/** A service that is up, or a failure that says what it said. */
export const started = async (directory: string, options: Options = {}): Promise<Running> => {
  const service = launch(directory, options)
  const up = await service.up
  if (up === undefined) throw new Error(`the launcher ended: ${service.errors()}`)
  return { ...service, ...up }
}

export const stop = async (service: Running) => {
  process.kill(service.pid, "SIGTERM")
  await service.ended
}

/** A directory of the user's own. */
export const directory = (user: User = ourselves) => {
  const path = mkdtempSync(join(tmpdir(), "embedded-postgres-"))
  if (user.uid !== undefined) chownSync(path, user.uid, user.gid!)
  directories.add(path)
  return path
}

/** A process that has nothing to do with us, under any name, working in the directory `cwd`. */
export const stranger = (name: string, as: { uid?: number; gid?: number; cwd?: string }) => {
  const child = spawn("bash", ["-c", `exec -a ${name} sleep 600`], { ...as, stdio: "ignore" })
  running.add(child.pid!)
  return child.pid!
}

export const query = async (url: string, text: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

export const isRunning = (pid: number) => {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, "utf8") : "")
  } catch {
    return false
  }
}

/** Waits until the promise of a condition holds, or gives up. */
export const until = async (what: string, condition: () => Promise<boolean> | boolean, patience_ms = 45_000) => {
  for (let waited_ms = 0; waited_ms < patience_ms; waited_ms += 50) {
    if (await condition()) return
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`waited ${patience_ms} ms in vain for: ${what}`)
}

/** Stops whatever a test left running and removes its directories. */
export const cleanUp = async () => {
  for (const pid of running) if (isRunning(pid)) process.kill(pid, "SIGKILL")
  for (const path of directories) {
    const [server] = postmasters(path)
    if (server !== undefined && isRunning(server)) process.kill(server, "SIGQUIT")
    if (server !== undefined) await until("the server's end", () => !isRunning(server))
    rmSync(path, { recursive: true, force: true })
  }
  running.clear()
  directories.clear()
}

const postmasters = (path: string) =>
  [join(path, "data/postgres/postmaster.pid"), join(path, "postgres/postmaster.pid")]
    .filter((file) => existsSync(file))
    .map((file) => Number(readFileSync(file, "utf8").split("\n")[0]))
    .filter((pid) => serverUser() === undefined || pid !== process.pid)
