/**
 * A share of one core for a process and all its threads, as a machine of its own would have it: a
 * control group, version 1 or 2.
 */
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const FIRST = "/sys/fs/cgroup/cpu"
const SECOND = "/sys/fs/cgroup"
/** Short, so that a process that has used its share waits for milliseconds. */
const PERIOD_US = 20_000

export interface Limit {
  /**
   * Of the periods since the limit began, the share in which the process was kept from running; 1 is a
   * process that is always full.
   */
  readonly full: () => number
  /** It may run as it likes again. */
  readonly lift: () => void
  /** Once the process has ended. */
  readonly remove: () => void
}

const countsOf = (group: string) => {
  const stat = readFileSync(join(group, "cpu.stat"), "utf8")
  const [periods, throttled] = ["nr_periods", "nr_throttled"].map((name) => Number(new RegExp(`^${name} (\\d+)`, "m").exec(stat)?.[1]))
  return { periods: periods!, throttled: throttled! }
}

/** Needs root, and a mounted hierarchy of control groups. */
export const limitCpu = (pid: number, share: number): Limit => {
  const version1 = existsSync(join(FIRST, "cpu.cfs_quota_us"))
  const group = join(version1 ? FIRST : SECOND, `agon-bench-${pid}`)
  mkdirSync(group)
  const allow = (quota_us: number | undefined) => {
    if (!version1) return writeFileSync(join(group, "cpu.max"), `${quota_us ?? "max"} ${PERIOD_US}`)
    writeFileSync(join(group, "cpu.cfs_period_us"), String(PERIOD_US))
    writeFileSync(join(group, "cpu.cfs_quota_us"), String(quota_us ?? -1))
  }
  allow(Math.round(share * PERIOD_US))
  writeFileSync(join(group, "cgroup.procs"), String(pid))
  const began = countsOf(group)
  return {
    full: () => (countsOf(group).throttled - began.throttled) / Math.max(1, countsOf(group).periods - began.periods),
    lift: () => allow(undefined),
    remove: () => rmdirSync(group)
  }
}
