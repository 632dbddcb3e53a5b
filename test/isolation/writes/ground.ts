/**
 * Rows of two seasons, their owners, keys, runners and matches, all with the same shapes, and of two keys of
 * the platform. Everything of a season has its number, or begins with it: key 1 has the runners 11 (active),
 * 12 (draining) and 13 (gone).
 */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { insertPeople, insertSeason } from "../../support/SeasonRows.ts"
import { id, settings } from "../../support/SeasonScript.ts"

/** Keys of the platform: an administrator's, and the service's own. */
export const PLATFORM = 3
export const OWN = 4
const KEYS = [1, 2, PLATFORM, OWN]

export const NOW = new Date("2026-03-01T12:00:00Z")
const EARLIER = "'2026-03-01T11:00:00Z'"

export const match = (n: number): string => `0190000a-0000-7000-8000-${n.toString(16).padStart(12, "0")}`

const quoted = (...args: Parameters<typeof id>) => `'${id(...args)}'`

const keyRows = KEYS.map((key) => {
  const season = key < PLATFORM ? quoted("season", key) : "NULL"
  const maker = key === OWN ? "NULL" : quoted("owner", Math.min(key, 2))
  return `(${quoted("key", key)}::uuid, ${season}::uuid, 'key', 'agon', '\\x0${key}'::bytea, ${maker}::uuid, ${EARLIER}::timestamptz)`
})

interface RunnerRow {
  readonly key: number
  readonly state?: "active" | "draining" | "gone"
  readonly flagged?: string
  readonly seen?: string
}

/** Inserts a runner. */
export const runner = (n: number, { flagged, key, seen, state = "active" }: RunnerRow): string => {
  const text = (at: string | undefined) => (at === undefined ? "NULL" : `'${at}'`)
  return `INSERT INTO runner (id, key_id, name, runtime_version, engines, accepts, slots, state, flagged_at, created_at, last_seen_at)
    VALUES (${quoted("runner", n)}, ${quoted("key", key)}, 'r', 'rt', '[{"game": "snakes", "engine_digest": "sha256:engine"}]', '{match,audit}', 4,
      '${state}', ${text(flagged)}, ${EARLIER}, ${text(seen ?? NOW.toISOString())})`
}

interface MatchRow {
  readonly season: number
  readonly key?: number
  readonly status?: string
  readonly runtime?: string
  readonly engine?: string
}

/** Inserts a match of two, and its seats. */
export const played = (n: number, { engine = "sha256:engine", key = 1, runtime = "rt", season, status = "rated" }: MatchRow): string => `
  INSERT INTO match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, lease_n, runner_id, key_id, released, created_at,
      ended_at, runtime_version, replay_hash, replay_bytes)
    VALUES ('${match(n)}', ${quoted("season", season)}, ${n}, 'open', 0, 'plain', 7, '${engine}', '${status}', 1, ${quoted("runner", key * 10 + 1)},
      ${quoted("key", key)}, false, ${EARLIER}, ${EARLIER}, '${runtime}', 'sha256:replay', 9);
  INSERT INTO seat (match_id, seat, season_id, version_id, model_id, ended_at, rank, score, strikes)
    SELECT '${match(n)}', seat, ${quoted("season", season)}, ${quoted("version", season)}, ${quoted("model", season)}, ${EARLIER}, seat, 0, 0
    FROM generate_series(0, 1) seat`

interface AuditRow {
  readonly season: number
  /** The number of the runner that has it, or answered it. */
  readonly runner?: number
  readonly state?: "waiting" | "leased" | "done"
  readonly doubter?: number
  readonly until?: string
}

/** Inserts an audit of the match of the same number. */
export const audit = (n: number, { doubter, runner, season, state = "waiting", until }: AuditRow): string => {
  const reference = (of: number | undefined) => (of === undefined ? "NULL" : quoted("runner", of))
  const key = runner === undefined ? "NULL" : quoted("key", Math.floor(runner / 10))
  return `INSERT INTO match_audit (id, match_id, season_id, state, created_at, lease_n, runner_id, key_id, until, doubter_id)
    VALUES (${quoted("audit", n)}, '${match(n)}', ${quoted("season", season)}, '${state}', ${EARLIER}, 3, ${reference(runner)}, ${key},
      ${until === undefined ? "NULL" : `'${until}'`}, ${reference(doubter)})`
}

const LIVE = `INSERT INTO live (season_id, id, n, ladder, round, map_id, seed, versions, created_at, lease_n, losses, runner_id, until, released) VALUES`
const REVIEW = "INSERT INTO review (season_id, version_id, lease_n, runner_id, until, released) VALUES"

/** Inserts an open match that a runner has, or had. */
export const live = (n: number, season: number, runner: number, held: boolean): string =>
  `${LIVE} (${quoted("season", season)}, '${match(n)}', ${n}, 'open', 0, 'plain', 7, '{}', ${EARLIER}, 1, 0, ${quoted("runner", runner)},
    ${held ? EARLIER : "NULL"}, ${!held})`

/** Inserts a review that a runner has, or had. */
export const review = (version: number, season: number, runner: number, held: boolean): string =>
  `${REVIEW} (${quoted("season", season)}, ${quoted("version", version)}, 1, ${quoted("runner", runner)}, ${held ? EARLIER : "NULL"}, ${!held})`

const VERSIONS = `INSERT INTO version (id, season_id, model_id, owner_id, ord, number, weights_hash, manifest_hash, note, created_at, status,
    admit_attempt, admit_failures, trial_played, trial_failed, trial_void)
  VALUES ${[1, 2]
    .map(
      (
        n
      ) => `(${quoted("version", n)}, ${quoted("season", n)}, ${quoted("model", n)}, ${quoted("owner", n)}, 1, 1, 'w', 'm', 'was', ${EARLIER},
    'entered', 1, 0, 0, 0, 0)`
    )
    .join()}`

const PEOPLE = [1, 2].flatMap((n) => [
  `INSERT INTO season_admin VALUES (${quoted("season", n)}, ${quoted("owner", 1)}, ${EARLIER}), (${quoted("season", n)}, ${quoted("owner", 2)}, ${EARLIER})`,
  `INSERT INTO identity (provider, subject, account_id, login, created_at)
    SELECT p, 's${n}', ${quoted("owner", n)}, 'Login${n}', ${EARLIER} FROM unnest('{git,hub}'::text[]) p`,
  `INSERT INTO participant (id, season_id, provider, login, added_at)
    SELECT (left(${quoted("owner", 0)}, 24) || lpad(to_hex(256 * ${n} + i), 12, '0'))::uuid, ${quoted("season", n)}, 'git', 'login' || i, ${EARLIER}
    FROM generate_series(1, 2) i`
])

/** Another game with a season that is featured as the first one of snakes is. */
const FEATURED = [
  `INSERT INTO game VALUES ('othello')`,
  `UPDATE season SET game = 'othello' WHERE id = ${quoted("season", 3)}`,
  `UPDATE season SET featured = true WHERE id IN (${quoted("season", 1)}, ${quoted("season", 3)})`
]

export const build = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  for (const n of [1, 2, 3, 4]) yield* insertSeason(sql, id("season", n), settings())
  yield* insertPeople(sql, id("season", 1), 3)
  const runners = KEYS.flatMap((key) =>
    (["active", "draining", "gone"] as const).map((state, i) => runner(key * 10 + i + 1, { key, state }))
  )
  const keys = `INSERT INTO runner_key (id, season_id, name, prefix, key_sha256, created_by, created_at) VALUES ${keyRows.join()}`
  for (const text of [keys, ...runners, VERSIONS, ...PEOPLE, ...FEATURED]) yield* sql.unsafe(text)
})
