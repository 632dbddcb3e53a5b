/** Every statement on counts of views. */
import { ViewCount, ViewKind } from "@agon/api/view/api.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema } from "effect/sql"

/** Distinct things counted for one day and kind, first come, first counted. */
export const ROWS_OF_DAY_MAX = 10_000
/** So that a day can be compared with the same day of the year before. */
export const VIEWS_KEPT_DAYS = 400

/**
 * The views of something on a day. `uuid` is the id where the kind has one; `game` is empty
 * where the caller named none.
 */
export interface Gathered {
  readonly day: string
  readonly kind: ViewKind
  readonly game: string
  readonly id: string
  readonly uuid: string | null
  readonly views: number
}

/** Kinds with a unique id or name: the table, and a condition. */
const NAMED = {
  game: "game g ON g.slug = a.id",
  model: "model g ON g.id = a.uuid",
  match: "match g ON g.id = a.uuid",
  post: "post g ON g.slug = a.id AND g.published_at <= a.now",
  profile: "account g ON g.username = a.id"
}

/**
 * The gathered things that exist: by game_pkey, model_pkey, match_pkey, post_slug and account_username; and
 * by season_slug, where a season without a named game is that of the first registered game that has it.
 */
const KNOWN = Object.entries(NAMED)
  .map(([kind, there]) => `SELECT a.day, a.kind, '' AS game, a.id, a.views FROM asked a JOIN ${there} WHERE a.kind = '${kind}'`)
  .concat(
    `SELECT a.day, a.kind, g.game, a.id, a.views FROM asked a CROSS JOIN LATERAL (
        SELECT s.game FROM season s, registered r WHERE s.slug = a.id AND s.game = r.slug AND a.game IN ('', s.game)
        ORDER BY r.place LIMIT 1) g
      WHERE a.kind = 'season'`
  )
  .join("\n      UNION ALL ")

interface Adding {
  readonly rows: ReadonlyArray<Gathered>
  /** Posts that are to be published later do not exist yet. */
  readonly now: Date
  /** The registered games, in their order. */
  readonly games: ReadonlyArray<string>
  /** The oldest day that is kept. */
  readonly oldest: string
}

const days = (rows: ReadonlyArray<Gathered>) => [...new Set(rows.map(({ day }) => day))]

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /**
   * Adds the gathered counts of existing things to the rows of view_count_pkey, in the order of that key, so
   * that nodes that write at the same time wait for each other without a deadlock. New rows are inserted
   * while the day has room. Days that are too old are deleted.
   */
  add: ({ games, now, oldest, rows }: Adding) => sql`
    WITH asked AS (SELECT r.*, ${now}::timestamptz AS now FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        r(day date, kind text, game text, id text, uuid uuid, views bigint)),
      registered AS (SELECT * FROM unnest(string_to_array(${games.join()}, ',')) WITH ORDINALITY r(slug, place)),
      known AS (SELECT day, kind, game, id, sum(views)::bigint AS views FROM (${sql.literal(KNOWN)}) k GROUP BY day, kind, game, id),
      placed AS (SELECT k.*, v.id IS NULL AS fresh, row_number() OVER (PARTITION BY k.day, k.kind, v.id IS NULL ORDER BY k.views DESC, k.id) AS place
        FROM known k LEFT JOIN view_count v ON (v.day, v.kind, v.game, v.id) = (k.day, k.kind, k.game, k.id)),
      stored AS (SELECT day, kind, count(*) AS rows FROM view_count WHERE day = ANY (string_to_array(${days(rows).join()}, ',')::date[])
        GROUP BY day, kind),
      gone AS (DELETE FROM view_count WHERE day < ${oldest}::date)
    INSERT INTO view_count (day, kind, game, id, views)
    SELECT p.day, p.kind, p.game, p.id, p.views FROM placed p LEFT JOIN stored s ON s.day = p.day AND s.kind = p.kind
    WHERE NOT p.fresh OR coalesce(s.rows, 0) + p.place <= ${ROWS_OF_DAY_MAX}
    ORDER BY p.day, p.kind, p.game, p.id
    ON CONFLICT (day, kind, game, id) DO UPDATE SET views = view_count.views + excluded.views`,

  /** A page of days by view_count_pkey, each day's rows sorted by themselves. */
  page: SqlSchema.findAll({
    Request: Schema.Struct({
      ...{ kind: Schema.NullOr(ViewKind), from: Schema.NullOr(Schema.String), to: Schema.NullOr(Schema.String) },
      ...{ limit: Schema.Int, offset: Schema.Int }
    }),
    Result: ViewCount,
    execute: ({ from, kind, limit, offset, to }) => sql`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, kind, nullif(game, '') AS game, id, least(views, ${Number.MAX_SAFE_INTEGER})::float8 AS count
      FROM view_count v WHERE ${from === null ? sql`true` : sql`day >= ${from}::date`} AND ${to === null ? sql`true` : sql`day <= ${to}::date`}
        AND ${kind === null ? sql`true` : sql`kind = ${kind}`}
      ORDER BY v.day DESC, v.views DESC, v.kind, v.game, v.id LIMIT ${limit} OFFSET ${offset}`
  })
}))
