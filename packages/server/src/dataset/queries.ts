/** Every statement about datasets: what is to be made, the matches of a part, the files that there are. */

import { DatasetKind } from "@agon/api/dataset/api.ts"
import { Seat } from "@agon/api/match/Match.ts"
import { Ladder } from "@agon/api/Wire.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"
import { INT4_MAX, Instant } from "../database/rows.ts"
import { publicOnly } from "../database/visibility.ts"
import { seasonTime } from "../match/list/seasonCounts.ts"

/** A day is text as in 2026-11-20. */
const dayOf = (instant: string) => `to_char(${instant} AT TIME ZONE 'UTC', 'YYYY-MM-DD')`

/** An instant by a clock that was ahead bounds no part: its match or void goes with those that came next. */
const isPast = (instant: string) => `${instant} <= clock_timestamp()`

const Due = Schema.Struct({
  season_id: Schema.String,
  game: Schema.String,
  slug: Schema.String,
  /** The last part that was made: its day, its number, whether it is the last of the day; null before the first. */
  day: Schema.NullOr(Schema.String),
  part: Schema.NullOr(Schema.Int),
  last: Schema.NullOr(Schema.Boolean),
  /** The number of rating of the last match in any part. */
  through: Schema.Int,
  /**
   * The days of the first match that is in no part, and of the first void of a match that is in one. Of those by a clock that was ahead, where
   * there are no others, the season's: it stands still once the season is closed.
   */
  match_day: Schema.NullOr(Schema.String),
  void_day: Schema.NullOr(Schema.String),
  /** The newest void that there is. */
  mark: Schema.Number
})
export type Due = typeof Due.Type

const { model: _, outcome: __, owner: ___, rating_change: ____, ...seatFields } = Seat.fields
const SeatRow = Schema.Struct({ ...seatFields, made_change: Schema.NullOr(Schema.Number), open_change: Schema.NullOr(Schema.Number) })
export type SeatRow = typeof SeatRow.Type

const RatedRow = Schema.Struct({
  n: Schema.Int,
  id: Schema.String,
  status: Schema.Literal("rated"),
  ladder: Ladder,
  map: Schema.String,
  turns: Schema.NullOr(Schema.Int),
  reason: Schema.NullOr(Schema.String),
  played_at: Instant,
  engine_digest: Schema.String,
  runtime_version: Schema.NullOr(Schema.String),
  seed: Schema.Number,
  played_ms: Schema.NullOr(Schema.Int),
  replay_hash: Schema.NullOr(Schema.String),
  replay_bytes: Schema.NullOr(Schema.Int),
  replay_by_match: Schema.Boolean,
  replay_inline: Schema.Boolean,
  seats: Schema.Array(SeatRow)
})
/** A rated match without names: a file cannot follow when an account or a model gets another. */
export type RatedRow = typeof RatedRow.Type

const FileRow = Schema.Struct({
  ...{ day: Schema.String, part: Schema.Int, kind: DatasetKind, key: Schema.String, sha256: Schema.String },
  ...{ bytes: Schema.Number, rows: Schema.Int }
})

export interface Part {
  readonly season_id: string
  readonly day: string
  readonly part: number
  readonly through: number
  readonly last: boolean
}

export interface File {
  readonly kind: DatasetKind
  readonly key: string
  readonly sha256: string
  readonly bytes: number
  readonly rows: number
}

const VoidRow = Schema.Struct({ seq: Schema.Number, id: Schema.String, at: Instant })

const makeDue = (sql: SqlClient.SqlClient) => ({
  /**
   * Public seasons, or one of them, with what their next part depends on: the last part by dataset_file_pkey,
   * the next match by match_rated, which has few by a clock that was ahead, voids by dataset_voided_pkey. Seasons are few.
   */
  due: SqlSchema.findAll({
    Request: Schema.Struct({ only: Schema.NullOr(Schema.String) }),
    Result: Due,
    execute: ({ only }) => sql`
      SELECT s.id AS season_id, s.game, s.slug, f.day, f.part, f.last, f.through,
        coalesce(n.match_day, a.match_day) AS match_day, coalesce(v.void_day, w.void_day) AS void_day,
        coalesce((SELECT max(seq) FROM dataset_voided d WHERE d.season_id = s.id), 0)::float8 AS mark
      FROM season s
      CROSS JOIN LATERAL (SELECT max(l.day)::text AS day, max(l.part) AS part, bool_and(l.last) AS last, coalesce(max(l.through_n), 0) AS through
        FROM (SELECT * FROM dataset_file d WHERE d.season_id = s.id ORDER BY d.day DESC, d.part DESC LIMIT 1) l) f
      LEFT JOIN LATERAL (SELECT ${sql.literal(dayOf("m.ended_at"))} AS match_day FROM match m
        WHERE m.season_id = s.id AND m.rated_n > f.through AND ${sql.literal(isPast("m.ended_at"))} ORDER BY m.rated_n LIMIT 1) n ON true
      LEFT JOIN LATERAL (SELECT ${sql.literal(dayOf(`least(m.ended_at, ${seasonTime})`))} AS match_day FROM match m
        WHERE n.match_day IS NULL AND m.season_id = s.id AND m.rated_n > f.through ORDER BY m.rated_n LIMIT 1) a ON true
      LEFT JOIN LATERAL (SELECT ${sql.literal(dayOf("d.at"))} AS void_day FROM dataset_voided d
        WHERE d.season_id = s.id AND d.n <= f.through AND ${sql.literal(isPast("d.at"))} ORDER BY d.seq LIMIT 1) v ON true
      LEFT JOIN LATERAL (SELECT ${sql.literal(dayOf(`least(d.at, ${seasonTime})`))} AS void_day FROM dataset_voided d
        WHERE v.void_day IS NULL AND d.season_id = s.id AND d.n <= f.through ORDER BY d.seq LIMIT 1) w ON true
      WHERE ${sql.literal(publicOnly())} AND (${only}::uuid IS NULL OR s.id = ${only}::uuid) ORDER BY s.created_at, s.id`
  }),

  /** The time of the database's clock where it is behind this node's. */
  now: SqlSchema.findOne({
    Request: Schema.Date,
    Result: Schema.Struct({ now: Schema.Date }),
    execute: (here) => sql`SELECT least(${here}::timestamptz, clock_timestamp()) AS now`
  })
})

const makeContents = (sql: SqlClient.SqlClient) => ({
  /**
   * The next rated matches in the order of their numbers, up to the first that ended at or after an instant, unless it has not come yet:
   * by match_rated, seats by seat_pkey, versions by their own key. Fewer rows than the limit are the last.
   */
  rated: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, after: Schema.Int, until: Schema.Date, limit: Schema.Int }),
    Result: RatedRow,
    execute: ({ after, limit, season_id, until }) => sql`
      WITH page AS MATERIALIZED (SELECT * FROM match x WHERE x.season_id = ${season_id} AND x.rated_n > ${after} ORDER BY x.rated_n LIMIT ${limit})
      SELECT m.rated_n AS n, m.id, m.status, m.ladder, m.map_id AS map, m.turns, m.reason, m.ended_at AS played_at, m.engine_digest, m.runtime_version,
        m.seed::float8 AS seed, m.played_ms, m.replay_hash, m.replay_bytes, m.replay_by_match, m.replay_inline,
        (SELECT jsonb_agg(jsonb_build_object('seat', y.seat, 'model_id', y.model_id, 'version_id', y.version_id, 'version', v.number,
            'class', v.class, 'rank', y.rank, 'score', y.score, 'strikes', y.strikes, 'made_change', y.made_change,
            'open_change', y.open_change) ORDER BY y.seat)
          FROM seat y JOIN version v ON v.id = y.version_id WHERE y.match_id = m.id) AS seats
      FROM page m WHERE m.rated_n < coalesce((SELECT min(p.rated_n) FROM page p WHERE p.ended_at >= ${until} AND ${sql.literal(isPast("p.ended_at"))}), ${INT4_MAX}) ORDER BY m.rated_n`
  }),

  /** The next voids, up to a mark and before an instant, of matches that are in a part. By dataset_voided_pkey. */
  voided: SqlSchema.findAll({
    Request: Schema.Struct({
      ...{ season_id: Schema.String, after: Schema.Number, mark: Schema.Number },
      ...{ through: Schema.Int, until: Schema.Date, limit: Schema.Int }
    }),
    Result: VoidRow,
    execute: ({ after, limit, mark, season_id, through, until }) => sql`
      SELECT d.seq::float8 AS seq, d.match_id AS id, d.at FROM dataset_voided d
      WHERE d.season_id = ${season_id} AND d.seq > ${after} AND d.seq <= ${mark} AND d.n <= ${through} AND (d.at < ${until} OR NOT ${sql.literal(isPast("d.at"))})
      ORDER BY d.seq LIMIT ${limit}`
  })
})

const makeClaims = (sql: SqlClient.SqlClient) => ({
  /**
   * Takes or keeps the season for a time, unless somebody else has it; by the database's
   * clock and dataset_claim_pkey.
   */
  claim: ({ for_s, holder, season_id }: { readonly season_id: string; readonly holder: string; readonly for_s: number }) =>
    Effect.map(
      sql<{ readonly held: boolean }>`
        INSERT INTO dataset_claim AS c (season_id, holder, until)
        VALUES (${season_id}, ${holder}, clock_timestamp() + ${for_s} * interval '1 second')
        ON CONFLICT (season_id) DO UPDATE SET holder = excluded.holder, until = excluded.until
          WHERE c.holder = excluded.holder OR c.until < clock_timestamp()
        RETURNING true AS held`,
      (rows) => rows.length > 0
    ),

  /** One row by the primary key. */
  release: ({ holder, season_id }: { readonly season_id: string; readonly holder: string }) => sql`
    DELETE FROM dataset_claim WHERE season_id = ${season_id} AND holder = ${holder}`,

  /**
   * Whether the claim is held and the season public. Locks the claim alone to the end of the transaction: a lock of the season would hold up
   * its commits.
   */
  stands: ({ holder, season_id }: { readonly season_id: string; readonly holder: string }) =>
    Effect.map(
      sql`SELECT 1 FROM dataset_claim c JOIN season s ON s.id = c.season_id
        WHERE c.season_id = ${season_id} AND c.holder = ${holder} AND ${sql.literal(publicOnly())} FOR UPDATE OF c`,
      (rows) => rows.length > 0
    )
})

const makeFiles = (sql: SqlClient.SqlClient) => ({
  /** One row by the primary key. */
  add: ({ day, last, part, season_id, through }: Part, { bytes, key, kind, rows, sha256 }: File, made_at: Date) => sql`
    INSERT INTO dataset_file (season_id, day, part, kind, key, sha256, bytes, rows, through_n, last, made_at)
    VALUES (${season_id}, ${day}::date, ${part}, ${kind}, ${key}, ${sha256}, ${bytes}, ${rows}, ${through}, ${last}, ${made_at})`,

  /**
   * Voids that a part has listed, and those of matches that it would have contained: they were voided before
   * it was made. By dataset_voided_pkey.
   */
  settle: (of: {
    readonly season_id: string
    readonly mark: number
    readonly before: number
    readonly through: number
    readonly until: Date
  }) => sql`
    DELETE FROM dataset_voided d WHERE d.season_id = ${of.season_id} AND d.seq <= ${of.mark}
      AND ((d.n <= ${of.before} AND (d.at < ${of.until} OR NOT ${sql.literal(isPast("d.at"))})) OR (d.n > ${of.before} AND d.n <= ${of.through}))`,

  /** A page of a season's files, oldest first, by dataset_file_pkey. */
  files: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, limit: Schema.Int, offset: Schema.Int }),
    Result: FileRow,
    execute: ({ limit, offset, season_id }) => sql`
      SELECT f.day::text AS day, f.part, f.kind, f.key, f.sha256, f.bytes::float8 AS bytes, f.rows FROM dataset_file f
      WHERE f.season_id = ${season_id} ORDER BY f.day, f.part, f.kind LIMIT ${limit} OFFSET ${offset}`
  }),

  /** By dataset_file_pkey. */
  count: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ total: Schema.Int }),
    execute: (season_id) => sql`SELECT count(*)::int AS total FROM dataset_file WHERE season_id = ${season_id}`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeDue(sql),
  ...makeContents(sql),
  ...makeClaims(sql),
  ...makeFiles(sql)
}))
