/**
 * The statement of the season actor that writes every change of a batch, under the fence. A fold beside the actor
 * writes ended matches' rows by `rewrite` (log.ts). Reads are in `claim.ts`.
 */

import { head } from "@agon/domain/season/Head.ts"
import type { Changes } from "@agon/domain/season/rating/Fold.ts"
import type { State } from "@agon/domain/season/State.ts"
import { versionOf } from "@agon/domain/season/VersionCounts.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { float8, int4, type Parameter, text as textParameter, uuid as uuidParameter } from "@effect/sql-pg/PgTypes"
import { storableJson } from "../../database/storable.ts"
import type { Fence } from "../SeasonStore.ts"
import type { Turn } from "../WaitingRatings.ts"
import { bitOf, figuresOf } from "./figures.ts"
import * as logShapes from "./logShapes.ts"
import { notificationParts } from "./notifications.ts"
import { pack } from "./redo.ts"
import { seasonWebhookPart } from "./seasonWebhooks.ts"
import * as shapes from "./shapes.ts"
import { type Part, statement } from "./statement.ts"

const named = <A>(rows: ReadonlyMap<string, A>, ids: Iterable<string>): ReadonlyArray<A> => {
  const found: Array<A> = []
  for (const id of ids) {
    const row = rows.get(id)
    if (row !== undefined) found.push(row)
  }
  return found
}
const gone = (rows: ReadonlyMap<string, unknown>, ids: Iterable<string>): ReadonlyArray<string> => [...ids].filter((id) => !rows.has(id))

const versionParts = (state: State): ReadonlyArray<Part | null> => {
  const { writes } = state
  if (writes.inserted.size + writes.versions.size + writes.rejected.size === 0) return []
  const held = (id: string) => versionOf(state, id)!
  const fresh = [...writes.inserted].map(([id, { note }]) => ({ row: held(id), note }))
  const moved = new Set([...writes.versions, ...writes.rejected.keys()].filter((id) => !writes.inserted.has(id)))
  return [statement.bind(shapes.versionsNew, fresh), statement.bind(shapes.versionsMoved, [...moved].map(held))]
}

const boardParts = (state: State): ReadonlyArray<Part | null> => {
  const { writes } = state
  const fresh = [...writes.newBoards].map(([id, { file }]) => ({ row: state.boards.get(id)!, file, at: state.now }))
  const changed = [...writes.boards].filter((id) => !writes.newBoards.has(id))
  return [
    statement.bind(shapes.boardsNew, fresh),
    statement.bind(shapes.boardsChanged, named(state.boards, changed)),
    statement.bind(shapes.boardPeriods, writes.boardPeriods)
  ]
}

const matchParts = (state: State): ReadonlyArray<Part | null> => {
  const { ended } = state.writes
  if (ended.length === 0) return []
  const { engine_digest } = state.settings
  const matches: Array<logShapes.MatchRow> = []
  const seats: Array<logShapes.SeatRow> = []
  const seatsOfRejected: Array<logShapes.SeatRow> = []
  for (const match of ended) {
    const figures = figuresOf(match.seats)
    let classes = 0
    for (let seat = 0; seat < match.seats.length; seat++) {
      const row = match.seats[seat]!
      const held = versionOf(state, row.version)
      classes |= bitOf(held?.class)
      const into = held === undefined ? seatsOfRejected : seats
      into.push({ match, figures, row, seat, held })
    }
    matches.push({ match, figures, engine_digest, classes })
  }
  return [
    statement.bind(logShapes.matches, matches),
    statement.bind(
      logShapes.replays,
      ended.filter(({ replay_content }) => replay_content !== null)
    ),
    statement.bind(logShapes.seats, seats),
    statement.bind(logShapes.seatsOfRejected, seatsOfRejected)
  ]
}

/**
 * The voided matches, and those that ratings still count. One that was added and done
 * within this commit has no row.
 */
const voidedParts = ({ voiding, writes }: State): ReadonlyArray<Part | null> => [
  statement.bind(logShapes.matchVoided, writes.voided),
  statement.bind(logShapes.seatsVoided, writes.voided),
  statement.bind(logShapes.voiding, named(voiding, writes.voiding)),
  statement.bind(logShapes.voidingDone, gone(voiding, writes.voiding))
]

/** The changes that a fold of the log has found. */
export const changeParts = ({ points, seats, seeds }: Changes): ReadonlyArray<Part | null> => [
  statement.bind(logShapes.seatsRerated, seats),
  statement.bind(logShapes.matchesRerated, [...Map.groupBy(seats, ({ match }) => match).values()]),
  statement.bind(logShapes.seeds, seeds),
  statement.bind(logShapes.series, points)
]

/** The ratings whose turn it is, and those that changed while others wait. */
const ratingParts = ({ done, redo, written }: Turn, seq: number): ReadonlyArray<Part | null> => [
  statement.bind(shapes.ratings, written),
  statement.bind(shapes.redo, redo.length === 0 ? [] : [{ seq, ratings: pack(redo) }]),
  statement.bind(shapes.redoDone, done === null ? [] : [done])
]

/** The batch as parts of one statement. */
const parts = (state: State, turn: Turn, seq: number): ReadonlyArray<Part> => {
  const { writes } = state
  return [
    ...versionParts(state),
    ...boardParts(state),
    statement.bind(
      shapes.rounds,
      state.rounds.filter((round) => writes.rounds.has(round.n))
    ),
    ...ratingParts(turn, seq),
    statement.bind(shapes.liveNew, named(state.live, writes.newLive)),
    statement.bind(shapes.liveMoved, named(state.live, writes.live.difference(writes.newLive))),
    statement.bind(shapes.liveGone, gone(state.live, writes.live)),
    statement.bind(shapes.reviews, named(state.reviews, writes.reviews)),
    statement.bind(shapes.reviewsGone, gone(state.reviews, writes.reviews)),
    ...matchParts(state),
    ...voidedParts(state),
    ...changeParts({ seats: writes.rerated, seeds: writes.seeds, points: writes.series }),
    statement.bind(shapes.audits, writes.audits),
    ...notificationParts(state),
    seasonWebhookPart(state)
  ].filter((part) => part !== null)
}

const FENCE = (more: string) => `UPDATE season SET seq = $3::float8::int8, head = $4::jsonb,
  close_requested_at = to_timestamp($5::float8 / 1000.0), closed_at = to_timestamp($6::float8 / 1000.0),
  ratings_round = coalesce($7, ratings_round)${more}
  WHERE id = $1 AND epoch = $2 AND seq = $3::float8::int8 - 1 RETURNING id AS season_id, game`
const FENCE_ALONE = FENCE("")
const FENCE_AND_SETTINGS = FENCE(`, submissions_open_at = to_timestamp($8::float8 / 1000.0),
  submissions_close_at = to_timestamp($9::float8 / 1000.0), rules = $10::jsonb, weight_classes = $11::jsonb, fleet = $12::jsonb,
  fill = $13::jsonb, engine_digest = $14`)

const settingsOf = ({ settings }: State): ReadonlyArray<Parameter> => [
  float8(settings.submissions_open_at),
  float8(settings.submissions_close_at),
  ...[settings.rules, settings.weight_classes, settings.fleet, settings.fill].map((each) => textParameter(storableJson(each))),
  textParameter(settings.engine_digest)
]

/**
 * Locks: the season's row, then rows of this season only. Answers 1 where the fence held,
 * 0 where nothing was written.
 */
export const commit = (sql: PgClient, fence: Fence, state: State, now: number) => {
  const row = head(state)
  const seq = fence.seq + 1
  const turn = fence.waiting.turn(state, seq, now)
  const written = parts(state, turn, seq)
  const values = [
    uuidParameter(fence.season),
    int4(fence.epoch),
    float8(seq),
    textParameter(storableJson(row)),
    float8(row.close_requested_at),
    float8(row.closed_at),
    int4(turn.followed ? row.round : null)
  ]
  const { params, text } = state.writes.settings
    ? statement.fenced(FENCE_AND_SETTINGS, [...values, ...settingsOf(state)], written)
    : statement.fenced(FENCE_ALONE, values, written)
  return sql.unsafe<{ held: number; at: number }>(text, params)
}
