import type { Settings } from "@agon/domain/season/Rules.ts"
import * as Season from "@agon/domain/season/Season.ts"
import * as State from "@agon/domain/season/State.ts"
import * as Mailbox from "@agon/server/actor/Mailbox.ts"
import * as SeasonActor from "@agon/server/actor/SeasonActor.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Logger } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { insertPeople, insertSeason } from "../support/SeasonRows.ts"
import { inCi, slow } from "../support/slow.ts"
import { wrongNotifications } from "./notifications.ts"
import { ratingsPerS } from "./simulation.ts"
import { ofTables } from "./tables.ts"
import type { Known } from "./View.ts"
import { simulate } from "./World.ts"
import { recorded } from "./world/Course.ts"
import * as Outside from "./world/Outside.ts"
import * as WorldClock from "./world/WorldClock.ts"

const SEEDS = slow ? [1, 2, 3, 4, 5, 6, 7, 8] : [3, 4]
const STEPS = slow ? 1_000 : 150
const MODELS = 100
/** Most of what administrators say excludes entries or lets them in again, since there are few steps. */
const EXCLUSIONS = 0.6

/** The pool keeps the real clock; the season is on a clock of its own, which stands still while a statement is out. */
const pg = (seed: number) =>
  SeasonStorePg.layerOf({ ratings_per_s: ratingsPerS(seed) }).pipe(
    Layer.provide(Layer.effect(SeasonSql, PgClient.PgClient)),
    Layer.provideMerge(Postgres.layer({ migrate: true }))
  )

const onPostgres = (seed: number, steps = STEPS, course: Array<string> = [], settings: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    for (const setting of settings) yield* setAll(sql, setting)
    const store = yield* SeasonStore
    const ground = {
      create: (season: string, settings: Settings) =>
        Effect.andThen(insertSeason(sql, season, settings), insertPeople(sql, season, MODELS)).pipe(Effect.asVoid, Effect.orDie),
      read: (season: string, known: Known) => Effect.orDie(ofTables(sql, season, known)),
      outside: Outside.make()
    }
    const actor = { Mailbox, Season, SeasonActor, State }
    const seen = yield* simulate({ actor, ground, seed, steps, exclusions: EXCLUSIONS }).pipe(
      Effect.provideService(SeasonStore, recorded(store, course)),
      Effect.provide([Logger.layer([]), WorldClock.layer])
    )
    assert.deepStrictEqual(yield* wrongNotifications(sql), [])
    const excluded = (seen["command Disqualify"] ?? 0) + (seen["command SwitchOwner"] ?? 0)
    return { rated: seen["rated"] ?? 0, excluded, told: (yield* sql.unsafe("SELECT id FROM notification")).length }
  }).pipe(Effect.provide(pg(seed)))

describe(`${SEEDS.length} seeds of ${STEPS} steps keep every promise on PostgreSQL`, () => {
  for (const seed of SEEDS) {
    it.live(
      `seed ${seed}`,
      () =>
        Effect.map(onPostgres(seed), (seen) => {
          assert.isAbove(seen.rated, 10, JSON.stringify(seen))
          assert.isAbove(seen.told, 10)
          assert.isAbove(seen.excluded, 0)
        }),
      300_000
    )
  }
})

/** For this connection of the pool and those to come. */
const setAll = (sql: PgClient.PgClient, setting: string) =>
  Effect.andThen(
    sql.unsafe(`DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`),
    sql.unsafe(`SET ${setting}`)
  )

/** Ratings wait in it and matches are voided. */
const TWICE = { seed: 4, steps: 500 }
/** Rows are read in the order in which they lie, as they may be by the plans that Postgres makes after it has vacuumed. */
const WITHOUT_INDEXES = ["enable_indexscan=off", "enable_indexonlyscan=off", "enable_bitmapscan=off"]

it.live.skipIf(!inCi)(
  "the same seed makes the same commits, in whatever order Postgres reads rows and whatever the machine does meanwhile",
  () =>
    Effect.gen(function* () {
      const [first, second]: [Array<string>, Array<string>] = [[], []]
      yield* onPostgres(TWICE.seed, TWICE.steps, first)
      yield* onPostgres(TWICE.seed, TWICE.steps, second, WITHOUT_INDEXES)
      for (const [i, line] of first.entries()) assert.strictEqual(second[i], line)
      assert.strictEqual(second.length, first.length)
    }),
  600_000 // each of its commits waits for Postgres, which other files keep busy
)
