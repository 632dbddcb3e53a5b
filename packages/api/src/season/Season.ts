/** The season record (docs/contract.md#season-record). */
import { Schema } from "effect"
import { Instant } from "../Wire.ts"
import { Rules, WeightClass } from "./Rules.ts"

export const RoundKind = Schema.Literals(["round", "finals"])
export type RoundKind = typeof RoundKind.Type

export const Season = Schema.Struct({
  game: Schema.String,
  slug: Schema.String,
  name: Schema.String,
  state: Schema.Literals(["scheduled", "live", "closed"]),
  submissions_open_at: Instant,
  submissions_close_at: Instant,
  close_requested_at: Schema.NullOr(Instant),
  closed_at: Schema.NullOr(Instant),
  visibility: Schema.Literals(["public", "private"]),
  entry: Schema.Literals(["open", "restricted"]),
  engine_digest: Schema.String,
  rules: Rules,
  weight_classes: Schema.Array(WeightClass),
  entries: Schema.Int,
  active_versions: Schema.Int,
  entered_versions: Schema.Int,
  in_flight_versions: Schema.Int,
  matches_played: Schema.Int,
  /** Seats and side lengths of the boards in play; `sides` is null where there is none. */
  maps: Schema.Struct({
    in_play: Schema.Int,
    out_of_play: Schema.Int,
    players: Schema.Array(Schema.Int),
    sides: Schema.NullOr(Schema.Struct({ min: Schema.Int, max: Schema.Int }))
  }),
  baselines: Schema.Struct({ enabled: Schema.Int, disabled: Schema.Int }),
  round: Schema.NullOr(Schema.Struct({ n: Schema.Int, kind: RoundKind, games: Schema.Int, started_at: Instant })),
  next_round: Schema.NullOr(Schema.Struct({ n: Schema.Int, kind: RoundKind, games: Schema.Int, starts_at: Instant }))
}).annotate({ identifier: "Season" })
export type Season = typeof Season.Type
