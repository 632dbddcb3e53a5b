/**
 * How test/support/firstRelease.json.gz was made: every row of a database that the first release wrote, as
 * JSON. Commit c132e8f ended the first days of work, with migrations 1 to 3, and nothing older ever ran a
 * competition. Its service ran for some minutes with its demonstration season (AGON_DEMO), two rounds and a
 * key for runners; this was run while it played:
 *
 *   node test/support/firstReleaseDump.ts DATA_DIRECTORY FILE
 *
 * Times are moved to January 2026, and the end of submissions far away, so that the season
 * is open whenever a test runs.
 */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { gzipSync } from "node:zlib"
import pg from "pg"

const [directory, file] = process.argv.slice(2) as [string, string]
const password = readFileSync(join(directory, "secrets/postgres"), "utf8").trim()
const client = new pg.Client({ host: join(directory, "postgres"), user: "agon", database: "agon", password })

const DAY_MS = 86_400_000
const MOVED_MS = 325 * DAY_MS
const moved = (text: string) =>
  text
    .replace(/20\d\d-\d\d-\d\dT[\d:.]+\+00:00/g, (at) => new Date(Date.parse(at) - MOVED_MS).toISOString())
    .replace(/(?<=[:, [])1[78]\d{11}(?=[,}\] ])/g, (ms) => String(Number(ms) - MOVED_MS))

await client.connect()
await client.query("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
const { rows } = await client.query(
  "SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace ORDER BY 1"
)
const tables: Record<string, unknown> = {}
// Rows about migrations and nodes are written by libraries, anew.
for (const { name } of rows.filter(({ name }) => !/^(agon_migration|cluster_)/.test(name))) {
  const found = await client.query(`SELECT coalesce(json_agg(t), '[]')::text AS text FROM "${name}" t`)
  tables[name] = JSON.parse(moved(found.rows[0].text))
}
for (const season of tables["season"] as Array<Record<string, unknown>>) season["submissions_close_at"] = "2099-01-01T00:00:00Z"
await client.end()
writeFileSync(file, gzipSync(JSON.stringify(tables), { level: 9 }))
