/** A season's rows in the tables against those of the store in memory, one by one. */

import { upsetOf } from "@agon/server/actor/store/figures.ts"
import type { PgClient } from "@effect/sql-pg/PgClient"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ofTables } from "../simulation/tables.ts"
import { ofMemory, pointOf, type View } from "../simulation/View.ts"
import type { Memory } from "../support/MemoryStore.ts"
import { SECOND } from "./ground.ts"
import type { Side } from "./scenario.ts"

const NOTHING_KNOWN = { ended: new Map(), points: new Map() }

type Tables = Record<string, Record<string, unknown>>

/** Rows by their key, with the columns that memory has. */
const rowsOf = (view: View, like?: Tables): Tables => {
  const tables: Record<string, Iterable<readonly [string, object]>> = {
    season: [
      ["head", view.head],
      ["settings", view.settings]
    ],
    version: view.versions,
    rating: view.ratings,
    board: view.boards,
    round: view.rounds.map((row) => [String(row.n), row] as const),
    live: view.live,
    review: view.reviews,
    voiding: view.voiding,
    match: view.ended.map((row) => [row.id, row] as const),
    series_point: view.series.map((row) => [pointOf(row), row] as const),
    audit: [...view.audits].map(([id, at]) => [id, { at }] as const)
  }
  const project = (table: string, key: string, row: object) => {
    const model = like?.[table]?.[key]
    const columns = Object.keys((model ?? row) as object).sort()
    return Object.fromEntries(columns.map((name) => [name, row[name as keyof object]]))
  }
  return Object.fromEntries(
    Object.entries(tables).map(([table, rows]) => [
      table,
      Object.fromEntries([...rows].map(([key, row]) => [key, project(table, key, row)]))
    ])
  )
}

/** The same text for the same rows, whatever their order. */
const sortedKeys = (_: string, value: unknown) =>
  value !== null && typeof value === "object" && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
    : value

const REST = `SELECT
  (SELECT coalesce(jsonb_object_agg(id, note), '{}') FROM version WHERE season_id = $1::uuid) AS notes,
  (SELECT coalesce(jsonb_object_agg(map_id, file), '{}') FROM board WHERE season_id = $1::uuid) AS files,
  (SELECT count(*)::int FROM board_switch WHERE season_id = $1::uuid) AS periods,
  (SELECT coalesce(jsonb_object_agg(ladder || ' ' || version_id, jsonb_build_array(round, n, "of", mu, sigma)), '{}') FROM rating_seed
    WHERE season_id = $1::uuid) AS seeds,
  (SELECT coalesce(jsonb_object_agg(id, upset), '{}') FROM match WHERE season_id = $1::uuid AND rated_n IS NOT NULL) AS upsets`

const rest = (memory: Memory, season: string) => {
  const { ended, files, notes, periods, seeds } = memory.get(season)!
  const seeded = [...seeds].map(([key, { mu, n, of, round, sigma }]) => [key, [round, n, of, mu, sigma]])
  const upsets = [...ended.values()].flatMap(({ id, rated_n, seats }) => (rated_n === null ? [] : [[id, upsetOf(seats)]]))
  return {
    ...{ notes: Object.fromEntries(notes), files: Object.fromEntries(files), periods: periods.length },
    ...{ seeds: Object.fromEntries(seeded), upsets: Object.fromEntries(upsets) }
  }
}

export const same = (sql: PgClient, memory: Memory, { season }: Pick<Side, "season">) =>
  Effect.gen(function* () {
    const wanted = rowsOf(ofMemory(memory.get(season)!, NOTHING_KNOWN))
    const found = rowsOf(yield* ofTables(sql, season, NOTHING_KNOWN), wanted)
    const plain = (rows: Tables): Tables => JSON.parse(JSON.stringify(rows))
    const tables = plain(found)
    for (const [table, rows] of Object.entries(plain(wanted))) {
      assert.sameMembers(Object.keys(tables[table]!), Object.keys(rows), table)
      for (const [key, row] of Object.entries(rows))
        assert.strictEqual(JSON.stringify(tables[table]![key], sortedKeys), JSON.stringify(row, sortedKeys), `${table} ${key}`)
    }
    assert.deepStrictEqual((yield* sql.unsafe(REST, [season]))[0], rest(memory, season) as any)
  })

const TOLD = `SELECT a.username || ' ' || n.kind || ' ' || n.link AS told, n.subject FROM notification n JOIN account a ON a.id = n.account_id`
const KINDS = new Set(["admitted", "entered", "rejected", "superseded"])

/** By the events of a season and who wants to hear what (ground.ts); the end of a private one is for its roster. */
const notificationsOf = ({ events, prefix, season }: Side, slug: string, muted: ReadonlySet<string>): ReadonlyArray<string> => {
  const name = (owner: string) => `owner${Number.parseInt(owner.slice(-12), 16)}`
  const moves = events.flatMap((event) => (event._tag === "VersionMoved" && event.owner !== null ? [event] : []))
  const versions = moves.filter(({ change }) => KINDS.has(change))
  const told = versions.map(({ change, owner, version }) => `${name(owner!)} version_${change} /v1/me/versions/${version}`)
  const podium = `${prefix}/games/snakes/seasons/${slug}/podium`
  const closing = season === SECOND ? ["owner62"] : ["owner30", ...new Set(moves.map(({ owner }) => name(owner!)))]
  const closed = closing.map((who) => `${who} season_closed ${podium}`)
  return [...told, ...(events.some(({ _tag }) => _tag === "SeasonClosed") ? closed : [])].filter(
    (line) => !muted.has(line.split(" ", 2).join(" "))
  )
}

const MUTED = new Set(["owner5 version_entered", "owner3 season_closed", "owner37 version_entered"])

/** Owners were told what happened to them, each thing once, with the names of their own season and model. */
export const told = (sql: PgClient, sides: ReadonlyArray<Side>) =>
  Effect.gen(function* () {
    const rows = yield* sql.unsafe<{ told: string; subject: string }>(TOLD)
    const wanted = sides.flatMap((side) => notificationsOf(side, side.season, MUTED))
    assert.deepStrictEqual(rows.map((row) => row.told).sort(), [...wanted].sort())
    const versions = new Map(
      sides.flatMap(({ events, season }) =>
        events.flatMap((event) => (event._tag === "VersionMoved" ? [[event.version, season] as const] : []))
      )
    )
    for (const { subject, told } of rows) {
      const season = versions.get(told.split("/").at(-1)!) ?? told.split("/").at(-2)!
      assert.include(subject, season, told)
      assert.isTrue(told.includes("season_closed") || subject.includes(" of model "), subject)
    }
  })
