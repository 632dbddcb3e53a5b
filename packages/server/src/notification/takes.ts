/**
 * Takes deliveries from the webhooks or mailboxes that wait, a part of them at a time. A statement that looks at all of them for the next four
 * mails reads some 40 us for each: half a second with ten thousand, and with some hundred thousand longer than it may take.
 *
 *   the part after the last one ─▶ those of it that are due ─▶ the next part, until so many are taken or all were looked at
 */
import { Effect, type Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { NIL } from "../database/rows.ts"
import { makeQueries, partAfter } from "./waitingQueries.ts"

const PART = 500

/** Takes up to `limit` of those among these ids that are due. */
type TakeAmong<A> = (ids: ReadonlyArray<string>, limit: number) => Effect.Effect<ReadonlyArray<A>, SqlError.SqlError | Schema.SchemaError>

export const makeTake = <A>(
  among: TakeAmong<A>,
  part = PART
): Effect.Effect<(limit: number) => ReturnType<TakeAmong<A>>, never, SqlClient.SqlClient> =>
  Effect.map(makeQueries, (queries) => {
    let after = NIL
    return Effect.fnUntraced(function* (limit: number) {
      const from = after
      const taken: Array<A> = []
      for (let isLast = from === NIL; ; ) {
        const { ids, next } = yield* partAfter(queries, after, part)
        after = next
        if (ids.length > 0) taken.push(...(yield* among(ids, limit - taken.length)))
        const isRound = isLast && (after === NIL || (from !== NIL && after >= from))
        if (taken.length >= limit || isRound) return taken
        if (after === NIL) isLast = true
      }
    })
  })
