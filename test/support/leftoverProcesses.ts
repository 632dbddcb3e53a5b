/**
 * Fails a run that leaves processes behind, and ends them. Every process that a test starts inherits a mark in its
 * environment. One whose environment was emptied on purpose (Postgres, the sandbox) is known by its parent, so the
 * guard looks once a second who descends from this run and remembers them after their parents have ended. Linux only:
 * it reads /proc.
 */
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout as wait } from "node:timers/promises"

const variable = "AGON_TEST_RUN"

const look_ms = 1_000

/**
 * Processes that were told to stop may take this long: a Postgres whose directory is removed after it
 * has taken 13 s on a busy disk.
 */
const PATIENCE_MS = 60_000

export default function setup() {
  const mark = `${variable}=${randomUUID()}`
  process.env[variable] = mark.slice(variable.length + 1)
  const seen = new Set<string>()
  const watch = setInterval(() => leftovers(mark, seen), look_ms).unref()
  return async () => {
    clearInterval(watch)
    const end = performance.now() + PATIENCE_MS
    let left = leftovers(mark, seen)
    while (left.length > 0 && performance.now() < end) {
      await wait(100)
      left = leftovers(mark, seen)
    }
    if (left.length === 0) return
    for (const { pid } of left) kill(pid)
    throw new Error(`the tests left processes behind: ${left.map(({ pid, command }) => `${pid} ${command}`).join("; ")}`)
  }
}

interface Running {
  readonly pid: number
  readonly parent: number
  /** The pid with the time of its start, since pids are used again. */
  readonly id: string
}

/** Vitest's own workers and its watchdog bear the mark too and end after this. */
const ofVitest = /node_modules\/vitest\/|^vitest-/

/** Processes that run now and were started by this run; `seen` holds who was known to be so before and is added to. */
export function leftovers(mark: string, seen: Set<string>): ReadonlyArray<{ readonly pid: number; readonly command: string }> {
  const running = processes()
  const byPid = new Map(running.map((one) => [one.pid, one]))
  const isOurs = (one: Running | undefined): boolean =>
    one !== undefined &&
    one.pid !== process.pid &&
    (one.parent === process.pid || seen.has(one.id) || isMarked(one) || isOurs(byPid.get(one.parent)))
  const isMarked = ({ pid }: Running) => read(`/proc/${pid}/environ`).split("\0").includes(mark)
  const ours = running.filter(isOurs)
  for (const { id } of ours) seen.add(id)
  return ours.map(({ pid }) => ({ pid, command: commandOf(pid) })).filter(({ command }) => command !== "" && !ofVitest.test(command))
}

const commandOf = (pid: number) => read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 200)

function processes(): ReadonlyArray<Running> {
  const pids = names("/proc").filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`)
    // The command stands in parentheses and may hold any character; the state and the parent follow the last one.
    const [state, parent, ...rest] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === undefined || state === "" || state === "Z") return []
    return [{ pid: Number(pid), parent: Number(parent), id: `${pid} ${rest[17]}` }]
  })
}

function names(folder: string): ReadonlyArray<string> {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** A process that ends between two looks, or another user's, reads as nothing. */
function read(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL")
  } catch {
    // It ended by itself in the meantime.
  }
}
