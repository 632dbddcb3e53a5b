/** Warns of variables that nothing reads: one whose name is misspelt has its default, and nobody notices. */
import { Effect } from "effect"

/** A service sets it for a program that it starts itself; no help names it. */
const OF_SERVICE = "TIED"

/** Before a program: a warning for each of these names with its prefix that its help does not have. */
export const warnOfUnread =
  (prefix: string, help: string, names: ReadonlyArray<string>) =>
  <A, E, R>(program: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.suspend(() => {
      const named = new Set([...help.split(/\W+/), prefix + OF_SERVICE])
      const unread = names.filter((name) => name.startsWith(prefix) && !named.has(name))
      const warnings = unread.toSorted().map((name) => Effect.logWarning(`${name}: nothing reads it; see --help`))
      return Effect.andThen(Effect.all(warnings, { discard: true }), program)
    })
