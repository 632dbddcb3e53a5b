/**
 * A copy of a database in which `match` and `seat` are partitioned by season. A unique index of a partitioned
 * table contains the season, so ids are unique within a season alone, and what is found by a match's id alone
 * is looked for in an index of each partition.
 */
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"

export const connected = (url: string) => PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })

const urlOf = (url: string, name: string) => {
  const copy = new URL(url)
  copy.pathname = `/${name}`
  return copy.toString()
}

/** A copy by its files, whose address it answers. Nobody may be connected to the original. */
export const copyOf = (url: string, name: string) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql.unsafe(`CREATE DATABASE ${name} TEMPLATE "${new URL(url).pathname.slice(1)}" STRATEGY file_copy`)
    return urlOf(url, name)
  }).pipe(Effect.provide(connected(urlOf(url, "postgres"))))

const KEYS: Readonly<Record<string, ReadonlyArray<string>>> = {
  match: ["PRIMARY KEY (season_id, id)", "INDEX (id)"],
  seat: ["PRIMARY KEY (season_id, match_id, seat)", "INDEX (match_id, seat)"]
}

/** The partition of a season, by its number. */
export const partition = (table: string, n: number) => `${table}_of_${n}`

/**
 * Partitions of these seasons with their rows, in the order of their numbers, and as many empty
 * ones as there are to be in all.
 */
export const divide = Effect.fnUntraced(function* (seasons: ReadonlyArray<string>, all: number) {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("SET maintenance_work_mem = '512MB'")
  for (const [table, keys] of Object.entries(KEYS)) {
    const indexes = yield* sql.unsafe<{ readonly indexdef: string; readonly indexname: string }>(
      `SELECT indexdef, indexname FROM pg_indexes WHERE tablename = '${table}' AND indexname <> '${table}_pkey'`
    )
    for (const { indexname } of indexes) yield* sql.unsafe(`DROP INDEX ${indexname}`)
    yield* sql.unsafe(`ALTER TABLE ${table} RENAME TO whole`)
    yield* sql.unsafe(`ALTER INDEX ${table}_pkey RENAME TO whole_pkey`)
    yield* sql.unsafe(`CREATE TABLE ${table} (LIKE whole INCLUDING DEFAULTS) PARTITION BY LIST (season_id)`)
    for (let n = 1; n <= all; n++) {
      const of = seasons[n - 1] === undefined ? "gen_random_uuid()" : `'${seasons[n - 1]}'::uuid`
      const [row] = yield* sql.unsafe<{ readonly id: string }>(`SELECT ${of}::text AS id`)
      yield* sql.unsafe(`CREATE TABLE ${partition(table, n)} PARTITION OF ${table} FOR VALUES IN ('${row!.id}')`)
    }
    yield* sql.unsafe(`INSERT INTO ${table} SELECT * FROM whole`)
    yield* sql.unsafe("DROP TABLE whole")
    for (const key of keys)
      yield* sql.unsafe(key.startsWith("INDEX") ? `CREATE INDEX ON ${table} ${key.slice(6)}` : `ALTER TABLE ${table} ADD ${key}`)
    for (const { indexdef } of indexes) yield* sql.unsafe(indexdef)
  }
  yield* sql.unsafe("VACUUM (ANALYZE) match, seat")
})
