/** Matches that wait to be played again, of a service whose share of audits is 1. */

import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { untilSuccess } from "./eventually.ts"
import { isMatch, type Keyed, report } from "./Referee.ts"

/** A match that was played and set aside, and who played it. */
export const setAside = Effect.fnUntraced(function* ({ client, open }: Keyed) {
  const player = yield* open(["match"])
  const { leases } = yield* client.runner.lease({ payload: { runner: player, max: 1, wait_s: 10 } })
  const [match] = leases.filter(isMatch)
  yield* report(client, match!)
  const sql = yield* PgClient.PgClient
  yield* untilSuccess(
    Effect.flatMap(sql`SELECT 1 FROM match_audit WHERE match_id = ${match!.match_id}::uuid`, ({ length }) =>
      length === 1 ? Effect.void : Effect.fail(new Error("the match was not set aside"))
    )
  )
  return { match: match!.match_id, player }
})
