/** One write on the ground, in a transaction that is rolled back: its reply, and the rows that it changed. */

import { makeQueries as makeOwnerChecks } from "@agon/server/account/ownerQueries.ts"
import { makeQueries as makeChecks } from "@agon/server/match/check/checkQueries.ts"
import { makeQueries as makeLists } from "@agon/server/match/list/listQueries.ts"
import { makeQueries as makeTallies } from "@agon/server/match/list/tallyQueries.ts"
import { makeQueries as makeVoiding } from "@agon/server/match/voidingQueries.ts"
import { makeQueries as makeKeys } from "@agon/server/runner/key/keyQueries.ts"
import { makeQueries as makeRunners } from "@agon/server/runner/queries.ts"
import { makeQueries as makeSessions } from "@agon/server/runner/session/sessionQueries.ts"
import { makeQueries as makeAudits } from "@agon/server/runner/work/replayAuditQueries.ts"
import { makeQueries as makeAdministration } from "@agon/server/season/administrationQueries.ts"
import { makeQueries as makeCreation } from "@agon/server/season/creationQueries.ts"
import { makeQueries as makePeople } from "@agon/server/season/peopleQueries.ts"
import { makeQueries as makeSubmission } from "@agon/server/submission/queries.ts"
import { makeQueries as makeVersions } from "@agon/server/version/queries.ts"
import { makeQueries as makeVoidOrders } from "@agon/server/version/voidOrderQueries.ts"
import { PgClient } from "@effect/sql-pg"
import { Cause, Data, Effect, Exit } from "effect"
import { type SqlClient, Statement } from "effect/sql"

/** The statements of the stores, all made with the same client. */
const makeStores = Effect.all({
  administration: makeAdministration,
  audits: makeAudits,
  checks: makeChecks,
  creation: makeCreation,
  keys: makeKeys,
  lists: makeLists,
  ownerChecks: makeOwnerChecks,
  people: makePeople,
  runners: makeRunners,
  sessions: makeSessions,
  submission: makeSubmission,
  tallies: makeTallies,
  versions: makeVersions,
  voidOrders: makeVoidOrders,
  voiding: makeVoiding
})
export type Stores = Effect.Success<typeof makeStores>

export interface Case {
  /** The expected outcome, in a few words. */
  readonly title: string
  /** Statements that put more rows on the ground. */
  readonly rows?: ReadonlyArray<string>
  readonly act: (stores: Stores) => Effect.Effect<unknown, unknown>
  /** None by default: most statements answer no rows. */
  readonly reply?: unknown
  /** The rows that are other than before: `runner 11: state=gone`, `+ runner 15`, `- match_audit audit 13`. */
  readonly changes: ReadonlyArray<string>
}

/** Columns by which a row is known, where that is not its id. */
const KEYS: Readonly<Record<string, ReadonlyArray<string>>> = {
  kept_list: ["name", "season_id"],
  match_check: ["season_id"],
  match_tally: ["season_id", "ladder", "map_id", "classes", "best_place"],
  owner_check: ["season_id", "account_id"],
  season_admin: ["season_id", "account_id"],
  season_tally: ["season_id"],
  void_order: ["version_id"]
}
const TABLES = [
  "kept_list",
  "match_audit",
  "match_check",
  "match_tally",
  "model",
  "owner_check",
  "participant",
  "runner",
  "runner_key",
  "season",
  "season_admin",
  "season_tally",
  "version",
  "void_order"
]
const ROWS = TABLES.map((name) => `SELECT '${name}' AS name, to_jsonb(t) AS row FROM ${name} t`).join(" UNION ALL ")

const KINDS = ["season", "model", "owner", "version", "runner", "key", "audit", "", "", "", "match"]
/** Ids of the ground by their kinds and numbers. */
const named = (text: string): string =>
  text.replace(
    /0190000([0-9a])-0000-7000-8000-([0-9a-f]{12})/g,
    (_, kind: string, n: string) => `${KINDS[Number.parseInt(kind, 16)]} ${Number.parseInt(n, 16)}`
  )

type Row = Readonly<Record<string, unknown>>
type Rows = ReadonlyMap<string, Row>

const nameOf = (table: string, row: Row): string => {
  const ids = named((KEYS[table] ?? ["id"]).map((column) => row[column]).join(" "))
  return ids.startsWith(`${table} `) ? ids : `${table} ${ids}`
}

const look = (sql: PgClient.PgClient): Effect.Effect<Rows> =>
  sql.unsafe<{ readonly name: string; readonly row: Row }>(ROWS).pipe(
    Effect.orDie,
    Effect.map((rows) => new Map(rows.map(({ name, row }) => [nameOf(name, row), row])))
  )

const shown = (value: unknown): string => named(typeof value === "string" ? value : JSON.stringify(value))

const changesOf = (before: Rows, after: Rows): ReadonlyArray<string> => {
  const gone = [...before.keys()].filter((key) => !after.has(key)).map((key) => `- ${key}`)
  const others = [...after].flatMap(([key, row]) => {
    const was = before.get(key)
    if (was === undefined) return [`+ ${key}`]
    const columns = Object.keys(row).filter((column) => JSON.stringify(row[column]) !== JSON.stringify(was[column]))
    return columns.length === 0 ? [] : [`${key}: ${columns.map((column) => `${column}=${shown(row[column])}`).join(" ")}`]
  })
  return [...gone, ...others].sort()
}

export interface Outcome {
  readonly reply: unknown
  readonly changes: ReadonlyArray<string>
}

class RolledBack extends Data.TaggedError("RolledBack")<{ readonly outcome: Outcome }> {}

/** Class 42 of PostgreSQL: a mutant that is no SQL would prove nothing. */
const isNoSql = (cause: Cause.Cause<unknown>): boolean => /"?code"?: ["']42/.test(Cause.pretty(cause))

const sent = (mutate: (text: string) => string, seen: Set<string>): Statement.Transformer => {
  return (statement, sql) =>
    Effect.sync(() => {
      const [text, params] = statement.compile()
      seen.add(text.trim())
      return (sql as SqlClient.SqlClient).unsafe(mutate(text.trim()), params as any)
    })
}

/** A failure of the act is an outcome too. `seen` are the statements that it sent. */
export const trial = Effect.fnUntraced(function* ({ act, rows = [] }: Case, mutate: (text: string) => string, seen: Set<string>) {
  const sql = yield* PgClient.PgClient
  const stores = yield* makeStores
  const inside = Effect.gen(function* () {
    for (const text of rows.flatMap((each) => each.split(";\n"))) yield* sql.unsafe(text)
    const before = yield* look(sql)
    const exit = yield* act(stores).pipe(Effect.provideService(Statement.CurrentTransformer, sent(mutate, seen)), Effect.exit)
    if (Exit.isFailure(exit)) {
      if (isNoSql(exit.cause)) return yield* Effect.die(new Error(`no SQL: ${Cause.pretty(exit.cause)}`))
      return yield* new RolledBack({ outcome: { reply: Cause.pretty(exit.cause), changes: [] } })
    }
    const reply = JSON.parse(named(JSON.stringify(exit.value ?? null)))
    return yield* new RolledBack({ outcome: { reply, changes: changesOf(before, yield* look(sql)) } })
  })
  const { outcome } = yield* sql.withTransaction(inside).pipe(
    Effect.catchTag("RolledBack", (rolled) => Effect.succeed(rolled)),
    Effect.orDie
  )
  return outcome
})
