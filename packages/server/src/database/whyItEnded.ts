/** The sentence with which a program beside the service ends that could not do its work. */
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { StartRefused } from "../config/StartRefused.ts"
import { DatabaseName } from "./DatabaseName.ts"
import { explain } from "./explain.ts"
import { isNotReached } from "./startAgain.ts"

export const whyItEnded = Effect.fnUntraced(function* (error: unknown) {
  if (error instanceof StartRefused) return error.message
  const isAway = SqlError.isSqlError(error) && isNotReached(error)
  return isAway ? `${yield* DatabaseName}: the server cannot be used: ${explain(error)}` : explain(error)
})
