/** The exit status of a program of ours, for what starts and stops it. */
import { Cause, Exit } from "effect"

/** 0 after a stop that somebody asked for by a signal; `set` is the status that the program has set itself, such as for a refused start. */
export const exitStatus = (exit: Exit.Exit<unknown, unknown>, set: number | string | null | undefined): number =>
  Exit.isSuccess(exit) ? Number(set ?? 0) : Cause.hasInterruptsOnly(exit.cause) ? 0 : 1
