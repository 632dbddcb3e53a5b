/**
 * What the calling thread has used of the processor since it began, in microseconds. A machine that does other things, or sleeps,
 * adds nothing to it. Linux counts it in steps of a timer tick (4 ms mostly) while the thread runs, so short stretches are
 * measured many at a time.
 */
export const threadCpu_us = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}

/** A tick of the slowest common timer. */
const TICK_US = 4_000

/**
 * What a stretch of work is charged, of the time that passed and of what the thread used of the processor meanwhile. The first is exact and
 * holds interruptions too; the second is without them, but may be behind by a tick. Their minimum is the work, or at most a tick more.
 */
export const chargeOf = (passed_us: number, cpu_us: number): number => Math.min(passed_us, cpu_us + TICK_US)
