/** Seasons of a game (docs/contract.md#seasons). */
import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { UnknownGame, UnknownSeason } from "../Authorization.ts"
import { privateOnes, publicOnes, twins, uncachedTwins } from "../twins.ts"
import { byLadder, Id, Ladder } from "../Wire.ts"
import { Season } from "./Season.ts"

export const Podium = Schema.Struct({
  season: Schema.String,
  season_name: Schema.String,
  /** Whether the season is over; until then this is the live top three. */
  frozen: Schema.Boolean,
  ladders: byLadder(
    Schema.Array(
      Schema.Struct({
        place: Schema.Int,
        version_id: Id,
        model_id: Id,
        model: Schema.String,
        owner: Schema.NullOr(Schema.String),
        version: Schema.Int,
        class: Ladder,
        rating: Schema.Finite
      })
    )
  )
}).annotate({ identifier: "Podium" })
export type Podium = typeof Podium.Type

export const Playing = Schema.Struct({ season: Schema.String, playing: Schema.Int }).annotate({ identifier: "Playing" })
export type Playing = typeof Playing.Type

const params = { game: Schema.String, slug: Schema.String }
const error = [UnknownGame, UnknownSeason] as const

const reads = [
  /**
   * Public seasons, newest first; a plain array. The private twin also has the further
   * seasons that the caller may see.
   */
  twins("seasons", "/games/:game/seasons", { params: { game: Schema.String }, success: Schema.Array(Season), error: UnknownGame }),
  /** One season, as in the list. */
  twins("season", "/games/:game/seasons/:slug", { params, success: Season, error }),
  twins("podium", "/games/:game/seasons/:slug/podium", { params, success: Podium, error }),
  /** Never cached: it counts the matches being played now. */
  uncachedTwins("playing", "/games/:game/seasons/:slug/playing", { params, success: Playing, error })
] as const

export class SeasonGroup extends HttpApiGroup.make("season").add(...publicOnes(...reads), ...privateOnes(...reads)) {}
