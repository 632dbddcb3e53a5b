import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { Broadcast } from "../node/Broadcast.ts"
import { Parking } from "../parking/Parking.ts"
import { OpenSeasons } from "./OpenSeasons.ts"
import { TELL_TIMEOUT } from "./SeasonActor.ts"
import { SeasonEvents } from "./SeasonEvents.ts"
import { layer } from "./SeasonEventsBroadcast.ts"

const season = { id: "s", game: "snakes", slug: "spring" }

it.effect(
  "runners that wait hear of a season that was claimed, on all nodes, though the open seasons take longer to read than it waits",
  () => {
    const told: Array<string> = []
    const broadcast = Broadcast.of({ tell: (topic) => Effect.sync(() => void told.push(topic)), listen: () => Effect.void })
    const slow = Layer.mock(OpenSeasons, { list: () => [], get: () => undefined, refresh: Effect.sleep("3 seconds") })
    const services = Layer.mergeAll(Layer.succeed(Broadcast, broadcast), slow, Parking.layer, ResponseCache.layer)
    return Effect.gen(function* () {
      const [events, parking] = [yield* SeasonEvents, yield* Parking]
      const waiting = yield* Effect.forkChild(parking.park({ kind: "any", serves: () => true }, 0, 30_000), { startImmediately: true })
      yield* Effect.forkChild(Effect.timeout(events.claimed(season), TELL_TIMEOUT), { startImmediately: true })
      yield* TestClock.adjust("4 seconds")
      assert.isDefined(waiting.pollUnsafe(), "it is woken")
      assert.isTrue(yield* Fiber.join(waiting))
      assert.include(told, "seasons")
    }).pipe(Effect.provide(layer.pipe(Layer.provideMerge(services))))
  }
)
