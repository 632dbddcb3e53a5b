/**
 * The rows that the season actor reads when it claims, once in an incarnation: all that it needs to go on.
 * Rows rather than one aggregated value, which would outgrow the driver's largest message with the season.
 * Times are ms since 1970; int8 would come as BigInt.
 */

import type { Head } from "@agon/domain/season/Head.ts"
import type { Round } from "@agon/domain/season/Round.ts"
import type { Settings } from "@agon/domain/season/Rules.ts"
import type { Voiding } from "@agon/domain/season/rating/Voided.ts"
import type { EndedWork } from "@agon/domain/season/scheduler/answerAgain.ts"
import type { Board, OpenMatch } from "@agon/domain/season/scheduler/Match.ts"
import type { Review, Version } from "@agon/domain/season/Version.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { RATING_COLUMNS, ratingOf } from "./ratingRow.ts"
import { ms, NOW } from "./statement.ts"
import { VERSION_COLUMNS, versionOf } from "./versionRow.ts"

export interface SeasonRow extends Settings {
  readonly game: string
  readonly slug: string
  readonly epoch: number
  readonly seq: number
  readonly at: number // the database's clock
  readonly head: Head
  readonly ratings_round: number // the lowest round that a row in play may have
}

/** The head with a secret for the seeds of its matches: a season of an earlier release has none. */
const SECRETIVE = `CASE WHEN head->>'secret' IS NULL
  THEN head || jsonb_build_object('secret', replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', '')) ELSE head END`

/**
 * Locks the season's row until the transaction ends: waits for a commit that is still running. No
 * row where the season is closed.
 */
export const claim = (sql: PgClient, season: string) =>
  sql.unsafe<SeasonRow>(
    `UPDATE season SET epoch = epoch + 1, head = ${SECRETIVE} WHERE id = $1::uuid AND closed_at IS NULL
     RETURNING game, slug, epoch, seq::float8 AS seq, head, ratings_round, ${ms("submissions_open_at")}, ${ms("submissions_close_at")},
       rules, weight_classes, fleet, fill, engine_digest, ${NOW}`,
    [season]
  )

const SEATED = "SELECT unnest(versions) FROM live WHERE season_id = $1::uuid"

const versionsWhere = (sql: PgClient, condition: string, of: string) =>
  Effect.map(sql.unsafe(`SELECT ${VERSION_COLUMNS} FROM version WHERE ${condition}`, [of]).values, (rows) => rows.map(versionOf))

const HELD = `season_id = $1::uuid AND (status IN ('testing', 'entered', 'disabled', 'disqualified')
  OR status = 'superseded' AND id IN (${SEATED}))`

/** Versions; superseded ones only where an open match seats them. Index: version_ord. */
export const versions = (sql: PgClient, season: string) => versionsWhere(sql, `${HELD} ORDER BY ord`, season)

const FAILED_IN_TRIAL = "id = ANY (string_to_array($1, ',')::uuid[]) AND status = 'rejected' AND reject_reason = 'trial_failed'"

/** Those of these candidates whose trials have failed. Index: version_pkey. */
export const failedInTrial = (sql: PgClient, candidates: ReadonlyArray<string>) => versionsWhere(sql, FAILED_IN_TRIAL, candidates.join())

/**
 * A version that the state does not hold, as far as caps, weights and cooldowns need it:
 * `weights_hash` is null for a rejected one.
 */
export interface Gone extends Pick<Version, "owner" | "model" | "created_at"> {
  readonly weights_hash: string | null
}

/**
 * The other superseded versions and the rejected ones, except those rejected through no fault of their owner:
 * these do not count for the cooldown. One pass over the season's versions. Index: version_ord.
 */
export const gone = (sql: PgClient, season: string) =>
  sql.unsafe<Gone>(
    `SELECT model_id AS model, owner_id AS owner, CASE WHEN status = 'superseded' THEN weights_hash END AS weights_hash, ${ms("created_at")}
     FROM version WHERE season_id = $1::uuid AND (status = 'superseded' AND id NOT IN (${SEATED})
       OR status = 'rejected' AND coalesce(reject_reason, '') NOT IN ('admission_unavailable', 'upload_expired'))`,
    [season]
  )

const ratingsWhere = (sql: PgClient, condition: string, ...of: ReadonlyArray<string>) =>
  Effect.map(sql.unsafe(`SELECT ${RATING_COLUMNS} FROM rating WHERE season_id = $1::uuid AND ${condition}`, of).values, (rows) =>
    rows.map(ratingOf)
  )

/**
 * Ratings of those in play, in no order: sorting 200,000 of them would take as long as
 * reading them. Index: rating_rank.
 */
export const ratings = (sql: PgClient, season: string) => ratingsWhere(sql, "active", season)

/**
 * Ratings of these versions while they are out of play: those of switched-off baselines and of
 * versions in an open match may still change. Those of other superseded versions, however many, are
 * not read. Index: rating_version.
 */
export const ratingsOut = (sql: PgClient, season: string, versions: ReadonlyArray<string>) =>
  ratingsWhere(sql, "NOT active AND version_id = ANY (string_to_array($2, ',')::uuid[])", season, versions.join())

export const boards = (sql: PgClient, season: string) =>
  sql.unsafe<Board>(`SELECT map_id AS id, ord, players, rows, cols, enabled, used FROM board WHERE season_id = $1::uuid ORDER BY ord`, [
    season
  ])

export const rounds = (sql: PgClient, season: string) =>
  sql.unsafe<Round>(
    `SELECT n, kind, games, ${ms("starts_at")}, ${ms("started_at")}, ${ms("ended_at")}, withdrawn
     FROM round WHERE season_id = $1::uuid ORDER BY n`,
    [season]
  )

export const live = (sql: PgClient, season: string) =>
  sql.unsafe<OpenMatch>(
    `SELECT id, n, ladder, candidate, round, map_id AS board, seed::float8 AS seed, versions, ${ms("created_at")}, lease_n, losses,
       coalesce(tries, '[]') AS tries, runner_id AS runner, key_id AS key, ${ms("leased_at")}, ${ms("until")}, released
     FROM live WHERE season_id = $1::uuid ORDER BY n`,
    [season]
  )

/** In the order of submission. */
export const reviews = (sql: PgClient, season: string) =>
  sql.unsafe<Review>(
    `SELECT r.version_id AS version, r.lease_n, r.runner_id AS runner, r.key_id AS key, ${ms("r.leased_at", "leased_at")}, ${ms("r.until", "until")}, r.released,
       coalesce(r.opinions, '[]') AS opinions
     FROM review r JOIN version v ON v.id = r.version_id WHERE r.season_id = $1::uuid ORDER BY v.ord`,
    [season]
  )

/** In the order of rating. Index: voiding_pkey. */
export const voiding = (sql: PgClient, season: string) =>
  sql.unsafe<Voiding>(`SELECT match_id AS match, n, round, ladder, versions FROM voiding WHERE season_id = $1::uuid ORDER BY n`, [season])

/** Work of these seasons that is no longer open, by its season and id. Index: match_pkey, version_pkey. */
export const endedWork = (sql: PgClient, works: ReadonlyArray<{ readonly season: string; readonly id: string }>) =>
  sql.unsafe<EndedWork & { readonly season: string; readonly id: string }>(
    `SELECT asked.season::text AS season, asked.id::text AS id, e.*
     FROM unnest(string_to_array($1, ',')::uuid[], string_to_array($2, ',')::uuid[]) AS asked (season, id) CROSS JOIN LATERAL (
       SELECT 'match' AS kind, lease_n, key_id AS key, released, status AS ending, fault_reason, NULL::text AS status,
         NULL::int AS admit_attempt, NULL::uuid AS admit_key FROM match WHERE id = asked.id AND season_id = asked.season
       UNION ALL
       SELECT 'admission', NULL, NULL, NULL, NULL, NULL, status, admit_attempt, admit_key FROM version
       WHERE id = asked.id AND season_id = asked.season) e`,
    [works.map(({ season }) => season).join(), works.map(({ id }) => id).join()]
  )

/** Index: version_pkey, audit_pkey. */
export const written = (sql: PgClient, ids: ReadonlyArray<string>) =>
  sql.unsafe<{ readonly id: string }>(
    `SELECT id FROM version WHERE id = ANY (string_to_array($1, ',')::uuid[])
     UNION ALL SELECT id FROM audit WHERE id = ANY (string_to_array($1, ',')::uuid[])`,
    [ids.join()]
  )

/** The ratings that commits kept while their rows waited, in order. Index: rating_redo_pkey. */
export const redo = (sql: PgClient, season: string) =>
  sql.unsafe<{ readonly seq: number; readonly ratings: Uint8Array }>(
    "SELECT seq::float8 AS seq, ratings FROM rating_redo WHERE season_id = $1::uuid ORDER BY seq",
    [season]
  )

/** Index: season_open. */
export const openSeasons = (sql: PgClient) =>
  sql.unsafe<{ readonly id: string }>("SELECT id FROM season WHERE closed_at IS NULL ORDER BY id")
