/** What follows in the service when a season has changed: shared answers are purged, waiting runners are woken. */
import { Effect, Layer } from "effect"
import { ResponseCache } from "../http/ResponseCache.ts"
import { OpenSeasons } from "../runner/OpenSeasons.ts"
import { Parking } from "../runner/Parking.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import { purgedBy, purgedByClaim } from "./tags.ts"

/** Changes which seasons there are to be played, or by which engine. */
const CHANGES_SEASONS: ReadonlySet<string> = new Set(["SeasonChanged", "SeasonClosed"])

export const layer: Layer.Layer<SeasonEvents, never, ResponseCache | OpenSeasons | Parking> = Layer.effect(
  SeasonEvents,
  Effect.gen(function* () {
    const cache = yield* ResponseCache
    const seasons = yield* OpenSeasons
    const parking = yield* Parking
    return SeasonEvents.of({
      publish: Effect.fnUntraced(function* (season, events) {
        const tags = new Set(events.flatMap((event) => purgedBy(season, event)))
        if (tags.size > 0) yield* cache.purge(...tags)
        if (events.some(({ _tag }) => CHANGES_SEASONS.has(_tag))) yield* Effect.forkDetach(seasons.refresh)
        if (events.some(({ _tag }) => _tag === "WorkAppeared")) parking.wake(season.id)
      }),
      claimed: Effect.fnUntraced(function* (season) {
        yield* cache.purge(...purgedByClaim(season))
        yield* seasons.refresh
        parking.wake(season.id)
      })
    })
  })
)
