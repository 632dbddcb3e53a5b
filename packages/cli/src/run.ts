/** Runs the command that the arguments name, and ends the process with its status. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Effect } from "effect"
import { agon, statusOf } from "./agon.ts"

agon(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(statusOf(exit))
  })
)
