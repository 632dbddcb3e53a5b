/** Servers of the bench as processes: each alone on core 0, its load from wrk. */
import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { freePort } from "../../support/freePort.ts"

const TICK_US = 10_000
export const CONNECTIONS = 32

export interface Server {
  readonly kind: string
  readonly origin: string
  readonly child: ChildProcess
  readonly per_s: Array<number>
  readonly cpu_us: Array<number>
}

/** `node PROGRAM KIND PORT FILE`, with a program of this folder. */
export const launch = async (
  kind: string,
  file: string,
  { nodeArgs = [], program = "server.ts" }: { readonly nodeArgs?: ReadonlyArray<string>; readonly program?: string } = {}
): Promise<Server> => {
  const port = await freePort()
  const args = ["-c", "0", process.execPath, ...nodeArgs, join(import.meta.dirname, program), kind, String(port), file]
  const child = spawn("taskset", args, { stdio: ["ignore", "inherit", "inherit"] })
  return { kind, origin: `http://127.0.0.1:${port}`, child, per_s: [], cpu_us: [] }
}

/** The body as text, once there is one. */
export const textOf = async ({ child, kind, origin }: Server, path: string): Promise<string> => {
  for (let tries = 0; tries < 600; tries++) {
    if (child.exitCode !== null) throw new Error(`${kind} ended with ${child.exitCode}`)
    const response = await fetch(`${origin}${path}`).catch(() => undefined)
    if (response?.ok) return response.text()
    await pause(100)
  }
  throw new Error(`${kind} does not answer`)
}

export const answer = async (server: Server, path: string): Promise<any> => JSON.parse(await textOf(server, path))

/** Memory that a process holds, and the most it ever held, in MB; VmRSS and VmHWM of proc(5). */
export const memory_mb = ({ child }: Server) => {
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8")
  const of = (name: string) => Number(new RegExp(`${name}:\\s+(\\d+) kB`).exec(status)![1]) / 1024
  return { now: of("VmRSS"), most: of("VmHWM") }
}

/** User and system time of a process; field 14 and 15 of proc(5), counted from the state. */
export const cpu_us = ({ child }: Server) => {
  const stat = readFileSync(`/proc/${child.pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  return (Number(fields[11]) + Number(fields[12])) * TICK_US
}

/** Requests that were answered. `wrkArgs` may name a script. */
export const load = ({ kind, origin }: Server, path: string, seconds: number, ...wrkArgs: ReadonlyArray<string>): number => {
  const out = execFileSync("wrk", ["-t1", `-c${CONNECTIONS}`, `-d${seconds}s`, ...wrkArgs, `${origin}${path}`], { encoding: "utf8" })
  if (/Non-2xx/.test(out)) throw new Error(`${kind}: ${out}`)
  return Number(/(\d+) requests in/.exec(out)![1])
}

/** Puts the bench on core 1, where Postgres and wrk follow it; ends it where a tool is missing. */
export const onCoreOne = (bench: string): void => {
  for (const tool of ["wrk", "taskset"]) {
    if (spawnSync(tool, ["--version"]).error !== undefined) {
      console.log(`${bench}: skipped, ${tool} is not installed (Debian: apt install ${tool === "wrk" ? "wrk" : "util-linux"})`)
      process.exit(0)
    }
  }
  execFileSync("taskset", ["-cp", "1", String(process.pid)], { stdio: "ignore" })
}

export const median = (values: ReadonlyArray<number>) => values.toSorted((a, b) => a - b)[values.length >> 1]!
