/**
 * The reasons why versions wait, and about when they play next. The season's actor reads its state for it, on
 * whichever node it lives, without a place in its mailbox; which runners it can count on is in their rows. A
 * season that is moving tells nothing for a while.
 */
import type { AdministeredVersion } from "@agon/api/version/Version.ts"
import { type FleetUse, mayServe } from "@agon/domain/season/Rules.ts"
import type { Forecast, Reach } from "@agon/domain/season/waiting/Forecast.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { SeasonActors } from "../actor/SeasonActors.ts"
import { SharedClock } from "../database/SharedClock.ts"
import { KnownRuntimes } from "../runner/session/KnownRuntimes.ts"
import { SEEN_WITHIN_MS } from "../runner/session/Runners.ts"
import { makeQueries } from "./reachQueries.ts"
import type { StoredVersion } from "./Versions.ts"

/** Seasons that one answer looks at side by side. */
const CONCURRENCY = 4

export class Forecasts extends Context.Service<
  Forecasts,
  { readonly added: (versions: ReadonlyArray<StoredVersion>) => Effect.Effect<ReadonlyArray<AdministeredVersion>> }
>()("agon/Forecasts") {
  static readonly layer: Layer.Layer<Forecasts, never, SqlClient.SqlClient | SeasonActors> = Layer.effect(
    Forecasts,
    Effect.suspend(() => makeForecasts)
  ).pipe(Layer.provide(SharedClock.layer))
}

const NOTHING: Forecast = { waiting: null, next_match_eta_s: null }

const makeForecasts = Effect.gen(function* () {
  const actors = yield* SeasonActors
  const known = yield* KnownRuntimes
  const queries = yield* makeQueries
  const shared = yield* SharedClock

  const ofSeason = Effect.fnUntraced(function* (rows: ReadonlyArray<StoredVersion>) {
    const { game, season } = rows[0]!
    const seen_after = new Date((yield* shared.now_ms) - SEEN_WITHIN_MS)
    const found = yield* Effect.orDie(queries.reach({ game, slug: season, seen_after, runtimes: [...known] }))
    if (Option.isNone(found)) return [] // it is closed
    const { admissions, id, matches, ...slots } = found.value
    const counted = (use: FleetUse, own: number, platform: number) =>
      (mayServe(use, "own") ? own : 0) + (mayServe(use, "platform") ? platform : 0)
    const reach: Reach = {
      admitters: counted(admissions, slots.own_admitters, slots.platform_admitters),
      players: counted(matches, slots.own_players, slots.platform_players)
    }
    const versions = rows.map(({ version_id }) => version_id)
    const forecasts = yield* actors.forecast(id, versions, reach)
    return forecasts.map((forecast, i) => [versions[i]!, forecast] as const)
  })

  return Forecasts.of({
    added: Effect.fn("Forecasts.added")(function* (versions) {
      const waiting = versions.filter(({ status }) => status === "testing" || status === "entered")
      const seasons = [...Map.groupBy(waiting, ({ game, season }) => `${game} ${season}`).values()]
      const found = new Map((yield* Effect.forEach(seasons, ofSeason, { concurrency: CONCURRENCY })).flat())
      return versions.map((version) => ({ ...version, ...shownOf(version, found.get(version.version_id) ?? NOTHING) }))
    })
  })
})

/**
 * The row and the season may be a commit apart: a candidate that has just entered is
 * told no time for its next match.
 */
const shownOf = ({ status }: StoredVersion, { next_match_eta_s, waiting }: Forecast): Forecast => ({
  waiting,
  next_match_eta_s: status === "entered" ? next_match_eta_s : null
})
