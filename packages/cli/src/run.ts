/**
 * Runs the command that the arguments name, and ends the process with its status. The console passes over lines that cannot be
 * written, as on a disk that is full: the status is that of a command that could not run then. A reader that has left wants no more of them.
 */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { agon, statusOf } from "./agon.ts"

let unwritten: Error | undefined

process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") unwritten ??= error
})

/** A fault of the last line is told after it. */
const toldLater = (onExit: (status: number) => void, status: number) =>
  setImmediate(() => {
    if (unwritten === undefined) return onExit(status)
    process.stderr.write(`agon: the standard output cannot be written: ${unwritten.message}.\n`)
    onExit(2)
  })

agon(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => toldLater(onExit, statusOf(exit))
  })
)
