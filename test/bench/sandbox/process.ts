/** The kernel's figures of the sandbox processes below this one: CPU time and memory. Linux alone. */
import { readFileSync } from "node:fs"
import { sandboxProcesses } from "@agon/sandbox/worker/testing/testProcesses.ts"

/** USER_HZ, the same on every Linux that Node runs on. */
const TICKS_PER_S = 100

/** CPU seconds of all of them so far, their threads included. */
export const sandboxCpu_s = (): number =>
  sandboxProcesses()
    .map(({ pid }) => readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]!.split(" "))
    .reduce((sum, fields) => sum + (Number(fields[11]) + Number(fields[12])) / TICKS_PER_S, 0)

/** Resident now, by process. */
export const sandboxResident_mb = (): ReadonlyArray<number> =>
  sandboxProcesses().map(({ pid }) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))![1]) / 1_024)

export const sandboxPeak_mb = (): number => Math.max(...sandboxProcesses().map(({ peak_mb }) => peak_mb))
