/** The session of a runner, what it plays, and what it has to tell. */

import type { RunnerSession } from "@agon/api/runner/protocol.ts"
import { Effect, type Fiber, Latch, type Tracer } from "effect"
import type { Done } from "./results.ts"
import type { UntilAnswered } from "./untilAnswered.ts"

export interface State {
  session: RunnerSession
  draining: boolean
  readonly untilAnswered: UntilAnswered
  readonly running: Map<string, Fiber.Fiber<void>>
  done: ReadonlyArray<Done>
  /** Results that are told beside the loop (lateResults.ts). */
  late: ReadonlyArray<Done>
  /** Open while there are such. */
  readonly isLate: Latch.Latch
  /** The last work that ended came to nothing: the next may come to nothing as fast. */
  failed: boolean
  /** The spans of results that are not told yet, where their matches are traced. */
  readonly reports: Map<string, Tracer.Span>
  /** Open while there is something to send: a result, or a stop. */
  readonly news: Latch.Latch
  /** Opened once it drains. */
  readonly drains: Latch.Latch
}

/** The leases of the work in progress, and of what is done and not told. */
export const leasesOf = (running: State["running"], done: ReadonlyArray<Done>): ReadonlyArray<string> => [
  ...running.keys(),
  ...done.map(({ work }) => work.lease)
]

/** From now on the runner takes no new work: its service or its operator wants it so. */
export const drain = (state: State, why: string) =>
  Effect.suspend(() => {
    if (state.draining) return Effect.void
    state.draining = true
    const told = Effect.logInfo("runner drains", { runner: state.session.runner, why, leases: state.running.size })
    return Effect.andThen(Latch.open(state.drains), told)
  })
