/**
 * In which tables a season has rows, and which rows these are, from the catalogue of the
 * database: those with its id in a column `season_id`, and those that refer to such a row by a
 * foreign key, whatever tables there are.
 */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"

interface Key {
  readonly table: string
  readonly column: string
  readonly parent: string
  readonly parent_column: string
}

/**
 * Rows that no column says to be a season's: replays are found by their matches, its webhooks by their
 * places, and deliveries by their webhooks.
 */
const PLACES: ReadonlyArray<Key> = [
  { table: "replay", column: "match_id", parent: "match", parent_column: "id" },
  { table: "webhook", column: "id", parent: "season_webhook", parent_column: "webhook_id" },
  { table: "webhook_delivery", column: "webhook_id", parent: "webhook", parent_column: "id" }
]

/** By table the condition of a season's rows, which names the season as `$1`. */
const conditions = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const direct = yield* sql<{ readonly name: string }>`
    SELECT c.relname AS name FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'season_id' AND NOT a.attisdropped
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r'`
  const foreign = yield* sql<Key>`
    SELECT k.conrelid::regclass::text AS table, a.attname AS column, k.confrelid::regclass::text AS parent, b.attname AS parent_column
    FROM pg_constraint k JOIN pg_attribute a ON a.attrelid = k.conrelid AND a.attnum = k.conkey[1]
      JOIN pg_attribute b ON b.attrelid = k.confrelid AND b.attnum = k.confkey[1]
    WHERE k.contype = 'f' AND k.connamespace = current_schema()::regnamespace AND cardinality(k.conkey) = 1`
  const keys = [...foreign, ...PLACES]
  const found = new Map<string, string>([["season", "id = $1::uuid"], ...direct.map(({ name }) => [name, "season_id = $1::uuid"] as const)])
  // A parent's condition may grow while its children are looked at: so often that nothing changes any more.
  for (let changed = true; changed; ) {
    changed = false
    for (const { column, parent, parent_column, table } of keys) {
      const of = found.get(parent)
      const by = `${column} IN (SELECT ${parent_column} FROM ${parent} WHERE`
      if (of === undefined || table === parent || (found.get(table) ?? "").includes(by) || column === "season_id") continue
      const [was, now] = [found.get(table), `${by} ${of})`]
      found.set(table, was === undefined ? now : `${was} OR ${now}`)
      changed = true
    }
  }
  return found
})

export interface Row {
  readonly text: string
  readonly of_season: boolean
}

/** Every row of every table but the migrations' and the cluster's, and whether it is the season's. */
export const allRows = Effect.fnUntraced(function* (season: string) {
  const sql = yield* SqlClient.SqlClient
  const bound = yield* conditions
  const tables = yield* sql<{ readonly name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r'
      AND relname NOT LIKE 'cluster\_%' AND relname <> 'agon_migration' ORDER BY 1`
  const rows = new Map<string, ReadonlyArray<Row>>()
  for (const { name } of tables) {
    const of = bound.get(name)
    const text = `SELECT t::text AS text, ${of === undefined ? "false" : `coalesce(${of}, false)`} AS of_season FROM ${name} t ORDER BY 1`
    rows.set(name, yield* sql.unsafe<Row>(text, of === undefined ? [] : [season]))
  }
  return { bound: [...bound.keys()].toSorted(), rows }
})
