/**
 * Databases that an installation has prepared: a first start has from a copy what it would have made
 * itself, whichever release made it.
 */
import { appendFileSync, cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as EmbeddedPostgres from "@agon/embedded-postgres/EmbeddedPostgres.ts"
import { keep } from "@agon/embedded-postgres/keep.ts"
import { editions, editionsOf } from "@agon/server/database/editions.ts"
import { has, MIGRATION_NUMBERS, migrateTo } from "@agon/server/database/migrate.ts"
import { NAME } from "@agon/server/database/open.ts"
import { fill } from "@agon/server/prepareCluster.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { afterAll, assert, describe, it } from "vitest"

const home = mkdtempSync(join(tmpdir(), "agon-prepared-"))
afterAll(() => rmSync(home, { recursive: true, force: true }))

const folder = join(home, "clusters")
const migrations = join(import.meta.dirname, "../../packages/server/src/database/migrations")
/** The schema of an earlier release, by how many migrations it lacks. */
const LACKED = 5

const on = (url: Redacted.Redacted) => PgClient.layer({ url, maxConnections: 1 })

interface Found {
  /** The number of migrations in the copy. */
  readonly before: number
  /** Columns, indexes, functions, triggers and constraints once the start has gone on. */
  readonly schema: ReadonlyArray<string>
  /** The tables with rows. */
  readonly filled: ReadonlyArray<string>
}

const SCHEMA = `
  SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || is_nullable || ' ' || coalesce(column_default, '') AS line
    FROM information_schema.columns WHERE table_schema = 'public'
  UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'
  UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT pg_get_triggerdef(oid) FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'public'::regnamespace
  ORDER BY 1`

const found = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const schema = yield* sql.unsafe<{ readonly line: string }>(SCHEMA)
  const tables = yield* sql<{ readonly name: string }>`
    SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY 1`
  const filled = yield* Effect.filter(tables, ({ name }) => Effect.map(sql`SELECT FROM ${sql(name)} LIMIT 1`, (rows) => rows.length > 0))
  return { schema: schema.map(({ line }) => line), filled: filled.map(({ name }) => name) }
})

/** A first start as far as its database, on new data. */
const started = (wanted: () => ReadonlyArray<string>): Promise<Found> =>
  Effect.gen(function* () {
    const directory = mkdtempSync(join(home, "data-"))
    const prepared = { folder, editions: wanted }
    const { url } = yield* EmbeddedPostgres.start({ directory, name: NAME, password: Redacted.make("a password"), prepared })
    const before = (yield* Effect.provide(has, on(url))).length
    yield* fill(url)
    return { before, ...(yield* Effect.provide(found, on(url))) }
  }).pipe(Effect.scoped, Effect.runPromise)

describe("a prepared database", () => {
  const all = MIGRATION_NUMBERS.length

  it("has the schema that a first start makes, and no row but those that say which migrations it has", async () => {
    const anew = await started(() => [])
    assert.strictEqual(anew.before, 0)
    await Effect.runPromise(keep({ folder, name: NAME, contents: { edition: editions()[0]!, fill } }))
    const copied = await started(editions)
    assert.strictEqual(copied.before, all)
    assert.deepStrictEqual(copied.schema, anew.schema)
    assert.isAbove(copied.schema.length, 100)
    assert.deepStrictEqual(copied.filled, ["agon_migration", "cluster_migrations"])
    rmSync(folder, { recursive: true })
  })

  it("of an earlier release is copied, and gets the migrations that it lacks", async () => {
    const earlier = (url: Redacted.Redacted) => Effect.provide(migrateTo(MIGRATION_NUMBERS.at(-1 - LACKED)!), on(url))
    await Effect.runPromise(keep({ folder, name: NAME, contents: { edition: editions()[LACKED]!, fill: earlier } }))
    const copied = await started(editions)
    assert.strictEqual(copied.before, all - LACKED)
    const anew = await started(() => [])
    assert.deepStrictEqual(copied.schema, anew.schema)
  })

  it("is left alone after a migration in it has got another text, or another came before it", () => {
    const changed = join(home, "migrations")
    cpSync(migrations, changed, { recursive: true })
    const ours = editions()
    assert.deepStrictEqual(editionsOf(changed), ours)
    assert.strictEqual(ours.length, all + 1)
    const [newest, before] = readdirSync(changed)
      .filter((name) => /^\d{4}_/.test(name))
      .sort()
      .reverse()
    appendFileSync(join(changed, before!), "\n")
    const theirs = editionsOf(changed)
    assert.strictEqual(theirs.length, ours.length)
    assert.deepStrictEqual(
      theirs.filter((edition) => ours.includes(edition)),
      ours.slice(2)
    )
    renameSync(join(changed, newest!), join(changed, "0000_first.ts"))
    assert.deepStrictEqual(
      editionsOf(changed).filter((edition) => ours.includes(edition)),
      [""]
    )
  })
})
