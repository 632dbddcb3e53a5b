/**
 * SeasonEvents on all nodes: cached answers are purged and waiting runners are woken, here and, by Broadcast,
 * elsewhere. A season lives on one node, but its readers and waiting runners may be on any.
 */
import { Effect, Layer } from "effect"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { Broadcast, everything } from "../node/Broadcast.ts"
import { Parking } from "../parking/Parking.ts"
import { OpenSeasons } from "./OpenSeasons.ts"
import { purgedByAll, purgedByClaim } from "./purges.ts"
import { SeasonEvents } from "./SeasonEvents.ts"

/** Events that change which seasons are in play, or with which engine. */
const CHANGES_SEASONS: ReadonlySet<string> = new Set(["SeasonChanged", "SeasonClosed"])

export const layer: Layer.Layer<SeasonEvents, never, Broadcast | ResponseCache | OpenSeasons | Parking> = Layer.effect(
  SeasonEvents,
  Effect.gen(function* () {
    const cache = yield* ResponseCache
    const seasons = yield* OpenSeasons
    const parking = yield* Parking
    const { listen, tell } = yield* Broadcast
    const wake = (ids: ReadonlyArray<string>) =>
      Effect.sync(() => {
        const meant = ids.includes(everything) ? seasons.list().map(({ id }) => id) : ids
        for (const id of meant) parking.wake(id)
      })
    // The missed events may concern any season or its work. In a fiber of its own: purges are told after
    // it, and do not wait for a read.
    const wakeAll = Effect.asVoid(Effect.forkDetach(Effect.andThen(seasons.refresh, wake([everything]))))
    yield* listen({ topic: "work", heard: wake, disconnected: Effect.void, hearing: Effect.void })
    yield* listen({ topic: "seasons", heard: () => wakeAll, disconnected: Effect.void, hearing: wakeAll })
    const workAppeared = (id: string) => Effect.andThen(wake([id]), tell("work", [id]))
    return SeasonEvents.of({
      publish: Effect.fnUntraced(function* (season, events) {
        const tags = purgedByAll(season, events)
        if (tags.length > 0) yield* cache.purge(...tags)
        if (events.some(({ _tag }) => CHANGES_SEASONS.has(_tag))) {
          yield* Effect.forkDetach(seasons.refresh)
          yield* tell("seasons", [season.id])
        }
        if (events.some(({ _tag }) => _tag === "WorkAppeared")) yield* workAppeared(season.id)
      }),
      claimed: Effect.fnUntraced(function* (season) {
        yield* cache.purge(...purgedByClaim(season))
        // A node that has just learned of it must offer its work too. Told as well where the read takes longer than the season waits for this.
        yield* Effect.ensuring(seasons.refresh, Effect.andThen(wake([season.id]), tell("seasons", [season.id])))
      })
    })
  })
)
