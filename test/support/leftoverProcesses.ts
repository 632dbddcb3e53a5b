/**
 * Fails a run that leaves processes behind, and ends them. Every process that a test starts inherits a mark in its
 * environment; one whose environment was emptied on purpose is known by a parent that bears the mark, as long as that
 * parent lives. Linux only: it reads /proc.
 */
import { randomUUID } from "node:crypto"
import { readdirSync, readFileSync } from "node:fs"
import { setTimeout } from "node:timers/promises"

const variable = "AGON_TEST_RUN"

/** Processes that were told to stop may take this long. */
const patience_ms = 3_000

export default function setup() {
  const mark = `${variable}=${randomUUID()}`
  process.env[variable] = mark.slice(variable.length + 1)
  return async () => {
    const end = performance.now() + patience_ms
    let left = leftovers(mark)
    while (left.length > 0 && performance.now() < end) {
      await setTimeout(100)
      left = leftovers(mark)
    }
    if (left.length === 0) return
    for (const { pid } of left) kill(pid)
    throw new Error(`the tests left processes behind: ${left.map(({ pid, command }) => `${pid} ${command}`).join("; ")}`)
  }
}

interface Running {
  readonly pid: number
  readonly parent: number
  readonly command: string
  readonly marked: boolean
}

/** Vitest's own workers and its watchdog bear the mark too and end after this. */
const ofVitest = /node_modules\/vitest\/|^vitest-/

export function leftovers(mark: string): ReadonlyArray<Running> {
  const running = processes(mark)
  const byPid = new Map(running.map((one) => [one.pid, one]))
  const isOurs = (one: Running | undefined): boolean =>
    one !== undefined && one.pid !== process.pid && (one.marked || isOurs(byPid.get(one.parent)))
  return running.filter((one) => isOurs(one) && !ofVitest.test(one.command))
}

function processes(mark: string): ReadonlyArray<Running> {
  const pids = names("/proc").filter((name) => /^\d+$/.test(name))
  return pids.flatMap((pid) => {
    const stat = read(`/proc/${pid}/stat`)
    // The command stands in parentheses and may hold any character; the state and the parent follow the last one.
    const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    if (state === undefined || state === "" || state === "Z") return []
    const command = read(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim().slice(0, 200)
    return [{ pid: Number(pid), parent: Number(parent), command, marked: read(`/proc/${pid}/environ`).split("\0").includes(mark) }]
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
