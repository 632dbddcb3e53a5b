/** A whole run of the scenario on a database, as it is or with a mutant: the fault that it finds, if any. */

import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import * as SeasonStorePg from "@agon/server/actor/store/SeasonStorePg.ts"
import { SeasonSql } from "@agon/server/database/Database.ts"
import { PgClient } from "@effect/sql-pg"
import { Cause, Clock, Context, Effect, Exit, Layer } from "effect"
import { hasty } from "../support/hastyClock.ts"
import * as MemoryStore from "../support/MemoryStore.ts"
import { settings } from "../support/SeasonScript.ts"
import { same, told } from "./compare.ts"
import { begin, type Control, FIRST, SECOND, SHADOW, watched } from "./ground.ts"
import { run, sideOf } from "./scenario.ts"
import { toldWebhooks } from "./webhooks.ts"

/** Few enough that ratings wait for their rows, and are kept beside them. */
const RATINGS_PER_S = 4

const storeOf = (control: Control) =>
  Layer.effect(
    SeasonSql,
    Effect.map(PgClient.PgClient, (sql) => watched(sql, control))
  )

const both = (control: Control) =>
  Effect.gen(function* () {
    yield* begin
    const memory: MemoryStore.Memory = new Map()
    for (const season of [FIRST, SECOND])
      MemoryStore.createSeason(memory, season, settings({ rules: { ...settings().rules, trial: { matches: 2 } } }))
    const own = Layer.effect(SeasonSql, PgClient.PgClient)
    const tables = (client: typeof own) =>
      Effect.map(Layer.build(SeasonStorePg.layerOf({ ratings_per_s: RATINGS_PER_S }).pipe(Layer.provide(client))), (context) =>
        Context.get(context, SeasonStore)
      )
    const { log } = yield* tables(own) // reads that lock nothing, for which season.void.test.ts stands
    const memories = yield* Effect.provide(SeasonStore, MemoryStore.layer(memory, RATINGS_PER_S))
    const stores = { tables: { ...(yield* tables(storeOf(control))), log }, memory: memories }
    const sides = [sideOf(stores, FIRST), sideOf(stores, SECOND)] as const
    yield* run(sides, (side) => same(control.outside, memory, side))
    yield* told(control.outside, sides)
    yield* toldWebhooks(control.outside, sides)
    const open = yield* stores.tables.open
    if (JSON.stringify(open) !== JSON.stringify([SHADOW])) yield* Effect.die(new Error(`open seasons: ${open}`))
  })

/** Every look at it takes so long that ratings get their turn while others wait on. */
const LOOK_MS = 300

/** Undefined where every check held. */
export const trial = (control: Control) =>
  Effect.flatMap(Clock.Clock, (clock) => Effect.provideService(Effect.scoped(both(control)), Clock.Clock, hasty(clock, LOOK_MS))).pipe(
    Effect.exit,
    Effect.map((exit) => (Exit.isSuccess(exit) ? undefined : Cause.pretty(exit.cause)))
  )
