/** What writing announcements, posts, picks and decisions on stories have in common: what is logged of a change, and what it purges. */
import { Cause, Effect, Exit } from "effect"
import type { ResponseCache } from "../http/ResponseCache.ts"

/** Names of what differs. The texts themselves are not logged: they are long, and may be what had to go. */
export const changedFields = <Row extends object>(before: Row, after: Row): ReadonlyArray<string> =>
  Object.keys(before).filter((name) => before[name as keyof Row] !== after[name as keyof Row])

/**
 * After a write, whatever its outcome: what it made untrue is purged, nothing where it was refused, and `all` that it may have made
 * untrue where nobody knows what came of its commit.
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
