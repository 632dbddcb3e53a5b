/** Competitors' models. A model is made before its first version, and only by its owner. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import type { ModelInPath, SignedIn, UnknownGame } from "@agon/api/Authorization.ts"
import { type Model, ModelNameTaken, type Models as ModelList } from "@agon/api/model/api.ts"
import { nextCursor } from "@agon/api/Page.ts"
import { InvalidRequest } from "@agon/api/Problem.ts"
import { ModelCapReached } from "@agon/api/submission/api.ts"
import { isUuid } from "@agon/api/Wire.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import { type PageOf, profileTag } from "../account/Accounts.ts"
import { onUnique } from "../database/rows.ts"
import { registered } from "../game/registered.ts"
import { ResponseCache } from "../http/ResponseCache.ts"
import { Seasons, type Viewer } from "../season/Seasons.ts"
import { modelTag } from "../season/tags.ts"
import { type ReadVersion, Versions } from "../version/Versions.ts"
import { makeQueries } from "./queries.ts"

/** A model with those of its versions that the viewer may see, newest first. */
export interface ReadModel {
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
    ) => Effect.Effect<Model, UnknownGame | ModelCapReached | ModelNameTaken | InvalidRequest>
    /** Of one game, or of all where that is undefined. */
    readonly ofOwner: (owner: SignedIn, game: string | undefined, page: PageOf) => Effect.Effect<ModelList, UnknownGame>
    /** None also where `id` is no UUID. */
    readonly get: (id: string, viewer: Viewer) => Effect.Effect<Option.Option<ReadModel>>
    readonly ownedBy: (account_id: string, id: string) => Effect.Effect<Option.Option<ModelInPath>>
  }
>()("agon/Models") {
  static readonly layer: Layer.Layer<Models, never, SqlClient.SqlClient | ResponseCache | Seasons | Versions> = Layer.effect(
    Models,
    Effect.suspend(() => makeModels)
  )
}

const makeCreate = Effect.gen(function* () {
  const cache = yield* ResponseCache
  const queries = yield* makeQueries
  const seasons = yield* Seasons
  const sql = yield* SqlClient.SqlClient
  const random = SecureRandom.make((size) => randomBytes(size))

  const capOf = (game: string) =>
    Effect.map(
      seasons.featured(game),
      Option.match({ onNone: () => DEFAULT_RULES.max_models_per_owner, onSome: ({ record }) => record.rules.max_models_per_owner })
    )

  return Effect.fn("Models.create")(function* (owner: SignedIn, game: string, name: string) {
    const cap = yield* capOf(game)
    if (name.includes("\0")) return yield* unprintable
    const row = { id: yield* random.uuidV7(), game, owner_id: owner.id, name, cap, now: new Date(yield* Clock.currentTimeMillis) }
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

/** The database keeps no text with this character in it. */
const unprintable = new InvalidRequest({
  detail: "A name has no NUL in it.",
  errors: [{ path: "name", message: "has a NUL in it" }]
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

  return Models.of({ create, ofOwner, get, ownedBy })
})
