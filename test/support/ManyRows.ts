/**
 * A service that has been used for years, written as rows by set-based SQL: so many entries on
 * one ladder, so many matches over four seasons. All rows follow from the numbers
 * alone, so two runs read the same.
 *
 *   big      snakes, public, live, featured: two thirds of the matches, every entry; four rounds behind it
 *   last     snakes, public, closed: a fifth of them, played by the same models' earlier versions
 *   discs    othello, public: a tenth
 *   hidden   snakes, private: the rest
 *
 * Of a hundred matches 93 count, 4 are trials, 2 were cancelled and 1 failed. Two of three have two seats,
 * the others 3, 4 or 8. One in twenty of those that count is discussed, in one to five comments. Rare
 * rows are there: the class `large` has ten entries; the board `old` was played for the first hundredth of a
 * season and then switched off.
 */

import { freshHead } from "@agon/domain/season/Head.ts"
import { DEFAULT_RULES } from "@agon/domain/season/Rules.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"

export interface Size {
  readonly matches: number
  readonly entries: number
}

interface Stage {
  readonly n: number
  readonly slug: string
  readonly game: string
  readonly share: number
  readonly entries: number
  /** Models of the first season are those of the second as well; the number of the first model. */
  readonly models_from: number
}

const SEASON_MS = 180 * 86_400_000
const BOARDS = 24
const ROUNDS = 4
const OLD_BOARD = 23
/** When the seasons end; they overlap. */
const NOW = Date.parse("2026-11-01T00:00:00Z")

export const seasonId = (n: number) => `01960000-0000-7000-8000-${n.toString(16).padStart(12, "0")}`
const rowId = (kind: number) => (n: string) =>
  `(left('0196000${kind}-0000-7000-8000-000000000000', 24) || lpad(to_hex((${n})::bigint), 12, '0'))::uuid`
const accountOf = rowId(1)
const modelOf = rowId(2)
const versionOf = rowId(3)
/** In the order of time, as those of the service are. */
const matchOf = (season: number, n: string) =>
  `lpad(to_hex(${season} * 4294967296 + ${n}), 12, '0')::text || '70008000' || lpad(to_hex(${n}), 12, '0')`
export const id = (kind: "account" | "model" | "version", n: number) =>
  `0196000${["account", "model", "version"].indexOf(kind) + 1}-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

/** The number of a season's version `ord`, in the whole service. */
export const versionNumber = (season: number, ord: number) => season * 1_000_000 + ord

export const stagesOf = ({ entries }: Size): ReadonlyArray<Stage> => [
  { n: 1, slug: "big", game: "snakes", share: 0.65, entries, models_from: 0 },
  { n: 2, slug: "last", game: "snakes", share: 0.2, entries: entries / 2, models_from: 0 },
  { n: 3, slug: "discs", game: "othello", share: 0.1, entries: entries / 5, models_from: entries },
  { n: 4, slug: "hidden", game: "snakes", share: 0.05, entries: entries / 10, models_from: entries * 2 }
]

/**
 * Classes by ord, in stretches; a ladder's entries stand side by side. Ends are shares of
 * the entries, `large` is ten.
 */
const CLASSES = ["nano", "micro", "mini", "small", "large"] as const
const bounds = (entries: number) => [0.4, 0.7, 0.9].map((share) => Math.floor(entries * share)).concat(entries - 10, entries)
const bySpan = (entries: number, ord: string, value: (i: number) => string) =>
  `CASE ${bounds(entries)
    .map((end, i) => `WHEN ${ord} <= ${end} THEN ${value(i)}`)
    .join(" ")} END`
const classOf = (entries: number, ord: string) => bySpan(entries, ord, (i) => `'${CLASSES[i]!}'`)

/** A whole number below `limit` that looks drawn. */
const drawn = (of: string, salt: number, limit: number | string) => `(abs(hashint8extended((${of})::bigint, ${salt})) % (${limit}))`

const insertPeople = (sql: PgClient, { entries }: Size) =>
  Effect.gen(function* () {
    const models = entries * 3
    yield* sql.unsafe("INSERT INTO game VALUES ('snakes'), ('othello') ON CONFLICT DO NOTHING")
    yield* sql.unsafe(`INSERT INTO account (id, username, display_name, created_at)
      SELECT ${accountOf("n")}, 'owner' || n, 'Owner ' || n, now() FROM generate_series(0, ${models / 2}) n`)
    yield* sql.unsafe(`INSERT INTO model (id, game, owner_id, name, created_at)
      SELECT ${modelOf("n")}, CASE WHEN n > ${entries} AND n <= ${entries * 2} THEN 'othello' ELSE 'snakes' END, ${accountOf("n / 2")},
        'model ' || n, now() FROM generate_series(1, ${models}) n`)
  })

const insertSeason = (sql: PgClient, { entries, game, models_from, n, share, slug }: Stage, matches: number) =>
  Effect.gen(function* () {
    const count = Math.floor(matches * share)
    const rated = Math.floor(count * 0.93)
    const begin = NOW - SEASON_MS
    const closed = slug === "last" ? NOW : null
    const numbers = { rated, versions: entries, active: entries, matches: count, round: ROUNDS, now: NOW, series_at: NOW }
    const head = { ...freshHead(), ...numbers, phase: closed === null ? "open" : "closed", closed_at: closed }
    yield* sql.unsafe(
      `INSERT INTO season (id, game, slug, name, visibility, entry, providers, featured, created_at, submissions_open_at, submissions_close_at,
         rules, weight_classes, fleet, fill, engine_digest, ratings_round, head, closed_at)
       VALUES ($1::uuid, $2, $3, $3, $4, 'open', '{}', $5, to_timestamp($6::float8), to_timestamp($6::float8), to_timestamp($7::float8),
         $8::text::jsonb, '[]', '{}', '{}', 'sha256:engine', ${ROUNDS}, $9::text::jsonb, to_timestamp($10::float8))`,
      [
        ...[seasonId(n), game, slug, slug === "hidden" ? "private" : "public", slug === "big", begin / 1000, NOW / 1000],
        ...[JSON.stringify(DEFAULT_RULES), JSON.stringify(head), closed === null ? null : closed / 1000]
      ]
    )
    yield* sql.unsafe(
      `INSERT INTO board (season_id, map_id, ord, players, rows, cols, enabled, used, file, added_at)
       SELECT $1::uuid, CASE i WHEN ${OLD_BOARD} THEN 'old' ELSE 'board-' || i END, i, ${playersOf("i")}, 11, 11, i <> ${OLD_BOARD},
         '{0,0,0,0,0,0,0}', '{}', to_timestamp($2::float8) FROM generate_series(0, ${BOARDS - 1}) i`,
      [seasonId(n), begin / 1000]
    )
    yield* sql.unsafe(
      `INSERT INTO round (season_id, n, kind, games, starts_at, started_at, ended_at, withdrawn)
       SELECT $1::uuid, i, 'round', 40, t.at, t.at, CASE WHEN i < ${ROUNDS} THEN t.at + interval '45 days' END, false
       FROM generate_series(1, ${ROUNDS}) i, LATERAL (SELECT to_timestamp($2::float8) + (i - 1) * interval '45 days' AS at) t`,
      [seasonId(n), begin / 1000]
    )
    yield* insertVersions(sql, { n, entries, models_from })
  })

const insertVersions = (sql: PgClient, { entries, models_from, n }: Pick<Stage, "n" | "entries" | "models_from">) =>
  Effect.gen(function* () {
    yield* sql.unsafe(
      `INSERT INTO version (id, season_id, model_id, owner_id, ord, number, weights_hash, manifest_hash, created_at, status, weights_bytes,
         manifest_bytes, class, admit_attempt, admit_failures, param_count, infer_us, memory_flat, memory_cell, memory_bytes,
         runtime_version, trial_played, trial_failed, trial_void)
       SELECT ${versionOf(`${versionNumber(n, 0)} + i`)}, $1::uuid, ${modelOf(`${models_from} + i`)}, ${accountOf(`(${models_from} + i) / 2`)}, i, ${n},
         'sha256:w' || i, 'sha256:m' || i, now(), CASE WHEN i % 20 = 0 THEN 'superseded' ELSE 'entered' END, 1000, 100,
         ${classOf(entries, "i")}, 1, 0, 5000, 150, 16, 2, 1000, 'ort 1.30', 4, 0, 0 FROM generate_series(1, ${entries}) i`,
      [seasonId(n)]
    )
    yield* sql.unsafe(
      `INSERT INTO rating (season_id, ladder, version_id, ord, active, round, mu, sigma, matches, round_matches, made, credit, forfeits,
         seat_sum, trend, met, history)
       SELECT $1::uuid, ladder, ${versionOf(`${versionNumber(n, 0)} + i`)}, i, true, ${ROUNDS}, sin(i) * 200 + i * 1e-6, 60, 90, 40, 20, 20, 0, 0, 3.25,
         ARRAY(SELECT (i + 37 * k) % ${entries} + 1 FROM generate_series(1, 12) k), ARRAY(SELECT sin(i + k) * 200 FROM generate_series(1, 12) k)
       FROM generate_series(1, ${entries}) i, LATERAL unnest(ARRAY[${classOf(entries, "i")}, 'open']) ladder`,
      [seasonId(n)]
    )
  })

const playersOf = (board: string) => `CASE WHEN ${board} < 16 THEN 2 WHEN ${board} < 19 THEN 3 WHEN ${board} < 22 THEN 4 ELSE 8 END`

/**
 * Who meets where, and when: a class ladder's matches among its own stretch of entries, those
 * of open and trials among all.
 */
const plan = (sql: PgClient, { entries, n, share }: Stage, matches: number) => {
  const count = Math.floor(matches * share)
  const spans = [0, ...bounds(entries)]
  const begin_s = (NOW - SEASON_MS) / 1000
  return sql.unsafe(
    `CREATE UNLOGGED TABLE planned AS
     SELECT i AS n, (${matchOf(n, "i")})::uuid AS id, status, board, ${playersOf("board")} AS players, ended_at, kind,
       CASE WHEN wide THEN 0 ELSE ${bySpan(entries, "pick", (k) => `${spans[k]}`)} END AS start,
       CASE WHEN wide THEN ${entries} ELSE ${bySpan(entries, "pick", (k) => `${spans[k + 1]! - spans[k]!}`)} END AS size,
       CASE WHEN status = 'rated' THEN CASE WHEN wide THEN 'open' ELSE ${classOf(entries, "pick")} END END AS ladder,
       CASE WHEN status = 'rated' THEN row_number() OVER (PARTITION BY status ORDER BY i) END AS rated_n
     FROM (SELECT i, i % 100 AS kind, i % 2 = 0 OR i % 100 > 92 AS wide, 1 + ${drawn("i", 1, entries)} AS pick,
         to_timestamp(${begin_s} + i::float8 * ${SEASON_MS / 1000 / count}) AS ended_at,
         CASE WHEN i % 100 < 93 THEN 'rated' WHEN i % 100 < 97 THEN 'finished' WHEN i % 100 < 99 THEN 'cancelled' ELSE 'failed' END AS status,
         CASE WHEN i < ${count / 100} AND i % 5 = 0 THEN ${OLD_BOARD} ELSE ${drawn("i", 2, OLD_BOARD)} END AS board
       FROM generate_series(1, ${count}) i) drawn`
  )
}

const turnsOf = (n: string) => `20 + ${drawn(n, 6, 481)}`
/** The rating before the match. */
const BEFORE = "((sin(ord) * 200 + score) - (score - 15.5))"

/**
 * Seats of the planned matches: entries a drawn step apart, so that nobody sits twice;
 * scores drawn, ties among them.
 */
const insertSeats = (sql: PgClient, { models_from, n }: Stage) =>
  sql.unsafe(
    `INSERT INTO seat (match_id, seat, season_id, version_id, model_id, owner_id, ended_at, rank, score, strikes, place, made_mu, made_sigma,
       made_change, open_mu, open_sigma, open_change, closeness, upset, turns, shared)
     SELECT id, seat, $1::uuid, ${versionOf(`${versionNumber(n, 0)} + ord`)}, ${modelOf(`${models_from} + ord`)},
       ${accountOf(`(${models_from} + ord) / 2`)}, ended_at, rank, CASE WHEN rank = 0 THEN 0 ELSE score END, 0, CASE WHEN counts THEN ord - start END,
       CASE WHEN counts THEN sin(ord) * 200 + score END, CASE WHEN counts THEN 60 END, CASE WHEN counts THEN score - 15.5 END,
       CASE WHEN counts AND ladder <> 'open' THEN sin(ord) * 200 END, CASE WHEN counts AND ladder <> 'open' THEN 60 END,
       CASE WHEN counts AND ladder <> 'open' THEN 15.5 - score END,
       CASE WHEN NOT counts THEN NULL WHEN first = second THEN 0 ELSE (second - first)::float8 / nullif(first, 0) END,
       max(${BEFORE}) FILTER (WHERE counts AND rank > 1) OVER all_seats - min(${BEFORE}) FILTER (WHERE counts AND rank = 1) OVER all_seats,
       CASE WHEN status IN ('rated', 'finished') THEN ${turnsOf("n")} END, count(*) FILTER (WHERE rank = 1) OVER all_seats > 1
     FROM (SELECT *, CASE WHEN status IN ('cancelled', 'failed') THEN 0 ELSE rank() OVER (PARTITION BY n ORDER BY score DESC) END AS rank,
         max(score) OVER (PARTITION BY n) AS first,
         nth_value(score, 2) OVER (PARTITION BY n ORDER BY score DESC ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS second
       FROM (SELECT p.*, seat, status = 'rated' AS counts, ${drawn("n * 8 + seat", 5, 30)} AS score,
           start + 1 + (${drawn("n", 3, "size")} + seat * (1 + ${drawn("n", 4, "greatest(1, size / 8 - 1)")})) % size AS ord
         FROM planned p CROSS JOIN LATERAL generate_series(0, players - 1) seat) seated) ranked
     WINDOW all_seats AS (PARTITION BY n)`,
    [seasonId(n)]
  )

/** The largest upset is that of the first, which is near enough here. */
const insertMatches = (sql: PgClient, { entries, n }: Stage) =>
  sql.unsafe(
    `INSERT INTO match (id, season_id, n, ladder, candidate, round, map_id, seed, engine_digest, status, rated_n, lease_n, released, created_at,
       ended_at, reason, turns, played_ms, runtime_version, state_sha256, replay_hash, replay_bytes, closeness, upset, classes, best_place)
     SELECT p.id, $1::uuid, p.n, p.ladder, CASE WHEN status = 'finished' THEN f.first END, 1 + p.n * ${ROUNDS} / (SELECT max(n) + 1 FROM planned),
       CASE board WHEN ${OLD_BOARD} THEN 'old' ELSE 'board-' || board END, p.n, 'sha256:engine', status, rated_n, 1, false,
       ended_at - interval '1 minute', ended_at, played.reason, played.turns, played.played_ms, played.runtime, played.sha, played.sha, played.played_ms,
       CASE WHEN rated_n IS NULL THEN NULL WHEN f.scores[1] = f.scores[2] THEN 0 ELSE (f.scores[2] - f.scores[1])::float8 / nullif(f.scores[1], 0) END,
       f.upset, f.classes, f.place
     FROM planned p
     JOIN (SELECT match_id, min(version_id::text) FILTER (WHERE seat = 0)::uuid AS first, array_agg(score ORDER BY rank, score DESC) AS scores,
         min(place) AS place, max(made_mu - made_change) FILTER (WHERE rank > 1) - min(made_mu - made_change) FILTER (WHERE rank = 1) AS upset,
         bit_or(${bySpan(entries, "v.ord", (i) => `${1 << i}`)}) AS classes
       FROM seat y JOIN version v ON v.id = y.version_id WHERE y.season_id = $1::uuid GROUP BY match_id) f ON f.match_id = p.id
     LEFT JOIN LATERAL (SELECT 'last_standing' AS reason, ${turnsOf("p.n")} AS turns, 900 AS played_ms, 'ort 1.30' AS runtime,
         'sha256:' || p.n AS sha) played ON status IN ('rated', 'finished')`,
    [seasonId(n)]
  )

/** Every twentieth match that counts is discussed; a pending and a reported comment is one of a hundred. */
const insertThreads = (sql: PgClient, { entries, models_from, n }: Stage) =>
  Effect.gen(function* () {
    yield* sql.unsafe(
      `INSERT INTO thread (id, match_id, season_id, ended_at, comments, created_at)
       SELECT id, id, $1::uuid, ended_at, 1 + ${drawn("n", 7, 5)}, ended_at FROM planned WHERE rated_n % 20 = 0`,
      [seasonId(n)]
    )
    yield* sql.unsafe(
      `INSERT INTO comment (id, thread_id, account_id, body, state, reports, created_at, published_at, approved_at)
       SELECT md5(t.id::text || i)::uuid, t.id, ${accountOf(`(${models_from} + 1 + ${drawn("i + hashtext(t.id::text)", 8, entries)}) / 2`)}, 'Well played.',
         CASE WHEN p.rated_n % 2000 = 0 THEN 'pending' ELSE 'published' END, CASE WHEN p.rated_n % 1980 = 0 THEN 1 ELSE 0 END,
         p.ended_at + i * interval '1 minute', CASE WHEN p.rated_n % 2000 > 0 THEN p.ended_at END, CASE WHEN p.rated_n % 2000 > 0 THEN p.ended_at END
       FROM thread t JOIN planned p ON p.id = t.id CROSS JOIN LATERAL generate_series(1, t.comments) i`
    )
  })

/** Runs `fill` without the indexes of the two large tables, and makes them afterwards: a third of the time. */
const indexedAfterwards = <E, R>(sql: PgClient, fill: Effect.Effect<unknown, E, R>) =>
  Effect.gen(function* () {
    const indexes = yield* sql.unsafe<{ indexname: string; indexdef: string }>(
      "SELECT indexname, indexdef FROM pg_indexes WHERE tablename IN ('match', 'seat') AND indexname NOT LIKE '%_pkey'"
    )
    for (const { indexname } of indexes) yield* sql.unsafe(`DROP INDEX ${indexname}`)
    yield* fill
    for (const { indexdef } of indexes) yield* sql.unsafe(indexdef)
  })

/** Every second match is as a release before migration 0047 has written it. */
export const withoutFigures = (sql: PgClient) =>
  sql.unsafe("UPDATE seat SET closeness = NULL, upset = NULL, turns = NULL, shared = NULL WHERE hashtext(match_id::text) % 2 = 0")

/** Every model that has an owner has a story: one in a hundred waits for a moderator, one in fifty is featured. */
const insertStories = (sql: PgClient) =>
  sql.unsafe(
    `INSERT INTO story (model_id, body, state, updated_at, public_body, public_updated_at, featured_at)
     SELECT id, 'Once.', CASE WHEN n % 100 = 0 THEN 'pending' ELSE 'approved' END, created_at + n * interval '1 minute', 'Once.',
       created_at + n * interval '1 minute', CASE WHEN n % 50 = 0 THEN created_at + n * interval '2 minutes' END
     FROM (SELECT id, created_at, row_number() OVER (ORDER BY id) AS n FROM model WHERE owner_id IS NOT NULL) m`
  )

export const insertRows = (sql: PgClient, size: Size) =>
  Effect.gen(function* () {
    yield* sql.unsafe("SET maintenance_work_mem = '512MB'")
    yield* sql.unsafe("SET work_mem = '256MB'")
    yield* insertPeople(sql, size)
    yield* indexedAfterwards(
      sql,
      Effect.forEach(stagesOf(size), (stage) =>
        Effect.gen(function* () {
          yield* insertSeason(sql, stage, size.matches)
          yield* plan(sql, stage, size.matches)
          yield* sql.unsafe("ANALYZE planned")
          yield* insertSeats(sql, stage)
          yield* sql.unsafe("ANALYZE seat") // where autovacuum did that before these seats came, the matches were looked for one by one
          yield* insertMatches(sql, stage)
          yield* insertThreads(sql, stage)
          yield* sql.unsafe("DROP TABLE planned")
        })
      )
    )
    yield* insertStories(sql)
    yield* sql.unsafe("RESET work_mem")
    yield* sql.unsafe("VACUUM (ANALYZE)")
  })
