/**
 * Lines of what is played. Those of single matches at debug alone: a season may play thousands in a second. Otherwise
 * a batch costs one comparison.
 */
import type { Work } from "@agon/domain/season/Command.ts"
import type { State } from "@agon/domain/season/State.ts"
import { Effect, LogLevel, References } from "effect"

const atDebug = (lines: () => ReadonlyArray<Effect.Effect<void>>): Effect.Effect<void> =>
  Effect.withFiber((fiber) =>
    LogLevel.isGreaterThan(fiber.getRef(References.MinimumLogLevel), "Debug") ? Effect.void : Effect.all(lines(), { discard: true })
  )

/** The work that a runner is given. */
export const leased = (season: string, runner: string, works: ReadonlyArray<Work>): Effect.Effect<void> =>
  atDebug(() => works.map(({ kind, lease }) => Effect.logDebug("work leased", { season, lease, kind, runner })))

/** Keys of runners that a batch began to keep back, at whatever level: it may be a machine of ours that is broken. */
export const keptBack = ({ writes }: State): Effect.Effect<void> =>
  Effect.forEach(writes.keptBack, (key) => Effect.logWarning("a runner key brings no results and has one lease at a time", { key }), {
    discard: true
  })

/** Matches that a batch ended, once it is committed; `state.writes` is still that of the batch. */
export const ended = ({ id: season, writes }: State): Effect.Effect<void> =>
  atDebug(() =>
    writes.ended.map(({ ending, fault_reason, id, lease_n, played_ms, runner, turns }) => {
      const how = fault_reason === null ? { turns, played_ms } : { fault_reason }
      return Effect.logDebug("match ended", { season, lease: `${id}.${lease_n}`, runner, ending, ...how })
    })
  )
