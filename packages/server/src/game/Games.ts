/**
 * The games that the service is built with, each with its featured season. Their rows are
 * made when the service starts.
 */

import type { UnknownGame } from "@agon/api/Authorization.ts"
import type { Game } from "@agon/api/game/api.ts"
import type { Engine } from "@agon/engine/Engine.ts"
import { engines } from "@agon/engine/registry.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { registered } from "../season/registered.ts"
import { Seasons } from "../season/Seasons.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { makeQueries } from "./queries.ts"

/** A game and the season in its answer, for the answer's tags. */
export interface ReadGame {
  readonly game: Game
  readonly season_id: string | null
}

export class Games extends Context.Service<
  Games,
  {
    /** In the order of registration. */
    readonly list: Effect.Effect<ReadonlyArray<ReadGame>>
    readonly get: (slug: string) => Effect.Effect<ReadGame, UnknownGame>
  }
>()("agon/Games") {
  static readonly layer: Layer.Layer<Games, never, SqlClient.SqlClient | Seasons> = Layer.effect(
    Games,
    Effect.suspend(() => makeGames)
  )
}

const makeGames = Effect.gen(function* () {
  const seasons = yield* Seasons
  const queries = yield* makeQueries
  yield* Effect.orDie(queries.register(engines.map(({ slug }) => slug)))

  return Games.of({
    list: Effect.map(seasons.featuredOfAll, (featured) =>
      engines.map((engine) =>
        publish(
          engine,
          featured.find(({ record }) => record.game === engine.slug)
        )
      )
    ),
    get: Effect.fn("Games.get")(function* (slug) {
      const engine = yield* registered(slug)
      return publish(engine, Option.getOrUndefined(yield* seasons.featured(slug)))
    })
  })
})

const publish = ({ description, digest, name, players, slug }: Engine, season: FoundSeason | undefined): ReadGame => ({
  game: { slug, name, description, players, engine_digest: digest, featured_season: season?.record ?? null },
  season_id: season?.id ?? null
})
