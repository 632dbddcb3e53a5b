/**
 * The fleet's rows in the database: keys, and seasons in each of which so many entries, all unrated, play
 * each other on the game's own boards.
 */
import { hash } from "node:crypto"
import { boardsOf, engineOf } from "@agon/engine/registry.ts"
import { migrate } from "@agon/server/database/migrate.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { id } from "../../support/SeasonScript.ts"
import { insertField } from "../play/field.ts"
import { keyOf, secretOf } from "./messages.ts"

export const SEASON = id("season", 1)
export const DIGEST = engineOf("snakes")!.digest

export const fill = (url: string, entries: number, runners: number, seasons = 1) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* migrate
    for (let nth = 1; nth <= seasons; nth++) yield* insertField(sql, id("season", nth), entries, Date.now(), nth)
    const board = boardsOf("snakes").find(({ players }) => players === 2)!
    yield* sql.unsafe("UPDATE board SET file = $1::text::jsonb, rows = $2, cols = $3", [JSON.stringify(board), board.rows, board.cols])
    yield* sql.unsafe("UPDATE season SET engine_digest = $1", [DIGEST])
    yield* sql.unsafe(`UPDATE version SET weights_hash = 'sha256:' || encode(sha256(weights_hash::bytea), 'hex'),
      manifest_hash = 'sha256:' || encode(sha256(manifest_hash::bytea), 'hex')`)
    // The ratings that a replay of the log begins with.
    yield* sql.unsafe(`UPDATE rating SET mu = 0, sigma = 200, matches = 0, round_matches = 0, made = 0, credit = 0, seat_sum = 0, trend = 0,
      met = '{}', history = '{}'`)
    for (let key = 1; key <= keyOf(runners); key++) {
      yield* sql.unsafe(
        "INSERT INTO runner_key (id, name, prefix, key_sha256, created_at) VALUES ($1::uuid, 'fleet', 'agon-fleet', $2::bytea, now())",
        [id("key", key), hash("sha256", secretOf(key), "buffer")]
      )
    }
    yield* sql.unsafe("VACUUM ANALYZE")
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.scoped, Effect.runPromise)
