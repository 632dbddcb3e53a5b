/**
 * Whoever started a program may leave it: their terminal closes (SIGHUP), or whatever read its lines ends, as in `scripts/start | head`.
 * Node would end at once in the first case and with a trace in the second, and a service would leave its Postgres behind. Here the
 * program stops as on SIGTERM. It goes on where a hangup has a listener already: scripts/node.bash sets one under `nohup`. A program that
 * another one started leaves its end to that one.
 */

/** The part of Node's `process` that is used. */
interface Process {
  readonly pid: number
  readonly on: (event: "SIGHUP", listener: () => void) => unknown
  readonly listenerCount: (event: "SIGHUP") => number
  readonly kill: (pid: number, signal: "SIGTERM") => unknown
  readonly stdout: Pick<NodeJS.WriteStream, "on">
  readonly stderr: Pick<NodeJS.WriteStream, "on" | "write">
  exitCode?: number | string | null | undefined
}

/** Called once, before the program writes. Exit status 1 after the loss of its lines: its supervisor starts it again. */
export const stopWhenLeft = (process: Process, { tied }: { readonly tied: boolean }): void => {
  let isLeft = false
  const stop = () => {
    if (!isLeft && !tied) process.kill(process.pid, "SIGTERM")
    isLeft = true
  }
  if (process.listenerCount("SIGHUP") === 0) process.on("SIGHUP", stop)
  process.stderr.on("error", () => undefined)
  process.stdout.on("error", ({ message }) => {
    if (!isLeft && !tied) {
      process.stderr.write(`nobody takes the lines on standard output (${message}): the program stops\n`)
      process.exitCode = 1
    }
    stop()
  })
}
