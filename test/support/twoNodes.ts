/** Two nodes on one database, with the same secrets, and a connection to it. */
import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer } from "effect"
import { freePort } from "./freePort.ts"
import * as Postgres from "./Postgres.ts"
import { Service, type ServiceShape, layer as serviceLayer } from "./Service.ts"

export class Nodes extends Context.Service<Nodes, { readonly here: ServiceShape; readonly there: ServiceShape }>()("test/Nodes") {}

export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const url = yield* Postgres.url({ migrate: true })
    const node = Effect.fnUntraced(function* (over: { readonly directory?: string }) {
      const address = { host: "127.0.0.1", port: yield* Effect.promise(freePort) }
      return Context.get(yield* Layer.build(Layer.fresh(serviceLayer({ database_url: url, node: address, ...over }))), Service)
    })
    const here = yield* node({})
    const there = yield* node({ directory: here.directory }) // the secrets are there
    return Layer.merge(Layer.succeed(Nodes, { here, there }), PgClient.layer({ url }))
  })
)
