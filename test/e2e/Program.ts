/** A program of the service as a process of its own: what it says, whether it runs, and how it ended. */
import { spawn } from "node:child_process"
import { tmpdir } from "node:os"

/** Characters of each end of its output. */
const LOG_CHARACTERS_MAX = 200_000

export interface Program {
  readonly pid: number
  readonly over: () => boolean
  readonly ended: Promise<{ readonly status: number | null; readonly signal: NodeJS.Signals | null }>
  /** The end of what it printed. */
  readonly log: () => string
  /** The beginning of its standard output, in whole lines. */
  readonly lines: () => ReadonlyArray<string>
  /** Closes its standard output: whoever read it has ended. */
  readonly stopReading: () => void
}

/** It gets nothing of our environment but what finds programs, and the mark by which a test run knows its processes. */
export const launch = (
  command: string,
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  cwd?: string
): Program => {
  const env = {
    PATH: process.env["PATH"] ?? "",
    HOME: process.env["HOME"] ?? tmpdir(),
    AGON_TEST_RUN: process.env["AGON_TEST_RUN"] ?? "",
    ...environment
  }
  const child = spawn(command, [...args], { cwd, env, stdio: ["ignore", "pipe", "pipe"] })
  let [first, last] = ["", ""]
  child.stdout.on("data", (chunk: Buffer) => {
    first = (first + chunk.toString()).slice(0, LOG_CHARACTERS_MAX)
  })
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      last = (last + chunk.toString()).slice(-LOG_CHARACTERS_MAX)
    })
  }
  const ended = new Promise<Awaited<Program["ended"]>>((resolve) => {
    child.on("error", (error) => {
      last += error.message
      resolve({ status: null, signal: null })
    })
    child.on("exit", (status, signal) => resolve({ status, signal }))
  })
  return {
    pid: child.pid ?? 0,
    over: () => child.exitCode !== null || child.signalCode !== null,
    ended,
    log: () => last,
    lines: () => first.split("\n").slice(0, -1),
    stopReading: () => void child.stdout.destroy()
  }
}

/** The results that the service has refused a runner, by the runner's log since it had `from` characters. */
export const notCounted = (runner: Program, from = 0): ReadonlyArray<string> =>
  runner
    .log()
    .slice(from)
    .split("\n")
    .filter((line) => line.includes("a result was not counted"))
