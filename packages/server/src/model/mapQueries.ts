/** The statements that count how versions did on boards. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { published } from "../database/visibility.ts"
import { disturbed, seasonTime } from "../match/list/seasonCounts.ts"

/** Played, and the sums of ranks, of scores and of changes of the open rating. */
export const MapTally = Schema.Tuple([Schema.Int, Schema.Finite, Schema.Finite, Schema.Finite])
export type MapTally = typeof MapTally.Type

const StoredRow = Schema.Struct({
  version: Schema.String,
  counted_to: Schema.Date,
  voided: Schema.Int,
  tallies: Schema.Record(Schema.String, MapTally)
})
export type StoredRow = typeof StoredRow.Type

const CountedRow = Schema.Struct({
  seats: Schema.Int,
  last: Schema.NullOr(Schema.Date),
  voided: Schema.Int,
  map_id: Schema.NullOr(Schema.String),
  newest: Schema.NullOr(Schema.Boolean),
  tally: Schema.NullOr(MapTally)
})
export type CountedRow = typeof CountedRow.Type

/**
 * Voided matches of the season `s` that ratings do not have any more, how often these were made with
 * other starts, and how often its time was put back: when it is one more, the changes of many matches are new, or some are not counted.
 */
const VOIDED = `${disturbed} - (SELECT count(*) FROM voiding w WHERE w.season_id = s.id)::int
  + coalesce(s.head->>'rescaled', '0')::int`

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Versions of a model in a season that have entered, by version_model: the newest of them. */
  versionsOf: SqlSchema.findAll({
    Request: Schema.Struct({ id: Schema.String, season_id: Schema.String, limit: Schema.Int }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ id, limit, season_id }) => sql`
      SELECT v.id FROM version v WHERE v.model_id = ${id} AND v.season_id = ${season_id} AND ${sql.literal(published())}
      ORDER BY v.number DESC LIMIT ${limit}`
  }),

  /** A row for each version that has one, by map_tally_pkey. */
  talliesOf: SqlSchema.findAll({
    Request: Schema.Array(Schema.String),
    Result: StoredRow,
    execute: (versions) => sql`
      SELECT version_id AS version, counted_to, voided, tallies FROM map_tally
      WHERE version_id = ANY(string_to_array(${versions.join()}, ',')::uuid[])`
  }),

  /**
   * A version's counted seats from an instant on, up to a limit, by seat_version, and their boards by
   * match_pkey; those of the last instant apart, and those that are later than the season's time. The driver's dates have milliseconds. At least one row,
   * without a board where there is none.
   */
  counted: SqlSchema.findAll({
    Request: Schema.Struct({ version: Schema.String, from: Schema.Date, seats: Schema.Int }),
    Result: CountedRow,
    execute: ({ from, seats, version }) => sql`
      WITH next AS MATERIALIZED (SELECT x.match_id, x.rank, x.score, x.made_change, x.open_change, date_trunc('milliseconds', x.ended_at) AS at
          FROM seat x WHERE x.version_id = ${version} AND x.ended_at >= ${from} AND x.made_mu IS NOT NULL ORDER BY x.ended_at LIMIT ${seats}),
        edge AS (SELECT count(*)::int AS seats, least(max(at), (SELECT ${sql.literal(seasonTime)} FROM version v JOIN season s ON s.id = v.season_id
          WHERE v.id = ${version})) AS last FROM next)
      SELECT e.seats, e.last, ${sql.literal(VOIDED)} AS voided, r.* FROM edge e
      JOIN version v ON v.id = ${version} JOIN season s ON s.id = v.season_id
      LEFT JOIN LATERAL (SELECT m.map_id, x.at >= e.last AS newest, json_build_array(count(*), sum(x.rank), sum(x.score),
          sum(CASE WHEN m.ladder = 'open' THEN x.made_change ELSE coalesce(x.open_change, 0) END)) AS tally
        FROM next x CROSS JOIN LATERAL (SELECT y.map_id, y.ladder FROM match y WHERE y.id = x.match_id OFFSET 0) m
        GROUP BY m.map_id, newest) r ON true`
  }),

  /** One row by map_tally_pkey; nodes count at the same time, and the count that has come further is kept. */
  store: ({ counted_to, tallies, version, voided }: StoredRow) => sql`
    INSERT INTO map_tally AS t (version_id, counted_to, voided, tallies)
    VALUES (${version}, ${counted_to}, ${voided}, ${JSON.stringify(tallies)}::jsonb)
    ON CONFLICT (version_id) DO UPDATE SET counted_to = excluded.counted_to, voided = excluded.voided, tallies = excluded.tallies
    WHERE (t.voided, t.counted_to) < (excluded.voided, excluded.counted_to)`,

  /** A season's boards in the order in which they were added, by board_pkey; a few dozen. */
  boards: SqlSchema.findAll({
    Request: Schema.String,
    Result: Schema.Struct({ map_id: Schema.String, players: Schema.Int }),
    execute: (season_id) => sql`SELECT map_id, players FROM board WHERE season_id = ${season_id} ORDER BY ord`
  })
}))
