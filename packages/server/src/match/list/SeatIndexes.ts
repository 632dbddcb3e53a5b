/**
 * Replaces the indexes of seats by version by those that lists of a side are read off (migrations 0046 and 0047), where
 * a migration found so many seats that play would have waited. Play and reads go on meanwhile; until the end the
 * same lists take ten times as long when they are first read.
 *
 *   every minute, of each: the old index? ─▶ the next one is made ─▶ the old one is dropped ─▶ the next one takes its name
 *
 * Each step is a commit of its own, and a look goes on from whatever it finds. A node that ends while an index is
 * made leaves one that is not valid, which is dropped first. Of several nodes one does it: it holds a lock as long
 * as its connection lasts. That is one of its own, since those of the pools end in a silence (database/socketTo.ts), and an index
 * is made without a word, after every transaction that was under way.
 */
import { PgClient, PgConnection } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { sweep } from "../../database/sweeping.ts"
import { UNLIMITED_SESSION } from "../../database/unlimited.ts"
import { dropped, INDEXES, LOCK, made, NAMES, nextOf, renamed, type SeatIndexRow, UNLOCK } from "./seatIndexSteps.ts"

export class SeatIndexes extends Context.Service<
  SeatIndexes,
  {
    /** Replaces the indexes that have to be; answers how many steps that took. Fails where the database is away. */
    readonly look: Effect.Effect<number, SqlError.SqlError>
  }
>()("agon/SeatIndexes") {
  static readonly layer: Layer.Layer<SeatIndexes, never, SqlClient.SqlClient | PgClient.PgClient> = Layer.effect(
    SeatIndexes,
    Effect.gen(function* () {
      const look = yield* makeLook
      yield* sweep(look, "the indexes of seats were not replaced")
      return SeatIndexes.of({ look })
    })
  )
}

/** The statement to run next; undefined where the indexes are as they have to be. */
export const nextStep = (indexes: ReadonlyArray<SeatIndexRow>): string | undefined => {
  for (const name of NAMES) {
    const [old, next] = [name, nextOf(name)].map((wanted) => indexes.find((index) => index.name === wanted))
    if (old?.valid && old.covers) {
      if (next !== undefined) return dropped(nextOf(name))
      continue
    }
    if (next === undefined) return made(name)
    if (!next.valid) return dropped(nextOf(name))
    return old === undefined ? renamed(name) : dropped(name)
  }
  return undefined
}

const makeLook = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { config } = yield* PgClient.PgClient

  const replace = Effect.gen(function* () {
    if (nextStep(yield* sql.unsafe<SeatIndexRow>(INDEXES)) === undefined) return 0
    const connection = yield* PgConnection.make({ ...config, stream: undefined })
    const run = (text: string) => Effect.map(connection.query(text, [], false), ({ rows }) => rows)
    const indexes = Effect.map(run(INDEXES), (rows) => rows as unknown as ReadonlyArray<SeatIndexRow>)
    const [lock] = yield* run(LOCK)
    if (!lock!["held"]) return 0
    yield* Effect.addFinalizer(() => Effect.ignore(run(UNLOCK)))
    // Making an index waits for every transaction that is under way, and takes a minute for 25,000,000 seats.
    yield* run(UNLIMITED_SESSION)
    let steps = 0
    for (let step = nextStep(yield* indexes); step !== undefined; step = nextStep(yield* indexes)) {
      yield* run(step)
      steps++
    }
    yield* Effect.logInfo("the indexes of seats are replaced")
    return steps
  })
  return Effect.scoped(replace).pipe(Effect.withSpan("SeatIndexes.look"))
})
