/** CPU time of processes and of a Postgres server, in us, and memory. Linux only: elsewhere the server's is NaN. */
import { existsSync, readdirSync, readFileSync } from "node:fs"

/** `/proc` counts in hundredths of a second. */
const TICK_US = 10_000

export const nodeCpu_us = (pid?: number): number => {
  if (pid !== undefined) return (statOf(pid)?.self ?? Number.NaN) * TICK_US
  const { system, user } = process.cpuUsage()
  return system + user
}

/** The resident memory of a process now. */
export const residentOf_mb = (pid: number): number => {
  const path = `/proc/${pid}/status`
  return existsSync(path) ? Number(/VmRSS:\s+(\d+)/.exec(readFileSync(path, "utf8"))![1]) / 1024 : Number.NaN
}

/** The server itself, its children, and those of its children that have ended. */
export const serverCpu_us = (postmaster: number): number => {
  if (!existsSync("/proc/self/stat")) return Number.NaN
  const own = statOf(postmaster)
  if (own === undefined) return Number.NaN
  let ticks = own.self + own.ended
  for (const name of readdirSync("/proc")) {
    const stat = /^\d+$/.test(name) ? statOf(Number(name)) : undefined
    if (stat?.parent === postmaster) ticks += stat.self
  }
  return ticks * TICK_US
}

/** The server that a backend belongs to. */
export const parentOf = (pid: number): number => statOf(pid)?.parent ?? 0

const statOf = (pid: number): { readonly parent: number; readonly self: number; readonly ended: number } | undefined => {
  const text = textOf(`/proc/${pid}/stat`)
  if (text === undefined) return undefined
  const fields = text.slice(text.lastIndexOf(")") + 2).split(" ") // the third field of proc(5) comes first
  const at = (field: number) => Number(fields[field - 3])
  return { parent: at(4), self: at(14) + at(15), ended: at(16) + at(17) }
}

/** Undefined where the process has ended, also in between. */
const textOf = (path: string): string | undefined => {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}
