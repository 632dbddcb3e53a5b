/**
 * Matches that administrators recommend: of public seasons only, each once. A match that
 * no longer counts is not shown.
 */
import type { SignedIn, UnknownGame } from "@agon/api/Authorization.ts"
import { nextCursor, type PageOf } from "@agon/api/Page.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { SeasonPrivate } from "@agon/api/season/administration.ts"
import { type Pick, PickExists, type PickMatch, type Picks as PickPage } from "@agon/api/writing/picks.ts"
import { Context, DateTime, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { auditOf, makeAuditLog } from "../audit/auditLog.ts"
import { newId } from "../database/newId.ts"
import { ResponseCache } from "../http/cache/ResponseCache.ts"
import { registered } from "../season/registered.ts"
import { purging } from "./editing.ts"
import { makeQueries } from "./pickQueries.ts"
import { picksTag } from "./tags.ts"

export class Picks extends Context.Service<
  Picks,
  {
    /** Newest first. */
    readonly ofGame: (game: string, page: PageOf) => Effect.Effect<PickPage, UnknownGame>
    /** Of every game, newest first, including those whose matches no longer count. */
    readonly all: (page: PageOf) => Effect.Effect<PickPage>
    readonly pick: (account: SignedIn, pick: PickMatch) => Effect.Effect<Pick, NotFound | SeasonPrivate | PickExists>
    readonly unpick: (account: SignedIn, id: string) => Effect.Effect<Pick, NotFound>
  }
>()("agon/Picks") {
  static readonly layer: Layer.Layer<Picks, never, SqlClient.SqlClient | ResponseCache> = Layer.effect(
    Picks,
    Effect.suspend(() => makePicks)
  )
}

const gone = new NotFound({ detail: "There is no such pick." })

const makeWrites = Effect.gen(function* () {
  const auditLog = yield* makeAuditLog
  const cache = yield* ResponseCache
  const queries = yield* makeQueries

  const pick = Effect.fn("Picks.pick")(function* (account: SignedIn, asked: PickMatch) {
    const { match, note = null } = asked
    const found = yield* Effect.orDie(queries.match(match))
    if (Option.isNone(found)) return yield* new NotFound({ detail: "There is no match of this id that counts." })
    const { game, is_public, season_id } = found.value
    if (!is_public) return yield* new SeasonPrivate({ detail: "The match is one of a private season: nobody else could watch it." })
    const add = Effect.gen(function* () {
      const now = yield* DateTime.nowAsDate
      const added = yield* queries.add({ id: yield* newId, match, game, season_id, note, now })
      return Option.isSome(added) ? added.value : yield* new PickExists({ detail: "The match is picked already." })
    })
    const logged = auditLog.logged({ game, season_id }, add, ({ id }) => auditOf(account, "pick.add", id, { match, note }))
    return yield* purging(cache, logged, [picksTag(game)])
  })

  const unpick = Effect.fn("Picks.unpick")(function* (account: SignedIn, id: string) {
    const found = yield* Effect.orDie(queries.byId(id))
    if (Option.isNone(found)) return yield* gone
    const remove = Effect.flatMap(queries.remove(id), Option.match({ onNone: () => Effect.fail(gone), onSome: Effect.succeed }))
    const logged = auditLog.logged(found.value, remove, ({ match, note }) => auditOf(account, "pick.remove", id, { match, note }))
    return yield* purging(cache, logged, [picksTag(found.value.game)])
  })

  return { pick, unpick }
})

const makePicks = Effect.gen(function* () {
  const queries = yield* makeQueries

  const ofGame = Effect.fn("Picks.ofGame")(function* (slug: string, { cursor, limit }: PageOf) {
    const { slug: game } = yield* registered(slug)
    const picks = yield* Effect.orDie(queries.ofGame({ game, limit, offset: cursor }))
    const { total } = yield* Effect.orDie(queries.countOfGame(game))
    return { picks, total, next_cursor: nextCursor(cursor, picks.length, total) }
  })

  const all = Effect.fn("Picks.all")(function* ({ cursor, limit }: PageOf) {
    const picks = yield* queries.all({ limit, offset: cursor })
    const { total } = yield* queries.count(undefined)
    return { picks, total, next_cursor: nextCursor(cursor, picks.length, total) }
  }, Effect.orDie)

  return Picks.of({ ...(yield* makeWrites), ofGame, all })
})
