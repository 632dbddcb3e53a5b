/** Uploading and switching boards (docs/contract.md#boards). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { InSeason, SeasonAdmin, UnknownSeason } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import { FieldErrors, Problem } from "../Problem.ts"
import { SeasonClosed } from "../version/refusals.ts"
import { BoardRow } from "./api.ts"

export class BoardExists extends Problem<BoardExists>()("board_exists", 409, "There is a board of that id") {}
export class BoardInvalid extends Problem<BoardInvalid>()("board_invalid", 422, "The board is not valid", { errors: FieldErrors }) {}

/**
 * A `BoardFile` as it is sent. Every number goes to the engine: one too large for JavaScript, as 1e999, reads as Infinity, which `Schema.Json`
 * would refuse before the engine says where it stands.
 */
const SentBoard = Schema.declare((_: unknown): _ is Schema.Json => true, {
  ...{ identifier: "SentBoard", representation: { id: "effect/schema/Json", payload: null } },
  toCodecJson: () => undefined
})

/** More boards than any season has. */
const IMPORTS_MAX = 1_000

/** `maps` names boards of the other season; without it, all of them. */
export const ImportBoards = Schema.Struct({
  from: Schema.String,
  maps: Schema.optionalKey(Schema.Array(Schema.String).check(Schema.isMaxLength(IMPORTS_MAX)))
}).annotate({ identifier: "ImportBoards" })
export type ImportBoards = typeof ImportBoards.Type

export const ImportedBoards = Schema.Struct({
  imported: Schema.Array(Schema.String),
  skipped: Schema.Array(Schema.Struct({ map_id: Schema.String, reason: Schema.Literals(["not_found", "board_exists", "board_invalid"]) }))
}).annotate({ identifier: "ImportedBoards" })
export type ImportedBoards = typeof ImportedBoards.Type

export const SwitchBoard = Schema.Struct({ enabled: Schema.Boolean }).annotate({ identifier: "SwitchBoard" })

const params = { game: Schema.String, slug: Schema.String }

export class BoardAdminGroup extends HttpApiGroup.make("boardAdmin")
  .add(
    /** The body is the board file itself; it is stored out of play. */
    HttpApiEndpoint.post("addBoard", "/v1/games/:game/seasons/:slug/maps", {
      params,
      payload: SentBoard,
      success: BoardRow.pipe(HttpApiSchema.status(201)),
      error: [BoardExists, BoardInvalid, SeasonClosed]
    }).middleware(JsonBody),
    HttpApiEndpoint.patch("switchBoard", "/v1/games/:game/seasons/:slug/maps/:map_id", {
      params: { ...params, map_id: Schema.String },
      payload: SwitchBoard,
      success: BoardRow,
      error: SeasonClosed
    })
      .middleware(JsonBody)
      .middleware(InSeason),
    /** Copies boards of another season of the game, out of play. */
    HttpApiEndpoint.post("importBoards", "/v1/games/:game/seasons/:slug/maps/import", {
      params,
      payload: ImportBoards,
      success: ImportedBoards.pipe(HttpApiSchema.status(201)),
      error: [UnknownSeason, SeasonClosed]
    }).middleware(JsonBody)
  )
  .middleware(SeasonAdmin)
  .annotateEndpoints(Rate, "upload") {}
