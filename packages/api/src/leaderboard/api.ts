/** Standings of a ladder (docs/contract.md#leaderboards). */
import { Schema } from "effect"
import { HttpApiGroup } from "effect/http-api"
import { UnknownGame, UnknownSeason } from "../Authorization.ts"
import { NameTerm } from "../Name.ts"
import * as page from "../Page.ts"
import { RoundKind } from "../season/Season.ts"
import { privateOnes, publicOnes, twins } from "../twins.ts"
import { Id, Instant, Ladder, withDefault } from "../Wire.ts"

/**
 * Ratings and trends have two decimals; the order is by the unrounded rating, ties by version id. `rank_low`
 * to `rank_high` is where the true rank lies with 95 %, by the deviations of the whole ladder.
 */
export const Entry = Schema.Struct({
  rank: Schema.Int,
  rank_low: Schema.Int,
  rank_high: Schema.Int,
  version_id: Id,
  model_id: Id,
  model: Schema.String,
  owner: Schema.NullOr(Schema.String),
  version: Schema.Int,
  class: Ladder,
  size_bytes: Schema.Int,
  rating: Schema.Finite,
  deviation: Schema.Finite,
  provisional: Schema.Boolean,
  matches: Schema.Int,
  round_matches: Schema.NullOr(Schema.Int),
  baseline: Schema.Boolean,
  trend: Schema.NullOr(Schema.Finite),
  history: Schema.Array(Schema.Finite)
}).annotate({ identifier: "LeaderboardEntry" })
export type Entry = typeof Entry.Type

export const Leaderboard = Schema.Struct({
  season: Schema.String,
  season_name: Schema.String,
  closed: Schema.Boolean,
  round: Schema.NullOr(Schema.Struct({ n: Schema.Int, kind: RoundKind, games: Schema.Int })),
  total: Schema.Int,
  entries: Schema.Array(Entry),
  next_cursor: page.NextCursor
}).annotate({ identifier: "Leaderboard" })
export type Leaderboard = typeof Leaderboard.Type

/** Ranks and ratings at each of `points`, null where the entry had none yet. */
export const Series = Schema.Struct({
  season: Schema.String,
  ladder: Ladder,
  points: Schema.Array(Instant),
  entries: Schema.Array(
    Schema.Struct({
      version_id: Id,
      model_id: Id,
      model: Schema.String,
      owner: Schema.NullOr(Schema.String),
      ranks: Schema.Array(Schema.NullOr(Schema.Int)),
      ratings: Schema.Array(Schema.NullOr(Schema.Finite))
    })
  )
}).annotate({ identifier: "LeaderboardSeries" })
export type Series = typeof Series.Type

/** Counted matches of the season in which both took part; the better rank wins, also among more than two. */
export const HeadToHead = Schema.Struct({ wins: Schema.Int, draws: Schema.Int, losses: Schema.Int }).annotate({ identifier: "HeadToHead" })
export type HeadToHead = typeof HeadToHead.Type

/**
 * The top of a ladder against each other. `against` has an element for each of `entries` in their
 * order, null for the entry itself.
 */
export const Matrix = Schema.Struct({
  season: Schema.String,
  season_name: Schema.String,
  ladder: Ladder,
  entries: Schema.Array(
    Schema.Struct({
      rank: Schema.Int,
      version_id: Id,
      model_id: Id,
      model: Schema.String,
      owner: Schema.NullOr(Schema.String),
      rating: Schema.Finite,
      against: Schema.Array(Schema.NullOr(HeadToHead))
    })
  )
}).annotate({ identifier: "LeaderboardMatrix" })
export type Matrix = typeof Matrix.Type

const params = { game: Schema.String }
const of = { ladder: withDefault(Ladder, "open"), season: Schema.optionalKey(Schema.String) }
const error = [UnknownGame, UnknownSeason] as const

/**
 * `name` is the beginning of a model's name or of its owner's username, in any case: `entries` are then those
 * found, with their ranks on the whole ladder, and `total` is their number.
 */
const leaderboardQuery = { ...of, name: Schema.optionalKey(NameTerm), limit: page.limit(50, 200), cursor: page.cursor }

const reads = [
  twins("leaderboard", "/games/:game/leaderboard", { params, query: leaderboardQuery, success: Leaderboard, error }),
  /** The course of the season for the best fifty. */
  twins("series", "/games/:game/leaderboard/series", { params, query: of, success: Series, error }),
  /** The models of the top of the ladder against each other, by all their versions in the season. */
  twins("matrix", "/games/:game/leaderboard/matrix", { params, query: { ...of, limit: page.limit(20, 50) }, success: Matrix, error })
] as const

export class LeaderboardGroup extends HttpApiGroup.make("leaderboard").add(...publicOnes(...reads), ...privateOnes(...reads)) {}
