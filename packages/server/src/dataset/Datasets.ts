/** The list of a season's files. Private seasons have none, not even for those who may see the season. */

import type { UnknownGame, UnknownSeason } from "@agon/api/Authorization.ts"
import type { Datasets as DatasetList } from "@agon/api/dataset/api.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { Context, Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { ObjectStore } from "../object/ObjectStore.ts"
import { Seasons } from "../season/Seasons.ts"
import { makeQueries } from "./queries.ts"

/** As that of a replay (match/Replays.ts). */
const URL_S = 3_600

export class Datasets extends Context.Service<
  Datasets,
  {
    readonly list: (
      game: string,
      slug: string,
      page: PageOf
    ) => Effect.Effect<{ readonly season_id: string; readonly list: DatasetList }, UnknownGame | UnknownSeason>
  }
>()("agon/Datasets") {
  static readonly layer: Layer.Layer<Datasets, never, SqlClient.SqlClient | Seasons | ObjectStore> = Layer.effect(
    Datasets,
    Effect.gen(function* () {
      const queries = yield* makeQueries
      const objects = yield* ObjectStore
      const seasons = yield* Seasons
      return Datasets.of({
        list: Effect.fn("Datasets.list")(function* (game, slug, { cursor, limit }) {
          const { id: season_id } = yield* seasons.find(game, slug, null)
          const { total } = yield* Effect.orDie(queries.count(season_id))
          const files = cursor < total ? yield* Effect.orDie(queries.files({ season_id, limit, offset: cursor })) : []
          const datasets = yield* Effect.forEach(files, ({ key, ...file }) =>
            Effect.map(objects.presignGet({ key, expires_s: URL_S }), (url) => ({ ...file, url }))
          )
          return { season_id, list: { datasets, total, next_cursor: nextCursor(cursor, datasets.length, total) } }
        })
      })
    })
  )
}
