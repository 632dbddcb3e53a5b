/** A season's own keys, and whether any runner can process its queue. */

import type { SeasonInPath } from "@agon/api/Authorization.ts"
import type { PageOf } from "@agon/api/Page.ts"
import type { Admissions, SeasonKeys } from "@agon/api/runner/season.ts"
import { type FleetUse, mayServe } from "@agon/domain/season/Rules.ts"
import { Clock, Context, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { KnownRuntimes } from "./KnownRuntimes.ts"
import { RunnerKeys } from "./RunnerKeys.ts"
import { SEEN_WITHIN_MS } from "./Runners.ts"

export class SeasonFleet extends Context.Service<
  SeasonFleet,
  { readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<SeasonKeys> }
>()("agon/SeasonFleet") {
  static readonly layer: Layer.Layer<SeasonFleet, never, SqlClient.SqlClient | RunnerKeys> = Layer.effect(
    SeasonFleet,
    Effect.suspend(() => makeSeasonFleet)
  )
}

const Reach = Schema.Struct({
  queued: Schema.Int,
  use: Schema.Literals(["own", "platform", "both"]),
  own: Schema.Int,
  platform: Schema.Int
})

const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** The season by its primary key, its reviews by review_pkey, and the runners of the last minute by runner_seen. */
  reach: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, seen_after: Schema.Date, runtimes: Schema.Array(Schema.String) }),
    Result: Reach,
    execute: ({ runtimes, season_id, seen_after }) => sql`
      SELECT s.fleet->>'admissions' AS use,
        (SELECT count(*)::int FROM review w WHERE w.season_id = s.id AND w.until IS NULL) AS queued,
        count(r.id) FILTER (WHERE k.season_id = s.id)::int AS own, count(r.id) FILTER (WHERE k.season_id IS NULL)::int AS platform
      FROM season s
      LEFT JOIN (runner r JOIN runner_key k ON k.id = r.key_id AND k.revoked_at IS NULL)
        ON r.state = 'active' AND r.last_seen_at >= ${seen_after} AND 'admission' = ANY (r.accepts)
        AND r.runtime_version IN (SELECT jsonb_array_elements_text(${JSON.stringify(runtimes)}::jsonb))
        AND r.engines @> jsonb_build_array(jsonb_build_object('game', s.game, 'engine_digest', s.engine_digest))
        AND (k.season_id = s.id OR k.season_id IS NULL)
      WHERE s.id = ${season_id} GROUP BY s.id`
  })
}))

const makeSeasonFleet = Effect.gen(function* () {
  const keys = yield* RunnerKeys
  const known = yield* KnownRuntimes
  const queries = yield* makeQueries

  return SeasonFleet.of({
    list: Effect.fn("SeasonFleet.list")(function* (season, page) {
      const seen_after = new Date((yield* Clock.currentTimeMillis) - SEEN_WITHIN_MS)
      const reach = yield* Effect.orDie(queries.reach({ season_id: season.id, seen_after, runtimes: [...known] }))
      return { admissions: admissionsOf(reach), ...(yield* keys.list(season.id, page)) }
    })
  })
})

/** The runners that may review the season's candidates, by its choice of fleets. */
const admissionsOf = ({ own, platform, queued, use }: typeof Reach.Type): Admissions => {
  const counted = (fleet: "own" | "platform", runners: number) => (mayServe(use as FleetUse, fleet) ? runners : 0)
  const [mine, ours] = [counted("own", own), counted("platform", platform)]
  const reach = mine > 0 ? (ours > 0 ? "both" : "own") : ours > 0 ? "platform" : "none"
  return { queued, admitters: mine + ours, reach }
}
