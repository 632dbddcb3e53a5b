/**
 * The cost of a void for a season while its log is folded: how long that takes, and how long the season's
 * commands wait meanwhile. With AGON_SLOW for seasons of 20,000, 100,000 and 200,000 matches.
 */

import { monitorEventLoopDelay } from "node:perf_hooks"
import type { Command } from "@agon/domain/season/Command.ts"
import { freshHead } from "@agon/domain/season/Head.ts"
import { TAIL_MATCHES_MAX } from "@agon/domain/season/rating/Installing.ts"
import { CHUNK_SEATS } from "@agon/server/actor/Folding.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonEvents } from "@agon/server/actor/SeasonEvents.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Duration, Effect, Fiber, Layer, Schedule } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { board, id, settings } from "../support/SeasonScript.ts"
import { slow } from "../support/slow.ts"

const ENTRIES = 1_000
const SEASON = id("season", 1)
const OPENED_S = 1_700_000_000

const uuid = (prefix: string, n: string) => `('${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const version = (n: string) => uuid("01900003", n)
const at = (n: string) => `to_timestamp(${OPENED_S} + ${n})`

/**
 * A match a second, on class ladder and open in turn, two seats of a thousand entries each;
 * what was rated need not add up.
 */
const rowsOf = (MATCHES: number) => [
  `INSERT INTO version (id, season_id, model_id, owner_id, ord, number, weights_hash, manifest_hash, created_at, status, class,
      admit_attempt, admit_failures, trial_played, trial_failed, trial_void)
    SELECT ${version("n")}, '${SEASON}', ${uuid("01900001", "n")}, ${uuid("01900002", "n")}, n, 1, 'w' || n, 'm' || n, ${at("0")},
      'entered', 'nano', 1, 0, 1, 0, 0 FROM generate_series(1, ${ENTRIES}) n`,
  `INSERT INTO rating (season_id, ladder, version_id, ord, active, mu, sigma, matches, round_matches, made, credit, forfeits, seat_sum, trend,
      met, history)
    SELECT '${SEASON}', l, ${version("n")}, n, true, n, 60, 200, 200, 100, 100, 0, 0, 1, '{}', array_fill(0::float8, ARRAY[12])
    FROM generate_series(1, ${ENTRIES}) n, unnest(ARRAY['nano', 'open']) l`,
  `INSERT INTO match (id, season_id, n, ladder, round, map_id, seed, engine_digest, status, rated_n, lease_n, released, created_at, ended_at)
    SELECT ${uuid("01900009", "n")}, '${SEASON}', n, CASE WHEN n % 2 = 0 THEN 'nano' ELSE 'open' END, 0, 'b', n, 'e', 'rated', n, 1, false,
      ${at("n")}, ${at("n")} FROM generate_series(1, ${MATCHES}) n`,
  `INSERT INTO seat (match_id, seat, season_id, version_id, model_id, ended_at, rank, score, strikes, place, made_mu, made_sigma, made_change,
      open_mu, open_sigma, open_change)
    SELECT ${uuid("01900009", "n")}, s, '${SEASON}', ${version(`1 + (n * 7919 + s * 104729 + n / 13 * s * 31) % ${ENTRIES}`)},
      ${uuid("01900001", "1")}, ${at("n")}, s + 1, 1, 0, 1, 1, 60, 1, CASE WHEN n % 2 = 0 THEN 1 END, CASE WHEN n % 2 = 0 THEN 60 END,
      CASE WHEN n % 2 = 0 THEN 1 END FROM generate_series(1, ${MATCHES}) n, generate_series(0, 1) s`,
  `INSERT INTO series_point (season_id, ladder, at, round, n, versions, mus)
    SELECT '${SEASON}', l, ${at("p * 1500")}, 0, p * 1500, (SELECT array_agg(version_id) FROM rating WHERE ladder = 'open'),
      array_fill(0::float8, ARRAY[${ENTRIES}]) FROM generate_series(0, ${MATCHES / 1500}) p, unnest(ARRAY['nano', 'open']) l`,
  "ANALYZE"
]

const pg = SeasonStorePg.layer.pipe(
  Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
  Layer.provideMerge(Postgres.layer({ migrate: true }))
)

/** The most that one commit, or one statement of the fold, wrote. */
const watched = (store: SeasonStore["Service"], most: { seats: number; chunk: number; commit: number }): SeasonStore["Service"] => ({
  ...store,
  commit: (fence, state) => {
    const { rerated, ratings } = state.writes
    most.seats = Math.max(most.seats, rerated.length)
    most.commit = Math.max(most.commit, rerated.length + ratings.size)
    return store.commit(fence, state)
  },
  log: {
    ...store.log,
    rewrite: (fence, changes) => {
      most.chunk = Math.max(most.chunk, changes.seats.length)
      return store.log.rewrite(fence, changes)
    }
  }
})

/** A season of so many matches, its first one voided while others ask for what takes a commit, one after the other. */
const measured = Effect.fnUntraced(function* (matches: number) {
  const sql = yield* PgClient.PgClient
  const store = yield* SeasonStore
  yield* sql.unsafe("TRUNCATE game, account, live, match, seat CASCADE")
  yield* insertSeason(sql, SEASON, settings())
  yield* insertPeople(sql, SEASON, ENTRIES)
  const now = 1000 * (OPENED_S + matches)
  const counts = { matches, rated: matches, versions: ENTRIES, active: ENTRIES, series_rated: matches }
  const head = { ...freshHead(), now, series_at: now, ...counts }
  yield* sql.unsafe("UPDATE season SET head = $1::text::jsonb WHERE id = $2::uuid", [JSON.stringify(head), SEASON])
  for (const statement of rowsOf(matches)) yield* sql.unsafe(statement)
  const mailbox = yield* Mailbox.make(SEASON)
  const most = { seats: 0, chunk: 0, commit: 0 }
  const actor = yield* SeasonActor.supervised(mailbox).pipe(
    Effect.provideService(SeasonStore, watched(store, most)),
    Effect.provide(SeasonEvents.layerSilent),
    Effect.forkChild
  )
  const ask = <C extends Command>(command: C) => Effect.retry(Mailbox.ask(mailbox, command), Schedule.spaced("20 millis"))
  for (const command of board("plain")) yield* ask(command)
  const waits: Array<number> = []
  const quiet: Array<number> = []
  const switchOn = (into: Array<number>, enabled: boolean) =>
    Effect.map(Effect.timed(ask({ _tag: "SwitchBoard", board: "plain", enabled })), ([took]) => void into.push(Duration.toMillis(took)))
  for (let n = 0; n < 50; n++) yield* switchOn(quiet, n % 2 === 0)
  const match = "01900009-0000-7000-8000-000000000001"
  const began = performance.now()
  const loop = monitorEventLoopDelay({ resolution: 5 })
  loop.enable()
  const cpu = process.cpuUsage()
  assert.deepStrictEqual(yield* ask({ _tag: "VoidMatch", match, detail: "It was not so.", found: null }), { voided: true })
  const pending = Effect.map(sql.unsafe<{ n: number }>("SELECT count(*)::int AS n FROM voiding"), ([row]) => row!.n > 0)
  for (let n = 0; yield* pending; n++) yield* switchOn(waits, n % 2 === 0)
  const [took_s, heap_mb] = [(performance.now() - began) / 1_000, process.memoryUsage().heapUsed / 1e6]
  const cpu_s = process.cpuUsage(cpu).user / 1e6
  const top = (all: ReadonlyArray<number>, share: number) =>
    [...all].sort((a, b) => a - b)[Math.floor(share * (all.length - 1))]!.toFixed(0)
  const spread = (all: ReadonlyArray<number>) => [0.5, 0.99, 1].map((share) => top(all, share)).join(", ")
  console.log(
    `${matches} matches: folded in ${took_s.toFixed(1)} s (${cpu_s.toFixed(1)} s of CPU, heap ${heap_mb.toFixed(0)} MB); ` +
      `${waits.length} commands meanwhile waited (median, 99 %, most) ${spread(waits)} ms, before it ${spread(quiet)} ms; ` +
      `event loop held ${(loop.max / 1e6).toFixed(0)} ms; most rows: ${JSON.stringify(most)}`
  )
  yield* Fiber.interrupt(actor)
  return most
})

const SIZES = slow ? [20_000, 100_000, 200_000] : [2_000]
const LONGEST_MS = 1_200_000
layer(pg, { excludeTestServices: true })("a void in a long season", (it) => {
  for (const matches of SIZES) {
    it.effect(
      `is folded beside it, in statements of a size that does not depend on its ${matches} matches`,
      () =>
        Effect.gen(function* () {
          const most = yield* measured(matches)
          assert.isAtMost(most.chunk, CHUNK_SEATS)
          assert.isAtMost(most.seats, 8 * TAIL_MATCHES_MAX)
          assert.isAbove(most.commit, ENTRIES / 2) // the fold was installed
          const sql = yield* PgClient.PgClient
          const [row] = yield* sql.unsafe<{ wrong: number }>(
            // by 200 of them: each entry's rating is that of its last seat
            `SELECT count(*)::int AS wrong FROM (SELECT version_id, mu FROM rating WHERE ladder = 'open' ORDER BY version_id LIMIT 200) r
           CROSS JOIN LATERAL (SELECT coalesce(s.open_mu, s.made_mu) AS mu FROM seat s JOIN match m ON m.id = s.match_id
             WHERE s.version_id = r.version_id AND m.rated_n IS NOT NULL ORDER BY m.rated_n DESC LIMIT 1) s WHERE s.mu <> r.mu`
          )
          assert.isBelow(row!.wrong, 200)
        }),
      LONGEST_MS
    )
  }
})
