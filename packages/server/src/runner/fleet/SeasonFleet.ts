/** A season's own keys, and whether any runner can process its queue. */

import type { SeasonInPath } from "@agon/api/Authorization.ts"
import type { PageOf } from "@agon/api/Page.ts"
import type { Admissions, SeasonKeys } from "@agon/api/runner/season.ts"
import { mayServe } from "@agon/domain/season/Rules.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { SharedClock } from "../../database/SharedClock.ts"
import { RunnerKeys } from "../key/RunnerKeys.ts"
import { KnownRuntimes } from "../session/KnownRuntimes.ts"
import { SEEN_WITHIN_MS } from "../session/Runners.ts"
import { makeQueries, type ReachRow } from "./fleetQueries.ts"

export class SeasonFleet extends Context.Service<
  SeasonFleet,
  { readonly list: (season: SeasonInPath, page: PageOf) => Effect.Effect<SeasonKeys> }
>()("agon/SeasonFleet") {
  static readonly layer: Layer.Layer<SeasonFleet, never, SqlClient.SqlClient | RunnerKeys> = Layer.effect(
    SeasonFleet,
    Effect.suspend(() => makeSeasonFleet)
  ).pipe(Layer.provide(SharedClock.layer))
}

const makeSeasonFleet = Effect.gen(function* () {
  const keys = yield* RunnerKeys
  const known = yield* KnownRuntimes
  const queries = yield* makeQueries
  const shared = yield* SharedClock

  return SeasonFleet.of({
    list: Effect.fn("SeasonFleet.list")(function* (season, page) {
      const seen_after = new Date((yield* shared.now_ms) - SEEN_WITHIN_MS)
      const reach = yield* Effect.orDie(queries.reach({ season_id: season.id, seen_after, runtimes: [...known] }))
      return { admissions: admissionsOf(reach), fleet: reach.fleet, fill: reach.fill, ...(yield* keys.list(season.id, page)) }
    })
  })
})

/** The runners that may review the season's candidates, by its choice of fleets. */
const admissionsOf = ({ fleet: { admissions }, own, platform, queued }: ReachRow): Admissions => {
  const counted = (fleet: "own" | "platform", runners: number) => (mayServe(admissions, fleet) ? runners : 0)
  const [mine, ours] = [counted("own", own), counted("platform", platform)]
  const reach = mine > 0 ? (ours > 0 ? "both" : "own") : ours > 0 ? "platform" : "none"
  return { queued, admitters: mine + ours, reach }
}
