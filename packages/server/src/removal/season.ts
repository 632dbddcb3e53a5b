/** The season that is to be removed: whether it may be, and what it has. */
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { refuse } from "../config/StartRefused.ts"
import { has, MIGRATION_NUMBERS } from "../database/migrate.ts"
import { unlimited } from "../database/unlimited.ts"

export interface FoundSeason {
  readonly id: string
  readonly game: string
  readonly slug: string
  readonly name: string
  readonly closed_at: Date
}

/**
 * Counts of what belongs to a season. `objects` are bytes of replays and of versions' files, each
 * counted as often as it is named.
 */
export interface Contents {
  readonly matches: number
  readonly versions: number
  readonly comments: number
  readonly files: number
  readonly replays: number
  readonly bytes: number
}

/** The schema has to be this release's: a table that it does not know would keep its rows. */
const knownSchema = Effect.gen(function* () {
  const [newest] = (yield* has).at(-1) ?? [0]
  const last = MIGRATION_NUMBERS.at(-1)!
  if (newest === 0) return yield* refuse("the database has no tables of the service; set the variables that the service has")
  if (newest !== last)
    return yield* refuse(`the database is at migration ${newest} and this release at ${last}; use the command of the release that runs`)
})

/** By season_slug. When it was removed, where it has been; refuses one that is open or unknown. */
export const find = Effect.fnUntraced(function* (game: string, slug: string) {
  const sql = yield* SqlClient.SqlClient
  yield* knownSchema
  const [row] = yield* sql<FoundSeason & { readonly closed_at: Date | null }>`
    SELECT id, game, slug, name, closed_at FROM season WHERE game = ${game} AND slug = ${slug}`
  if (row !== undefined) {
    if (row.closed_at !== null) return { season: row as FoundSeason }
    return yield* refuse(`the season ${slug} of ${game} is open; close it first (docs/administering.md#closing)`)
  }
  const [removed] = yield* sql<{ readonly at: Date }>`
    SELECT at FROM audit WHERE action = 'season.remove' AND game = ${game} AND subject = ${slug} ORDER BY at DESC LIMIT 1`
  if (removed !== undefined) return { removed_at: removed.at }
  return yield* refuse(`there is no season ${slug} of ${game}`)
})

/** Counts its matches by a scan, and its versions and comments; takes as long as it takes, and holds no row. */
export const contentsOf = ({ id }: FoundSeason) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* unlimited
    const [row] = yield* sql<Contents>`
      SELECT m.matches, v.versions, c.comments, d.files, m.replays, m.bytes + v.bytes + d.bytes AS bytes
      FROM (SELECT count(*)::int AS matches, count(replay_hash)::int AS replays, coalesce(sum(replay_bytes), 0)::float8 AS bytes
          FROM match WHERE season_id = ${id}) m,
        (SELECT count(*)::int AS versions, coalesce(sum(weights_bytes::float8 + coalesce(manifest_bytes, 0)), 0) AS bytes
          FROM version WHERE season_id = ${id}) v,
        (SELECT count(*)::int AS comments FROM comment WHERE thread_id IN (SELECT id FROM thread WHERE season_id = ${id})) c,
        (SELECT count(*)::int AS files, coalesce(sum(bytes), 0)::float8 AS bytes FROM dataset_file WHERE season_id = ${id}) d`
    return row!
  }).pipe((self) => Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(self)))
