/** Every statement that reads seasons. Writes are the actor's (actor/store/commit.ts) or an administrator's. */
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { iso } from "../database/rows.ts"
import { entry, publicOnly, seenBySlug, sees } from "../database/visibility.ts"
import { bestOf, winsIn } from "../rating/standing.ts"
import { SeasonRow } from "./seasonRecord.ts"

const isLive = (sql: SqlClient.SqlClient, now: Date): Statement.Fragment => sql`(s.closed_at IS NULL AND s.submissions_open_at <= ${now})`

/** First the one set as featured, then the newest live one, then the newest. */
const featuredFirst = (sql: SqlClient.SqlClient, now: Date): Statement.Fragment =>
  sql`s.featured DESC, ${isLive(sql, now)} DESC, s.submissions_open_at DESC, s.created_at DESC, s.id DESC`

/** Boards, baselines and rounds by the first columns of their keys: a few rows each. Counters are the machine's. */
const seasonColumns = (sql: SqlClient.SqlClient, now: Date): Statement.Fragment => sql`
  s.id, s.game, s.slug, s.name, s.submissions_open_at, s.submissions_close_at, s.close_requested_at, s.closed_at, s.visibility,
  CASE WHEN s.closed_at IS NOT NULL THEN 'closed' WHEN s.submissions_open_at <= ${now} THEN 'live' ELSE 'scheduled' END AS state,
  ${sql.literal(entry)} AS entry,
  s.engine_digest, s.rules, s.weight_classes, s.head->'podium' AS podium,
  (s.head->>'active')::int AS active_versions, (s.head->>'versions')::int AS entered_versions,
  (s.head->>'testing')::int AS in_flight_versions, (s.head->>'rated')::int AS matches_played,
  ${sql.literal(summaries)}`

const summaries = `
  (SELECT jsonb_build_object(
      'in_play', count(*) FILTER (WHERE b.enabled),
      'out_of_play', count(*) FILTER (WHERE NOT b.enabled),
      'players', coalesce(jsonb_agg(DISTINCT b.players ORDER BY b.players) FILTER (WHERE b.enabled), '[]'),
      'sides', CASE WHEN bool_or(b.enabled) THEN jsonb_build_object(
        'min', min(least(b.rows, b.cols)) FILTER (WHERE b.enabled),
        'max', max(greatest(b.rows, b.cols)) FILTER (WHERE b.enabled)) END)
    FROM board b WHERE b.season_id = s.id) AS maps,
  (SELECT jsonb_build_object(
      'enabled', count(*) FILTER (WHERE v.status = 'entered'),
      'disabled', count(*) FILTER (WHERE v.status = 'disabled'))
    FROM model m JOIN version v ON v.model_id = m.id AND v.season_id = s.id WHERE m.baseline_season = s.id) AS baselines,
  (SELECT jsonb_build_object('n', r.n, 'kind', r.kind, 'games', r.games, 'started_at', ${iso("r.started_at")})
    FROM round r WHERE r.season_id = s.id AND r.started_at IS NOT NULL AND r.ended_at IS NULL ORDER BY r.n DESC LIMIT 1) AS round,
  (SELECT jsonb_build_object('n', r.n, 'kind', r.kind, 'games', r.games, 'starts_at', ${iso("r.starts_at")})
    FROM round r WHERE r.season_id = s.id AND s.close_requested_at IS NULL AND r.started_at IS NULL AND NOT r.withdrawn ORDER BY r.n LIMIT 1) AS next_round`

const Podiumed = Schema.Struct({
  ladder: Schema.String,
  place: Schema.Int,
  version_id: Schema.String,
  model_id: Schema.String,
  model: Schema.String,
  owner: Schema.NullOr(Schema.String),
  version: Schema.Int,
  class: Schema.String,
  mu: Schema.Number
})
export type Podiumed = typeof Podiumed.Type

const ofGame = { game: Schema.String, viewer: Schema.NullOr(Schema.String), now: Schema.Date }

const makeSeasons = (sql: SqlClient.SqlClient) => ({
  /** One row. */
  bySlug: SqlSchema.findOneOption({
    Request: Schema.Struct({ ...ofGame, slug: Schema.String }),
    Result: SeasonRow,
    execute: ({ game, now, slug, viewer }) => sql`
      SELECT ${seasonColumns(sql, now)} FROM ${seenBySlug(sql, game, slug, viewer)}`
  }),

  /** One row by season_pkey, for whoever has just written to it: they may see it no longer. */
  written: SqlSchema.findOne({
    Request: Schema.Struct({ season_id: Schema.String, now: Schema.Date }),
    Result: SeasonRow,
    execute: ({ now, season_id }) => sql`SELECT ${seasonColumns(sql, now)} FROM season s WHERE s.id = ${season_id}`
  }),

  /**
   * The seasons of a game by season_slug, a few, sorted; all but the first are dropped
   * before any other column is read.
   */
  featured: SqlSchema.findOneOption({
    Request: Schema.Struct({ game: Schema.String, now: Schema.Date }),
    Result: SeasonRow,
    execute: ({ game, now }) => sql`
      SELECT ${seasonColumns(sql, now)} FROM (
        SELECT * FROM season s WHERE s.game = ${game} AND ${sql.literal(publicOnly())} ORDER BY ${featuredFirst(sql, now)} LIMIT 1) s`
  }),

  /** The same for every game at once: seasons are few, and this reads the table once. */
  featuredOfAll: SqlSchema.findAll({
    Request: Schema.Date,
    Result: SeasonRow,
    execute: (now) => sql`
      SELECT ${seasonColumns(sql, now)} FROM (
        SELECT DISTINCT ON (s.game) * FROM season s WHERE ${sql.literal(publicOnly())} ORDER BY s.game, ${featuredFirst(sql, now)}) s`
  }),

  /** By season_slug, newest first. */
  list: SqlSchema.findAll({
    Request: Schema.Struct(ofGame),
    Result: SeasonRow,
    execute: ({ game, now, viewer }) => sql`
      SELECT ${seasonColumns(sql, now)} FROM season s WHERE s.game = ${game} AND ${sees(sql, viewer)}
      ORDER BY s.submissions_open_at DESC, s.created_at DESC, s.id DESC`
  }),

  /** One row, and whether season_admin_pkey has the account. */
  forAdmin: SqlSchema.findOneOption({
    Request: Schema.Struct({ game: Schema.String, slug: Schema.String, account_id: Schema.String }),
    Result: Schema.Struct({ id: Schema.String, game: Schema.String, slug: Schema.String, administers: Schema.Boolean }),
    execute: ({ account_id, game, slug }) => sql`
      SELECT s.id, s.game, s.slug,
        EXISTS (SELECT 1 FROM season_admin w WHERE w.season_id = s.id AND w.account_id = ${account_id}) AS administers
      FROM ${seenBySlug(sql, game, slug, account_id)}`
  })
})

const podiumColumns = `p.version_id, v.model_id, m.name AS model, a.username AS owner, v.number AS version, v.class, p.mu`
const podiumJoins = `JOIN version v ON v.id = p.version_id JOIN model m ON m.id = v.model_id LEFT JOIN account a ON a.id = v.owner_id`

const makePodiums = (sql: SqlClient.SqlClient) => ({
  /**
   * Three rows a ladder from the front of rating_rank, past those who cannot win, with their names by primary
   * keys. Whether finals are played is asked once, by season_pkey and round_pkey.
   */
  livePodium: SqlSchema.findAll({
    Request: Schema.Struct({ season_id: Schema.String, ladders: Schema.Array(Schema.String) }),
    Result: Podiumed,
    execute: ({ ladders, season_id }) => sql`
      SELECT p.ladder, (row_number() OVER (PARTITION BY p.ladder ORDER BY p.mu DESC, p.version_id))::int AS place, ${sql.literal(podiumColumns)}
      FROM unnest(string_to_array(${ladders.join()}, ',')) l(ladder)
      CROSS JOIN (SELECT ${season_id}::uuid AS season_id, EXISTS (
        SELECT 1 FROM season s JOIN round f ON f.season_id = s.id AND f.n = (s.head->>'round')::int AND f.kind = 'finals'
        WHERE s.id = ${season_id}) AS finals) q
      CROSS JOIN LATERAL ${sql.literal(bestOf("q.season_id", "l.ladder", "LIMIT 3", winsIn("q.finals")))} p
      ${sql.literal(podiumJoins)} ORDER BY p.ladder, place`
  }),

  /** The versions that the machine froze, at most three a ladder, with their ratings by rating_pkey. */
  frozenPodium: SqlSchema.findAll({
    Request: Schema.String,
    Result: Podiumed,
    execute: (season_id) => sql`
      SELECT p.ladder, p.place, ${sql.literal(podiumColumns)}
      FROM (SELECT l.key AS ladder, w.place::int AS place, w.id::uuid AS version_id, r.mu
        FROM season s CROSS JOIN LATERAL jsonb_each(s.head->'podium') l
        CROSS JOIN LATERAL jsonb_array_elements_text(l.value) WITH ORDINALITY w(id, place)
        JOIN standing r ON r.season_id = s.id AND r.ladder = l.key AND r.version_id = w.id::uuid
        WHERE s.id = ${season_id}) p
      ${sql.literal(podiumJoins)} ORDER BY p.ladder, p.place`
  }),

  /** Open matches of a season by the first column of live_pkey; a small table. */
  playing: SqlSchema.findOne({
    Request: Schema.String,
    Result: Schema.Struct({ playing: Schema.Int }),
    execute: (season_id) => sql`SELECT count(*)::int AS playing FROM live WHERE season_id = ${season_id} AND until IS NOT NULL`
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({ ...makeSeasons(sql), ...makePodiums(sql) }))
