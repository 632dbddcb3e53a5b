#!/usr/bin/env node
/** `agon`: the operators' and developers' tool. Exit status 0 yes, 1 no, 2 could not run. */
import { NodeHttpClient, NodeRuntime, NodeServices } from "@effect/platform-node"
import { Cause, Console, Effect, Exit, Runtime } from "effect"
import { Command } from "effect/cli"
import { No } from "./Answer.ts"
import { play } from "./match/play.ts"
import { verify } from "./match/verify.ts"
import { zooCommand } from "./model/zoo.ts"
import { demoCommand } from "./season/demo.ts"
import { simulateCommand } from "./season/simulate.ts"
import { examine } from "./version/examine.ts"

const agon = Command.make("agon").pipe(
  Command.withDescription("Examine models, play and verify matches, simulate seasons"),
  Command.withSubcommands([demoCommand, examine, play, simulateCommand, verify, zooCommand])
)

/** Unforeseen failures and wrong arguments exit with 2, requested help with 0. */
const statusOf = (exit: Exit.Exit<unknown, unknown>): number => {
  if (Exit.isSuccess(exit)) return 0
  if (Cause.hasInterruptsOnly(exit.cause)) return 130
  const error = Cause.squash(exit.cause)
  if (error instanceof No) return 1
  return Runtime.getErrorExitCode(error) === 0 ? 0 : 2
}

agon.pipe(
  Command.run({ version: "0.1.0" }),
  Effect.tapErrorTag("CouldNotRun", ({ message }) => Console.error(`agon: ${message}`)),
  Effect.provide([NodeServices.layer, NodeHttpClient.layerUndici]),
  NodeRuntime.runMain({
    teardown: (exit, onExit) => onExit(statusOf(exit))
  })
)
