/** The exit status of a program of ours, for what starts and stops it. */
import { Cause, Exit } from "effect"

/**
 * 0 after a stop that somebody asked for by a signal; `set` is the status that the program has set itself,
 * such as for a refused start or for a stop that nobody asked for.
 */
export const exitStatus = (exit: Exit.Exit<unknown, unknown>, set: number | string | null | undefined): number =>
  Exit.isSuccess(exit) || Cause.hasInterruptsOnly(exit.cause) ? Number(set ?? 0) : 1

/**
 * How a program of ours ends, for `NodeRuntime.runMain`: with that status, and nothing is printed
 * beside what it has said itself.
 */
export const ending = (process: { readonly exitCode?: number | string | null | undefined }) => ({
  disableErrorReporting: true,
  teardown: (exit: Exit.Exit<unknown, unknown>, onExit: (status: number) => void) => onExit(exitStatus(exit, process.exitCode))
})
