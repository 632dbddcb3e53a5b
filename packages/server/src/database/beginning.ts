/** Names by their beginning, as searches of people ask for them. */
import type { SqlClient, Statement } from "effect/sql"

/** Sorts after every character of a name. */
const LAST = "\u{10ffff}"

/**
 * Names that begin with `start`, byte by byte: no character is a wildcard, as some are to LIKE. `name` is an expression in small letters
 * with an index of text_pattern_ops.
 */
export const begins = (sql: SqlClient.SqlClient, name: string, start: string): Statement.Fragment =>
  sql`${sql.literal(name)} ~>=~ lower(${start}::text) AND ${sql.literal(name)} ~<~ (lower(${start}::text) || ${LAST}::text)`

/** The first so many of them, in the order of that index. */
export const firstBy = (sql: SqlClient.SqlClient, name: string, most: number): Statement.Fragment =>
  sql.literal(`ORDER BY ${name} USING ~<~ LIMIT ${most}`)
