/**
 * Since when deliveries have been due, for the gauges. A statement that looks at all webhooks and mailboxes that have some reads 30 us for
 * each: ten seconds with three hundred thousand. So one reading looks at LOOKED of them, a part at a time, and the next goes on behind these:
 *
 *   a part ─▶ the next, until LOOKED were looked at, or the last ─▶ the oldest of this round so far and of the last whole one
 *
 * Where no more wait than that, each reading is a whole round.
 */
import { Effect } from "effect"
import { NIL } from "../database/rows.ts"
import { makeQueries, type Oldest, partAfter } from "./waitingQueries.ts"

export type Channel = keyof Oldest

const PART = 500
const LOOKED = 10_000

const NONE: Oldest = { web: null, mail: null }

const earlier = (one: Date | null, other: Date | null) => (one === null || (other !== null && other < one) ? other : one)
const older = (one: Oldest, other: Oldest): Oldest => ({ web: earlier(one.web, other.web), mail: earlier(one.mail, other.mail) })

export const makeOldestDue = Effect.fnUntraced(function* (looked = LOOKED, part = PART) {
  const queries = yield* makeQueries
  let after = NIL
  let [round, last] = [NONE, NONE]
  return Effect.fnUntraced(function* (now: Date) {
    for (let left = looked; left > 0; left -= part) {
      const { ids, next } = yield* partAfter(queries, after, part)
      if (ids.length > 0) round = older(round, yield* queries.oldestOf({ ids, now }))
      after = next
      if (after !== NIL) continue
      last = round
      round = NONE
      break
    }
    return older(round, last)
  })
})
