/**
 * Work on the log of a running season, in a fiber beside its actor: `Folding` and `Learning`. Both
 * only read the state, and end with a command to the season. Before it `Folding` writes rows of the log, under the fence.
 */
import type { State } from "@agon/domain/season/State.ts"
import { Duration, Effect, Schedule } from "effect"
import type * as Mailbox from "./Mailbox.ts"
import type { Fence, SeasonLog } from "./SeasonStore.ts"

/** The limit for reading a page of the log or writing a chunk of it; a healthy database needs far less. */
const STATEMENT_TIMEOUT = Duration.seconds(30)
const AGAIN = Schedule.spaced("1 second")

/** The season as it is known beside its actor. */
export interface BesideSeason {
  readonly mailbox: Mailbox.Mailbox
  readonly log: SeasonLog
  /** The same from the claim to the end of the incarnation. */
  readonly fence: Pick<Fence, "season" | "epoch">
  /** The actor's state, read only: it also names voided matches that are not committed yet. */
  readonly state: State
}

export const withinStatementTimeout = Effect.timeout(STATEMENT_TIMEOUT)

/** A failure is logged as `warning`, and the work starts over; the end of the season's incarnation stops it. */
export const untilSuccess =
  (warning: string) =>
  <E>(work: Effect.Effect<void, E>): Effect.Effect<void> =>
    work.pipe(
      Effect.tapError((error) => Effect.logWarning(warning, error)),
      Effect.retry(AGAIN),
      Effect.orDie
    )
