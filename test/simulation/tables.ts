/**
 * The rows of a season out of its tables, as the auditor reads them: by statements of its own, not the service's. Each has one order,
 * since administrators and runners of the simulation choose among the rows that they see.
 */

import type { RatingChange } from "@agon/domain/season/rating/LadderRating.ts"
import type { Ended } from "@agon/domain/season/scheduler/Match.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { readWaitingRatings } from "../support/readWaitingRatings.ts"
import { type Known, pointOf, type View, withWaitingRatings } from "./View.ts"

const ms = (column: string, name = column): string => `(extract(epoch FROM ${column}) * 1000)::float8 AS "${name}"`

const SEASON = `SELECT head, ${ms("submissions_open_at")}, ${ms("submissions_close_at")}, rules, weight_classes, fleet, fill, engine_digest
  FROM season WHERE id = $1::uuid`
const VERSIONS = `SELECT v.*, v.model_id AS model, v.owner_id AS owner, ${ms("v.created_at", "created_at")}, ${ms("v.upload_until", "upload_until")},
  v.param_count::float8 AS param_count FROM version v WHERE v.season_id = $1::uuid ORDER BY v.ord`
const RATINGS = `SELECT r.*, r.version_id AS version, r.made AS ladder_games, r.credit AS virtual_games FROM rating r WHERE r.season_id = $1::uuid
  ORDER BY r.ladder, r.ord`
const WAITING_RATINGS = `SELECT ratings FROM rating_redo WHERE season_id = $1::uuid ORDER BY seq`
const BOARDS = `SELECT map_id AS id, ord, players, rows, cols, enabled, used FROM board WHERE season_id = $1::uuid ORDER BY ord`
const ROUNDS = `SELECT n, kind, games, ${ms("starts_at")}, ${ms("started_at")}, ${ms("ended_at")}, withdrawn FROM round
  WHERE season_id = $1::uuid ORDER BY n`
const LIVE = `SELECT l.*, map_id AS board, seed::float8 AS seed, ${ms("created_at")}, runner_id AS runner, key_id AS key, ${ms("leased_at")}, ${ms("until")}
  FROM live l WHERE season_id = $1::uuid ORDER BY n`
const REVIEWS = `SELECT version_id AS version, lease_n, runner_id AS runner, key_id AS key, ${ms("leased_at")}, ${ms("until")}, released,
  coalesce(opinions, '[]') AS opinions FROM review WHERE season_id = $1::uuid ORDER BY version_id`
const VOIDING = `SELECT match_id AS match, n, round, ladder, versions FROM voiding WHERE season_id = $1::uuid ORDER BY n`
/** In the order in which they ended. */
const ENDED = `SELECT id, n, ladder, candidate, round, map_id AS board, seed::float8 AS seed, status AS ending, rated_n, lease_n, released,
  ${ms("created_at")}, ${ms("ended_at")}, runner_id AS runner, key_id AS key, withdrawn_reason, successor, fault_reason, fault_detail,
  reason, turns, played_ms, runtime_version, state_sha256, replay_hash, replay_bytes,
  (SELECT convert_from(content, 'UTF8') FROM replay WHERE match_id = match.id) AS replay_content
  FROM match WHERE season_id = $1::uuid ORDER BY match.ended_at, rated_n, match.n`
const SEATS = `SELECT s.* FROM seat s WHERE season_id = $1::uuid ORDER BY match_id, seat`
const SERIES = `SELECT ladder, ${ms("at")}, round, n, versions, mus FROM series_point WHERE season_id = $1::uuid ORDER BY at, ladder`
const AUDITS = `SELECT id, ${ms("at")} FROM audit WHERE season_id = $1::uuid ORDER BY id`

interface SeatRow extends Record<string, any> {
  readonly match_id: string
}

/** In one transaction that sees one moment; all of it, since any row may have been written again. */
export const ofTables = (sql: PgClient, season: string, known: Known) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
      const all = (text: string) => sql.unsafe<any>(text, [season])
      const [{ head, ...settings }] = (yield* all(SEASON)) as [any]
      const seats = Map.groupBy((yield* all(SEATS)) as ReadonlyArray<SeatRow>, ({ match_id }) => match_id)
      const ended = (yield* all(ENDED)).map((row: any) => endedRow(row, seats.get(row.id) ?? []))
      const live = yield* all(LIVE)
      const rounds = yield* all(ROUNDS)
      return {
        head,
        settings,
        versions: new Map((yield* all(VERSIONS)).map((row) => [row.id, row])),
        ...withWaitingRatings(
          { head, rounds },
          new Map((yield* all(RATINGS)).map((row) => [`${row.ladder} ${row.version}`, row])),
          (yield* all(WAITING_RATINGS)).map(({ ratings }) => readWaitingRatings(ratings))
        ),
        boards: new Map((yield* all(BOARDS)).map((row) => [row.id, row])),
        rounds,
        live: new Map(live.map((row) => [row.id, { ...row, versions: [...row.versions], tries: row.tries ?? [] }])),
        reviews: new Map((yield* all(REVIEWS)).map((row) => [row.version, row])),
        voiding: new Map((yield* all(VOIDING)).map((row) => [row.match, row])),
        ended: ended.filter(({ id }) => !known.ended.has(id)),
        endedCount: ended.length,
        rewritten: ended.filter((row) => known.ended.has(row.id) && JSON.stringify(known.ended.get(row.id)) !== JSON.stringify(row)),
        series: (yield* all(SERIES)).filter((row) => JSON.stringify(known.points.get(pointOf(row))) !== JSON.stringify(row)),
        audits: new Map((yield* all(AUDITS)).map(({ at, id }) => [id, at]))
      } satisfies View
    })
  )

const endedRow = (row: any, seats: ReadonlyArray<SeatRow>): Ended => ({
  ...row,
  versions: seats.map(({ version_id }) => version_id),
  seats: seats.map((seat) => ({
    version: seat["version_id"],
    rank: seat["rank"],
    score: seat["score"],
    strikes: seat["strikes"],
    place: seat["place"],
    made: moved(seat, "made"),
    open: moved(seat, "open")
  }))
})

const moved = (seat: SeatRow, ladder: "made" | "open"): RatingChange | null =>
  seat[`${ladder}_mu`] === null ? null : { mu: seat[`${ladder}_mu`], sigma: seat[`${ladder}_sigma`], change: seat[`${ladder}_change`] }
