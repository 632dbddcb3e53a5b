/**
 * Operating system processes: runs one to its end, and finds those of one Postgres cluster. A
 * cluster is identified by the `cluster_name` that we give it: the server has it in its arguments,
 * and each of its children in its title. Unlike a pid it is never reused by another process, and
 * reading it needs no privilege.
 */

import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { readdirSync, readFileSync, statSync } from "node:fs"
import { Effect } from "effect"
import { type PostgresUnavailable, unavailable } from "./PostgresUnavailable.ts"

export interface RunOptions {
  readonly uid?: number | undefined
  readonly gid?: number | undefined
  /** Open files for the child to inherit: the first as standard input, the second as descriptor 3. */
  readonly inherit: readonly [number, number]
  readonly timeout_ms: number
}

/** Runs a program to its end; a failure says why, out of its output. */
export const run = (program: string, args: ReadonlyArray<string>, options: RunOptions) =>
  Effect.callback<void, PostgresUnavailable>((resume) => {
    let said = ""
    const end = (outcome: Effect.Effect<void, PostgresUnavailable>) => {
      clearTimeout(timer)
      resume(outcome)
    }
    const child = spawn(program, args, {
      ...identity(options),
      cwd: "/",
      env: environment(),
      stdio: [options.inherit[0], "pipe", "pipe", options.inherit[1]]
    })
    const timer = setTimeout(() => child.kill("SIGKILL"), options.timeout_ms)
    const hear = (chunk: Buffer) => (said = (said + chunk.toString()).slice(-4000))
    child.stdout?.on("data", hear)
    child.stderr?.on("data", hear)
    child.on("error", (error) => end(Effect.fail(unavailable("child", `${program} could not be started: ${error.message}`))))
    child.on("close", (code, signal) =>
      end(code === 0 ? Effect.void : Effect.fail(unavailable("child", `${program} ended with ${signal ?? code}: ${reasonIn(said)}`)))
    )
    return Effect.sync(() => child.kill("SIGKILL"))
  })

/** The user that a child runs as; absent fields mean our own user. */
export const identity = (user: { readonly uid?: number | undefined; readonly gid?: number | undefined } | undefined) =>
  user?.uid === undefined || user.gid === undefined ? {} : { uid: user.uid, gid: user.gid }

/**
 * Postgres gets none of our environment: it may hold secrets, and PG* variables would
 * change the programs' behaviour.
 */
export const environment = () => ({ PATH: process.env["PATH"] ?? "/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" })

const LAST_LINES = 3

/**
 * Why a program of Postgres ended: the last fault in its output, which lines about its end may follow, with what
 * to do about it, or else the last lines.
 */
export const reasonIn = (text: string) => {
  const lines = text.trim().split("\n")
  const fault = lines.findLastIndex((line) => /\b(ERROR|FATAL|PANIC): /.test(line))
  if (fault < 0) return lines.slice(-LAST_LINES).join(" | ")
  return [lines[fault]!, ...lines.slice(fault + 1).filter((line) => /\bHINT: /.test(line))].join(" | ")
}

/** The exit of a child, also where it happened before this call. */
export const exited = (child: ChildProcess) =>
  Effect.callback<void>((resume) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resume(Effect.void)
    const listener = () => resume(Effect.void)
    child.once("exit", listener)
    return Effect.sync(() => child.off("exit", listener))
  })

export interface Process {
  readonly pid: number
  /** All its arguments with a space between them, or its title. */
  readonly command: string
  /** The first of them, whose path may have spaces. `ps` does not say where it ends: there it is the first word. */
  readonly program: string
}

/** Every process whose command line or title contains the text. */
export const processesNaming = (text: string): ReadonlyArray<Process> => all().filter(({ command }) => command.includes(text))

export const processOf = (pid: number) => (process.platform === "linux" ? read(pid) : all().find((one) => one.pid === pid))

/**
 * Whether it is known that the process works in another directory, or as another user than the directory's owner.
 * Linux tells the first of one's own processes, and of all to root; a system without /proc tells neither.
 */
export const isElsewhere = (pid: number, directory: string) => {
  const { dev, ino, uid } = statSync(directory)
  try {
    const user = /^Uid:\t(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
    if (user !== undefined && Number(user) !== uid) return true
    const works = statSync(`/proc/${pid}/cwd`)
    return works.dev !== dev || works.ino !== ino
  } catch {
    return false
  }
}

const all = (): ReadonlyArray<Process> => (process.platform === "linux" ? fromProc() : fromPs())

const fromProc = () =>
  readdirSync("/proc")
    .filter((name) => /^[0-9]+$/.test(name))
    .flatMap((name) => read(Number(name)) ?? [])

const read = (pid: number): Process | undefined => {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, "utf8")
    const command = words.replaceAll("\0", " ").trim()
    return command === "" ? undefined : { pid, command, program: words.split("\0", 1)[0]! } // none: a zombie or a kernel thread
  } catch {
    return undefined // ended meanwhile
  }
}

const fromPs = () =>
  execFileSync("ps", ["-axww", "-o", "pid=,command="], { encoding: "utf8", timeout: 10_000 })
    .split("\n")
    .map((line) => /^\s*(\d+)\s+(.*)$/.exec(line))
    .filter((match) => match !== null)
    .map((match) => ({ pid: Number(match[1]), command: match[2]!, program: match[2]!.split(" ", 1)[0]! }))

/** Whether the pid is taken; a zombie takes it too. */
export const exists = (pid: number) => {
  try {
    return pid > 0 && process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM"
  }
}

/** Sends a signal; succeeds also where the process has ended already. */
export const signal = (pid: number, name: NodeJS.Signals) => {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended already.
  }
}
