/**
 * The time that all nodes agree on, the database's, whatever their own clocks show. By it go times that one node writes and
 * another one compares with the present seconds later: when a runner was last heard of, until when it holds an audit, how
 * long ago a device asked. It is read once a minute and carried on by this machine's monotonic clock; the host's clock stands
 * in for it where it could never be read. A node alone has only its own to agree with.
 */

import { seldomFailed } from "@agon/api/program/seldom.ts"
import { Clock, Context, Effect, Layer, Schedule } from "effect"
import { SqlClient } from "effect/sql"
import { HasPeers } from "../process/HasPeers.ts"
import { uptimeOf_ms } from "../process/uptime.ts"

const READ_EVERY = "1 minute"
const READ_TIMEOUT = "5 seconds"

export class SharedClock extends Context.Service<
  SharedClock,
  {
    /** The database's time, ms. */
    readonly now_ms: Effect.Effect<number>
  }
>()("agon/SharedClock") {
  static readonly layer: Layer.Layer<SharedClock, never, SqlClient.SqlClient> = Layer.effect(
    SharedClock,
    Effect.suspend(() => make)
  )
}

interface Reading {
  readonly at_ms: number
  readonly uptime_ms: number
}

const make = Effect.gen(function* () {
  if (!(yield* HasPeers)) return SharedClock.of({ now_ms: Clock.currentTimeMillis })
  const sql = yield* SqlClient.SqlClient
  let last: Reading | undefined

  /** Somewhere between question and answer, so it is off by half of what they took. */
  const read = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const asked_ms = uptimeOf_ms(clock)
    const [row] = yield* sql<{ readonly at: number }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`
    last = { at_ms: row!.at, uptime_ms: (asked_ms + uptimeOf_ms(clock)) / 2 }
  }).pipe(Effect.timeout(READ_TIMEOUT), Effect.catchCause(seldomFailed("the database's clock was not read")))

  yield* read
  yield* Effect.delay(read, READ_EVERY).pipe(Effect.repeat(Schedule.forever), Effect.forkScoped)

  return SharedClock.of({
    now_ms: Clock.clockWith((clock) =>
      Effect.sync(() =>
        last === undefined ? clock.currentTimeMillisUnsafe() : Math.round(last.at_ms + uptimeOf_ms(clock) - last.uptime_ms)
      )
    )
  })
})
