/** Boards of a season as they are read: all of them, in play or not, in the order they were added. */
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import type { BoardDetail, Boards as BoardList } from "@agon/api/board/api.ts"
import { NotFound } from "@agon/api/Problem.ts"
import { isSlug } from "../season/seasonRecord.ts"
import { type Counted, PlayedCounts } from "./PlayedCounts.ts"
import { makeQueries } from "./queries.ts"

export interface BoardsAsked {
  /** Boards in play alone. */
  readonly enabled: boolean
  /** With each board's file. */
  readonly boards: boolean
}

export class Boards extends Context.Service<
  Boards,
  {
    readonly list: (season_id: string, asked: BoardsAsked) => Effect.Effect<BoardList>
    readonly get: (season_id: string, map_id: string) => Effect.Effect<BoardDetail, NotFound>
  }
>()("agon/Boards") {
  static readonly layer: Layer.Layer<Boards, never, SqlClient.SqlClient> = Layer.effect(
    Boards,
    Effect.suspend(() => makeBoards)
  )
}

const makeBoards = Effect.gen(function* () {
  const queries = yield* makeQueries
  const counts = new PlayedCounts()

  const countOnce = Effect.fnUntraced(function* (season_id: string) {
    const after = counts.after(season_id)
    const rows = yield* queries.counted({ season_id, after })
    const counted = rows.filter((row): row is typeof row & Counted => row.map_id !== null)
    return counts.add(season_id, after, counted, rows[0]?.rated ?? 0)
  })

  /** A second time only where a re-rating came between. */
  const count = Effect.fnUntraced(function* (season_id: string) {
    if (!(yield* countOnce(season_id))) yield* countOnce(season_id)
  })

  const list = Effect.fn("Boards.list")(function* (season_id: string, { boards, enabled }: BoardsAsked) {
    yield* count(season_id)
    const rows = yield* queries.boards({ season_id, enabled_only: enabled, files: boards })
    const maps = rows.map(({ file, ...row }) => ({
      ...row,
      matches: counts.of(season_id, row.map_id),
      ...(boards ? { board: file } : {})
    }))
    return { maps, total: maps.length, next_cursor: null }
  }, Effect.orDie)

  const get = Effect.fn("Boards.get")(function* (season_id: string, map_id: string) {
    const row = isSlug(map_id) ? yield* Effect.orDie(queries.board({ season_id, map_id })) : Option.none()
    if (Option.isNone(row)) return yield* new NotFound({ detail: `The season has no board ${map_id}.` })
    yield* Effect.orDie(count(season_id))
    const { file, ...rest } = row.value
    return { ...rest, matches: counts.of(season_id, map_id), board: file }
  })

  return Boards.of({ list, get })
})
