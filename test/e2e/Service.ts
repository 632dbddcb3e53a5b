/**
 * The service as an operator has it: `scripts/start` on a data directory of its own, with its Postgres and its runner,
 * signalled and killed by pid.
 *
 * Protocol. `start` answers when /readyz does. Whatever became of the service, `start` on the same directory starts it
 * again. `cleanUp` (afterAll) ends every process that a service had and removes the directories.
 */
import { execFileSync } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { eventuallyAsync, Hopeless } from "../support/eventually.ts"
import * as Program from "./Program.ts"

const ROOT = join(import.meta.dirname, "../..")

export interface Service extends Omit<Program.Program, "over"> {
  readonly origin: string
  readonly directory: string
}

type Launched = Service & Program.Program

const directories = new Set<string>()
const services = new Set<Launched>()
const processesSeen = new Map<string, Family>()

export const newDirectory = (): string => {
  const directory = mkdtempSync(join(tmpdir(), "agon-e2e-"))
  directories.add(directory)
  return directory
}

export interface Options {
  readonly directory: string
  /** Kept between lives, as an operator's is: runners and signed URLs know it. */
  readonly port: number
  readonly runners?: number
  readonly environment?: Readonly<Record<string, string>>
}

/** Starts it and waits for nothing. */
export const launch = ({ directory, environment = {}, port, runners = 2 }: Options): Launched => {
  const own = {
    PORT: String(port),
    AGON_DATA: directory,
    AGON_DEMO: "0",
    AGON_METRICS: "off",
    AGON_SITE: "off",
    AGON_RUNNERS: String(runners)
  }
  const program = Program.launch(join(ROOT, "scripts/start"), [], { ...own, ...environment }, directory)
  // The address that PUBLIC_ORIGIN has by default, which the sign-in leads back to.
  const launched = { ...program, origin: `http://localhost:${port}`, directory }
  services.add(launched)
  return launched
}

/** The service once it answers; a service that ends instead fails with what it said. */
export const start = async (options: Options): Promise<Service> => {
  const service = launch(options)
  remember(service)
  await eventuallyAsync(`an answer of the service at ${service.origin}`, async () => {
    if (service.over()) throw new Hopeless(`the service ended: ${service.log()}`)
    return (await fetch(`${service.origin}/readyz`)).ok
  })
  remember(service)
  return service
}

/** A process as it was when somebody looked. Pids are used again; with the time of its start one is nobody else's. */
export interface Family {
  readonly pid: number
  readonly started: string
  readonly parent: number
  readonly command: string
  readonly zombie: boolean
}

const processes = (): ReadonlyArray<Family> => (existsSync("/proc/self/stat") ? fromProc() : fromPs())

/** A machine that tests run on need not have `ps`. */
const fromProc = () =>
  readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8")
      const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      const command = readFileSync(`/proc/${name}/cmdline`, "utf8").replaceAll("\0", " ").trim()
      return [{ pid: Number(name), started: rest[17] ?? "", parent: Number(parent), zombie: state === "Z" || command === "", command }]
    } catch {
      return [] // It has ended since.
    }
  })

const fromPs = () =>
  execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat=,lstart=,args="], { encoding: "utf8", maxBuffer: 64 * 1024 ** 2 })
    .split("\n")
    .flatMap((line) => {
      const found = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+((?:\S+\s+){5})(.*)$/.exec(line)
      if (found === null) return []
      const [, pid, parent, state, started = "", command = ""] = found
      return [{ pid: Number(pid), parent: Number(parent), zombie: state!.startsWith("Z"), started: started.trim(), command }]
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

const remember = (service: Pick<Service, "pid">) => {
  for (const one of familyOf(service)) processesSeen.set(`${one.pid} ${one.started}`, one)
}

/** Those of the family that still run. */
export const stillRunning = (family: Iterable<Family>): ReadonlyArray<Family> => {
  const now = new Map(processes().map((one) => [one.pid, one]))
  return [...family].filter(({ pid, started }) => {
    const found = now.get(pid)
    return found !== undefined && !found.zombie && found.started === started
  })
}

export const runnerPid = (service: Service): number | undefined =>
  familyOf(service).find(({ command }) => command.includes("packages/runner/src/main.ts"))?.pid

export const sitePid = (service: Service): number | undefined =>
  familyOf(service).find(({ command }) => command.includes("packages/site/src/main.ts"))?.pid

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

/** Ends what tests left running, whatever state it is in: the services first, since they start again what has ended. */
export const cleanUp = async (): Promise<void> => {
  for (const service of services) {
    remember(service)
    if (!service.over()) killIfThere(service.pid)
  }
  for (const directory of directories) {
    const pid = postgresPid({ directory })
    const family = pid === undefined ? [] : familyOf({ pid })
    if (family.some((one) => one.pid === pid && /postgres/.test(one.command))) remember({ pid: pid! })
  }
  const left = () => stillRunning(processesSeen.values())
  for (const { pid } of left()) killIfThere(pid)
  await eventuallyAsync("the end of every process", () => left().length === 0, 30_000)
  for (const directory of directories) rmSync(directory, { recursive: true, force: true })
  processesSeen.clear()
  directories.clear()
  services.clear()
}
