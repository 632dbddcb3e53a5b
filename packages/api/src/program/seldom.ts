/**
 * Lines that would repeat themselves while something outside is away, such as the mail server or the object
 * store: the first one is logged, and then one in a minute for each reason, which counts those that were
 * left out since (`left_out`).
 */
import { type Cause, Clock, Effect } from "effect"
import { CappedMap } from "./CappedMap.ts"

const EVERY_MS = 60_000
/** Reasons that are remembered. */
const REASONS_MAX = 64

export interface Line {
  /** Which lines count as the same. */
  readonly reason: string
  readonly fields: Readonly<Record<string, string | number>>
  readonly cause?: Cause.Cause<unknown>
}

/** Logs warnings with this message, by their reasons. */
export const seldom = (message: string): ((line: Line) => Effect.Effect<void>) => {
  const last = new CappedMap<string, { readonly at_ms: number; left_out: number }>(REASONS_MAX)
  return Effect.fnUntraced(function* ({ cause, fields, reason }) {
    const now_ms = yield* Clock.currentTimeMillis
    const before = last.get(reason)
    if (before !== undefined && Math.abs(now_ms - before.at_ms) < EVERY_MS) {
      // the clock may have been set back
      before.left_out++
      return
    }
    const told = before === undefined || before.left_out === 0 ? fields : { ...fields, left_out: before.left_out }
    last.set(reason, { at_ms: now_ms, left_out: 0 })
    yield* cause === undefined ? Effect.logWarning(message, told) : Effect.logWarning(message, told, cause)
  })
}

/** Logs the failures of work that is tried again every few seconds: a warning with this message and the first cause. */
export const seldomFailed = (message: string): ((cause: Cause.Cause<unknown>) => Effect.Effect<void>) => {
  const tell = seldom(message)
  return (cause) => tell({ reason: "", fields: {}, cause })
}
