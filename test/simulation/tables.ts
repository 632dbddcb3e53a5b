/** The rows of a season out of its tables, as the auditor reads them: by statements of its own, not the service's. */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import type { Ended, Moved } from "@agon/domain/season/State.ts"
import type { View } from "./View.ts"

const ms = (column: string, name = column): string => `(extract(epoch FROM ${column}) * 1000)::float8 AS "${name}"`

const SEASON = `SELECT head, ${ms("submissions_open_at")}, ${ms("submissions_close_at")}, rules, weight_classes, fleet, fill, engine_digest
  FROM season WHERE id = $1::uuid`
const VERSIONS = `SELECT v.*, v.model_id AS model, v.owner_id AS owner, ${ms("v.created_at", "created_at")}, ${ms("v.upload_until", "upload_until")},
  v.param_count::float8 AS param_count FROM version v WHERE v.season_id = $1::uuid ORDER BY v.ord`
const RATINGS = `SELECT r.*, r.version_id AS version FROM rating r WHERE r.season_id = $1::uuid`
const BOARDS = `SELECT map_id AS id, ord, players, rows, cols, enabled, used FROM board WHERE season_id = $1::uuid`
const ROUNDS = `SELECT n, kind, games, ${ms("starts_at")}, ${ms("started_at")}, ${ms("ended_at")}, withdrawn FROM round
  WHERE season_id = $1::uuid ORDER BY n`
const LIVE = `SELECT l.*, map_id AS board, seed::float8 AS seed, ${ms("created_at")}, runner_id AS runner, key_id AS key, ${ms("until")}
  FROM live l WHERE season_id = $1::uuid`
const REVIEWS = `SELECT version_id AS version, lease_n, runner_id AS runner, key_id AS key, ${ms("until")}, released
  FROM review WHERE season_id = $1::uuid`
const COUNT = `SELECT count(*)::int AS n FROM match WHERE season_id = $1::uuid`
/** Those not seen yet, in the order in which they ended. */
const ENDED = `SELECT m.*, map_id AS board, seed::float8 AS seed, status AS ending, ${ms("created_at")}, ${ms("ended_at")},
  runner_id AS runner, key_id AS key FROM match m WHERE season_id = $1::uuid AND NOT (id::text = ANY (string_to_array($2, ',')))
  ORDER BY m.ended_at, m.rated_n`
const SEATS = `SELECT s.* FROM seat s WHERE season_id = $1::uuid AND NOT (match_id::text = ANY (string_to_array($2, ','))) ORDER BY match_id, seat`

interface SeatRow extends Record<string, any> {
  readonly match_id: string
}

/** In one transaction that sees one moment. */
export const ofTables = (sql: PgClient, season: string, seen: ReadonlySet<string>) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql.unsafe("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
      const all = (text: string) => sql.unsafe<any>(text, [season])
      const [{ head, ...settings }] = (yield* all(SEASON)) as [any]
      const known = [...seen].join()
      const seats = yield* sql.unsafe<SeatRow>(SEATS, [season, known])
      const ended = (yield* sql.unsafe<any>(ENDED, [season, known])).map((row: any) => endedRow(row, seats))
      const live = yield* all(LIVE)
      return {
        head,
        settings,
        versions: new Map((yield* all(VERSIONS)).map((row) => [row.id, row])),
        standings: new Map((yield* all(RATINGS)).map((row) => [`${row.ladder} ${row.version}`, row])),
        boards: new Map((yield* all(BOARDS)).map((row) => [row.id, row])),
        rounds: yield* all(ROUNDS),
        live: new Map(live.map((row) => [row.id, { ...row, versions: [...row.versions] }])),
        reviews: new Map((yield* all(REVIEWS)).map((row) => [row.version, row])),
        ended,
        endedCount: (yield* all(COUNT))[0].n
      } satisfies View
    })
  )

const endedRow = (row: any, seats: ReadonlyArray<SeatRow>): Ended => {
  const mine = seats.filter(({ match_id }) => match_id === row.id)
  return {
    ...row,
    versions: mine.map(({ version_id }) => version_id),
    seats: mine.map((seat) => ({
      version: seat["version_id"],
      rank: seat["rank"],
      score: seat["score"],
      strikes: seat["strikes"],
      place: seat["place"],
      made: moved(seat, "made"),
      open: moved(seat, "open")
    }))
  }
}

const moved = (seat: SeatRow, ladder: "made" | "open"): Moved | null =>
  seat[`${ladder}_mu`] === null ? null : { mu: seat[`${ladder}_mu`], sigma: seat[`${ladder}_sigma`], change: seat[`${ladder}_change`] }
