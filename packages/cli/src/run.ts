/** Runs the command that the arguments name, and ends the process with its status. */
import { NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { Command } from "effect/cli"
import { No } from "./Answer.ts"
import { commandsFor } from "./commands.ts"
import { VERSION } from "./version.ts"

/** Unforeseen failures and wrong arguments exit with 2, requested help with 0. */
const statusOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = Cause.squash(exit.cause)
  if (error instanceof No) return 1
  return Runtime.getErrorExitCode(error) === 0 ? 0 : 2
}

const run = Effect.flatMap(commandsFor(process.argv.slice(2)), (commands) =>
  Command.make("agon").pipe(
    Command.withDescription("Examine, play and submit models, follow a competition, simulate seasons"),
    Command.withSubcommands(commands as never),
    Command.run({ version: VERSION })
  )
) as Effect.Effect<void, { readonly _tag: string; readonly message: string }, NodeServices.NodeServices>

run.pipe(
  Effect.tapErrorTag("CouldNotRun", ({ message }) => Console.error(`agon: ${message}`)),
  Effect.provide(NodeServices.layer),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(statusOf(exit))
  })
)
