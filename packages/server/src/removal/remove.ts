/**
 * Removes a closed season while the service runs. Nobody plays it or claims it any more
 * (actor/store/claim.ts), so its rows are changed by readers' and administrators' requests alone. Protocol:
 *
 *   hide      the season is private and featured no more; nodes forget all answers. Strangers and, once the roster is gone, its people
 *             get 404
 *   people    roster, administrators, comments, notices, picks, webhooks, runner keys
 *   matches   with seats and audits; replays are given to the collector of objects
 *   play      ratings, rounds, boards, files, versions, baselines, its log; objects of versions and files are given to the collector
 *   traces    counts of views, and links in notifications
 *   end       in one transaction: the season's row is locked, what was added meanwhile is removed, the row is, the log says so,
 *             and nodes forget all answers
 *
 * Each step removes what it finds, in short transactions, so a removal that was killed is repeated from its
 * beginning and goes on where it was. A transaction locks rows of this season and, for a moment, those of its
 * objects; it waits for nobody longer than LOCK_TIMEOUT.
 */

import { randomUUID } from "node:crypto"
import type { AuditAction } from "@agon/domain/season/Audit.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { refuse } from "../config/StartRefused.ts"
import { NIL } from "../database/rows.ts"
import { storableJson } from "../database/storable.ts"
import { unlimited } from "../database/unlimited.ts"
import { everything, notified } from "../node/Broadcast.ts"
import { inBatches, ROWS } from "./Batches.ts"
import * as matches from "./matches.ts"
import { type Part, PEOPLE, PLAY } from "./parts.ts"
import type { FoundSeason } from "./season.ts"
import { makeTraces } from "./traces.ts"

/** The limits of its connection. Counting and looking for what is left may take longer. */
export const LIMITS = { statement_timeout: "30s", lock_timeout: "5s", idle_in_transaction_session_timeout: "30s" }
/** Versions whose seats are looked for at once. */
const VERSIONS = 50
/** Times that the end is tried: requests that had begun before the season was hidden may add a row. */
const ENDS = 10

/** Rows removed, by table. */
export type Removed = Readonly<Record<string, number>>

/** `told` hears of matches as they go. */
export const remove = Effect.fnUntraced(function* (
  season: FoundSeason,
  told: (matches: number) => Effect.Effect<void> = () => Effect.void
) {
  const sql = yield* PgClient.PgClient
  const removed: Record<string, number> = {}
  const add = (table: string, n: number) => {
    if (n > 0) removed[table] = (removed[table] ?? 0) + n
  }
  yield* hide(sql, season)
  yield* removeParts(sql, season, PEOPLE, add)
  yield* removeMatches(sql, season, (batch) => {
    for (const table of ["matches", "seats", "replays", "bytes"] as const) add(table, batch[table])
    return told(removed["matches"] ?? 0)
  })
  yield* removeParts(sql, season, PLAY, add)
  yield* removeTraces(sql, season)
  for (let i = 0; i < ENDS; i++) if (yield* end(sql, season, removed, add)) return removed
  return yield* refuse(`rows are still written for the season ${season.slug}; run the command again`)
})

const forgetAll = (sql: PgClient.PgClient) => notified(sql, randomUUID(), [["purge", [everything]]])

const hide = (sql: PgClient.PgClient, { id }: FoundSeason) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`UPDATE season SET (visibility, featured) = ('private', false) WHERE id = ${id} AND closed_at IS NOT NULL`
      yield* sql`UPDATE match_check SET complete = true WHERE season_id = ${id}` // nobody looks at its replays any more
      yield* forgetAll(sql)
    })
  )

const ofPart = (sql: PgClient.PgClient, { statement }: Part, season: FoundSeason, limit: number) =>
  Effect.map(sql.unsafe<{ readonly n: number }>(statement, [season.id, limit]), ([row]) => row!.n)

const removeParts = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  season: FoundSeason,
  parts: ReadonlyArray<Part>,
  add: (table: string, n: number) => void
) {
  for (const part of parts)
    yield* inBatches((limit) => Effect.tap(ofPart(sql, part, season, limit), (n) => Effect.sync(() => add(part.table, n))))
})

const removeMatches = Effect.fnUntraced(function* (
  sql: PgClient.PgClient,
  season: FoundSeason,
  told: (batch: matches.Removed) => Effect.Effect<void>
) {
  const batch = (text: string, ...params: ReadonlyArray<string | number>) =>
    Effect.flatMap(sql.unsafe<matches.Removed>(text, [season.id, ...params]), ([row]) => Effect.as(told(row!), row!))
  let last = 0
  yield* inBatches((limit) =>
    Effect.map(batch(matches.RATED, last, limit), (done) => {
      last = done.last ?? last
      return done.n
    })
  )
  const versions = yield* sql<{ readonly id: string }>`SELECT id FROM version WHERE season_id = ${season.id} ORDER BY ord`
  for (let i = 0; i < versions.length; i += VERSIONS) {
    const some = versions
      .slice(i, i + VERSIONS)
      .map(({ id }) => id)
      .join()
    yield* inBatches((limit) => Effect.map(batch(matches.OF_VERSIONS, some, limit), ({ n }) => n))
  }
  const left = sql.withTransaction(Effect.andThen(unlimited, sql.unsafe<{ readonly id: string }>(matches.LEFT, [season.id, ROWS.most])))
  yield* inBatches(() =>
    Effect.flatMap(left, (rows) => Effect.map(batch(matches.NAMED, rows.map(({ id }) => id).join()), () => rows.length))
  )
})

const removeTraces = Effect.fnUntraced(function* (sql: PgClient.PgClient, season: FoundSeason) {
  const traces = makeTraces(sql, season)
  const days = (yield* traces.days).map(({ day }) => day)
  yield* inBatches(() => {
    const day = days.at(-1)
    if (day === undefined) return Effect.succeed(0)
    return Effect.map(traces.forgetViews(day), () => (days.pop() === undefined ? 0 : 1))
  })
  let after: string | undefined = NIL
  yield* inBatches(() =>
    Effect.map(traces.unlink(after!), (last) => {
      after = last
      return last === undefined ? 0 : 1
    })
  )
})

const REMOVED: AuditAction = "season.remove"

/** Whether the season is gone. While its row is locked, nobody adds a row that refers to it. */
const end = (sql: PgClient.PgClient, season: FoundSeason, removed: Record<string, number>, add: (table: string, n: number) => void) =>
  sql.withTransaction(
    Effect.gen(function* () {
      yield* sql`SELECT id FROM season WHERE id = ${season.id} FOR UPDATE`
      for (const part of [...PEOPLE, ...PLAY]) {
        const n = yield* ofPart(sql, part, season, ROWS.most)
        add(part.table, n)
        if (n === ROWS.most) return false
      }
      yield* sql`DELETE FROM season WHERE id = ${season.id}`
      const detail = { name: season.name, closed_at: season.closed_at.toISOString(), removed }
      yield* sql`INSERT INTO audit (id, at, actor, action, game, season_id, subject, detail)
        VALUES (new_id(now()), now(), NULL, ${REMOVED}, ${season.game}, NULL, ${season.slug}, ${storableJson(detail)}::jsonb)`
      yield* forgetAll(sql)
      return true
    })
  )
