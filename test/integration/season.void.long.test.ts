/** What a void costs a season of 100,000 matches, and that there is an end to it. Long: runs with AGON_SLOW. */
import { PgClient } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { step } from "@agon/domain/season/Season.ts"
import { committed, freshHead, restore } from "@agon/domain/season/State.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { SeasonStore } from "@agon/server/season/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/season/SeasonStorePg.ts"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { id, settings } from "../support/SeasonScript.ts"

const MATCHES = 100_000
const ENTRIES = 1_000
const SEASON = id("season", 1)
const OPENED_S = 1_700_000_000

const uuid = (prefix: string, n: string) => `('${prefix}-0000-7000-8000-' || lpad(to_hex(${n}), 12, '0'))::uuid`
const version = (n: string) => uuid("01900003", n)
const at = (n: string) => `to_timestamp(${OPENED_S} + ${n})`

/** A match a second, on class ladder and open in turn, two seats of a thousand entries each; what was rated need not add up. */
const rows = [
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
/** Reading may take 5 s and a commit 10 s (SeasonActor.ts); a season stands still as long as both and the step between them. */
const STILL_MS_MAX = 15_000

layer(pg, { excludeTestServices: true, timeout: "300 seconds" })("a void in a season of 100,000 matches", (it) => {
  it.effect.skipIf(process.env["AGON_SLOW"] === undefined)("takes seconds at most, and one that would take longer is refused at once", () =>
    Effect.gen(function* () {
      const sql = yield* PgClient.PgClient
      const store = yield* SeasonStore
      yield* insertSeason(sql, SEASON, settings())
      yield* insertPeople(sql, SEASON, ENTRIES)
      const now = 1000 * (OPENED_S + MATCHES)
      const head = {
        ...freshHead(),
        now,
        matches: MATCHES,
        rated: MATCHES,
        versions: ENTRIES,
        active: ENTRIES,
        series_at: now,
        series_rated: MATCHES
      }
      yield* sql.unsafe("UPDATE season SET head = $1::text::jsonb WHERE id = $2::uuid", [JSON.stringify(head), SEASON])
      for (const statement of rows) yield* sql.unsafe(statement)
      let { fence, snapshot } = yield* store.claim(SEASON)
      const state = restore(snapshot)
      for (const later of [50, 1_000, 19_900, 60_000]) {
        const match = `01900009-0000-7000-8000-${(MATCHES - later).toString(16).padStart(12, "0")}`
        const heap = process.memoryUsage().heapUsed
        const began = performance.now()
        const log = yield* store.log(SEASON, match)
        const read = performance.now()
        const reply = step(state, { _tag: "VoidMatch", match, detail: "It was not so.", log }, now)
        const obeyed = performance.now()
        const [seats, mb] = [state.writes.voided?.rerated.length ?? 0, Math.round((process.memoryUsage().heapUsed - heap) / 1e6)]
        fence = yield* store.commit(fence, state)
        committed(state)
        const ms = [read - began, obeyed - read, performance.now() - obeyed].map(Math.round)
        console.log(`${later} rated since: read, step, commit ${ms.join(", ")} ms; ${seats} seats written, heap ${mb} MB`)
        assert.deepStrictEqual(reply, later > 20_000 ? { voided: false, reason: "too_many" } : { voided: true })
        assert.isBelow(performance.now() - began, STILL_MS_MAX)
      }
    })
  )
})
