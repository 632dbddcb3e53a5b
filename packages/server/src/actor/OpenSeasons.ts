/** The seasons in play, as the dispatcher needs them: read again when one changes, and every few seconds. */

import { seldomFailed } from "@agon/api/program/seldom.ts"
import { Context, Effect, Layer, Schedule, Schema, Semaphore } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

/** Changes made on another node are seen within this time. */
const REFRESH_EVERY = "5 seconds"

const OpenSeason = Schema.Struct({ id: Schema.String, game: Schema.String, engine_digest: Schema.String })
export type OpenSeason = typeof OpenSeason.Type

export class OpenSeasons extends Context.Service<
  OpenSeasons,
  {
    readonly list: () => ReadonlyArray<OpenSeason>
    readonly get: (id: string) => OpenSeason | undefined
    readonly refresh: Effect.Effect<void>
  }
>()("agon/OpenSeasons") {
  static readonly layer: Layer.Layer<OpenSeasons, never, SqlClient.SqlClient> = Layer.effect(
    OpenSeasons,
    Effect.gen(function* () {
      const openSeasons = yield* makeOpenSeasonsRead
      let seasons: ReadonlyMap<string, OpenSeason> = new Map()
      const remember = (rows: ReadonlyArray<OpenSeason>) =>
        Effect.sync(() => {
          seasons = new Map(rows.map((row) => [row.id, row]))
        })
      // One after the other: of two at once the older read could be remembered last.
      const reading = yield* Semaphore.make(1)
      const refresh = openSeasons(undefined).pipe(
        Effect.flatMap(remember),
        reading.withPermit,
        Effect.catchCause(seldomFailed("the open seasons were not read"))
      )
      yield* refresh
      yield* refresh.pipe(Effect.schedule(Schedule.spaced(REFRESH_EVERY)), Effect.forkScoped)
      return OpenSeasons.of({ list: () => [...seasons.values()], get: (id) => seasons.get(id), refresh })
    })
  )
}

/** The seasons that need play, by the index season_open. */
export const makeOpenSeasonsRead = Effect.map(SqlClient.SqlClient, (sql) =>
  SqlSchema.findAll({
    Request: Schema.Void,
    Result: OpenSeason,
    execute: () => sql`SELECT id, game, engine_digest FROM season WHERE closed_at IS NULL ORDER BY id`
  })
)
