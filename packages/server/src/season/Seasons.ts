/**
 * Reading seasons. A private season that the caller may not see is answered exactly as one that does not exist.
 * A read that names no season means the featured one of its game, which is always public.
 */

import { type SignedIn, type UnknownGame, UnknownSeason } from "@agon/api/Authorization.ts"
import type { Playing, Podium } from "@agon/api/season/api.ts"
import type { Season } from "@agon/api/season/Season.ts"
import { isSlug, type Ladder, ladders } from "@agon/api/Wire.ts"
import { engines } from "@agon/engine/registry.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { Viewer } from "../database/visibility.ts"
import type { SeasonForAdmin } from "../http/Lookups.ts"
import { shown } from "../rating/shown.ts"
import { makeQueries, type Podiumed } from "./queries.ts"
import { registered } from "./registered.ts"
import { type FoundSeason, found } from "./seasonRecord.ts"

export class Seasons extends Context.Service<
  Seasons,
  {
    /** By its slug; the featured one where that is undefined. */
    readonly find: (game: string, slug: string | undefined, viewer: Viewer) => Effect.Effect<FoundSeason, UnknownGame | UnknownSeason>
    /** By its slug alone: of the first registered game that has one of this slug. */
    readonly findAnywhere: (slug: string, viewer: Viewer) => Effect.Effect<FoundSeason, UnknownGame | UnknownSeason>
    /** For the answer to a write: of a season that there is, whoever may see it by then. */
    readonly written: (season_id: string) => Effect.Effect<Season>
    readonly featured: (game: string) => Effect.Effect<Option.Option<FoundSeason>, UnknownGame>
    /** Of every game that has a public season. */
    readonly featuredOfAll: Effect.Effect<ReadonlyArray<FoundSeason>>
    /** Newest first. */
    readonly list: (game: string, viewer: Viewer) => Effect.Effect<ReadonlyArray<FoundSeason>, UnknownGame>
    readonly podium: (season: FoundSeason) => Effect.Effect<Podium>
    readonly playing: (season: FoundSeason) => Effect.Effect<Playing>
    /** For the auth guard of a season's administration. */
    readonly forAdmin: (account: SignedIn, game: string, slug: string) => Effect.Effect<SeasonForAdmin, UnknownGame | UnknownSeason>
  }
>()("agon/Seasons") {
  static readonly layer: Layer.Layer<Seasons, never, SqlClient.SqlClient> = Layer.effect(
    Seasons,
    Effect.suspend(() => makeSeasons)
  )
}

const unknown = (game: string, slug: string | undefined) =>
  new UnknownSeason({ detail: slug === undefined ? `${game} has no season yet.` : `${game} has no season ${slug}.` })

const makeSeasons = Effect.gen(function* () {
  const queries = yield* makeQueries

  const featured = Effect.fn("Seasons.featured")(function* (game: string) {
    yield* registered(game)
    return Option.map(yield* Effect.orDie(queries.featured({ game, now: yield* DateTime.nowAsDate })), found)
  })

  const named = Effect.fnUntraced(function* (game: string, slug: string, viewer: Viewer) {
    yield* registered(game)
    return isSlug(slug)
      ? Option.map(yield* Effect.orDie(queries.bySlug({ game, slug, viewer, now: yield* DateTime.nowAsDate })), found)
      : Option.none()
  })

  const find = Effect.fn("Seasons.find")(function* (game: string, slug: string | undefined, viewer: Viewer) {
    const season = yield* slug === undefined ? featured(game) : named(game, slug, viewer)
    return Option.isSome(season) ? season.value : yield* unknown(game, slug)
  })

  const findAnywhere = Effect.fn("Seasons.findAnywhere")(function* (slug: string, viewer: Viewer) {
    for (const game of engines) {
      const season = yield* named(game.slug, slug, viewer)
      if (Option.isSome(season)) return season.value
    }
    return yield* new UnknownSeason({ detail: `No game has a season ${slug}.` })
  })

  const written = Effect.fn("Seasons.written")(function* (season_id: string) {
    return found(yield* queries.written({ season_id, now: yield* DateTime.nowAsDate })).record
  }, Effect.orDie)

  const list = Effect.fn("Seasons.list")(function* (game: string, viewer: Viewer) {
    yield* registered(game)
    return (yield* Effect.orDie(queries.list({ game, viewer, now: yield* DateTime.nowAsDate }))).map(found)
  })

  const podium = Effect.fn("Seasons.podium")(function* ({ id, record }: FoundSeason) {
    const frozen = record.state === "closed"
    const rows = yield* Effect.orDie(frozen ? queries.frozenPodium(id) : queries.livePodium({ season_id: id, ladders }))
    return { season: record.slug, season_name: record.name, frozen, ladders: podiumsOf(rows) }
  })

  const playing = ({ id, record }: FoundSeason) =>
    Effect.map(Effect.orDie(queries.playing(id)), (counted) => ({ season: record.slug, playing: counted.playing }))

  const forAdmin = Effect.fn("Seasons.forAdmin")(function* (account: SignedIn, game: string, slug: string) {
    yield* registered(game)
    const season = isSlug(slug) ? yield* Effect.orDie(queries.forAdmin({ game, slug, account_id: account.id })) : Option.none()
    if (Option.isNone(season)) return yield* unknown(game, slug)
    return { ...season.value, administers: season.value.administers || account.admin }
  })

  const featuredOfAll = DateTime.nowAsDate.pipe(
    Effect.flatMap(queries.featuredOfAll),
    Effect.map((rows) => rows.map(found)),
    Effect.orDie
  )

  return Seasons.of({ find, findAnywhere, written, featured, featuredOfAll, list, podium, playing, forAdmin })
})

/** Every ladder is listed, even an empty one. */
const podiumsOf = (rows: ReadonlyArray<Podiumed>): Podium["ladders"] =>
  Object.fromEntries(
    ladders.map((ladder) => [
      ladder,
      rows
        .filter((row) => row.ladder === ladder)
        .map(({ ladder: _, mu, ...row }) => ({ ...row, class: row.class as Ladder, rating: shown(mu) }))
    ])
  )
