/**
 * The tables of a season's state as its commit writes them: a shape for each way in which rows of a table change. Those of its log are in
 * logShapes.ts.
 */

import type { Round } from "@agon/domain/season/Round.ts"
import type { LadderRatingRow } from "@agon/domain/season/rating/LadderRating.ts"
import type { State } from "@agon/domain/season/State.ts"
import type { Board, OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
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
import { statement } from "./statement.ts"

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

const OPINIONS = mostlyNull(jsonOrNull<Review>("opinions", ({ opinions }) => (opinions.length === 0 ? null : opinions)))

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
    bool("released", (row) => row.released),
    OPINIONS
  ],
  ["lease_n", "runner_id", "key_id", "leased_at", "until", "released", "opinions"]
)
export const reviewsGone = statement.remove<string>(
  "review",
  uuid("version_id", (id) => id)
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
