/** The statements that remove old replays (ReplayRetention.ts). */
import { Effect, Schema } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { INT4_MAX } from "../../database/rows.ts"
import { publicOnly } from "../../database/visibility.ts"
import { givenToCollector, REPLAY_KEY } from "../../object/givenToCollector.ts"

/** The last match of a batch, in the order of their end; the time as Postgres writes it, to the microsecond. */
export interface Place {
  readonly ended_at: string
  readonly id: string
}

/** A replay that this service still has to read first: for its check, for the daily files. */
export interface Readers {
  readonly checks: boolean
  readonly datasets: boolean
}

export interface Asked {
  readonly season_id: string
  readonly now: Date
  readonly days: number
  readonly after: Place | undefined
  readonly limit: number
}

const Batch = Schema.Struct({
  found: Schema.Int,
  ended_at: Schema.NullOr(Schema.String),
  id: Schema.NullOr(Schema.String),
  removed: Schema.Array(Schema.String),
  bytes: Schema.Number
})
export type Batch = typeof Batch.Type

const CHECKED = `(SELECT coalesce(max(c.ended_at), '-infinity'), coalesce((array_agg(c.match_id))[1], '00000000-0000-0000-0000-000000000000')`

/**
 * The season where it is at rest: it does not wait for its close, for the voids that an administrator has ordered, or for ratings without
 * a voided match. `through` is the number of rating of the last match in a daily file, where those are made.
 */
const seasonAtRest = (sql: SqlClient.SqlClient, { datasets }: Readers, season_id: string): Statement.Fragment => sql`
  SELECT s.id, ${
    datasets
      ? sql`CASE WHEN ${sql.literal(publicOnly())} THEN coalesce((SELECT d.through_n FROM dataset_file d WHERE d.season_id = s.id
          ORDER BY d.day DESC, d.part DESC LIMIT 1), 0) ELSE ${INT4_MAX}::int END`
      : sql`${INT4_MAX}::int`
  } AS through
  FROM season s WHERE s.id = ${season_id} AND (s.closed_at IS NOT NULL OR s.close_requested_at IS NULL)
    AND NOT EXISTS (SELECT 1 FROM voiding v WHERE v.season_id = s.id) AND NOT EXISTS (SELECT 1 FROM void_order o WHERE o.season_id = s.id)`

/**
 * The next matches with a replay that ended long enough ago, by this node's clock and the database's, in the order of their end: up to the
 * first that is in no daily file, and to the last whose replay was checked. By match_replayed and match_rated.
 */
const page = (sql: SqlClient.SqlClient, { checks }: Readers, { after, days, limit, now, season_id }: Asked): Statement.Fragment => sql`
  SELECT x.id, x.ended_at FROM match x WHERE x.season_id = ${season_id} AND x.replay_hash IS NOT NULL
    AND x.ended_at < (SELECT least(${now}::timestamptz, clock_timestamp()) - make_interval(hours => 24 * ${days}::int) FROM season_at_rest)
    AND x.ended_at < (SELECT coalesce((SELECT f.ended_at FROM match f WHERE f.season_id = ${season_id} AND f.rated_n > r.through
      ORDER BY f.rated_n LIMIT 1), 'infinity') FROM season_at_rest r)
    ${after === undefined ? sql`` : sql`AND (x.ended_at, x.id) > (${after.ended_at}::timestamptz, ${after.id}::uuid)`}
    ${checks ? sql`AND (x.ended_at, x.id) <= ${sql.literal(CHECKED)} FROM match_check c WHERE c.season_id = ${season_id})` : sql``}
  ORDER BY x.ended_at, x.id LIMIT ${limit}`

/**
 * Those whose replay nobody needs and nobody has a reason to look at, locked unless another transaction holds them: round_pkey, pick_match,
 * thread_match, match_audit_match and version_pkey.
 */
const OLD = `
  SELECT m.id, m.replay_hash, m.replay_bytes, m.replay_by_match, m.replay_inline FROM match m
  WHERE m.id IN (SELECT p.id FROM page p) AND m.replay_hash IS NOT NULL AND m.status IN ('rated', 'finished')
    AND (m.rated_n IS NULL OR m.rated_n <= (SELECT r.through FROM season_at_rest r))
    AND NOT EXISTS (SELECT 1 FROM round r WHERE r.season_id = m.season_id AND r.n = m.round AND r.kind = 'finals')
    AND NOT EXISTS (SELECT 1 FROM pick k WHERE k.match_id = m.id)
    AND NOT EXISTS (SELECT 1 FROM thread t WHERE t.match_id = m.id)
    AND NOT EXISTS (SELECT 1 FROM match_audit a WHERE a.match_id = m.id AND (a.state <> 'done' OR a.doubter_id IS NOT NULL))
    AND NOT EXISTS (SELECT 1 FROM version v WHERE v.id = m.candidate AND v.status = 'testing')
  FOR UPDATE OF m SKIP LOCKED`

const decodeBatch = Schema.decodeUnknownEffect(Batch)

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Seasons are few. */
  seasons: () => sql<{ readonly id: string }>`SELECT id FROM season ORDER BY id`,

  /**
   * One batch, whole or not at all: rows of replays are deleted by replay_pkey, objects given to the collector, which removes them a day
   * later, and the matches say when. `found` were looked at, up to the place that it answers.
   */
  remove: (readers: Readers, asked: Asked) => {
    const found = sql`
      WITH season_at_rest AS MATERIALIZED (${seasonAtRest(sql, readers, asked.season_id)}),
        page AS MATERIALIZED (${page(sql, readers, asked)}),
        old AS MATERIALIZED (${sql.literal(OLD)}),
        gone AS (UPDATE match m SET replay_hash = NULL, replay_bytes = NULL, replay_inline = false, replay_removed_at = clock_timestamp()
          FROM old o WHERE m.id = o.id RETURNING m.id),
        inline AS (DELETE FROM replay WHERE match_id IN (SELECT id FROM old WHERE replay_inline)),
        collected AS (${sql.literal(givenToCollector(`SELECT ${REPLAY_KEY} FROM old WHERE NOT replay_inline`))})
      SELECT (SELECT count(*)::int FROM page) AS found, l.ended_at::text AS ended_at, l.id, ARRAY(SELECT id FROM gone) AS removed,
        (SELECT coalesce(sum(replay_bytes), 0)::float8 FROM old) AS bytes
      FROM (SELECT 1) one LEFT JOIN (SELECT ended_at, id FROM page ORDER BY ended_at DESC, id DESC LIMIT 1) l ON true`
    return Effect.flatMap(found, ([row]) => decodeBatch(row))
  }
}))
