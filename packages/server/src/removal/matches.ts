/**
 * The statements that remove matches with their seats and audits. No index has every match of a season, so
 * they are found in three ways: those that count by their number, in the order in which they lie on the disk;
 * the others by the seats of the season's versions; and in the end by one scan, which finds none where every
 * match has its seats. Each row is removed by its primary key.
 */
import { givenToCollector, REPLAY_KEY } from "../object/givenToCollector.ts"

/** The outcome of one batch: `n` matches were found, and these removed. `last` is the highest number of a match that counted. */
export interface Removed {
  readonly n: number
  readonly last: number | null
  readonly matches: number
  readonly seats: number
  readonly replays: number
  readonly bytes: number
}

const removing = (found: string): string => `
  WITH found AS MATERIALIZED (${found}),
    seats AS (DELETE FROM seat WHERE match_id IN (SELECT id FROM found) RETURNING 1),
    audits AS (DELETE FROM match_audit WHERE match_id IN (SELECT id FROM found)),
    inline AS (DELETE FROM replay WHERE match_id IN (SELECT id FROM found)),
    gone AS (DELETE FROM match WHERE id IN (SELECT id FROM found) AND season_id = $1::uuid
      RETURNING id, replay_hash, replay_bytes, replay_by_match, replay_inline),
    collected AS (${givenToCollector(`SELECT ${REPLAY_KEY} FROM gone WHERE replay_hash IS NOT NULL AND NOT replay_inline`)})
  SELECT (SELECT count(*)::int FROM found) AS n, (SELECT max(rated_n) FROM found) AS last, count(*)::int AS matches,
    (SELECT count(*)::int FROM seats) AS seats, count(replay_hash)::int AS replays, coalesce(sum(replay_bytes), 0)::float8 AS bytes
  FROM gone`

/** The next `$3` after the number `$2`, by match_rated. */
export const RATED = removing(
  "SELECT id, rated_n FROM match WHERE season_id = $1::uuid AND rated_n > $2::int ORDER BY rated_n LIMIT $3::int"
)

/** Those of the versions `$2`, by seat_version. */
export const OF_VERSIONS = removing(`
  SELECT DISTINCT y.match_id AS id, NULL::int AS rated_n
  FROM (SELECT match_id FROM seat WHERE version_id = ANY (string_to_array($2, ',')::uuid[]) LIMIT $3::int) y`)

/** These, by match_pkey. */
export const NAMED = removing("SELECT id, rated_n FROM match WHERE id = ANY (string_to_array($2, ',')::uuid[])")

/** A scan of the table, which holds no row. */
export const LEFT = "SELECT id FROM match WHERE season_id = $1::uuid LIMIT $2::int"
