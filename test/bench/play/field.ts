/**
 * A season in full play, written as rows: so many entries on two ladders, each of an owner
 * of its own, and four boards.
 */

import { freshHead } from "@agon/domain/season/Head.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { insertPeople, insertSeason } from "../../support/SeasonRows.ts"
import { id, settings } from "../../support/SeasonScript.ts"

const DAY_MS = 86_400_000

/**
 * `nth`: of several fields in one database; their owners and models are the same, and
 * their versions follow each other.
 */
export const insertField = (sql: PgClient, season: string, entries: number, now: number, nth = 1) =>
  Effect.gen(function* () {
    yield* insertSeason(sql, season, settings({ submissions_open_at: now - DAY_MS }))
    yield* insertPeople(sql, season, entries)
    const uuid = (kind: "owner" | "model" | "version") =>
      `(left('${id(kind, 0)}', 24) || lpad(to_hex(n + ${kind === "version" ? (nth - 1) * entries : 0}), 12, '0'))::uuid`
    yield* sql.unsafe(
      `INSERT INTO version (id, season_id, model_id, owner_id, ord, number, weights_hash, manifest_hash, created_at, status, weights_bytes,
         manifest_bytes, class, admit_attempt, admit_failures, param_count, infer_us, memory_flat, memory_cell, memory_bytes,
         runtime_version, trial_played, trial_failed, trial_void)
       SELECT ${uuid("version")}, $1::uuid, ${uuid("model")}, ${uuid("owner")}, n, ${nth}, 'sha256:w' || n, 'sha256:m' || n, now(), 'entered', 1000,
         100, 'nano', 1, 0, 5000, 150, 16, 2, 1000, 'ort 1.30', 1, 0, 0 FROM generate_series(1, ${entries}) n`,
      [season]
    )
    yield* sql.unsafe(
      `INSERT INTO rating (season_id, ladder, version_id, ord, active, mu, sigma, matches, round_matches, made, credit, forfeits,
         seat_sum, trend, met, history)
       SELECT $1::uuid, ladder, ${uuid("version")}, n, true, sin(n) * 200, 60, 40, 40, 20, 20, 0, 0, 3.25,
         ARRAY(SELECT (n + 37 * k) % ${entries} + 1 FROM generate_series(1, 12) k),
         ARRAY(SELECT sin(n + k) * 200 FROM generate_series(1, 12) k)
       FROM generate_series(1, ${entries}) n, unnest(ARRAY['nano', 'open']) ladder`,
      [season]
    )
    yield* sql.unsafe(
      `INSERT INTO board (season_id, map_id, ord, players, rows, cols, enabled, used, file, added_at)
       SELECT $1::uuid, 'board-' || n, n, 2, 11, 11, true, '{0,0,0,0,0,0,0}', '{}', now() FROM generate_series(1, 4) n`,
      [season]
    )
    const head = { ...freshHead(), now, versions: entries, active: entries, series_at: now }
    yield* sql.unsafe("UPDATE season SET head = $2::text::jsonb WHERE id = $1::uuid", [season, JSON.stringify(head)])
    yield* sql.unsafe("VACUUM ANALYZE")
  })

/** Versions that were in play before those that are, of the same models: `number` goes on where the field's ends. */
export const supersede = (sql: PgClient, season: string, versions: number, entries: number) =>
  Effect.gen(function* () {
    const uuid = (kind: "owner" | "model" | "version", n: string) => `(left('${id(kind, 0)}', 24) || lpad(to_hex(${n}), 12, '0'))::uuid`
    const columns = `season_id, weights_hash, manifest_hash, created_at, status, weights_bytes, manifest_bytes, class, admit_attempt,
      admit_failures, param_count, infer_us, memory_flat, memory_cell, memory_bytes, runtime_version, trial_played, trial_failed, trial_void`
    yield* sql.unsafe(
      `INSERT INTO version (id, model_id, owner_id, ord, number, successor, ${columns})
       SELECT ${uuid("version", `${entries} + n`)}, model_id, owner_id, ${entries} + n, 1 + n / ${entries} + 1, 1,
         ${columns.replace("status", "'superseded'").replace("weights_hash", "weights_hash || 's' || n")}
       FROM generate_series(1, ${versions}) n JOIN version v ON v.id = ${uuid("version", `1 + n % ${entries}`)} AND v.season_id = $1::uuid`,
      [season]
    )
    yield* sql.unsafe(
      `INSERT INTO rating SELECT r.season_id, r.ladder, v.id, v.ord, false, r.mu, r.sigma, r.matches, r.round_matches, r.made, r.credit,
         r.forfeits, r.seat_sum, r.trend, r.met, r.history
       FROM version v JOIN version o ON o.model_id = v.model_id AND o.status = 'entered' JOIN rating r ON r.version_id = o.id
       WHERE v.season_id = $1::uuid AND v.status = 'superseded'`,
      [season]
    )
    yield* sql.unsafe("VACUUM ANALYZE")
  })
