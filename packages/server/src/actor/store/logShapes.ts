/**
 * The tables of a season's log as its commit writes them: matches that have ended, their seats, voided ones, inherited ratings and the
 * points of the series.
 */

import type { InheritedRating, Seat } from "@agon/domain/season/rating/LadderRating.ts"
import type { SeatChange, Voided, Voiding } from "@agon/domain/season/rating/Voided.ts"
import type { State } from "@agon/domain/season/State.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { Version } from "@agon/domain/season/Version.ts"
import { big, bool, bytes, float, floats, int, mostly, mostlyNull, text, time, told, uuid, uuids } from "./columns.ts"
import { bestPlaceOf, type Figures, upsetOf } from "./figures.ts"
import { type Column, statement } from "./statement.ts"

export interface MatchRow {
  readonly match: Ended
  readonly figures: Figures
  readonly engine_digest: string
  readonly classes: number
}
export interface SeatRow {
  readonly match: Ended
  readonly figures: Figures
  readonly row: Seat
  readonly seat: number
  readonly held: Version | undefined
}

export const matches = statement.insert<MatchRow>(
  "match",
  ["season_id"],
  [
    uuid("id", ({ match }) => match.id),
    int("n", ({ match }) => match.n),
    text("ladder", ({ match }) => match.ladder),
    mostlyNull(uuid("candidate", ({ match }) => match.candidate)),
    int("round", ({ match }) => match.round),
    text("map_id", ({ match }) => match.board),
    big("seed", ({ match }) => match.seed),
    text("engine_digest", ({ engine_digest }) => engine_digest),
    mostly(
      "rated",
      text("status", ({ match }) => match.ending)
    ),
    int("rated_n", ({ match }) => match.rated_n),
    int("lease_n", ({ match }) => match.lease_n),
    uuid("runner_id", ({ match }) => match.runner),
    uuid("key_id", ({ match }) => match.key),
    mostly(
      false,
      bool("released", ({ match }) => match.released)
    ),
    time("created_at", ({ match }) => match.created_at),
    time("ended_at", ({ match }) => match.ended_at),
    mostlyNull(text("withdrawn_reason", ({ match }) => match.withdrawn_reason)),
    mostlyNull(int("successor", ({ match }) => match.successor)),
    mostlyNull(text("fault_reason", ({ match }) => match.fault_reason)),
    mostlyNull(told("fault_detail", ({ match }) => match.fault_detail)),
    told("reason", ({ match }) => match.reason),
    int("turns", ({ match }) => match.turns),
    int("played_ms", ({ match }) => match.played_ms),
    told("runtime_version", ({ match }) => match.runtime_version),
    text("state_sha256", ({ match }) => match.state_sha256),
    text("replay_hash", ({ match }) => match.replay_hash),
    int("replay_bytes", ({ match }) => match.replay_bytes),
    bool("replay_inline", ({ match }) => match.replay_content !== null),
    float("closeness", ({ figures }) => figures.closeness),
    float("upset", ({ figures }) => figures.upset),
    int("classes", ({ classes }) => classes),
    int("best_place", ({ match }) => bestPlaceOf(match.seats))
  ]
)

/** Replays whose text came with their result. */
export const replays = statement.insert<Ended>(
  "replay",
  [],
  [uuid("match_id", ({ id }) => id), bytes("content", ({ replay_content }) => Buffer.from(replay_content!))]
)

const seatColumns = (versionColumns: ReadonlyArray<Column<SeatRow>>): ReadonlyArray<Column<SeatRow>> => [
  uuid("match_id", ({ match }) => match.id),
  int("seat", ({ seat }) => seat),
  uuid("version_id", ({ row }) => row.version),
  ...versionColumns,
  time("ended_at", ({ match }) => match.ended_at),
  int("rank", ({ row }) => row.rank),
  int("score", ({ row }) => row.score),
  int("strikes", ({ row }) => row.strikes),
  int("place", ({ row }) => row.place),
  float("made_mu", ({ row }) => row.made?.mu ?? null),
  float("made_sigma", ({ row }) => row.made?.sigma ?? null),
  float("made_change", ({ row }) => row.made?.change ?? null),
  float("open_mu", ({ row }) => row.open?.mu ?? null),
  float("open_sigma", ({ row }) => row.open?.sigma ?? null),
  float("open_change", ({ row }) => row.open?.change ?? null),
  float("closeness", ({ figures }) => figures.closeness),
  float("upset", ({ figures }) => figures.upset),
  int("turns", ({ match }) => match.turns),
  bool("shared", ({ figures }) => figures.shared)
]
export const seats = statement.insert(
  "seat",
  ["season_id"],
  seatColumns([uuid("model_id", ({ held }) => held!.model), uuid("owner_id", ({ held }) => held!.owner)])
)
/**
 * A column of the version of a seat, looked up by version_pkey: a candidate that was rejected while
 * it played has left the state.
 */
const ofVersion = (name: string): Column<SeatRow> => ({
  ...uuid<SeatRow>(name, ({ row }) => row.version),
  expression: `(SELECT v.${name} FROM version v WHERE v.id = t.version_id)`
})
export const seatsOfRejected = statement.insert("seat", ["season_id"], seatColumns([ofVersion("model_id"), ofVersion("owner_id")]))

/** A voided match becomes failed, and its seats no longer count. Index: match_pkey. */
export const matchVoided = statement.update<Voided>("match", "id", [
  uuid("id", (row) => row.id),
  text("status", () => "failed"),
  int("rated_n", () => null),
  text("fault_reason", () => "replay_mismatch"),
  told("fault_detail", (row) => row.detail)
])
/** As in a match that ended without a result: rank 0. By the first column of seat_pkey. */
export const seatsVoided = statement.update<Voided>("seat", "match_id", [
  uuid("match_id", (row) => row.id),
  int("rank", () => 0),
  int("place", () => null),
  ...["made_mu", "made_sigma", "made_change", "open_mu", "open_sigma", "open_change"].map((name) => float<Voided>(name, () => null))
])
/** Index: voiding_pkey. */
export const voiding = statement.insert<Voiding>(
  "voiding",
  ["season_id"],
  [
    uuid("match_id", (row) => row.match),
    int("n", (row) => row.n),
    int("round", (row) => row.round),
    text("ladder", (row) => row.ladder),
    uuids("versions", (row) => row.versions)
  ]
)
/** Index: voiding_pkey. */
export const voidingDone = statement.remove<string>(
  "voiding",
  uuid("match_id", (id) => id)
)

/** Seats of a match voided meanwhile stay without ratings. Index: seat_pkey. */
export const seatsRerated = statement.update<SeatChange>(
  "seat",
  ["match_id", "seat"],
  [
    uuid("match_id", (row) => row.match),
    int("seat", (row) => row.seat),
    float("made_mu", (row) => row.made.mu),
    float("made_sigma", (row) => row.made.sigma),
    float("made_change", (row) => row.made.change),
    float("open_mu", (row) => row.open?.mu ?? null),
    float("open_sigma", (row) => row.open?.sigma ?? null),
    float("open_change", (row) => row.open?.change ?? null)
  ],
  "made_mu IS NOT NULL"
)
/** Matches all of whose seats were rerated: the gap between their ratings is new. Index: match_pkey. */
export const matchesRerated = statement.update<ReadonlyArray<SeatChange>>(
  "match",
  "id",
  [uuid("id", (seats) => seats[0]!.match), float("upset", upsetOf)],
  "rated_n IS NOT NULL"
)
export const seeds = statement.upsert<InheritedRating>(
  "rating_seed",
  ["season_id", "ladder", "version_id"],
  [
    text("ladder", (row) => row.ladder),
    uuid("version_id", (row) => row.version),
    int("ord", (row) => row.ord),
    int("round", (row) => row.round),
    int("n", (row) => row.n),
    uuid("of", (row) => row.of),
    float("mu", (row) => row.mu),
    float("sigma", (row) => row.sigma)
  ],
  ["mu", "sigma"]
)

/**
 * Upsert, since a season that closes within the millisecond of its last point writes that point again,
 * and a void recomputes points.
 */
export const series = statement.upsert<State["writes"]["series"][number]>(
  "series_point",
  ["season_id", "ladder", "at"],
  [
    text("ladder", (row) => row.ladder),
    time("at", (row) => row.at),
    int("round", (row) => row.round),
    int("n", (row) => row.n),
    uuids("versions", (row) => row.versions),
    floats("mus", (row) => row.mus)
  ],
  ["round", "n", "versions", "mus"]
)
