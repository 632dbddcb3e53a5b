/** Every statement that reads matches. Only the machine writes them. */

import { CardSeat, MatchCard, OwnMatch, Seat } from "@agon/api/match/Match.ts"
import { Effect, Schema } from "effect"
import { SqlClient, SqlSchema, type Statement } from "effect/sql"
import { Instant } from "../database/rows.ts"
import { counts, seesMatch } from "../database/visibility.ts"
import { cameOfOwner, cameOfSeason, cameOfSide, FIRST_ROWS, matchesOfSide } from "./list/firstRows.ts"
import type { Counted, Counters } from "./list/KeptCounts.ts"
import type { Came, Since } from "./list/KeptLists.ts"
import type { Fitting, Found, Listing, OfSeason } from "./list/listing.ts"
import type { Cut } from "./list/page/cut.ts"
import { within } from "./list/page/filters.ts"
import { countOfTrials } from "./list/page/newest.ts"
import { type KnownRows, orderOf, pageOf, pageOfRows } from "./list/page/pageOf.ts"
import { countOfSeason, talliedOfSeason } from "./list/seasonCounts.ts"
import { untallied } from "./list/tallyQueries.ts"

const { outcome: _, rating_change: __, ...seatFields } = Seat.fields
export const SeatRow = Schema.Struct({
  ...seatFields,
  owner_id: Schema.NullOr(Schema.String),
  made_change: Schema.NullOr(Schema.Number),
  open_change: Schema.NullOr(Schema.Number)
})
export type SeatRow = typeof SeatRow.Type

export const CardRow = Schema.Struct({ ...MatchCard.fields, played_at: Schema.NullOr(Instant), seats: Schema.Array(CardSeat) })
export type CardRow = typeof CardRow.Type

const { replay_removed_at: ____, replay_url: ___, ...matchFields } = OwnMatch.fields
/** A match of any state in full. */
export const MatchRow = Schema.Struct({
  ...matchFields,
  season_id: Schema.String,
  replay_hash: Schema.NullOr(Schema.String),
  replay_bytes: Schema.NullOr(Schema.Int),
  replay_by_match: Schema.Boolean,
  replay_inline: Schema.Boolean,
  replay_removed_at: Schema.NullOr(Instant),
  created_at: Instant,
  played_at: Schema.NullOr(Instant),
  seats: Schema.Array(SeatRow)
})
export type MatchRow = typeof MatchRow.Type

const names = `'model_id', v.model_id, 'version_id', v.id, 'model', o.name, 'owner', a.username`
const namesOf = `JOIN model o ON o.id = v.model_id LEFT JOIN account a ON a.id = v.owner_id`
const placed = `'rank', nullif(y.rank, 0), 'score', CASE WHEN y.rank > 0 THEN y.score END`
const detailed = `'version', v.number, 'class', v.class, 'owner_id', v.owner_id`

/** Seats of an ended match `m` by seat_pkey, names by primary keys. In a match without a result the seats have rank 0. */
const cardSeats = `(SELECT jsonb_agg(jsonb_build_object('seat', y.seat, 'model_id', y.model_id, 'version_id', y.version_id, 'model', o.name,
    'owner', a.username, ${placed}) ORDER BY y.seat)
  FROM seat y JOIN model o ON o.id = y.model_id LEFT JOIN account a ON a.id = y.owner_id WHERE y.match_id = m.id) AS seats`
const endedSeats = `(SELECT jsonb_agg(jsonb_build_object('seat', y.seat, ${names}, ${placed}, ${detailed},
    'strikes', CASE WHEN y.rank > 0 THEN y.strikes END, 'made_change', y.made_change, 'open_change', y.open_change) ORDER BY y.seat)
  FROM seat y JOIN version v ON v.id = y.version_id ${namesOf} WHERE y.match_id = m.id) AS seats`
/** Seats of an open match are its list of versions. */
const openSeats = `(SELECT jsonb_agg(jsonb_build_object('seat', y.seat - 1, ${names}, 'rank', NULL, 'score', NULL, ${detailed},
    'strikes', NULL, 'made_change', NULL, 'open_change', NULL) ORDER BY y.seat)
  FROM unnest(m.versions) WITH ORDINALITY y(id, seat) JOIN version v ON v.id = y.id ${namesOf}) AS seats`

const named = `m.id, s.game, s.slug AS season, m.ladder, m.map_id AS map, m.ladder IS NULL AS is_trial`
/** The columns of an ended match with its comments, by thread_match. */
const shared = `${named}, coalesce((SELECT t.comments FROM thread t WHERE t.match_id = m.id), 0) AS comments`
/** A voided match was played, unlike others that failed. */
const played = "(m.status IN ('rated', 'finished') OR m.fault_reason = 'replay_mismatch')"
const outcome = `m.status, m.turns, m.reason, CASE WHEN ${played} THEN m.ended_at END AS played_at`
/** The place of an ended match among its owner's. */
const listedAt = `CASE WHEN ${played} THEN m.ended_at ELSE m.created_at END`

/** The same columns for an ended match and for an open one. */
const ended = `${shared}, ${outcome}, m.season_id, m.engine_digest, m.runtime_version, m.seed::float8 AS seed, m.played_ms,
  m.withdrawn_reason, m.successor, m.fault_reason, m.replay_hash, m.replay_bytes, m.replay_by_match, m.replay_inline, m.replay_removed_at, m.created_at,
  ${endedSeats}`
const open = `${named}, 0 AS comments, 'queued' AS status, NULL::int AS turns, NULL AS reason, NULL::timestamptz AS played_at, m.season_id,
  s.engine_digest, NULL AS runtime_version, m.seed::float8 AS seed, NULL::int AS played_ms, NULL AS withdrawn_reason,
  NULL::int AS successor, NULL AS fault_reason, NULL AS replay_hash, NULL::int AS replay_bytes, false AS replay_by_match, false AS replay_inline,
  NULL::timestamptz AS replay_removed_at, m.created_at, ${openSeats}`

const ofOwner = { owner_id: Schema.String, game: Schema.NullOr(Schema.String) }
export interface OfOwner {
  readonly owner_id: string
  readonly game: string | null
}
/** The condition that a version `v` is an owner's, in one game or in all. */
const ofOwnerIn = (sql: SqlClient.SqlClient, { game, owner_id }: OfOwner) =>
  game === null
    ? sql`v.owner_id = ${owner_id}`
    : sql`v.owner_id = ${owner_id} AND EXISTS (SELECT 1 FROM season s WHERE s.id = v.season_id AND s.game = ${game})`

interface CameRow extends Omit<Came, "rows" | "whole"> {
  readonly rows: ReadonlyArray<readonly [id: string, figure: number | null, ended_us: number]>
}
const cameOf = ({ rows, ...row }: CameRow): Came => ({
  ...row,
  rows: rows.map(([id, figure, ended_us]) => ({ id, figure, ended_us })),
  whole: rows.length < FIRST_ROWS
})

/** The first rows of lists, as `firstRows.ts` selects them. */
const makeFirstRows = (sql: SqlClient.SqlClient) => ({
  /**
   * A side's matches that have come since: by version_model or version_owner, then seat_version from each season's instant on. The newest
   * match of each season by match_newest.
   */
  cameOfSide: (listing: Listing, since: Since) =>
    Effect.map(sql<Omit<CameRow, "last_trial">>`${cameOfSide(sql, listing, since)}`, (rows) =>
      rows.map((row) => cameOf({ ...row, last_trial: null }))
    ),

  /** About how many seats a side has, by version_model or version_owner and then rating_version. */
  matchesOfSide: (listing: Listing) => Effect.map(sql<{ matches: number }>`${matchesOfSide(sql, listing)}`, (rows) => rows[0]!.matches),

  /** A season's fitting matches that have come since, by match_newest; all of them as `pageOf.ts` finds them. Without a total. */
  cameOfSeason: (listing: OfSeason, since: Since, fitting: Fitting) =>
    Effect.map(sql<Omit<CameRow, "total" | "early">>`${cameOfSeason(sql, listing, since, fitting)}`, (rows) =>
      rows.map((row) => cameOf({ ...row, total: 0, early: 0 }))
    )
})

const countedOf = ([row]: ReadonlyArray<Found & Counters>): Counted<Found> => {
  const { rated, voided, ...found } = row!
  return { found, rated, voided }
}

const makeLists = (sql: SqlClient.SqlClient) => {
  const decodeCards = Schema.decodeUnknownEffect(Schema.Array(CardRow))
  const cardsOf = (listing: Listing, page: Statement.Fragment) =>
    sql`WITH page AS (${page})
        SELECT ${sql.literal(`${shared}, ${outcome}, ${cardSeats}`)}
        FROM page p JOIN match m ON m.id = p.id JOIN season s ON s.id = m.season_id ORDER BY ${sql.literal(orderOf(listing.query.sort))}
      `.pipe(Effect.flatMap(decodeCards))
  return {
    /** A page as `pageOf.ts` selects it; cards only for its rows. */
    cards: (listing: Listing, cut: Cut, fitting: Fitting) => cardsOf(listing, pageOf(sql, listing, cut, fitting)),

    /** The same of rows that are known, by match_pkey; under `newest` with trials, by match_trial or seat_trial. */
    cardsOfRows: (listing: Listing, cut: Cut, known: KnownRows) => cardsOf(listing, pageOfRows(sql, listing, cut, known)),

    /**
     * The one of some models with the fewest matches: its seats are the shortest way to their common matches. By version_model and,
     * for each version, rating_version.
     */
    narrowest: (models: ReadonlyArray<string>) =>
      sql<{ readonly model: string }>`SELECT o.model::text FROM unnest(${uuids(sql, models)}) o(model)
        ORDER BY (SELECT coalesce(sum(r.matches), 0) FROM version v JOIN rating r ON r.version_id = v.id WHERE v.model_id = o.model), o.model
        LIMIT 1`.pipe(Effect.map((rows) => rows[0]!.model)),

    /** Reads every trial that the list shows, by match_trial or seat_trial. */
    countOfTrials: (listing: Listing) => sql<{ total: number }>`${countOfTrials(sql, listing)}`.pipe(Effect.map((rows) => rows[0]!.total)),

    /** Reads the matches after the number, by match_rated; where it is 0, all of the season, by match_newest. */
    countOfSeason: (listing: OfSeason, after: number) =>
      Effect.map(sql<Found & Counters>`${countOfSeason(sql, listing, after)}`, countedOf),

    /** Reads what is counted beside the season, some thousand rows by match_tally_key, and the matches after that, by match_rated. */
    talliedOfSeason: (listing: OfSeason) => Effect.map(sql<Found & Counters>`${talliedOfSeason(sql, listing)}`, countedOf),

    untallied: untallied(sql)
  }
}

/** The open matches of those versions: `live` is small, and read whole. */
const openOf = (sql: SqlClient.SqlClient, versions: Statement.Fragment) =>
  sql`FROM live x WHERE EXISTS (SELECT 1 FROM version v WHERE v.id = ANY (x.versions) AND ${versions})`

const makeOwn = (sql: SqlClient.SqlClient) => ({
  /**
   * A page of an owner's matches in every state. For each of the owner's versions (version_owner): the played matches in the order
   * of seat_version, no further than the page ends; those that have no result, by the same index as far back as the others go, which sort
   * by their creation unless they were voided; open ones. Then each row of the page in full.
   */
  own: SqlSchema.findAll({
    Request: Schema.Struct({ ...ofOwner, limit: Schema.Int, offset: Schema.Int, up_to: Schema.Int }),
    Result: MatchRow,
    execute: ({ limit, offset, up_to, ...of }) => {
      const versions = ofOwnerIn(sql, of)
      const newest = sql`ORDER BY ended_at DESC, id DESC LIMIT ${up_to}`
      // A match ends after it was created.
      const end = sql`coalesce((SELECT min(p.ended_at) FROM played p HAVING count(*) >= ${up_to}), '-infinity')`
      return sql`
      WITH played AS MATERIALIZED (SELECT DISTINCT n.id, n.ended_at FROM version v CROSS JOIN LATERAL (
            SELECT DISTINCT x.match_id AS id, x.ended_at FROM seat x WHERE x.version_id = v.id AND x.rank > 0 ${newest}) n
          WHERE ${versions} ${newest}),
        page AS MATERIALIZED (SELECT * FROM (
          SELECT * FROM played
          UNION ALL
          (SELECT DISTINCT n.id, ${sql.literal(listedAt)} FROM version v CROSS JOIN LATERAL (SELECT x.match_id AS id FROM seat x
              WHERE x.version_id = v.id AND x.rank = 0 AND x.ended_at >= ${end} OFFSET 0) n JOIN match m ON m.id = n.id
            WHERE ${versions})
          UNION ALL
          (SELECT x.id, x.created_at ${openOf(sql, versions)})) own
        ORDER BY ended_at DESC, id DESC LIMIT ${limit} OFFSET ${offset})
      SELECT * FROM (
        SELECT p.ended_at AS sorted_at, ${sql.literal(ended)} FROM page p JOIN match m ON m.id = p.id JOIN season s ON s.id = m.season_id
        UNION ALL
        SELECT p.ended_at, ${sql.literal(open)} FROM page p JOIN live m ON m.id = p.id JOIN season s ON s.id = m.season_id) full_rows
      ORDER BY sorted_at DESC, id DESC`
    }
  }),

  /**
   * An owner's matches that have ended since an instant of each season, or all: by version_owner, then seat_version. The newest
   * match of each season by match_newest. Open ones are a row of their own.
   */
  cameOfOwner: (of: OfOwner, since: Since) =>
    Effect.map(
      sql<
        Pick<Came, "season_id" | "marks" | "edge" | "total" | "early">
      >`${cameOfOwner(sql, ofOwnerIn(sql, of), openOf(sql, ofOwnerIn(sql, of)), since)}`,
      (rows) => rows.map((row): Came => ({ ...row, rows: [], whole: true, last_trial: null }))
    ),

  /** About how many seats an owner has, by version_owner and then rating_version. */
  matchesOfOwner: (of: OfOwner) =>
    Effect.map(
      sql<{ matches: number }>`SELECT coalesce(sum(r.matches), 0)::int AS matches FROM version v
        JOIN rating r ON r.version_id = v.id AND r.season_id = v.season_id AND r.ladder = 'open' WHERE ${ofOwnerIn(sql, of)}`,
      (rows) => rows[0]!.matches
    )
})

const makeOwnOne = (sql: SqlClient.SqlClient) => ({
  /** An ended match by seat_pkey, an open one in `live`, which is small. A match is in one of them at every moment. */
  ownedBy: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, owner_id: Schema.String }),
    Result: Schema.Struct({ id: Schema.String }),
    execute: ({ id, owner_id }) => sql`
      SELECT x.match_id AS id FROM seat x WHERE x.match_id = ${id} AND x.owner_id = ${owner_id}
      UNION SELECT x.id ${openOf(sql, ofOwnerIn(sql, { owner_id, game: null }))} AND x.id = ${id} LIMIT 1`
  }),

  /** The same in full; the caller has checked the owner. */
  ownById: SqlSchema.findOneOption({
    Request: Schema.String,
    Result: MatchRow,
    execute: (id) => sql`
      SELECT ${sql.literal(ended)} FROM match m JOIN season s ON s.id = m.season_id WHERE m.id = ${id}
      UNION ALL
      SELECT ${sql.literal(open)} FROM live m JOIN season s ON s.id = m.season_id WHERE m.id = ${id}`
  })
})

const uuids = (sql: SqlClient.SqlClient, ids: ReadonlyArray<string>) => sql`string_to_array(${ids.join()}, ',')::uuid[]`

/** The contract's number (docs/contract.md#fields-of-a-match). */
const MET_SEATS = 200

const makeRelated = (sql: SqlClient.SqlClient) => ({
  /**
   * Up to `limit` other rated matches: those in which all of the models met, among the latest seats of the first model; those in which one
   * of them played, by the seats of each; those on the board, by match_newest, between its first and last match. Seats are those of a
   * model's versions (version_model) by seat_version. Each branch stops at the limit, in the order of its index.
   */
  related: SqlSchema.findAll({
    Request: Schema.Struct({
      id: Schema.String,
      season_id: Schema.String,
      map: Schema.String,
      models: Schema.Array(Schema.String),
      viewer: Schema.NullOr(Schema.String),
      limit: Schema.Int,
      on_board: Schema.Struct({ first: Schema.NullOr(Schema.Date), last: Schema.NullOr(Schema.Date) })
    }),
    Result: CardRow,
    execute: ({ id, limit, map, models, on_board, season_id, viewer }) => {
      const newestOf = (model: Statement.Fragment) => sql`
        SELECT n.id, n.ended_at FROM version v CROSS JOIN LATERAL (
            SELECT m.id, m.ended_at FROM seat x JOIN match m ON m.id = x.match_id JOIN season s ON s.id = m.season_id
            WHERE x.version_id = v.id AND m.id <> ${id} AND ${seesMatch(sql, viewer)}
            ORDER BY x.ended_at DESC, x.match_id DESC LIMIT ${limit}) n
          WHERE v.model_id = ${model} ORDER BY n.ended_at DESC, n.id DESC LIMIT ${limit}`
      // Models that have met once may each have a hundred thousand seats.
      const latest = sql`SELECT n.* FROM version v CROSS JOIN LATERAL (SELECT x.match_id, x.ended_at FROM seat x
            WHERE x.version_id = v.id ORDER BY x.ended_at DESC, x.match_id DESC LIMIT ${sql.literal(String(MET_SEATS))}) n
          WHERE v.model_id = ${models[0]!} ORDER BY n.ended_at DESC, n.match_id DESC LIMIT ${sql.literal(String(MET_SEATS))}`
      const all = sql.and(
        models.slice(1).map((model) => sql`EXISTS (SELECT 1 FROM seat y WHERE y.match_id = x.match_id AND y.model_id = ${model})`)
      )
      const met =
        models.length === 1
          ? newestOf(sql`${models[0]!}`)
          : sql`SELECT m.id, m.ended_at FROM (SELECT x.* FROM (${latest}) x WHERE ${all}) x
            JOIN match m ON m.id = x.match_id JOIN season s ON s.id = m.season_id
            WHERE m.id <> ${id} AND ${seesMatch(sql, viewer)} ORDER BY x.ended_at DESC, x.match_id DESC LIMIT ${limit}`
      return sql`
        WITH near AS (
            SELECT 1 AS tier, own.id, own.ended_at FROM (${met}) own
            UNION ALL
            SELECT 2, own.id, own.ended_at FROM unnest(${uuids(sql, models)}) o(model)
              CROSS JOIN LATERAL (${newestOf(sql`o.model`)}) own
            UNION ALL
            (SELECT 3, m.id, m.ended_at FROM match m WHERE m.season_id = ${season_id} AND m.map_id = ${map} AND m.id <> ${id}
              AND ${sql.literal(counts())} ${within(sql, on_board)} ORDER BY m.ended_at DESC, m.id DESC LIMIT ${limit * 3})),
          page AS (SELECT id, min(tier) AS tier, ended_at FROM near GROUP BY id, ended_at ORDER BY tier, ended_at DESC, id DESC LIMIT ${limit})
        SELECT ${sql.literal(`${shared}, ${outcome}, ${cardSeats}`)}
        FROM page p JOIN match m ON m.id = p.id JOIN season s ON s.id = m.season_id ORDER BY p.tier, p.ended_at DESC, p.id DESC`
    }
  })
})

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  ...makeLists(sql),
  ...makeFirstRows(sql),
  ...makeOwn(sql),
  ...makeOwnOne(sql),
  ...makeRelated(sql),

  /** One rated match by match_pkey, where the viewer may see its season. */
  publicById: SqlSchema.findOneOption({
    Request: Schema.Struct({ id: Schema.String, viewer: Schema.NullOr(Schema.String) }),
    Result: MatchRow,
    execute: ({ id, viewer }) => sql`
      SELECT ${sql.literal(ended)} FROM match m JOIN season s ON s.id = m.season_id
      WHERE m.id = ${id} AND ${seesMatch(sql, viewer)}`
  })
}))
