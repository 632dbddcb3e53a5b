/** Shared by the writes of announcements, posts, picks and decisions on stories: the logged changes, and the purge. */
import { Cause, Effect, Exit } from "effect"
import type { ResponseCache } from "../http/cache/ResponseCache.ts"

/**
 * The names of the changed fields. The texts themselves are not logged: they are long, and may have
 * been removed for their content.
 */
export const changedFields = <Row extends object>(before: Row, after: Row): ReadonlyArray<string> =>
  Object.keys(before).filter((name) => before[name as keyof Row] !== after[name as keyof Row])

/**
 * Purges after a write, whatever its outcome: the answers that it invalidated, nothing where it was refused,
 * and `all` that it may have invalidated where the outcome of its commit is unknown.
 */
export const purging = <A, E, R>(
  cache: ResponseCache["Service"],
  write: Effect.Effect<A, E, R>,
  all: ReadonlyArray<string>,
  untrue: (written: A) => ReadonlyArray<string> = () => all
): Effect.Effect<A, E, R> =>
  Effect.onExit(write, (exit) => {
    const tags = Exit.isSuccess(exit) ? untrue(exit.value) : Cause.hasFails(exit.cause) ? [] : all
    return cache.purge(...tags)
  })
