/** The rows that a season's actor finds when it starts: game, season, accounts and models. */

import { freshHead } from "@agon/domain/season/Head.ts"
import type { Settings } from "@agon/domain/season/Rules.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { Effect } from "effect"
import { id, SECRET } from "./SeasonScript.ts"

export const insertSeason = (sql: PgClient, season: string, settings: Settings) =>
  Effect.gen(function* () {
    yield* sql.unsafe("INSERT INTO game VALUES ('snakes') ON CONFLICT DO NOTHING")
    const { engine_digest, fill, fleet, rules, submissions_close_at, submissions_open_at, weight_classes } = settings
    yield* sql.unsafe(
      `INSERT INTO season (id, game, slug, name, visibility, entry, providers, created_at, submissions_open_at, submissions_close_at,
         rules, weight_classes, fleet, fill, engine_digest, head)
       VALUES ($1::uuid, 'snakes', $1, 'Spring', 'public', 'open', '{}', now(), to_timestamp($2::float8 / 1000.0),
         to_timestamp($3::float8 / 1000.0), $4::text::jsonb, $5::text::jsonb, $6::text::jsonb, $7::text::jsonb, $8, $9::text::jsonb)`,
      [
        season,
        submissions_open_at,
        submissions_close_at,
        ...[rules, weight_classes, fleet, fill].map((each) => JSON.stringify(each)),
        engine_digest,
        JSON.stringify({ ...freshHead(), secret: SECRET })
      ]
    )
  })

/** Owner and model `n` for each n up to `count`; and baseline models of the season from 9001 on. */
export const insertPeople = (sql: PgClient, season: string, count: number) =>
  Effect.gen(function* () {
    const tail = (kind: "owner" | "model", n: string) => `(left('${id(kind, 0)}', 24) || lpad(to_hex(${n}), 12, '0'))::uuid`
    yield* sql.unsafe(`INSERT INTO account (id, username, display_name, created_at)
      SELECT ${tail("owner", "n")}, 'owner' || n, 'Owner ' || n, now() FROM generate_series(1, ${count}) n ON CONFLICT DO NOTHING`)
    yield* sql.unsafe(`INSERT INTO model (id, game, owner_id, name, created_at)
      SELECT ${tail("model", "n")}, 'snakes', ${tail("owner", "n")}, 'model', now() FROM generate_series(1, ${count}) n ON CONFLICT DO NOTHING`)
    yield* sql.unsafe(
      `INSERT INTO model (id, game, baseline_season, name, created_at)
       SELECT ${tail("model", "n")}, 'snakes', $1::uuid, 'baseline' || n, now() FROM generate_series(9001, 9004) n ON CONFLICT DO NOTHING`,
      [season]
    )
  })
