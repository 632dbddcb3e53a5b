/** Parts of nodes of their own, whose clocks differ from the test's. */
import { HasPeers } from "@agon/server/process/HasPeers.ts"
import { PgClient } from "@effect/sql-pg"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import * as HostClock from "./HostClock.ts"

/** Runs as a node does whose clock is so far ahead. */
export const onHost = Effect.fnUntraced(function* <A, E, R>(ahead_ms: number, run: Effect.Effect<A, E, R>) {
  const host = yield* HostClock.make
  host.ahead_ms = ahead_ms
  return yield* run.pipe(Effect.provideService(Clock.Clock, host.clock), Effect.provideService(HasPeers, true))
})

/** A part of a node of its own, on the test's database. */
export const built = <A, E, R>(part: Layer.Layer<A, E, R>) =>
  Effect.flatMap(PgClient.PgClient, (sql) => Effect.provideService(Layer.build(Layer.fresh(part)), SqlClient.SqlClient, sql))
