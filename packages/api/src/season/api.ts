/** Seasons of a game (docs/contract.md#seasons). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { OptionalSession, UnknownGame, UnknownSeason } from "../Authorization.ts"
import { Cached, Rate } from "../Boundary.ts"
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

export class SeasonGroup extends HttpApiGroup.make("season").add(
  /** Public seasons, newest first; a plain array. */
  HttpApiEndpoint.get("seasons", "/v1/games/:game/seasons", {
    params: { game: Schema.String },
    success: Schema.Array(Season),
    error: UnknownGame
  }).middleware(Cached),
  /** One season, as in the list. */
  HttpApiEndpoint.get("season", "/v1/games/:game/seasons/:slug", { params, success: Season, error }).middleware(Cached),
  HttpApiEndpoint.get("podium", "/v1/games/:game/seasons/:slug/podium", { params, success: Podium, error }).middleware(Cached),
  /** Never cached: it counts the matches being played now. */
  HttpApiEndpoint.get("playing", "/v1/games/:game/seasons/:slug/playing", { params, success: Playing, error }),
  /** The further seasons that the caller may see. */
  HttpApiEndpoint.get("privateSeasons", "/v1/private/games/:game/seasons", {
    params: { game: Schema.String },
    success: Schema.Array(Season),
    error: UnknownGame
  })
    .middleware(OptionalSession)
    .annotate(Rate, "session"),
  HttpApiEndpoint.get("privateSeason", "/v1/private/games/:game/seasons/:slug", { params, success: Season, error })
    .middleware(OptionalSession)
    .annotate(Rate, "session"),
  HttpApiEndpoint.get("privatePodium", "/v1/private/games/:game/seasons/:slug/podium", { params, success: Podium, error })
    .middleware(OptionalSession)
    .annotate(Rate, "session"),
  HttpApiEndpoint.get("privatePlaying", "/v1/private/games/:game/seasons/:slug/playing", { params, success: Playing, error })
    .middleware(OptionalSession)
    .annotate(Rate, "session")
) {}
