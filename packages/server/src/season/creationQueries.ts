/** The statements that make a season. */
import type { CreateSeason } from "@agon/api/season/creation.ts"
import { freshHead } from "@agon/domain/season/Head.ts"
import type { Rules } from "@agon/domain/season/Rules.ts"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { storableJson } from "../database/storable.ts"

/** `slug` and `rules` are those of the season; the body may leave them out, or name some of them. */
interface NewSeason {
  readonly id: string
  readonly game: string
  readonly slug: string
  readonly digest: string // of the game's engine
  readonly rules: Rules
  readonly body: CreateSeason
  readonly now: Date
}

const NO_FILL = { enabled: false, max_per_hour: null }

export const makeQueries = Effect.map(SqlClient.SqlClient, (sql) => ({
  /** Inserts one row; season_slug is unique. */
  insert: ({ body, digest, game, id, now, rules, slug }: NewSeason) => sql`
    INSERT INTO season (id, game, slug, name, visibility, entry, providers, created_at, submissions_open_at, submissions_close_at,
      rules, weight_classes, fleet, fill, engine_digest, head)
    VALUES (${id}, ${game}, ${slug}, ${body.name}, ${body.visibility}, ${body.visibility === "private" ? "restricted" : body.entry},
      string_to_array(${body.providers.join(",")}, ','), ${now}, ${new Date(body.submissions_open_at)}, ${new Date(body.submissions_close_at)},
      ${storableJson(rules)}::jsonb, ${storableJson(body.weight_classes)}::jsonb, ${storableJson(body.fleet)}::jsonb,
      ${JSON.stringify(NO_FILL)}::jsonb, ${digest}, ${JSON.stringify(freshHead())}::jsonb)`,

  /** One row for each name that account_username has; answers these names. */
  appoint: (id: string, usernames: ReadonlyArray<string>, now: Date) => sql<{ readonly username: string }>`
    WITH known AS (SELECT a.id, a.username FROM account a WHERE ${sql.in("a.username", usernames)}),
      appointed AS (INSERT INTO season_admin (season_id, account_id, added_at) SELECT ${id}, id, ${now} FROM known)
    SELECT username FROM known`
}))
