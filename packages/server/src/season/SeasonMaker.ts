/** Makes seasons: the row with a fresh machine, its administrators, its actor awake. */
import { Clock, Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { Problem } from "@agon/api/Problem.ts"
import type { Settings } from "@agon/domain/season/Rules.ts"
import { freshHead } from "@agon/domain/season/State.ts"
import { onUnique } from "../database/rows.ts"
import { ResponseCache } from "../http/ResponseCache.ts"
import { OpenSeasons } from "../runner/OpenSeasons.ts"
import { SeasonActors } from "./SeasonEntity.ts"
import { gameTag } from "./tags.ts"

export class SeasonExists extends Problem<SeasonExists>()("season_exists", 409, "There is a season of that name") {}

export interface NewSeason {
  readonly game: string
  readonly slug: string
  readonly name: string
  readonly visibility: "public" | "private"
  readonly entry: "open" | "restricted"
  readonly providers: ReadonlyArray<string>
  readonly settings: Settings
}

export class SeasonMaker extends Context.Service<
  SeasonMaker,
  { readonly make: (season: NewSeason) => Effect.Effect<string, SeasonExists> }
>()("agon/SeasonMaker") {
  static readonly layer: Layer.Layer<SeasonMaker, never, SqlClient.SqlClient | SeasonActors | ResponseCache | OpenSeasons> = Layer.effect(
    SeasonMaker,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const actors = yield* SeasonActors
      const cache = yield* ResponseCache
      const open = yield* OpenSeasons
      const random = SecureRandom.make((size) => randomBytes(size))

      /** Inserts one row; season_slug is unique. */
      const insert = (id: string, season: NewSeason, now: Date) => sql`
        INSERT INTO season (id, game, slug, name, visibility, entry, providers, created_at, submissions_open_at, submissions_close_at,
          rules, weight_classes, fleet, fill, engine_digest, head)
        VALUES (${id}, ${season.game}, ${season.slug}, ${season.name}, ${season.visibility}, ${season.entry},
          string_to_array(${season.providers.join(",")}, ','), ${now}, ${new Date(season.settings.submissions_open_at)},
          ${new Date(season.settings.submissions_close_at)}, ${JSON.stringify(season.settings.rules)}::jsonb,
          ${JSON.stringify(season.settings.weight_classes)}::jsonb, ${JSON.stringify(season.settings.fleet)}::jsonb,
          ${JSON.stringify(season.settings.fill)}::jsonb, ${season.settings.engine_digest}, ${JSON.stringify(freshHead())}::jsonb)`

      return SeasonMaker.of({
        make: Effect.fn("SeasonMaker.make")(function* (season) {
          const id = yield* random.uuidV7()
          const now = new Date(yield* Clock.currentTimeMillis)
          yield* insert(id, season, now).pipe(
            onUnique("season_slug", () => new SeasonExists({ detail: `${season.game} has a season ${season.slug} already.` })),
            Effect.ensuring(cache.purge(gameTag(season.game)))
          )
          yield* open.refresh
          yield* Effect.ignore(actors.wake(id)) // what keeps it from waking now is tried again by whoever asks it first
          return id
        })
      })
    })
  )
}
