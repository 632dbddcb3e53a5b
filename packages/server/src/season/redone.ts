/** Rating rows that a life left behind are brought up to date by the next, before it reads them (see `WaitingRatings`). */
import type { PgClient } from "@effect/sql-pg/PgClient"
import { uuid } from "@effect/sql-pg/PgTypes"
import { Effect } from "effect"
import { type StandingRow, unpack } from "./redo.ts"
import * as shapes from "./shapes.ts"
import { statement } from "./statement.ts"

const SEASON = "SELECT id AS season_id, game FROM season WHERE id = $1"

/** In order, so that the last one that is said of a rating counts. Index: rating_redo_pkey. */
const kept = (sql: PgClient, season: string) =>
  sql.unsafe<{ readonly seq: number; readonly ratings: Uint8Array }>(
    "SELECT seq::float8 AS seq, ratings FROM rating_redo WHERE season_id = $1::uuid ORDER BY seq",
    [season]
  )

/** Part of a claim: under its lock on the season's row. */
export const redone = Effect.fn("SeasonStore.redone")(function* (sql: PgClient, season: string) {
  const commits = yield* kept(sql, season)
  if (commits.length === 0) return
  const last = new Map<string, StandingRow>()
  for (const { ratings } of commits) for (const row of unpack(ratings)) last.set(`${row.ladder} ${row.version}`, row)
  const parts = [statement.bind(shapes.standings, [...last.values()]), statement.bind(shapes.redoDone, [commits.at(-1)!.seq + 1])]
  const { params, text } = statement.fenced(
    SEASON,
    [uuid(season)],
    parts.filter((part) => part !== null)
  )
  yield* sql.unsafe(text, params)
  yield* Effect.logInfo(`${last.size} ratings of the last life are written`)
})
