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
 * The charges for a series of runs. A run's time on the clock is exact but includes interruptions; its processor
 * time excludes them but may lag by a tick. The charge is the smaller of the two, where the processor time may lag by
 * a tick in one run and in all runs together. Without the second, each of many short runs on a busy machine would be charged
 * a tick.
 */
export class Charges {
  /** The charges so far beyond the processor time so far, in microseconds. */
  #ahead_us = 0

  /** The charge for the next run, in microseconds. */
  next(passed_us: number, cpu_us: number): number {
    const lag_us = Math.min(TICK_US, TICK_US - this.#ahead_us)
    const charge_us = Math.min(passed_us, Math.max(0, cpu_us + lag_us))
    this.#ahead_us += charge_us - cpu_us
    return charge_us
  }
}
