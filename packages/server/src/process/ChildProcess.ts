/**
 * Runs a program of ours in its own process for as long as the effect runs. Answers its exit status, and stops it on
 * interruption. Of the environment the child sees only PATH and the variables given. Its standard input stays open until
 * this process ends, in whatever way, so a child that watches it ends with us. A child that is listened to has a channel to
 * this process, which nobody else can write to.
 */

import { spawn } from "node:child_process"
import { Effect } from "effect"

/** A child that has not stopped after this long is killed. */
const STOP_TIMEOUT = "9 seconds"
/** The exit status reported for a child that could not be started or was killed. */
const NO_STATUS = -1

export const childProcess = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  started: (pid: number | undefined) => void = () => {},
  hears?: (message: unknown) => void
): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const env = { PATH: process.env["PATH"] ?? "", ...environment }
    const child = spawn(process.execPath, args, {
      stdio: ["pipe", "inherit", "inherit", ...(hears === undefined ? [] : (["ipc"] as const))],
      env
    })
    if (hears !== undefined) child.on("message", hears)
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
