/** The tables of the season actor as its commit writes them: a shape for each way in which rows of a table change. */

import type { Round } from "@agon/domain/season/Round.ts"
import type { InheritedRating, LadderRatingRow, Seat } from "@agon/domain/season/rating/LadderRating.ts"
import type { SeatChange, Voided, Voiding } from "@agon/domain/season/rating/Voided.ts"
import type { State } from "@agon/domain/season/State.ts"
import type { Board, Ended, OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
import type { Review, Version } from "@agon/domain/season/Version.ts"
import {
  big,
  bool,
  bytes,
  float,
  floats,
  int,
  ints,
  json,
  jsonOrNull,
  mostly,
  mostlyNull,
  text,
  time,
  told,
  uuid,
  uuids
} from "./columns.ts"
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

const VERSION_MOVES = [
  text<Version>("status", (row) => row.status),
  text<Version>("phase", (row) => row.phase),
  time<Version>("upload_until", (row) => row.upload_until),
  int<Version>("weights_bytes", (row) => row.weights_bytes),
  int<Version>("manifest_bytes", (row) => row.manifest_bytes),
  text<Version>("class", (row) => row.class),
  int<Version>("admit_attempt", (row) => row.admit_attempt),
  int<Version>("admit_failures", (row) => row.admit_failures),
  uuid<Version>("admit_key", (row) => row.admit_key),
  big<Version>("param_count", (row) => row.param_count),
  int<Version>("infer_us", (row) => row.infer_us),
  int<Version>("memory_flat", (row) => row.memory_flat),
  int<Version>("memory_cell", (row) => row.memory_cell),
  int<Version>("memory_bytes", (row) => row.memory_bytes),
  told<Version>("runtime_version", (row) => row.runtime_version),
  text<Version>("reject_reason", (row) => row.reject_reason),
  told<Version>("reject_detail", (row) => row.reject_detail),
  int<Version>("successor", (row) => row.successor),
  int<Version>("trial_played", (row) => row.trial_played),
  int<Version>("trial_failed", (row) => row.trial_failed),
  int<Version>("trial_void", (row) => row.trial_void),
  bool<Version>("disqualified", (row) => row.disqualified),
  bool<Version>("owner_removed", (row) => row.owner_removed),
  jsonOrNull<Version>("streak", (row) => row.streak)
]
export const versionsNew = statement.insert<{ readonly row: Version; readonly note: string | null }>(
  "version",
  ["season_id"],
  [
    uuid("id", ({ row }) => row.id),
    uuid("model_id", ({ row }) => row.model),
    uuid("owner_id", ({ row }) => row.owner),
    int("ord", ({ row }) => row.ord),
    int("number", ({ row }) => row.number),
    text("weights_hash", ({ row }) => row.weights_hash),
    text("manifest_hash", ({ row }) => row.manifest_hash),
    told("note", ({ note }) => note),
    time("created_at", ({ row }) => row.created_at),
    ...VERSION_MOVES.map((column) => ({ ...column, of: ({ row }: { readonly row: Version }) => column.of(row) }))
  ]
)
/** Index: version_pkey. */
export const versionsMoved = statement.update<Version>("version", "id", [uuid("id", (row) => row.id), ...VERSION_MOVES])

export const boardsNew = statement.insert<{ readonly row: Board; readonly file: unknown; readonly at: number }>(
  "board",
  ["season_id"],
  [
    text("map_id", ({ row }) => row.id),
    int("ord", ({ row }) => row.ord),
    int("players", ({ row }) => row.players),
    int("rows", ({ row }) => row.rows),
    int("cols", ({ row }) => row.cols),
    bool("enabled", ({ row }) => row.enabled),
    ints("used", ({ row }) => row.used),
    json("file", ({ file }) => file),
    time("added_at", ({ at }) => at)
  ]
)
/** Index: board_pkey. */
export const boardsChanged = statement.update<Board>("board", "map_id", [
  text("map_id", (row) => row.id),
  bool("enabled", (row) => row.enabled),
  ints("used", (row) => row.used)
])
export const boardPeriods = statement.insert<State["writes"]["boardPeriods"][number]>(
  "board_switch",
  ["season_id"],
  [text("map_id", (row) => row.board), time("at", (row) => row.at), bool("enabled", (row) => row.enabled)]
)

export const rounds = statement.upsert<Round>(
  "round",
  ["season_id", "n"],
  [
    int("n", (row) => row.n),
    text("kind", (row) => row.kind),
    int("games", (row) => row.games),
    time("starts_at", (row) => row.starts_at),
    time("started_at", (row) => row.started_at),
    time("ended_at", (row) => row.ended_at),
    bool("withdrawn", (row) => row.withdrawn)
  ],
  ["games", "starts_at", "started_at", "ended_at", "withdrawn"]
)

export const ratings = statement.upsert<LadderRatingRow>(
  "rating",
  ["season_id", "ladder", "version_id"],
  [
    text("ladder", (row) => row.ladder),
    uuid("version_id", (row) => row.version),
    int("ord", (row) => row.ord),
    bool("active", (row) => row.active),
    int("round", (row) => row.round),
    float("mu", (row) => row.mu),
    float("sigma", (row) => row.sigma),
    int("matches", (row) => row.matches),
    int("round_matches", (row) => row.round_matches),
    int("made", (row) => row.ladder_games),
    float("credit", (row) => row.virtual_games),
    float("failed", (row) => row.failed),
    int("forfeits", (row) => row.forfeits),
    float("seat_sum", (row) => row.seat_sum),
    float("trend", (row) => row.trend),
    ints("met", (row) => row.met),
    floats("history", (row) => row.history)
  ],
  [
    "active",
    "round",
    "mu",
    "sigma",
    "matches",
    "round_matches",
    "made",
    "credit",
    "failed",
    "forfeits",
    "seat_sum",
    "trend",
    "met",
    "history"
  ]
)

/** The ratings that commits changed while their rows wait. Index: rating_redo_pkey. */
export const redo = statement.insert<{ readonly seq: number; readonly ratings: Uint8Array }>(
  "rating_redo",
  ["season_id"],
  [big("seq", ({ seq }) => seq), bytes("ratings", ({ ratings }) => ratings)]
)
export const redoDone = statement.removeBelow("rating_redo", "seq")

const LIVE_MOVES = [
  int<OpenMatch>("lease_n", (row) => row.lease_n),
  mostly(
    0,
    int<OpenMatch>("losses", (row) => row.losses)
  ),
  mostlyNull(jsonOrNull<OpenMatch>("tries", ({ tries }) => (tries.length === 0 ? null : tries))),
  uuid<OpenMatch>("runner_id", (row) => row.runner),
  uuid<OpenMatch>("key_id", (row) => row.key),
  time<OpenMatch>("leased_at", (row) => row.leased_at),
  time<OpenMatch>("until", (row) => row.until),
  mostly(
    false,
    bool<OpenMatch>("released", (row) => row.released)
  )
]
/**
 * Insert, not upsert: most matches are made and leased in one commit, and an upsert would look each up
 * first and write it as undecided.
 */
export const liveNew = statement.insert<OpenMatch>(
  "live",
  ["season_id"],
  [
    uuid("id", (row) => row.id),
    int("n", (row) => row.n),
    text("ladder", (row) => row.ladder),
    mostlyNull(uuid("candidate", (row) => row.candidate)),
    int("round", (row) => row.round),
    text("map_id", (row) => row.board),
    big("seed", (row) => row.seed),
    uuids("versions", (row) => row.versions),
    time("created_at", (row) => row.created_at),
    ...LIVE_MOVES
  ]
)
/** Index: live_pkey. */
export const liveMoved = statement.update<OpenMatch>("live", "id", [uuid("id", (row) => row.id), ...LIVE_MOVES])
/** Index: live_pkey. */
export const liveGone = statement.remove<string>(
  "live",
  uuid("id", (id) => id)
)

export const reviews = statement.upsert<Review>(
  "review",
  ["season_id", "version_id"],
  [
    uuid("version_id", (row) => row.version),
    int("lease_n", (row) => row.lease_n),
    uuid("runner_id", (row) => row.runner),
    uuid("key_id", (row) => row.key),
    time("leased_at", (row) => row.leased_at),
    time("until", (row) => row.until),
    bool("released", (row) => row.released)
  ],
  ["lease_n", "runner_id", "key_id", "leased_at", "until", "released"]
)
export const reviewsGone = statement.remove<string>(
  "review",
  uuid("version_id", (id) => id)
)

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
/** A command that is repeated writes its log row once. */
export const audits = statement.insertOnce<State["writes"]["audits"][number]>(
  "audit",
  "id",
  ["season_id", "game"],
  [
    uuid("id", (row) => row.id),
    time("at", (row) => row.at),
    uuid("actor", (row) => row.actor),
    text("action", (row) => row.action),
    told("subject", (row) => row.subject),
    json("detail", (row) => row.detail ?? null)
  ]
)
