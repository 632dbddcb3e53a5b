/** Boards of a season, which the contract's paths call maps (docs/contract.md#boards). */
import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { UnknownGame, UnknownSeason } from "../Authorization.ts"
import * as page from "../Page.ts"
import { privateOnes, publicOnes, twins } from "../twins.ts"
import { Flag, Instant, withDefault } from "../Wire.ts"

/** A board as the game's engine reads it (docs/games.md#snakes-boards); the engine refuses an invalid one. */
export const BoardFile = Schema.Json.annotate({ identifier: "BoardFile" })

const row = {
  map_id: Schema.String,
  players: Schema.Int,
  rows: Schema.Int,
  cols: Schema.Int,
  enabled: Schema.Boolean,
  added_at: Instant,
  matches: Schema.Int
}

/** `board` is the file as it was uploaded; present only with `boards=true`. */
export const BoardRow = Schema.Struct({ ...row, board: Schema.optionalKey(BoardFile) }).annotate({ identifier: "BoardRow" })
export type BoardRow = typeof BoardRow.Type

/** `to` is null while the board is in play. */
export const BoardDetail = Schema.Struct({
  ...row,
  board: BoardFile,
  periods: Schema.Array(Schema.Struct({ from: Instant, to: Schema.NullOr(Instant) }))
}).annotate({ identifier: "BoardDetail" })
export type BoardDetail = typeof BoardDetail.Type

/** All boards at once, oldest first: `next_cursor` is always null. */
export const Boards = page.listOf("Boards", "maps", BoardRow)
export type Boards = typeof Boards.Type

const params = { game: Schema.String, slug: Schema.String }
const error = [UnknownGame, UnknownSeason] as const

const boardQuery = { enabled: withDefault(Flag, false), boards: withDefault(Flag, false) }

const reads = [
  twins("boards", "/games/:game/seasons/:slug/maps", { params, query: boardQuery, success: Boards, error }),
  twins("board", "/games/:game/seasons/:slug/maps/:map_id", { params: { ...params, map_id: Schema.String }, success: BoardDetail, error })
] as const

export class BoardGroup extends HttpApiGroup.make("board").add(...publicOnes(...reads), ...privateOnes(...reads)) {}
