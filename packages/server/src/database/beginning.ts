/**
 * Names by their beginning, as searches of people ask for them, and the models whose
 * names, or whose owners', begin so.
 */
import type { SqlClient, Statement } from "effect/sql"

/** Sorts after every character of a name. */
const LAST = "\u{10ffff}"

/**
 * Names that begin with `start`, byte by byte: no character is a wildcard, as some are to LIKE. `name` is an
 * expression in small letters with an index of text_pattern_ops.
 */
export const begins = (sql: SqlClient.SqlClient, name: string, start: string): Statement.Fragment =>
  sql`${sql.literal(name)} ~>=~ lower(${start}::text) AND ${sql.literal(name)} ~<~ (lower(${start}::text) || ${LAST}::text)`

/** The first so many of them, in the order of that index. */
export const firstBy = (sql: SqlClient.SqlClient, name: string, most: number): Statement.Fragment =>
  sql.literal(`ORDER BY ${name} USING ~<~ LIMIT ${most}`)

/** The most models and owners that are looked at for a name; a longer one narrows it. */
const NAMED_MAX = 1_000

/**
 * Tables for a WITH: `named` has the ids of the models of a season's game whose name or owner's username
 * begins with `start`, by model_name_start, or by account_username_start and model_name (hence OFFSET 0).
 */
export const modelsNamed = (sql: SqlClient.SqlClient, season_id: string, start: string): Statement.Fragment => sql`
  asked AS (SELECT id, game FROM season WHERE id = ${season_id}), named AS (
    (SELECT n.id FROM asked CROSS JOIN LATERAL (SELECT id FROM model
      WHERE game = asked.game AND ${begins(sql, "lower(name)", start)} ${firstBy(sql, "lower(name)", NAMED_MAX)}) n)
    UNION
    (SELECT n.id FROM (SELECT id FROM account WHERE ${begins(sql, "username", start)} ${firstBy(sql, "username", NAMED_MAX)}) a
      CROSS JOIN asked CROSS JOIN LATERAL (SELECT id FROM model WHERE owner_id = a.id AND game = asked.game OFFSET 0) n
      LIMIT ${NAMED_MAX}))`
