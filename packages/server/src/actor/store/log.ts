/**
 * The log of a season's matches: read in pages by the fold beside the season, and a few rows at a time by its
 * actor between two commits. Changed rows are written under the actor's epoch: a claim waits for such a
 * statement, and after the claim no earlier incarnation can write.
 */

import type { Earlier, EndedMatch, LoggedMatch, LogPlace } from "@agon/domain/season/Log.ts"
import { type Ladder, laddersRated } from "@agon/domain/season/Rules.ts"
import type { InheritedRating, Seat, SeriesPoint } from "@agon/domain/season/rating/LadderRating.ts"
import { HISTORY_KEPT } from "@agon/domain/season/rating/Resets.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { int4, uuid } from "@effect/sql-pg/PgTypes"
import { Effect } from "effect"
import type { SqlError } from "effect/sql/SqlError"
import { INT4_MAX } from "../../database/rows.ts"
import { Fenced, type SeasonLog, StoreFailed } from "../SeasonStore.ts"
import { failedInTrial, ratingsOut } from "./claim.ts"
import { changeParts } from "./commit.ts"
import { statement } from "./statement.ts"

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

type EndedRow = Omit<EndedMatch, "left" | "rejected">

/** By the primary keys. */
const ended = (sql: PgClient, season: string, matches: ReadonlyArray<string>) =>
  sql.unsafe<EndedRow>(
    `SELECT m.id, m.ladder, m.candidate, m.round, m.status AS ending, m.rated_n,
       (SELECT jsonb_agg(jsonb_build_object('version', s.version_id, 'strikes', s.strikes) ORDER BY s.seat)
        FROM seat s WHERE s.match_id = m.id) AS seats
     FROM match m WHERE m.season_id = $1::uuid AND m.id = ANY (string_to_array($2, ',')::uuid[])`,
    [season, matches.join()]
  )

/**
 * The number of the last match of an earlier round. Rounds go up with the numbers, so it is sought by halves: some twenty rows by
 * match_rated, however many the round has.
 */
const lastBefore = (sql: PgClient, season: string, round: number) =>
  sql.unsafe<{ readonly after: number }>(
    `WITH RECURSIVE half (low, high) AS (
       SELECT 0, 1 + coalesce(max(rated_n), 0) FROM match WHERE season_id = $1::uuid AND rated_n IS NOT NULL
       UNION ALL
       SELECT CASE WHEN is_before THEN mid ELSE low END, CASE WHEN is_before THEN high ELSE mid END
       FROM (SELECT low, high, (low + high) / 2 AS mid, coalesce((SELECT m.round < $2 FROM match m
           WHERE m.season_id = $1::uuid AND m.rated_n > low AND m.rated_n <= (low + high) / 2 ORDER BY m.rated_n DESC LIMIT 1), true) AS is_before
         FROM half WHERE high - low > 1) h)
     SELECT m.rated_n AS after FROM match m WHERE m.season_id = $1::uuid AND m.rated_n <= (SELECT max(low) FROM half)
     ORDER BY m.rated_n DESC LIMIT 1`,
    [season, round]
  )

/** Indexes: match_rated, seat_pkey. */
const matches = (sql: PgClient, season: string, after: number, limit: number) =>
  sql.unsafe<SeatRow>(
    `SELECT m.id, m.rated_n, m.ladder, m.round, s.version_id AS version, s.rank, s.score, s.strikes, s.place,
       s.made_mu, s.made_sigma, s.made_change, s.open_mu, s.open_sigma, s.open_change
     FROM (SELECT id, rated_n, ladder, round FROM match WHERE season_id = $1::uuid AND rated_n > $2 ORDER BY rated_n LIMIT $3) m
       JOIN seat s ON s.match_id = m.id ORDER BY m.rated_n, s.seat`,
    [season, after, limit]
  )

/** A few versions that took over a rating. By the first column of rating_seed_pkey. */
const seeds = (sql: PgClient, season: string, { after, round }: LogPlace, until: number) =>
  sql.unsafe<InheritedRating>(
    `SELECT ladder, version_id AS version, ord, round, n, of, mu, sigma FROM rating_seed
     WHERE season_id = $1::uuid AND round >= $2 AND n >= $3 AND n < $4 ORDER BY n, ord, ladder`,
    [season, round, after, until]
  )

/** Some hundred a season at most. By the first column of series_point_pkey. */
const points = (sql: PgClient, season: string, { after, round }: LogPlace, until: number) =>
  sql.unsafe<SeriesPoint>(
    `SELECT ladder, (extract(epoch FROM at) * 1000)::float8 AS at, round, n, versions, mus FROM series_point
     WHERE season_id = $1::uuid AND round >= $2 AND n >= $3 AND n < $4 ORDER BY at, ladder`,
    [season, round, after, until]
  )

interface EarlierRow {
  readonly version: string
  readonly seed_mu: number | null
  readonly seed_round: number | null
  readonly n: number | null
  readonly round: number
  readonly mu: number
}

/** Of a season whose time was never put back: its matches end in the order of their numbers, so those of a version are read backwards by seat_version. */
const BY_TIME = `s.ended_at <= (SELECT a.ended_at FROM match a
         WHERE a.season_id = $1::uuid AND a.rated_n <= $4 ORDER BY a.rated_n DESC LIMIT 1) AND`

/**
 * The last matches up to number `after`, and the seed by rating_seed_pkey. Where `after` is 0 there is no such match, and no seat is read:
 * all seats of many versions would be.
 */
const earlier = (sql: PgClient, season: string, ladder: Ladder, versions: ReadonlyArray<string>, after: number, put_back: number) =>
  sql.unsafe<EarlierRow>(
    `SELECT v.id AS version, d.mu AS seed_mu, d.round AS seed_round, t.n, t.round, t.mu
     FROM unnest(string_to_array($2, ',')::uuid[]) v(id)
     LEFT JOIN LATERAL (SELECT m.rated_n AS n, m.round, CASE WHEN m.ladder = $3 THEN s.made_mu ELSE s.open_mu END AS mu
       FROM seat s JOIN match m ON m.id = s.match_id
       WHERE s.season_id = $1::uuid AND s.version_id = v.id AND ${put_back > 0 ? "$4 > 0 AND" : BY_TIME} m.rated_n <= $4 AND (m.ladder = $3 OR $3 = 'open')
       ORDER BY ${put_back > 0 ? "" : "s.ended_at DESC, "}m.rated_n DESC LIMIT ${HISTORY_KEPT}) t ON true
     LEFT JOIN rating_seed d ON d.season_id = $1::uuid AND d.ladder = $3 AND d.version_id = v.id`,
    [season, versions.join(), ladder, after]
  )

/** Blocks commits and claims of the season for the duration of the statement. */
const FENCE = "SELECT id AS season_id, game FROM season WHERE id = $1 AND epoch = $2 FOR SHARE"

/** A season waits for what its actor reads: no longer than it must. */
const sideBySide = <A, B, E>(one: Effect.Effect<A, E>, other: Effect.Effect<B, E>) => Effect.all([one, other], { concurrency: "unbounded" })

export const make = (sql: PgClient): SeasonLog => {
  const storing = <A>(season: string, read: Effect.Effect<A, SqlError>) =>
    Effect.mapError(read, (cause) => new StoreFailed({ season, cause }))
  return {
    ended: Effect.fn("SeasonLog.ended")(function* (season, ids) {
      const rows = yield* storing(season, ended(sql, season, ids))
      const versions = new Set(rows.flatMap(({ ladder, seats }) => (ladder === null ? [] : seats.map(({ version }) => version))))
      const candidates = rows.flatMap(({ candidate }) => candidate ?? [])
      const [ratings, rejected] = yield* sideBySide(
        versions.size === 0 ? Effect.succeed([]) : storing(season, ratingsOut(sql, season, [...versions])),
        candidates.length === 0 ? Effect.succeed([]) : storing(season, failedInTrial(sql, candidates))
      )
      return rows.map((row) => ({
        ...row,
        left: ratings.filter((each) => isOf(row, each)),
        rejected: rejected.find(({ id }) => id === row.candidate) ?? null
      }))
    }),

    place: Effect.fn("SeasonLog.place")(function* (season, round) {
      const [row] = round === 0 ? [] : yield* storing(season, lastBefore(sql, season, round))
      return { round, after: row?.after ?? 0 }
    }),

    page: Effect.fn("SeasonLog.page")(function* (season, place, limit, end) {
      const read = matchesOf(yield* storing(season, matches(sql, season, place.after, limit)))
      const until = end ? INT4_MAX : (read.at(-1)?.rated_n ?? place.after)
      if (until === place.after) return { matches: read, seeds: [], points: [] }
      const [inherited, taken] = yield* sideBySide(
        storing(season, seeds(sql, season, place, until)),
        storing(season, points(sql, season, place, until))
      )
      return { matches: read, seeds: inherited, points: taken }
    }),

    earlier: Effect.fn("SeasonLog.earlier")(function* (season, ladder, versions, after, put_back) {
      return earlierFrom(ladder, yield* storing(season, earlier(sql, season, ladder, versions, after, put_back)))
    }),

    left: (season, versions) => (versions.length === 0 ? Effect.succeed([]) : storing(season, ratingsOut(sql, season, versions))),

    rewrite: Effect.fn("SeasonLog.rewrite")(function* ({ epoch, season }, changes) {
      const parts = changeParts(changes).filter((part) => part !== null)
      if (parts.length === 0) return
      const { params, text } = statement.fenced(FENCE, [uuid(season), int4(epoch)], parts)
      const [row] = yield* storing(season, sql.unsafe<{ held: number }>(text, params as Array<unknown>))
      if (row?.held !== 1) return yield* new Fenced({ season })
    })
  }
}

const isOf = ({ ladder, seats }: EndedRow, each: EndedMatch["left"][number]): boolean =>
  ladder !== null && laddersRated(ladder).includes(each.ladder) && seats.some(({ version }) => version === each.version)

const earlierFrom = (ladder: Ladder, rows: ReadonlyArray<EarlierRow>): ReadonlyArray<Earlier> =>
  [...Map.groupBy(rows, ({ version }) => version).values()].map((of) => {
    const { seed_mu, seed_round, version } = of[0]!
    const seed = seed_mu === null ? null : { mu: seed_mu, round: seed_round! }
    return { ladder, version, seed, means: of.flatMap(({ mu, n, round }) => (n === null ? [] : [{ n, round, mu }])) }
  })

const matchesOf = (rows: ReadonlyArray<SeatRow>): ReadonlyArray<LoggedMatch> => {
  const found: Array<LoggedMatch & { readonly seats: Array<Seat> }> = []
  for (const row of rows) {
    const { id, ladder, rated_n, round } = row
    if (found.at(-1)?.id !== id) found.push({ id, ladder, rated_n, round, seats: [] })
    found.at(-1)!.seats.push(seatOf(row))
  }
  return found
}

const seatOf = ({ place, rank, score, strikes, version, ...row }: SeatRow): Seat => ({
  ...{ version, rank, score, strikes, place },
  made: row.made_mu === null ? null : { mu: row.made_mu, sigma: row.made_sigma!, change: row.made_change! },
  open: row.open_mu === null ? null : { mu: row.open_mu, sigma: row.open_sigma!, change: row.open_change! }
})
