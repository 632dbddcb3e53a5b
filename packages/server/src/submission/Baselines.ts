/** Baselines: models that the platform brings into a season. Recorded by name, reviewed as any, switched by administrators. */
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { Unavailable } from "@agon/api/Problem.ts"
import type { SeasonClosed, Uploads } from "@agon/api/submission/api.ts"
import { ObjectStore } from "../object/ObjectStore.ts"
import { SeasonActors } from "../season/SeasonEntity.ts"
import { makeQueries } from "./queries.ts"
import { asked, uploadsOf } from "./Submissions.ts"

export interface Recorded {
  readonly season_id: string
  readonly game: string
  readonly name: string
  readonly weights_hash: string
  readonly manifest_hash: string
  /** Of the season's largest class. */
  readonly weights_max_bytes: number
}

export class Baselines extends Context.Service<
  Baselines,
  {
    /** Records a baseline and answers where its two files go. It is admitted as a submission and lands out of play. */
    readonly record: (
      baseline: Recorded
    ) => Effect.Effect<{ readonly version: string; readonly upload: Uploads }, SeasonClosed | Unavailable>
    readonly switch: (season_id: string, version: string, enabled: boolean) => Effect.Effect<boolean, SeasonClosed | Unavailable>
  }
>()("agon/Baselines") {
  static readonly layer: Layer.Layer<Baselines, never, SqlClient.SqlClient | ObjectStore | SeasonActors> = Layer.effect(
    Baselines,
    Effect.gen(function* () {
      const queries = yield* makeQueries
      const actors = yield* SeasonActors
      const objects = yield* ObjectStore
      const random = SecureRandom.make((size) => randomBytes(size))
      return Baselines.of({
        record: Effect.fn("Baselines.record")(function* ({ game, manifest_hash, name, season_id, weights_hash, weights_max_bytes }) {
          const now = new Date(yield* Clock.currentTimeMillis)
          const model = yield* Effect.orDie(queries.baselineModel({ id: yield* random.uuidV7(), game, season_id, name, now }))
          const { number } = yield* Effect.orDie(queries.nextNumber(model.id))
          const hashes = { weights_hash, manifest_hash }
          const reply = yield* asked(actors, season_id, {
            _tag: "SubmitVersion",
            version: yield* random.uuidV7(),
            model: model.id,
            owner: null,
            number,
            ...hashes,
            note: null,
            eligible: true,
            retired: false,
            files: null
          })
          if ("refused" in reply) return yield* Effect.die(new Error(`baseline ${name} was refused: ${reply.refused[0]!.code}`))
          return { version: reply.submitted, upload: yield* uploadsOf(objects, reply, hashes, weights_max_bytes) }
        }),
        switch: Effect.fn("Baselines.switch")(function* (season_id, version, enabled) {
          const reply = yield* asked(actors, season_id, { _tag: "SwitchBaseline", version, enabled })
          return "enabled" in reply
        })
      })
    })
  )
}
