/**
 * The log of a round from one match on, for `VoidMatch`. Its actor reads it between two commits, so the statements see the
 * same rows without a transaction. At most one match more than the limit is read: the machine refuses such a log.
 */
import {
  type Before,
  EMPTY_LOG,
  type Log,
  LOG_MATCHES_MAX,
  LOG_MEANS_MAX,
  type LoggedMatch,
  type Tail,
  type VoidedMatch
} from "@agon/domain/season/Log.ts"
import { HISTORY_KEPT } from "@agon/domain/season/Resets.ts"
import type { Seat, Seed, SeriesPoint } from "@agon/domain/season/State.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { standingColumns } from "./claim.ts"

interface SeatRow extends Pick<LoggedMatch, "id" | "rated_n" | "ladder" | "round"> {
  readonly version: string
  readonly rank: number
  readonly score: number
  readonly strikes: number
  readonly place: number | null
  readonly made_mu: number | null
  readonly made_sigma: number | null
  readonly made_change: number | null
  readonly open_mu: number | null
  readonly open_sigma: number | null
  readonly open_change: number | null
}

const seatColumns = `s.version_id AS version, s.rank, s.score, s.strikes, s.place, s.made_mu, s.made_sigma, s.made_change,
  s.open_mu, s.open_sigma, s.open_change`

/** By the primary keys. */
const voided = (sql: PgClient, season: string, match: string) =>
  sql.unsafe<Omit<VoidedMatch, "seats"> & SeatRow & { readonly ended_at: Date }>(
    `SELECT m.id, m.ladder, m.candidate, m.round, m.status AS ending, m.rated_n, m.fault_reason, m.ended_at, ${seatColumns}
     FROM match m JOIN seat s ON s.match_id = m.id WHERE m.id = $1::uuid AND m.season_id = $2::uuid ORDER BY s.seat`,
    [match, season]
  )

/** Indexes: match_rated, seat_pkey. */
const laterOf = (sql: PgClient, season: string, { rated_n, round }: VoidedMatch) =>
  sql.unsafe<SeatRow>(
    `SELECT m.id, m.rated_n, m.ladder, m.round, ${seatColumns}
     FROM (SELECT id, rated_n, ladder, round FROM match WHERE season_id = $1::uuid AND rated_n > $2 AND round = $3
       ORDER BY rated_n LIMIT ${LOG_MATCHES_MAX + 1}) m JOIN seat s ON s.match_id = m.id ORDER BY m.rated_n, s.seat`,
    [season, rated_n, round]
  )

/** Few: versions that took a rating over. By the first column of rating_seed_pkey. */
const seedsOf = (sql: PgClient, season: string, round: number) =>
  sql.unsafe<Seed>(
    `SELECT ladder, version_id AS version, ord, round, n, of, mu, sigma FROM rating_seed WHERE season_id = $1::uuid AND round = $2
     ORDER BY n, ord`,
    [season, round]
  )

/** The last match before that moved a version on a ladder: from the end of seat_version backwards, to the first that fits. */
const beforeOf = (sql: PgClient, versions: string, match: VoidedMatch, ended_at: Date) =>
  sql.unsafe<Before>(
    `SELECT l.ladder, v.id AS version, b.mu, b.sigma, b.change
     FROM unnest(string_to_array($1, ',')::uuid[]) v(id) CROSS JOIN unnest(string_to_array($2, ',')) l(ladder)
     CROSS JOIN LATERAL (SELECT CASE WHEN m.ladder = l.ladder THEN s.made_mu ELSE s.open_mu END AS mu,
         CASE WHEN m.ladder = l.ladder THEN s.made_sigma ELSE s.open_sigma END AS sigma,
         CASE WHEN m.ladder = l.ladder THEN s.made_change ELSE s.open_change END AS change
       FROM seat s JOIN match m ON m.id = s.match_id
       WHERE s.version_id = v.id AND s.ended_at <= $3 AND m.rated_n < $4 AND m.round = $5 AND (m.ladder = l.ladder OR l.ladder = 'open')
       ORDER BY s.ended_at DESC, m.rated_n DESC LIMIT 1) b`,
    [versions, [...new Set([match.ladder, "open"])].join(), ended_at, match.rated_n, match.round]
  )

/** Index: rating_version. */
const standingsOf = (sql: PgClient, season: string, versions: string) =>
  sql.unsafe<Log["standings"][number]>(
    `SELECT ${standingColumns} FROM rating WHERE season_id = $1::uuid AND NOT active AND version_id = ANY (string_to_array($2, ',')::uuid[])`,
    [season, versions]
  )

/** Newest first, until there are more means than the machine takes. Index: series_point_pkey. */
const pointsOf = (sql: PgClient, season: string, { ladder, rated_n, round }: VoidedMatch, first: boolean) =>
  sql.unsafe<SeriesPoint>(
    `SELECT ladder, (extract(epoch FROM at) * 1000)::float8 AS at, round, n, versions, mus
     FROM (SELECT *, sum(cardinality(mus)) OVER (ORDER BY at DESC, ladder) - cardinality(mus) AS means FROM series_point
       WHERE season_id = $1::uuid AND (ladder IN ($2, 'open') OR $5) AND round = $3 AND n >= $4) p
     WHERE means <= ${LOG_MEANS_MAX} ORDER BY at, ladder`,
    [season, ladder, round, rated_n, first]
  )

interface TailRow extends Pick<Tail, "ladder" | "version"> {
  readonly rated_n: number
  readonly round: number
  readonly mu: number
  readonly seed_mu: number | null
  readonly seed_round: number | null
}

/** From the end of seat_version backwards, and the seed by rating_seed_pkey. */
const tailsOf = (sql: PgClient, season: string, versions: string, { ladder }: VoidedMatch) =>
  sql.unsafe<TailRow>(
    `SELECT l.ladder, v.id AS version, t.rated_n, t.round, t.mu, d.mu AS seed_mu, d.round AS seed_round
     FROM unnest(string_to_array($2, ',')::uuid[]) v(id) CROSS JOIN unnest(string_to_array($3, ',')) l(ladder)
     CROSS JOIN LATERAL (SELECT m.rated_n, m.round, CASE WHEN m.ladder = l.ladder THEN s.made_mu ELSE s.open_mu END AS mu
       FROM seat s JOIN match m ON m.id = s.match_id
       WHERE s.version_id = v.id AND m.rated_n IS NOT NULL AND (m.ladder = l.ladder OR l.ladder = 'open')
       ORDER BY s.ended_at DESC, m.rated_n DESC LIMIT ${HISTORY_KEPT + 1}) t
     LEFT JOIN rating_seed d ON d.season_id = $1::uuid AND d.ladder = l.ladder AND d.version_id = v.id
     ORDER BY l.ladder, v.id, t.rated_n DESC`,
    [season, versions, [...new Set([ladder, "open"])].join()]
  )

/** The season by its primary key, and match_rated from its beginning. */
const whereabouts = (sql: PgClient, season: string, { rated_n, round }: VoidedMatch) =>
  sql.unsafe<Pick<Log, "first" | "over">>(
    `SELECT (head->>'round')::int <> $2 AS over, NOT EXISTS (SELECT 1 FROM match m WHERE m.season_id = s.id AND m.rated_n < $3) AS first
     FROM season s WHERE id = $1::uuid`,
    [season, round, rated_n]
  )

export const read = Effect.fnUntraced(function* (sql: PgClient, season: string, id: string) {
  const rows = yield* voided(sql, season, id)
  if (rows.length === 0) return EMPTY_LOG
  const { candidate, ending, ended_at, fault_reason, ladder, rated_n, round } = rows[0]!
  const match: VoidedMatch = { id, ladder, candidate, ending, round, rated_n, fault_reason, seats: rows.map(seatOf) }
  if (rated_n === null) return { ...EMPTY_LOG, match }
  const later = matchesOf(yield* laterOf(sql, season, match))
  const seeds = yield* seedsOf(sql, season, round)
  const named = new Set([match, ...later].flatMap(({ seats }) => seats.map(({ version }) => version)))
  for (const { of, version } of seeds) named.add(of).add(version)
  const versions = [...named].join()
  const before = yield* beforeOf(sql, versions, match, ended_at)
  const standings = yield* standingsOf(sql, season, versions)
  const { first, over } = (yield* whereabouts(sql, season, match))[0]!
  const points = yield* pointsOf(sql, season, match, first)
  const seated = match.seats.map(({ version }) => version).join()
  const tails = tailsFrom(yield* tailsOf(sql, season, over ? versions : seated, match))
  return { match, later, before, seeds, standings, points, tails, over, first } satisfies Log
})

const tailsFrom = (rows: ReadonlyArray<TailRow>): ReadonlyArray<Tail> =>
  [...Map.groupBy(rows, ({ ladder, version }) => `${ladder} ${version}`).values()].map((matches) => {
    const { ladder, seed_mu, seed_round, version } = matches[0]!
    const seed = seed_mu === null ? null : { mu: seed_mu, round: seed_round! }
    return { ladder, version, seed, matches: matches.map(({ mu, rated_n, round }) => ({ mu, rated_n, round })) }
  })

const matchesOf = (rows: ReadonlyArray<SeatRow>): ReadonlyArray<LoggedMatch> => {
  const matches = new Map<string, LoggedMatch & { readonly seats: Array<Seat> }>()
  for (const row of rows) {
    const { id, ladder, rated_n, round } = row
    if (!matches.has(id)) matches.set(id, { id, ladder, rated_n, round, seats: [] })
    matches.get(id)!.seats.push(seatOf(row))
  }
  return [...matches.values()]
}

const seatOf = ({ place, rank, score, strikes, version, ...row }: SeatRow): Seat => ({
  ...{ version, rank, score, strikes, place },
  made: row.made_mu === null ? null : { mu: row.made_mu, sigma: row.made_sigma!, change: row.made_change! },
  open: row.open_mu === null ? null : { mu: row.open_mu, sigma: row.open_sigma!, change: row.open_change! }
})
