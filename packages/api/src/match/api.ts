/** Matches (docs/contract.md#matches). */
import { Schema } from "effect"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { MatchOwner, Session, UnknownGame, UnknownSeason } from "../Authorization.ts"
import { Rate } from "../Boundary.ts"
import * as page from "../Page.ts"
import { privateOnes, publicOnes, twins } from "../twins.ts"
import { AnyInstant, Ladder, Uuid, withDefault } from "../Wire.ts"
import { Frame, MatchCard, MatchDetail, Outcome, OwnMatch } from "./Match.ts"

export const Sort = Schema.Literals(["newest", "closest", "upset", "longest", "discussed"]).annotate({ identifier: "MatchSort" })
export type Sort = typeof Sort.Type

/** Two models that met, as `<uuid>,<uuid>`. */
const Versus = Schema.String.check(
  Schema.isPattern(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12},[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/u, {
    expected: "two model ids with a comma between them"
  }),
  Schema.makeFilter((pair: string) => pair.slice(0, 36) !== pair.slice(37), { expected: "two different models" })
)
const Players = page.QueryInt.check(Schema.isBetween({ minimum: 1, maximum: 8 }))
const some = Schema.optionalKey

export const MatchQuery = Schema.Struct({
  model: some(Uuid),
  version: some(Uuid),
  game: some(Schema.String),
  season: some(Schema.String),
  ladder: some(Ladder),
  class: some(Ladder),
  map: some(Schema.String),
  /** About the side that `model`, `version` or `owner` names; one of them is required. */
  outcome: some(Outcome),
  owner: some(Schema.String),
  players_min: some(Players),
  players_max: some(Players),
  vs: some(Versus),
  since: some(AnyInstant),
  /** Some seat was in the top `top` of the ladder when the match was played. */
  top: some(page.QueryInt.check(Schema.isBetween({ minimum: 1, maximum: 1000 }))),
  sort: withDefault(Sort, "newest"),
  limit: page.limit(25, 60),
  cursor: page.cursor
}).check(
  Schema.makeFilter((query) =>
    query.outcome === undefined || query.model !== undefined || query.version !== undefined || query.owner !== undefined
      ? undefined
      : { path: ["outcome"], issue: "needs model, version or owner, whose outcome it is" }
  )
)
export type MatchQuery = typeof MatchQuery.Type

/** `season` is null where all public seasons were searched; `total` counts rated matches. */
export const Matches = Schema.Struct({
  season: Schema.NullOr(Schema.String),
  total: Schema.Int,
  matches: Schema.Array(MatchCard),
  sort: Sort,
  next_cursor: page.NextCursor
}).annotate({ identifier: "Matches" })
export type Matches = typeof Matches.Type

export const OwnMatches = page.listOf("OwnMatches", "matches", OwnMatch)
export type OwnMatches = typeof OwnMatches.Type

/** Up to twelve; `next_cursor` is always null. */
export const Related = page.listOf("RelatedMatches", "matches", MatchCard)
export type Related = typeof Related.Type

const params = { id: Uuid }

const reads = [
  twins("matches", "/matches", { query: MatchQuery, success: Matches, error: [UnknownGame, UnknownSeason] }),
  twins("match", "/matches/:id", { params, success: MatchDetail }),
  twins("frame", "/matches/:id/frame", { params, success: Frame }),
  /** Other counted matches: between the same models, then by them, then on the same board, each newest first. */
  twins("related", "/matches/:id/related", { params, success: Related })
] as const

export class MatchGroup extends HttpApiGroup.make("match").add(
  ...publicOnes(...reads),
  ...privateOnes(...reads),
  /** A match in which the caller has a seat, in any state. */
  HttpApiEndpoint.get("ownMatch", "/v1/me/matches/:id", { params, success: OwnMatch }).middleware(MatchOwner).annotate(Rate, "session"),
  /** In every state, newest first by play time, or by creation where never played. */
  HttpApiEndpoint.get("ownMatches", "/v1/me/matches", {
    query: { game: some(Schema.String), limit: page.limit(25, 60), cursor: page.cursor },
    success: OwnMatches,
    error: UnknownGame
  })
    .middleware(Session)
    .annotate(Rate, "read")
) {}
