/** The games that the service is built with (docs/contract.md#games). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { UnknownGame } from "../Authorization.ts"
import { Cached } from "../Boundary.ts"
import { Season } from "../season/Season.ts"

export const Game = Schema.Struct({
  slug: Schema.String,
  name: Schema.String,
  description: Schema.String,
  players: Schema.Struct({ min: Schema.Int, max: Schema.Int }),
  engine_digest: Schema.String,
  featured_season: Schema.NullOr(Season)
}).annotate({ identifier: "Game" })
export type Game = typeof Game.Type

export class GameGroup extends HttpApiGroup.make("game").add(
  /** In the order of registration; a plain array. */
  HttpApiEndpoint.get("games", "/v1/games", { success: Schema.Array(Game) }).middleware(Cached),
  HttpApiEndpoint.get("game", "/v1/games/:game", {
    params: { game: Schema.String },
    success: Game,
    error: UnknownGame
  }).middleware(Cached)
) {}
