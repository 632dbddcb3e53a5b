/** The statements that count the rivals of versions, when they are read and beside it (RivalSweep.ts). */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { beginSweep } from "../database/sweeping.ts"
import { disturbed, seasonTime } from "../match/list/seasonCounts.ts"

const MetRow = Schema.Struct({
  version: Schema.String,
  seats: Schema.Int,
  last: Schema.NullOr(Schema.Date),
  voided: Schema.Int,
  model_id: Schema.NullOr(Schema.String),
  newest: Schema.NullOr(Schema.Boolean),
  played: Schema.NullOr(Schema.Int),
  wins: Schema.NullOr(Schema.Int),
  draws: Schema.NullOr(Schema.Int),
  losses: Schema.NullOr(Schema.Int),
  last_played_at: Schema.NullOr(Schema.Date)
})
export type MetRow = typeof MetRow.Type

/** By rival: played, wins, draws, losses, and the time of the last match, in ms. */
const TallyRow = Schema.Struct({
  version: Schema.String,
  counted_to: Schema.Date,
  voided: Schema.Int,
  tallies: Schema.Record(Schema.String, Schema.Tuple([Schema.Int, Schema.Int, Schema.Int, Schema.Int, Schema.Int]))
})

const Counters = Schema.Struct({ season_id: Schema.String, numbered: Schema.Int, voided: Schema.Int })

const Asked = Schema.Struct({ version: Schema.String, from: Schema.Date, seats: Schema.Int })

const makeReads = (sql: SqlClient.SqlClient) => ({
  /**
   * The opponents in counted seats of versions, of each from an instant on and up to a limit, by
   * seat_version; the others' seats by seat_pkey. The driver's dates have milliseconds. At least one row for
   * each version, without a rival where there is none.
   */
  met: SqlSchema.findAll({
    Request: Schema.Array(Asked),
    Result: MetRow,
    execute: (asked) => sql`
      WITH asked AS MATERIALIZED (SELECT a.version_id, a.since, a.most, ${sql.literal(`${disturbed} AS voided, ${seasonTime} AS now`)}
          FROM unnest(string_to_array(${asked.map(({ version }) => version).join()}, ',')::uuid[],
            string_to_array(${asked.map(({ from }) => from.toISOString()).join()}, ',')::timestamptz[],
            string_to_array(${asked.map(({ seats }) => seats).join()}, ',')::int[]) a(version_id, since, most)
          JOIN version v ON v.id = a.version_id JOIN season s ON s.id = v.season_id),
        next AS MATERIALIZED (SELECT a.version_id, a.now, n.* FROM asked a CROSS JOIN LATERAL (
          SELECT x.match_id, x.model_id, x.rank, date_trunc('milliseconds', x.ended_at) AS at FROM seat x
          WHERE x.version_id = a.version_id AND x.ended_at >= a.since AND x.made_mu IS NOT NULL ORDER BY x.ended_at LIMIT a.most) n),
        edge AS MATERIALIZED (SELECT version_id, count(*)::int AS seats, least(max(at), min(now)) AS last FROM next GROUP BY version_id),
        met AS (SELECT x.version_id, y.model_id, x.at >= e.last AS newest, count(*)::int AS played,
            count(*) FILTER (WHERE x.rank < y.rank)::int AS wins, count(*) FILTER (WHERE x.rank = y.rank)::int AS draws,
            count(*) FILTER (WHERE x.rank > y.rank)::int AS losses, max(x.at) AS last_played_at
          FROM next x JOIN edge e ON e.version_id = x.version_id CROSS JOIN LATERAL (
            SELECT z.model_id, z.rank FROM seat z WHERE z.match_id = x.match_id AND z.model_id <> x.model_id OFFSET 0) y
          GROUP BY x.version_id, y.model_id, newest)
      SELECT a.version_id AS version, coalesce(e.seats, 0) AS seats, e.last, a.voided,
        r.model_id, r.newest, r.played, r.wins, r.draws, r.losses, r.last_played_at
      FROM asked a LEFT JOIN edge e ON e.version_id = a.version_id LEFT JOIN met r ON r.version_id = a.version_id`
  }),

  /** A row for each version that has one, by rival_tally_pkey. */
  talliesOf: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: TallyRow,
    execute: (versions) => sql`
      SELECT version_id AS version, counted_to, voided, tallies FROM rival_tally
      WHERE version_id = ANY(string_to_array(${versions.join()}, ',')::uuid[])`
  }),

  /** One row by rival_tally_pkey; nodes count at the same time, and the count that has come further is kept. */
  storeTallies: ({ counted_to, tallies, version, voided }: typeof TallyRow.Type) => sql`
    INSERT INTO rival_tally AS t (version_id, counted_to, voided, tallies)
    VALUES (${version}, ${counted_to}, ${voided}, ${JSON.stringify(tallies)}::jsonb)
    ON CONFLICT (version_id) DO UPDATE SET counted_to = excluded.counted_to, voided = excluded.voided, tallies = excluded.tallies
    WHERE (t.voided, t.counted_to) < (excluded.voided, excluded.counted_to)`
})

const makeSweep = (sql: SqlClient.SqlClient) => ({
  /**
   * Seasons with so many matches that count: those given a number of rating, and those voided since. With the number that
   * says that nothing is as it was counted. By the rows of seasons, which are few.
   */
  counters: SqlSchema.findAll({
    Request: Schema.Struct({ matches: Schema.Int }),
    Result: Counters,
    execute: ({ matches }) => sql`
      SELECT * FROM (SELECT s.id AS season_id, ${sql.literal(disturbed)} AS voided,
          coalesce(s.head->>'rated', '0')::int + coalesce(s.head->>'voided', '0')::int AS numbered FROM season s) s
      WHERE numbered >= ${matches} ORDER BY season_id`
  }),

  /**
   * A season's versions of which at least so many seats are not in the stored counts, after a version: by
   * rating_pkey, of those that have played so many the last seats by seat_version.
   */
  behind: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, after: Schema.String, seats: Schema.Int, limit: Schema.Int }),
    Result: Schema.Struct({ version: Schema.String }),
    execute: ({ after, limit, season_id, seats }) => sql`
      SELECT r.version_id AS version FROM rating r JOIN season s ON s.id = r.season_id LEFT JOIN rival_tally t ON t.version_id = r.version_id
      WHERE r.season_id = ${season_id} AND r.ladder = 'open' AND r.version_id > ${after} AND r.matches >= ${seats}
        AND (t.voided IS DISTINCT FROM ${sql.literal(disturbed)}
          OR EXISTS (SELECT 1 FROM seat x WHERE x.version_id = r.version_id AND x.ended_at >= t.counted_to OFFSET ${seats - 1}))
      ORDER BY r.version_id LIMIT ${limit}`
  }),

  /** For the rest of the transaction. */
  begin: () => beginSweep(sql, "rivals")
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeReads(sql), ...makeSweep(sql) }))
