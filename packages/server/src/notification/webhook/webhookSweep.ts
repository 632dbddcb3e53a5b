/**
 * Deletes what cannot be delivered any more. The webhooks and mailboxes that have deliveries are gone through PART at a time, and rows are
 * deleted at most DELETED of AT_ONCE webhooks in one statement: a webhook may have a thousand. Three hundred thousand that wait took ten
 * seconds in one statement; so a statement takes some tens of ms, and the sweep a fifth of a connection's time.
 */
import { Effect } from "effect"
import { NIL } from "../../database/rows.ts"
import { pauseAfter } from "../../database/sweeping.ts"
import { makeQueries as makeWaitingQueries, partAfter } from "../waitingQueries.ts"
import { makeQueries } from "./webhookDeliveryQueries.ts"

const PART = 500
const AT_ONCE = 10
const DELETED = 2_000

const chunks = (ids: ReadonlyArray<string>) =>
  Array.from({ length: Math.ceil(ids.length / AT_ONCE) }, (_, at) => ids.slice(at * AT_ONCE, (at + 1) * AT_ONCE))

/** Sweeps what was told before an instant to webhooks that fail, and all that is left for those that are told nothing. */
export const makeSweep = Effect.gen(function* () {
  const { sweep, sweepable } = yield* makeQueries
  const waiting = yield* makeWaitingQueries

  const among = Effect.fnUntraced(function* (ids: ReadonlyArray<string>, lost_before: Date) {
    const deleting = sweep({ ids, lost_before, limit: DELETED })
    while ((yield* deleting).swept === DELETED);
  })

  /** Answers the id that the next part comes after. */
  const part = Effect.fnUntraced(function* (after: string, lost_before: Date) {
    const { ids, next } = yield* partAfter(waiting, after, PART)
    const some = ids.length === 0 ? [] : (yield* sweepable(ids)).map(({ id }) => id)
    for (const chunk of chunks(some)) yield* among(chunk, lost_before)
    return next
  })

  return Effect.fnUntraced(function* (lost_before: Date) {
    for (let after = NIL; ; ) {
      const [took, next] = yield* Effect.timed(part(after, lost_before))
      if (next === NIL) return
      yield* pauseAfter(took)
      after = next
    }
  })
})
