/**
 * The service as an operator has it: `scripts/start` on a data directory of its own, with its Postgres and its runner,
 * signalled and killed by pid.
 *
 * Protocol. `start` answers when /readyz does. Whatever became of the service, `start` on the same directory starts it
 * again. `cleanUp` (afterAll) ends every process that a service had and removes the directories.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import pg from "pg"

const ROOT = join(import.meta.dirname, "../..")
/** Machines that run tests are slow and noisy: a deadline tells a hang from progress and nothing else. */
export const PATIENCE_MS = 180_000
const LOOK_EVERY_MS = 100
const LOG_KEPT = 20_000

export interface Service {
  readonly pid: number
  readonly origin: string
  readonly directory: string
  readonly ended: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>
  /** The end of what it printed. */
  readonly log: () => string
}

const directories = new Set<string>()
const processesSeen = new Map<number, string>()

export const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "agon-e2e-"))
  directories.add(directory)
  return directory
}

/** Kept between lives, as an operator's is: runners and signed URLs know it. */
export const freePort = () =>
  new Promise<number>((resolve, reject) => {
    const server = createServer()
    server.on("error", reject)
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { readonly port: number }
      server.close(() => resolve(port))
    })
  })

export interface Options {
  readonly directory: string
  readonly port: number
  readonly runners?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts it and waits for nothing. */
export const launch = ({ directory, environment = {}, port, runners = 2 }: Options): Service & { readonly child: ChildProcess } => {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? tmpdir(),
    AGON_TEST_RUN: process.env["AGON_TEST_RUN"] ?? "",
    PORT: String(port),
    AGON_DATA: directory,
    AGON_DEMO: "0",
    AGON_RUNNERS: String(runners),
    ...environment
  }
  const child = spawn(join(ROOT, "scripts/start"), [], { cwd: directory, env, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  const hear = (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-LOG_KEPT)
  }
  child.stdout!.on("data", hear)
  child.stderr!.on("data", hear)
  const ended = new Promise<Awaited<Service["ended"]>>((resolve) => {
    child.on("error", (error) => {
      said += error.message
      resolve({ status: null, signal: null })
    })
    child.on("exit", (status, signal) => resolve({ status, signal }))
  })
  // The address that PUBLIC_ORIGIN has by default, which the sign-in leads back to.
  return { child, pid: child.pid ?? 0, origin: `http://localhost:${port}`, directory, ended, log: () => said }
}

/** The service once it answers; a service that ends instead fails with what it said. */
export const start = async (options: Options): Promise<Service> => {
  const service = launch(options)
  remember(service)
  let over = false
  void service.ended.then(() => {
    over = true
  })
  await eventually(`an answer of the service at ${service.origin}`, async () => {
    if (over) throw new Hopeless(`the service ended: ${service.log()}`)
    return (await fetch(`${service.origin}/readyz`)).ok
  })
  remember(service)
  return service
}

/** A failure that waiting longer will not mend. */
export class Hopeless extends Error {}

/** Asks until the answer is true; a probe that throws counts as not yet. The last failure is told when patience ends. */
export const eventually = async (what: string, probe: () => Promise<boolean> | boolean, patience_ms = PATIENCE_MS): Promise<void> => {
  const end = performance.now() + patience_ms
  let last: unknown = "the answer was no"
  while (performance.now() < end) {
    try {
      if (await probe()) return
      last = "the answer was no"
    } catch (error) {
      if (error instanceof Hopeless) throw error
      last = error
    }
    await pause(LOOK_EVERY_MS)
  }
  throw new Error(`waited ${patience_ms / 1000} s in vain for ${what}: ${last instanceof Error ? last.message : String(last)}`)
}

/** A process as it was when somebody looked. */
export interface Family {
  readonly pid: number
  readonly parent: number
  readonly command: string
  readonly zombie: boolean
}

const processes = (): ReadonlyArray<Family> =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,args="], { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 })
    .split("\n")
    .flatMap((line) => {
      const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line)
      if (found === null) return []
      return [{ pid: Number(found[1]), parent: Number(found[2]), zombie: found[3]!.startsWith("Z"), command: found[4]! }]
    })

/** The service and all that descends from it. */
export const familyOf = ({ pid }: Pick<Service, "pid">): ReadonlyArray<Family> => {
  const all = processes()
  const family = new Set([pid])
  for (let grown = 0; grown !== family.size; ) {
    grown = family.size
    for (const one of all) if (family.has(one.parent)) family.add(one.pid)
  }
  return all.filter((one) => family.has(one.pid) && !one.zombie)
}

const remember = (service: Service) => {
  for (const { command, pid } of familyOf(service)) processesSeen.set(pid, command)
}

/** Those of the family that still run, by pid and command, since pids are used again. Postgres's children change their titles. */
export const stillRunning = (family: ReadonlyArray<Family>): ReadonlyArray<Family> => {
  const now = new Map(processes().map((one) => [one.pid, one]))
  return family.filter(({ command, pid }) => {
    const found = now.get(pid)
    return found !== undefined && !found.zombie && (found.command === command || bothPostgres(found.command, command))
  })
}

const bothPostgres = (a: string, b: string) => a.startsWith("postgres:") && b.startsWith("postgres:")

export const runnerPid = (service: Service): number | undefined =>
  familyOf(service).find(({ command }) => command.includes("packages/runner/src/main.ts"))?.pid

export const postgresPid = ({ directory }: Pick<Service, "directory">): number | undefined => {
  const file = join(directory, "postgres/postmaster.pid")
  return existsSync(file) ? Number(readFileSync(file, "utf8").split("\n")[0]) : undefined
}

export const kill = (service: Service, pid: number): void => {
  remember(service)
  process.kill(pid, "SIGKILL")
}

/** Whether there was somebody to kill. */
export const killIfThere = (pid: number | undefined): boolean => {
  if (pid === undefined || pid <= 1) return false
  try {
    process.kill(pid, "SIGKILL")
    return true
  } catch {
    return false
  }
}

/** Asks the embedded database, as somebody would who holds its password and may enter its directory. */
export const withDatabase = async <A>({ directory }: Pick<Service, "directory">, use: (client: pg.Client) => Promise<A>): Promise<A> => {
  const password = readFileSync(join(directory, "secrets/postgres"), "utf8").trim()
  const client = new pg.Client({ host: join(directory, "postgres"), user: "agon", database: "agon", password })
  client.on("error", () => undefined)
  await client.connect()
  try {
    return await use(client)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Ends what tests left running, whatever state it is in. */
export const cleanUp = async (): Promise<void> => {
  const left = () => stillRunning([...processesSeen].map(([pid, command]) => ({ pid, command, parent: 0, zombie: false })))
  for (const { pid } of left()) killIfThere(pid)
  await eventually("the end of every process", () => left().length === 0, 30_000)
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  processesSeen.clear()
  directories.clear()
}
