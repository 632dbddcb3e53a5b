/** Runs the command that the arguments name, and ends the process with its status. */
import * as NodeRuntime from "@effect/platform-node/NodeRuntime"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { Effect } from "effect"
import { agon, statusOf } from "./agon.ts"

agon(process.argv.slice(2)).pipe(
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(statusOf(exit))
  })
)
