/**
 * The time that all nodes agree on, the database's, whatever their own clocks show. By it go times that one node writes and
 * another one compares with the present seconds or minutes later: when a runner was last heard of, until when it holds an audit,
 * how long ago a device asked, until when a sign-in, a signed address or a delivery is somebody's. It is read once a minute and
 * carried on by this machine's monotonic clock; the host's clock stands in for it where it could never be read. A node alone has
 * only its own to agree with.
 *
 * Whoever is outside, such as a bucket or a sign-in provider, is shown the host's own clock: so one database whose clock is wrong
 * does not cut all nodes off. A node says so where the two differ.
 */

import { seldom, seldomFailed } from "@agon/api/program/seldom.ts"
import { Clock, Context, Effect, Layer, Schedule, type Scope } from "effect"
import { SqlClient } from "effect/sql"
import { readGauges } from "../metric/gauge.ts"
import { HasPeers } from "../process/HasPeers.ts"
import { uptimeOf_ms } from "../process/uptime.ts"

const READ_EVERY = "1 minute"
const READ_TIMEOUT = "5 seconds"
/** A difference that is said. A reading is off by half of what it took. */
const APART_MS = 5_000

export class SharedClock extends Context.Service<
  SharedClock,
  {
    /** The database's time, ms. */
    readonly now_ms: Effect.Effect<number>
    readonly now: Effect.Effect<Date>
  }
>()("agon/SharedClock") {
  static readonly layer: Layer.Layer<SharedClock, never, SqlClient.SqlClient> = Layer.effect(
    SharedClock,
    Effect.suspend(() => make)
  )

  /** The host's, for a program that is no node. */
  static readonly layerAlone: Layer.Layer<SharedClock> = Layer.sync(SharedClock, () => sharedClock(Clock.currentTimeMillis))
}

interface Reading {
  readonly at_ms: number
  readonly uptime_ms: number
}

const make = Effect.gen(function* () {
  if (!(yield* HasPeers)) return sharedClock(Clock.currentTimeMillis)
  const sql = yield* SqlClient.SqlClient
  const compare = yield* comparison
  let last: Reading | undefined

  /** Somewhere between question and answer, so it is off by half of what they took. */
  const read = Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const asked_ms = uptimeOf_ms(clock)
    const [row] = yield* sql<{ readonly at: number }>`SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`
    const answered_ms = uptimeOf_ms(clock)
    last = { at_ms: row!.at, uptime_ms: (asked_ms + answered_ms) / 2 }
    yield* compare(clock.currentTimeMillisUnsafe() - row!.at, answered_ms - asked_ms)
  }).pipe(Effect.timeout(READ_TIMEOUT), Effect.catchCause(seldomFailed("the database's clock was not read")))

  yield* read
  yield* Effect.delay(read, READ_EVERY).pipe(Effect.repeat(Schedule.forever), Effect.forkScoped)

  return sharedClock(
    Clock.clockWith((clock) =>
      Effect.sync(() =>
        last === undefined ? clock.currentTimeMillisUnsafe() : Math.round(last.at_ms + uptimeOf_ms(clock) - last.uptime_ms)
      )
    )
  )
})

const sharedClock = (now_ms: Effect.Effect<number>) => SharedClock.of({ now_ms, now: Effect.map(now_ms, (ms) => new Date(ms)) })

/** Takes how far the host's clock is ahead, ms, and how long that took to find: the clocks are apart by more where the first is more. */
const comparison: Effect.Effect<(over_ms: number, took_ms: number) => Effect.Effect<void>, never, Scope.Scope> = Effect.gen(function* () {
  const apart = seldom("this machine's clock is not the database's; set both by NTP")
  let ahead_ms = 0
  const description = "By how much this machine's clock is ahead of the database's; negative where it is behind"
  yield* readGauges([{ name: "agon_clock_ahead_seconds", description, read: () => ahead_ms / 1_000 }])
  return (over_ms, took_ms) => {
    ahead_ms = Math.round(over_ms < 0 ? over_ms : Math.max(0, over_ms - took_ms))
    return Math.abs(ahead_ms) > APART_MS ? apart({ reason: "", fields: { ahead_ms } }) : Effect.void
  }
})
