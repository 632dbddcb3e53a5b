/** Reads the boards of a season: all of them, in play or not, in the order they were added. */

import type { BoardDetail, Boards as BoardList } from "@agon/api/board/api.ts"
import { NotFound, type Unavailable } from "@agon/api/Problem.ts"
import { isSlug } from "@agon/api/Wire.ts"
import { Context, Effect, Layer, Option } from "effect"
import type { SqlClient } from "effect/sql"
import { type Counted, KeptCounts } from "../match/list/KeptCounts.ts"
import { byTallies } from "../match/list/listCaches.ts"
import { WholeCounts } from "../match/list/WholeCounts.ts"
import { type CountedRow, makeQueries } from "./queries.ts"

export interface BoardsAsked {
  /** Whether to list only boards in play. */
  readonly enabled: boolean
  /** Whether to include each board's file. */
  readonly boards: boolean
}

export class Boards extends Context.Service<
  Boards,
  {
    readonly list: (season_id: string, asked: BoardsAsked) => Effect.Effect<BoardList, Unavailable>
    readonly get: (season_id: string, map_id: string) => Effect.Effect<BoardDetail, NotFound | Unavailable>
  }
>()("agon/Boards") {
  static readonly layer: Layer.Layer<Boards, never, SqlClient.SqlClient> = Layer.effect(
    Boards,
    Effect.suspend(() => makeBoards)
  ).pipe(Layer.provide(WholeCounts.layer))
}

/** The number of counted matches by board. */
type Played = ReadonlyMap<string, number>

/** Seasons whose counts are cached and then updated incrementally. */
const SEASONS_MAX = 1_000

const join = (before: Played, later: Played): Played => {
  const all = new Map(before)
  for (const [board, matches] of later) all.set(board, (all.get(board) ?? 0) + matches)
  return all
}

/** A season that was deleted meanwhile has no counts. */
const countedOf = (rows: ReadonlyArray<CountedRow>): Counted<Played> => {
  const { rated, voided } = rows[0] ?? { rated: 0, voided: 0 }
  return { found: new Map(rows.flatMap(({ map_id, matches }) => (map_id === null ? [] : [[map_id, matches ?? 0]]))), rated, voided }
}

const makeBoards = Effect.gen(function* () {
  const queries = yield* makeQueries
  const kept = new KeptCounts<Played>({ join, most: SEASONS_MAX })
  const whole = yield* WholeCounts
  const counted = (of: Parameters<typeof queries.counted>[0]) => Effect.orDie(Effect.map(queries.counted(of), countedOf))
  const count = (season_id: string) =>
    kept.read(
      season_id,
      (after) => counted({ season_id, after }),
      (keep) =>
        byTallies(
          queries.untallied(season_id),
          keep(counted({ season_id, after: null })),
          whole(`boards ${season_id}`, keep(counted({ season_id, after: 0 })))
        )
    )

  const list = Effect.fn("Boards.list")(function* (season_id: string, { boards, enabled }: BoardsAsked) {
    const played = yield* count(season_id)
    const rows = yield* Effect.orDie(queries.boards({ season_id, enabled_only: enabled, files: boards }))
    const maps = rows.map(({ file, ...row }) => ({
      ...row,
      matches: played.get(row.map_id) ?? 0,
      ...(boards ? { board: file } : {})
    }))
    return { maps, total: maps.length, next_cursor: null }
  })

  const get = Effect.fn("Boards.get")(function* (season_id: string, map_id: string) {
    const row = isSlug(map_id) ? yield* Effect.orDie(queries.board({ season_id, map_id })) : Option.none()
    if (Option.isNone(row)) return yield* new NotFound({ detail: `The season has no board ${map_id}.` })
    const played = yield* count(season_id)
    const { file, ...rest } = row.value
    return { ...rest, matches: played.get(map_id) ?? 0, board: file }
  })

  return Boards.of({ list, get })
})
