/** A database with the seasons' ground on it, on which the scenario is run again and again. */
import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import * as Postgres from "../support/Postgres.ts"
import { build, type Control, digests } from "./ground.ts"
import { trial } from "./trial.ts"

export const database = Effect.gen(function* () {
  const url = yield* Postgres.url({ migrate: true })
  const client = PgClient.layer({ url, maxConnections: 2 })
  const outside = yield* Layer.build(Layer.fresh(client))
  yield* Effect.provide(build, outside)
  const control: Control = {
    digests: yield* Effect.provide(digests, outside),
    outside: yield* Effect.provide(PgClient.PgClient, outside),
    mutate: (text) => text,
    transaction: true,
    seen: new Set()
  }
  return { control, run: Effect.provide(trial(control), yield* Layer.build(Layer.fresh(client))) }
})
