/**
 * How much longer things take on this machine just now than on one that has time for us, so that a promise in
 * seconds can be judged on a busy machine too: the load for each core, or how much longer a short computation
 * takes than its own CPU time.
 */
import { existsSync, readFileSync } from "node:fs"
import { availableParallelism, loadavg } from "node:os"

const SPIN_US = 30_000

/**
 * Share of the last ten seconds in which something waited for a processor, in percent; 0
 * where the system does not say.
 */
const pressure = () => (existsSync(PRESSURE) ? Number(/some avg10=([\d.]+)/.exec(readFileSync(PRESSURE, "utf8"))?.[1] ?? 0) : 0)
const PRESSURE = "/proc/pressure/cpu"

/** At least 1; on a quiet machine 1. */
const slack = (): number => Math.max(pressure() > 50 ? 2 : 1, loadavg()[0]! / availableParallelism(), stretched())

/** Wall time for each unit of this thread's CPU time. */
const stretched = (): number => {
  const began = performance.now()
  const before = process.threadCpuUsage()
  const used_us = () => {
    const { system, user } = process.threadCpuUsage(before)
    return user + system
  }
  while (used_us() < SPIN_US) Math.sqrt(began)
  return ((performance.now() - began) * 1_000) / used_us()
}

/** The time that a promise of so many milliseconds allows here and now, in whole milliseconds. */
export const allowed = (limit_ms: number): number => Math.ceil(limit_ms * slack())
