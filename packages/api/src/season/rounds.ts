/** Rounds and finals of a season (docs/contract.md#rounds-and-finals). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"
import { InSeason, NamedSeason, PlatformAdmin } from "../Authorization.ts"
import { JsonBody, Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { NotFound, Problem } from "../Problem.ts"
import { SeasonClosed } from "../version/refusals.ts"
import { AnyInstant, Instant } from "../Wire.ts"
import { RoundKind } from "./Season.ts"

export class RoundStarted extends Problem<RoundStarted>()("round_started", 409, "The round has started") {}

export const Round = Schema.Struct({
  n: Schema.Int,
  kind: RoundKind,
  games: Schema.Int,
  starts_at: Instant,
  started_at: Schema.NullOr(Instant),
  ended_at: Schema.NullOr(Instant),
  state: Schema.Literals(["pending", "current", "over", "withdrawn"])
}).annotate({ identifier: "Round" })
export type Round = typeof Round.Type

export const Rounds = page.listOf("Rounds", "rounds", Round)
export type Rounds = typeof Rounds.Type

/** Counted matches that the round owes each entry on each of its ladders. */
const Games = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 }))

export const PlanRound = Schema.Struct({ kind: RoundKind, games: Games, starts_at: AnyInstant }).annotate({ identifier: "PlanRound" })
export type PlanRound = typeof PlanRound.Type

export const PatchRound = Schema.Struct({
  games: Schema.optionalKey(Games),
  starts_at: Schema.optionalKey(AnyInstant),
  withdrawn: Schema.optionalKey(Schema.Literal(true))
}).annotate({ identifier: "PatchRound" })
export type PatchRound = typeof PatchRound.Type

const params = { game: Schema.String, slug: Schema.String }
const rounds = "/v1/games/:game/seasons/:slug/rounds"

export class RoundGroup extends HttpApiGroup.make("round")
  .add(
    HttpApiEndpoint.get("rounds", rounds, { params, query: page.query, success: Rounds }).annotate(Rate, "session"),
    HttpApiEndpoint.post("planRound", rounds, {
      params,
      payload: PlanRound,
      success: Round.pipe(HttpApiSchema.status(201)),
      error: SeasonClosed
    })
      .middleware(JsonBody)
      .annotate(Rate, "write"),
    HttpApiEndpoint.patch("patchRound", `${rounds}/:n`, {
      params: { ...params, n: Schema.String },
      payload: PatchRound,
      success: Round,
      error: [NotFound, RoundStarted, SeasonClosed]
    })
      .middleware(JsonBody)
      .middleware(InSeason)
      .annotate(Rate, "write")
  )
  .middleware(NamedSeason)
  .middleware(PlatformAdmin) {}
