/** A database with the first accounts, and its address for processes of their own that a test starts on it. */
import { PgClient } from "@effect/sql-pg"
import { Context, Duration, Effect, Layer, Redacted } from "effect"
import * as Postgres from "./Postgres.ts"
import { seedAccounts } from "./Web.ts"

export class Address extends Context.Service<Address, { readonly url: string }>()("test/Address") {}

const database = Layer.unwrap(
  Effect.map(Postgres.url({ migrate: true }), (url) =>
    Layer.merge(
      PgClient.layer({ url, maxConnections: 8, connectTimeout: Duration.infinity }),
      Layer.succeed(Address, { url: Redacted.value(url) })
    )
  )
)

export const seeded = Layer.effectDiscard(seedAccounts).pipe(Layer.provideMerge(database))
