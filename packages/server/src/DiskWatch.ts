/**
 * The room on the disk of the local object store: a gauge, and a warning once a minute while models are
 * refused. A bucket has neither, since its capacity is unknown.
 */

import { seldom } from "@agon/api/program/seldom.ts"
import { type Duration, Effect, Layer } from "effect"
import { keepFigures } from "./database/keepFigures.ts"
import { readGauges } from "./metric/gauge.ts"
import { ObjectStore } from "./object/ObjectStore.ts"
import { FREE_SHARE_MIN } from "./object/Room.ts"

const READ_EVERY: Duration.Input = "30 seconds"

export const layer: Layer.Layer<never, never, ObjectStore> = Layer.suspend(() => layerEvery(READ_EVERY))

export const layerEvery = (every: Duration.Input): Layer.Layer<never, never, ObjectStore> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      const { freeShare } = yield* ObjectStore
      const full = seldom("the objects' disk is nearly full: models are refused, and replays where it is fuller still; make room")
      const read = Effect.tap(freeShare, (free_share) =>
        free_share < FREE_SHARE_MIN ? full({ reason: "", fields: { free_share: Number(free_share.toFixed(3)) } }) : Effect.void
      )
      const figures = yield* keepFigures(every, () => read)
      yield* readGauges([
        {
          name: "agon_objects_disk_free_ratio",
          description: "Free share of the disk with the objects, 0 to 1; none where they are in a bucket",
          read: () => figures() ?? Number.NaN
        }
      ])
    })
  )
