/** The sentence with which a program beside the service ends that could not do its work. */
import { SqlError } from "effect/sql"
import { StartRefused } from "../config/StartRefused.ts"
import { explain } from "./explain.ts"
import { isNotReached } from "./startAgain.ts"

export const whyItEnded = (error: unknown): string => {
  if (error instanceof StartRefused) return error.message
  const isAway = SqlError.isSqlError(error) && isNotReached(error)
  return isAway ? `DATABASE_URL: the server cannot be used: ${explain(error)}` : explain(error)
}
