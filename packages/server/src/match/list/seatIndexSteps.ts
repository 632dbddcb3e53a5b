/** The statements by which the indexes of seats by version are replaced beside play (SeatIndexes.ts). */

/** The indexes as migration 0047 makes them: by name the text after `ON seat`, in the order in which they are replaced. */
const COVERING = {
  seat_trial: "(version_id, ended_at DESC) INCLUDE (match_id) WHERE made_mu IS NULL AND rank > 0",
  seat_version: "(version_id, ended_at DESC) INCLUDE (match_id, rank, turns, made_mu, closeness, upset, shared)"
}
type Name = keyof typeof COVERING
export const NAMES = Object.keys(COVERING) as ReadonlyArray<Name>

/** The name of one that is made, until the old one is gone. */
export const nextOf = (name: Name) => `${name}_next` as const

export interface SeatIndexRow {
  readonly name: string
  /** Whether it has all seats: one that was being made when its connection ended has not. */
  readonly valid: boolean
  /** Whether it also holds what lists of a side are found by. */
  readonly covers: boolean
}

/** By the catalogue. */
export const INDEXES = `SELECT c.relname AS name, i.indisvalid AS valid, i.indnatts >= CASE WHEN c.relname LIKE 'seat_version%' THEN 9 ELSE 3 END AS covers
  FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
  WHERE i.indrelid = 'seat'::regclass AND c.relname IN (${NAMES.flatMap((name) => [name, nextOf(name)])
    .map((name) => `'${name}'`)
    .join()}) ORDER BY c.relname`

/** For the session: a transaction's lock would end with the first statement, none of which may be in a transaction. */
export const LOCK = "SELECT pg_try_advisory_lock(hashtextextended('seat indexes', 0)) AS held"
export const UNLOCK = "SELECT pg_advisory_unlock(hashtextextended('seat indexes', 0))"

export const made = (name: Name) => `CREATE INDEX CONCURRENTLY ${nextOf(name)} ON seat ${COVERING[name]}`
export const dropped = (name: string) => `DROP INDEX CONCURRENTLY ${name}`
export const renamed = (name: Name) => `ALTER INDEX ${nextOf(name)} RENAME TO ${name}`
