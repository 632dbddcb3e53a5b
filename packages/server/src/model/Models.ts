/** Competitors' models. A model is made before its first version, and only by its owner. */

import type { ModelInPath, SignedIn, UnknownGame, UnknownSeason } from "@agon/api/Authorization.ts"
import {
  type Model,
  type Models as ModelList,
  type ModelMaps,
  ModelNameTaken,
  type ModelPatch,
  type ModelSeason,
  type Rivals
} from "@agon/api/model/api.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import { ModelCapReached } from "@agon/api/submission/api.ts"
import type { NoteWordListed } from "@agon/api/version/refusals.ts"
import { isUuid, type Ladder } from "@agon/api/Wire.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { Clock, Context, DateTime, Effect, Layer, Option } from "effect"
import { SqlClient } from "effect/sql"
import { profileTag } from "../account/Accounts.ts"
import { refuseListed, Words } from "../account/Words.ts"
import { newId } from "../database/newId.ts"
import { onUnique } from "../database/rows.ts"
import type { Viewer } from "../database/visibility.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { everywhereTag, modelTag, namesTag } from "../http/cache/tags.ts"
import { WholeCounts } from "../match/list/WholeCounts.ts"
import { registered } from "../season/registered.ts"
import { Seasons } from "../season/Seasons.ts"
import type { FoundSeason } from "../season/seasonRecord.ts"
import { type ReadVersion, Versions } from "../version/Versions.ts"
import { storyTag } from "../writing/tags.ts"
import { countMaps } from "./MapTallies.ts"
import { makeQueries as makeMapQueries } from "./mapQueries.ts"
import { makeQueries } from "./queries.ts"
import { RivalTallies } from "./RivalTallies.ts"
import { mapsOf, recordOf } from "./record.ts"
import { makeResults } from "./results.ts"
import { addTo, type Tally } from "./rivalCounts.ts"

/** A model with those of its versions that the viewer may see, newest first. */
interface ReadModel {
  readonly model: Model
  readonly versions: ReadonlyArray<ReadVersion>
}

export class Models extends Context.Service<
  Models,
  {
    readonly create: (
      owner: SignedIn,
      game: string,
      name: string
    ) => Effect.Effect<Model, UnknownGame | NoteWordListed | ModelCapReached | ModelNameTaken>
    /** Of one game, or of all where that is undefined. */
    readonly ofOwner: (owner: SignedIn, game: string | undefined, page: PageOf) => Effect.Effect<ModelList, UnknownGame>
    /** None also where `id` is no UUID. */
    readonly get: (id: string, viewer: Viewer) => Effect.Effect<Option.Option<ReadModel>>
    /** Ask `ownedBy` first. */
    readonly edit: (owner: SignedIn, id: string, patch: ModelPatch) => Effect.Effect<Model, NoteWordListed | ModelNameTaken>
    /** How a model does in a season: the one of its game by that slug, or the featured one. */
    readonly season: (
      id: string,
      slug: string | undefined,
      ladder: Ladder,
      viewer: Viewer
    ) => Effect.Effect<{ readonly season: FoundSeason; readonly record: ModelSeason }, NotFound | UnknownGame | UnknownSeason | Unavailable>
    /** How a model does on the boards of a season: named as above. */
    readonly maps: (
      id: string,
      slug: string | undefined,
      viewer: Viewer
    ) => Effect.Effect<{ readonly season: FoundSeason; readonly maps: ModelMaps }, NotFound | UnknownGame | UnknownSeason>
    /** In every season that the viewer may see. */
    readonly rivals: (id: string, page: PageOf, viewer: Viewer) => Effect.Effect<Rivals, NotFound>
    readonly ownedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<ModelInPath>>
  }
>()("agon/Models") {
  static readonly layer: Layer.Layer<Models, never, SqlClient.SqlClient | ResponseCache | Seasons | Versions | Words> = Layer.effect(
    Models,
    Effect.suspend(() => makeModels)
  ).pipe(Layer.provide([RivalTallies.layer, WholeCounts.layer]))
}

const makeCreate = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const seasons = yield* Seasons
  const sql = yield* SqlClient.SqlClient
  const words = yield* Words

  const capOf = (game: string) =>
    Effect.map(
      seasons.featured(game),
      Option.match({ onNone: () => DEFAULT_RULES.max_models_per_owner, onSome: ({ record }) => record.rules.max_models_per_owner })
    )

  return Effect.fn("Models.create")(function* (owner: SignedIn, game: string, name: string) {
    const cap = yield* capOf(game)
    yield* refuseListed(words, "name", name)
    const row = { id: yield* newId, game, owner_id: owner.id, name, cap, now: yield* DateTime.nowAsDate }
    const created = yield* Effect.andThen(queries.lockCreation(owner.id, game), queries.create(row)).pipe(
      sql.withTransaction,
      onUnique("model_name", () => new ModelNameTaken({ detail: `You have a model named ${name} in ${game}.` })),
      Effect.ensuring(cache.purge(modelTag(row.id), profileTag(owner.username)))
    )
    if (Option.isNone(created))
      return yield* new ModelCapReached({ detail: `You hold ${cap} models in ${game}, which is as many as you may.` })
    return created.value
  })
})

const makeEdit = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const words = yield* Words

  return Effect.fn("Models.edit")(function* (owner: SignedIn, id: string, { name = null, retired = null }: Partial<Nullable<ModelPatch>>) {
    if (name !== null) yield* refuseListed(words, "name", name)
    const seasons = name === null ? [] : yield* Effect.orDie(queries.seasonsOf(id))
    const shown = [...seasons.map(({ season_id }) => namesTag(season_id)), ...(name === null ? [] : [everywhereTag, storyTag(id)])]
    return yield* queries.edit({ id, name, retired }).pipe(
      onUnique("model_name", () => new ModelNameTaken({ detail: `You have a model named ${name} in this game.` })),
      Effect.ensuring(cache.purge(modelTag(id), profileTag(owner.username), ...shown))
    )
  })
})

type Nullable<A> = { readonly [K in keyof A]: A[K] | null }

const WEEK_MS = 7 * 24 * 60 * 60 * 1000

const makeRecords = Effect.gen(function* () {
  const queries = yield* makeQueries
  const resultsOf = yield* makeResults
  const seasons = yield* Seasons

  const known = Effect.fnUntraced(function* (id: string, viewer: Viewer) {
    const model = yield* Effect.orDie(queries.byId({ id, viewer }))
    return Option.isSome(model) ? model.value : yield* new NotFound({ detail: "There is no such model." })
  })

  const season = Effect.fn("Models.season")(function* (id: string, slug: string | undefined, ladder: Ladder, viewer: Viewer) {
    const model = yield* known(id, viewer)
    const found = yield* seasons.find(model.game, slug, viewer)
    const { closed_at } = found.record
    const end_ms = closed_at === null ? yield* Clock.currentTimeMillis : Date.parse(closed_at)
    const of = { id, season_id: found.id, ladder }
    const standing = yield* Effect.orDie(queries.standing(of))
    const { rank: rank_week_ago } = yield* Effect.orDie(queries.rankAt({ ...of, at: new Date(end_ms - WEEK_MS) }))
    const results = yield* resultsOf(of)
    return { season: found, record: recordOf(found.record.slug, ladder, standing, rank_week_ago, results) }
  })

  return { season, maps: yield* makeMaps(known), rivals: yield* makeRivals(known) }
})

/** A model's older versions in the season do not count any more; seasons allow fifty unless told otherwise. */
export const VERSIONS_OF_MODEL_MAX = 50

const makeMaps = Effect.fnUntraced(function* (known: (id: string, viewer: Viewer) => Effect.Effect<Model, NotFound>) {
  const queries = yield* makeMapQueries
  const seasons = yield* Seasons

  const counted = Effect.fnUntraced(function* (id: string, season_id: string) {
    const versions = yield* queries.versionsOf({ id, season_id, limit: VERSIONS_OF_MODEL_MAX })
    const tallies = yield* countMaps(
      queries,
      versions.map(({ id }) => id)
    )
    return mapsOf(yield* queries.boards(season_id), tallies)
  }, Effect.orDie)

  return Effect.fn("Models.maps")(function* (id: string, slug: string | undefined, viewer: Viewer) {
    const model = yield* known(id, viewer)
    const season = yield* seasons.find(model.game, slug, viewer)
    return { season, maps: { season: season.record.slug, maps: yield* counted(id, season.id) } }
  })
})

/** The most frequent opponents first, ties by the latest match. */
const byMeetings = ([a, one]: readonly [string, Tally], [b, other]: readonly [string, Tally]) =>
  other.played - one.played || other.last_ms - one.last_ms || (a < b ? -1 : 1)

const makeRivals = Effect.fnUntraced(function* (known: (id: string, viewer: Viewer) => Effect.Effect<unknown, NotFound>) {
  const queries = yield* makeQueries
  const counts = yield* RivalTallies

  const rivalsOf = Effect.fnUntraced(function* (id: string, viewer: Viewer) {
    const met = new Map<string, Tally>()
    const versions = (yield* queries.versionsSeen({ id, viewer })).map(({ id }) => id)
    for (const tallies of (yield* counts.of(versions)).values()) addTo(met, tallies)
    return met
  }, Effect.orDie)

  return Effect.fn("Models.rivals")(function* (id: string, { cursor, limit }: PageOf, viewer: Viewer) {
    yield* known(id, viewer)
    const met = [...(yield* rivalsOf(id, viewer))].sort(byMeetings)
    const page = met.slice(cursor, cursor + limit)
    const named = yield* Effect.orDie(queries.names({ models: page.map(([model_id]) => model_id) }))
    const names = new Map(named.map(({ id, ...names }) => [id, names]))
    const rivals = page.map(([model_id, { last_ms, ...tally }]) => ({
      ...{ model_id, ...names.get(model_id)! },
      ...tally,
      last_played_at: new Date(last_ms).toISOString()
    }))
    return { rivals, total: met.length, next_cursor: nextCursor(cursor, rivals.length, met.length) }
  })
})

const makeModels = Effect.gen(function* () {
  const create = yield* makeCreate
  const queries = yield* makeQueries
  const versions = yield* Versions

  const ofOwner = Effect.fn("Models.ofOwner")(function* (owner: SignedIn, game: string | undefined, { cursor, limit }: PageOf) {
    if (game !== undefined) yield* registered(game)
    const of = { owner_id: owner.id, game: game ?? null }
    const models = yield* Effect.orDie(queries.ofOwner({ ...of, limit, offset: cursor }))
    const { total } = yield* Effect.orDie(queries.countOfOwner(of))
    return { models, total, next_cursor: nextCursor(cursor, models.length, total) }
  })

  const get = Effect.fn("Models.get")(function* (id: string, viewer: Viewer) {
    const model = isUuid(id) ? yield* Effect.orDie(queries.byId({ id, viewer })) : Option.none()
    return Option.isSome(model) ? Option.some({ model: model.value, versions: yield* versions.ofModel(id, viewer) }) : Option.none()
  })

  const ownedBy = (account_id: string, id: string) =>
    isUuid(id) ? Effect.orDie(queries.ownedBy({ id, account_id })) : Effect.succeed(Option.none())

  return Models.of({ create, edit: yield* makeEdit, ...(yield* makeRecords), ofOwner, get, ownedBy })
})
