/**
 * What the calling thread has used of the processor since it began, in microseconds. A machine that does other things, or sleeps,
 * adds nothing to it. Linux counts it in steps of a timer tick (4 ms mostly) while the thread runs, so short stretches are
 * measured many at a time.
 */
export const threadCpu_us = (): number => {
  const { user, system } = process.threadCpuUsage()
  return user + system
}
