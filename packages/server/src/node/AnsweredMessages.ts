/**
 * Removes the messages of the cluster that are answered. A season is kept on its node by a message that the cluster stores until it is
 * answered, when the season rests (actor/SeasonActors.ts); the cluster keeps message and answer for ever. There is a pair for each stay of a
 * season on a node, and one each time that somebody asks a closed season that rests, which anybody with an account may do again and again.
 *
 *   every minute: so many answered messages, with their answers ─▶ a pause ─▶ the next, until there are none
 *
 * Nobody looks for one later: they have no key by which a second one would be known, and their sender waits for no answer. After ten
 * minutes the cluster delivers a stored message again, and a season that stays answers it then. So its answer at the end may find its
 * message gone, and is removed as well.
 */
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { beginSweep, paced, sweep } from "../database/sweeping.ts"

const LOCK = "answered messages"
/** Of one transaction, which takes some ms. */
const MESSAGES_MAX = 1_000

export class AnsweredMessages extends Context.Service<
  AnsweredMessages,
  {
    /** Removes all of them; answers how many messages that were. Fails where the database is away. */
    readonly look: Effect.Effect<number, SqlError.SqlError>
  }
>()("agon/AnsweredMessages") {
  static readonly layer: Layer.Layer<AnsweredMessages, never, SqlClient.SqlClient> = Layer.effect(
    AnsweredMessages,
    Effect.gen(function* () {
      const look = yield* makeLook
      yield* sweep(look, "answered messages were not removed")
      return AnsweredMessages.of({ look })
    })
  )
}

const makeLook = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient

  /** A message and its answer are committed together. A row that is being answered is passed over. */
  const removed = Effect.map(
    sql<{ readonly n: number }>`
      WITH gone AS (DELETE FROM cluster_messages WHERE id = ANY (ARRAY(
          SELECT id FROM cluster_messages WHERE processed LIMIT ${MESSAGES_MAX} FOR UPDATE SKIP LOCKED)) RETURNING request_id),
        answers AS (DELETE FROM cluster_replies r USING gone g WHERE r.request_id = g.request_id),
        late AS (DELETE FROM cluster_replies r WHERE NOT EXISTS (SELECT FROM cluster_messages m WHERE m.request_id = r.request_id))
      SELECT count(*)::int AS n FROM gone`,
    ([row]) => row!.n
  )
  const batch = Effect.flatMap(beginSweep(sql, LOCK), (held) => (held ? removed : Effect.succeed(0))).pipe(sql.withTransaction)

  return Effect.gen(function* () {
    let total = 0
    for (let n = MESSAGES_MAX; n === MESSAGES_MAX; total += n) n = yield* paced(batch)
    return total
  }).pipe(Effect.withSpan("AnsweredMessages.look"))
})
