/**
 * The calling thread's processor time since its start, in microseconds. A busy or sleeping machine adds nothing to it.
 * Linux counts it in timer ticks (mostly 4 ms) while the thread runs, so short runs are measured many at a time.
 */
export const threadCpu_us = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** A tick of the slowest common timer. */
const TICK_US = 4_000

/**
 * The charge for some work, from its time on the clock and its processor time. The first is exact but includes
 * interruptions; the second excludes them but may lag by a tick. The smaller is the work, or at most a tick more.
 */
export const chargeOf = (passed_us: number, cpu_us: number): number => Math.min(passed_us, cpu_us + TICK_US)
