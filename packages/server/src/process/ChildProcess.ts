/**
 * A program of ours in a process of its own, for as long as the effect runs: answers its exit status, and stops it where
 * it is interrupted. The child sees PATH and what it is given of the environment. Its standard input stays open as long
 * as this process lives, so a child that watches it ends with us, however we end.
 */
import { Effect } from "effect"
import { spawn } from "node:child_process"

/** A child that has not stopped after this long is killed. */
const STOP_TIMEOUT = "9 seconds"
/** What a child that could not be started, or was killed, is said to have ended with. */
const NO_STATUS = -1

export const childProcess = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  started: (pid: number | undefined) => void = () => {}
): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const env = { PATH: process.env["PATH"] ?? "", ...environment }
    const child = spawn(process.execPath, args, { stdio: ["pipe", "inherit", "inherit"], env })
    started(child.pid)
    const ended = new Promise<number>((resolve) => {
      child.on("error", () => resolve(NO_STATUS))
      child.on("exit", (status) => resolve(status ?? NO_STATUS))
    })
    void ended.then((status) => resume(Effect.succeed(status)))
    return Effect.promise(() => {
      child.kill("SIGTERM")
      return ended
    }).pipe(Effect.timeoutOrElse({ duration: STOP_TIMEOUT, orElse: () => Effect.sync(() => void child.kill("SIGKILL")) }))
  }).pipe(Effect.ensuring(Effect.sync(() => started(undefined))))
