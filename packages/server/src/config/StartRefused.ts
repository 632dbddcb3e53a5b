import { Data } from "effect"

/** Why the service cannot start, in one line that a person can act upon; main prints it and ends with status 1. */
export class StartRefused extends Data.TaggedError("StartRefused")<{ readonly message: string }> {}

export const refuse = (message: string) => new StartRefused({ message: message.replace(/\s*\n\s*/g, " ") })
