/**
 * How a command ends: exit status 0 yes, 1 no, 2 could not run. A command that says no prints why and fails
 * with `No`. A command that could not run fails with `CouldNotRun`, and the main file prints its message.
 */
import { Effect, Runtime, Schema } from "effect"

export class No extends Schema.TaggedError<No>()("No", {}) {
  override readonly [Runtime.errorExitCode] = 1
  override readonly [Runtime.errorReported] = false
}

export class CouldNotRun extends Schema.TaggedError<CouldNotRun>()("CouldNotRun", { message: Schema.String }) {
  override readonly [Runtime.errorExitCode] = 2
  override readonly [Runtime.errorReported] = false
}

export const answer = (yes: boolean): Effect.Effect<void, No> => (yes ? Effect.void : Effect.fail(new No()))
