/**
 * Runs a program of ours in its own process for as long as the effect runs. Answers its exit status, and
 * stops it on interruption. Of the environment the child sees only PATH and the variables given. Its standard
 * input stays open until this process ends, in whatever way, so a child that watches it ends with us. A child
 * that is listened to has a channel to this process, which nobody else can write to.
 */

import { type ChildProcess, spawn } from "node:child_process"
import { Effect } from "effect"

/** A child that has not stopped after this long is killed. */
export const STOP_S = 9
/** The exit status reported for a child that could not be started or was killed. */
const NO_STATUS = -1

export const childProcess = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string>>,
  started: (pid: number | undefined) => void = () => {},
  hears?: (message: unknown) => void
): Effect.Effect<number> =>
  Effect.callback<number>((resume) => {
    const child = spawned(args, environment, hears !== undefined)
    if (child instanceof Error) return resume(unstarted(child))
    if (hears !== undefined) child.on("message", hears)
    started(child.pid)
    const ended = new Promise<Effect.Effect<number>>((resolve) => {
      child.on("error", (error) => resolve(unstarted(error)))
      child.on("exit", (status) => resolve(Effect.succeed(status ?? NO_STATUS)))
    })
    void ended.then(resume)
    return Effect.promise(() => {
      child.kill("SIGTERM")
      return ended
    }).pipe(Effect.timeoutOrElse({ duration: `${STOP_S} seconds`, orElse: () => Effect.sync(() => void child.kill("SIGKILL")) }))
  }).pipe(Effect.ensuring(Effect.sync(() => started(undefined))))

/** Where the machine has no memory or no file left, spawn throws, and otherwise it tells the child of its fault. */
const spawned = (args: ReadonlyArray<string>, environment: Readonly<Record<string, string>>, listened: boolean): ChildProcess | Error => {
  const env = { PATH: process.env["PATH"] ?? "", ...environment }
  try {
    return spawn(process.execPath, args, { stdio: ["pipe", "inherit", "inherit", ...(listened ? (["ipc"] as const) : [])], env })
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error))
  }
}

const unstarted = (error: Error) => Effect.as(Effect.logError("a program could not be started", error), NO_STATUS)
