/** Milliseconds of CPU time that this thread spends on something: the same on a busy machine. */
export const cpuOf = (run: () => unknown): number => {
  const before = process.threadCpuUsage()
  run()
  const { system, user } = process.threadCpuUsage(before)
  return (system + user) / 1_000
}
