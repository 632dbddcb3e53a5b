/** A season on PostgreSQL that is brought on without an actor: each call of `obey` is one commit of its store. */
import type { Command } from "@agon/domain/season/Command.ts"
import { step } from "@agon/domain/season/Season.ts"
import { restore } from "@agon/domain/season/State.ts"
import { committed } from "@agon/domain/season/Writes.ts"
import { SeasonStore } from "@agon/server/actor/SeasonStore.ts"
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { insertPeople, insertSeason } from "./SeasonRows.ts"
import { board, id, lease, report, settings } from "./SeasonScript.ts"

export const season = id("season", 1)

/** The only season of the database, with ten people and a board. */
export const beginSeason = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  yield* sql.unsafe("TRUNCATE game, account, live, match, seat, webhook_delivery CASCADE")
  return yield* beginBeside
})

/** The same beside what the database has. */
export const beginBeside = Effect.gen(function* () {
  const sql = yield* PgClient.PgClient
  const store = yield* SeasonStore
  yield* insertSeason(sql, season, settings())
  yield* insertPeople(sql, season, 10)
  const claimed = yield* store.claim(season)
  const state = restore(claimed.snapshot)
  let { fence } = claimed
  let now = 2_000
  const commit = Effect.gen(function* () {
    fence = yield* store.commit(fence, state)
    committed(state)
  })
  const stepOnly = <C extends Command>(command: C) => step(state, command, (now += 10))
  const obey = Effect.fnUntraced(function* <C extends Command>(command: C) {
    const reply = stepOnly(command)
    yield* commit
    return reply
  })
  const play = Effect.gen(function* () {
    for (const work of yield* obey(lease({ max: 16 }))) yield* obey(report(work))
  })
  /** Lets this many milliseconds pass before the next command. */
  const later = (ms: number) => void (now += ms)
  for (const command of board("plain")) yield* obey(command)
  return { commit, fence: () => fence, later, now: () => now, obey, play, sql, state, stepOnly, store }
})
